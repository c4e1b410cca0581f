"""Comments on a workout, a stalled lift or a week: by a model, with the rules as fallback.

Stored separately from the plans: the text of a comment never changes the sets of the active plan.
All times are UTC.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import duckdb
from pydantic import BaseModel

from coach_agent.domain.model_calls import ENGINE, SmallQuestion
from coach_agent.domain.plan import Plan
from coach_agent.domain.values import Value, canonical_json, naive_utc
from coach_agent.store.upsert import upsert_all
from hevy_connector.schemas import UtcTime

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class CoachComment:
    """The latest comment on one subject.

    `subject` is the workout, the exercise template or the Monday of the week. `decided_by` is
    provider and model, or "engine". `was_answered`: a model returned an answer, useful or not.
    `by_rules` is the rule-based comment, `said` the effective one, both as canonical JSON.
    """

    kind: SmallQuestion
    subject: str
    said_at: datetime
    decided_by: str
    prompt_version: str | None
    prompt_sha256: str | None
    was_answered: bool
    by_rules: str
    said: str


class CommentAuthor(Value):
    """The model that wrote a comment of a plan instead of the rules."""

    kind: SmallQuestion
    subject: str
    said_at: UtcTime
    decided_by: str
    prompt_version: str | None


def record_comment(
    con: duckdb.DuckDBPyConnection, athlete_id: str, comment: CoachComment, *, run_id: str
) -> None:
    """Upsert a comment as the latest of its subject."""
    record_comments(con, [(athlete_id, comment)], run_id=run_id)


def record_comments(
    con: duckdb.DuckDBPyConnection, comments: Sequence[tuple[str, CoachComment]], *, run_id: str
) -> None:
    """Upsert comments by athlete as the latest of their subjects; each subject at most once."""
    rows = [
        {
            "athlete_id": athlete_id,
            "kind": comment.kind,
            "subject": comment.subject,
            "said_at": naive_utc(comment.said_at),
            "run_id": run_id,
            "decided_by": comment.decided_by,
            "prompt_version": comment.prompt_version,
            "prompt_sha256": comment.prompt_sha256,
            "was_answered": comment.was_answered,
            "by_rules": comment.by_rules,
            "said": comment.said,
        }
        for athlete_id, comment in comments
    ]
    upsert_all(con, "coach.remarks", ["athlete_id", "kind", "subject"], rows)


def read_comment(
    con: duckdb.DuckDBPyConnection, athlete_id: str, kind: SmallQuestion, subject: str
) -> CoachComment | None:
    """Return the latest comment on a subject; None without one."""
    condition = "athlete_id = $1 and kind = $2 and subject = $3"
    found = _read(con, condition, [athlete_id, kind, subject])
    return found[0][1] if found else None


def read_comments_of(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[tuple[str, SmallQuestion, str], CoachComment]:
    """Return the latest comments of these athletes by athlete, kind and subject."""
    rows = _read(con, "athlete_id in (select unnest($1))", [list(athlete_ids)])
    return {(athlete_id, each.kind, each.subject): each for athlete_id, each in rows}


def read_comments_on(
    con: duckdb.DuckDBPyConnection, kind: SmallQuestion, subjects: Mapping[str, str]
) -> dict[str, CoachComment]:
    """Return the latest comment on each athlete's one subject, by athlete."""
    condition = "kind = $1 and (athlete_id, subject) in (select unnest($2), unnest($3))"
    return dict(_read(con, condition, [kind, list(subjects), list(subjects.values())]))


def read_latest_comments(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str] | None = None
) -> dict[str, tuple[CoachComment, ...]]:
    """Return by athlete the models' comments on the latest workout and on each stalled lift.

    By default for all athletes.
    """
    rows = _read(
        con,
        """
        kind in ('insight', 'stall')
        and decided_by <> $1
        and ($2::varchar[] is null or athlete_id in (select unnest($2::varchar[])))
        qualify row_number() over (
            partition by athlete_id, kind, if(kind = 'stall', subject, null)
            order by said_at desc, subject
        ) = 1
        """,
        [ENGINE, None if athlete_ids is None else list(athlete_ids)],
    )
    found: dict[str, tuple[CoachComment, ...]] = {}
    for athlete_id, comment in rows:
        found[athlete_id] = (*found.get(athlete_id, ()), comment)
    return found


def with_comments(
    plan: Plan, comments: Sequence[CoachComment]
) -> tuple[Plan, tuple[CommentAuthor, ...]]:
    """Return the plan with the models' comments, and their authors.

    A comment replaces the rule-based text only if that text is unchanged since the request;
    otherwise the rule-based text is the fallback.
    """
    used: list[CoachComment] = []
    insight = _replace_text(
        plan.insight, (each for each in comments if each.kind == "insight"), used
    )
    slots = []
    for slot in plan.slots:
        of_lift = (
            each
            for each in comments
            if each.kind == "stall" and each.subject == slot.exercise_template_id
        )
        slots.append(slot.model_copy(update={"stall": _replace_text(slot.stall, of_lift, used)}))
    if not used:
        return plan, ()
    authors = tuple(
        CommentAuthor(
            kind=each.kind,
            subject=each.subject,
            said_at=each.said_at,
            decided_by=each.decided_by,
            prompt_version=each.prompt_version,
        )
        for each in dict.fromkeys(used)
    )
    return plan.model_copy(update={"insight": insight, "slots": tuple(slots)}), authors


def _replace_text(
    by_rules: T | None, comments: Iterable[CoachComment], used: list[CoachComment]
) -> T | None:
    if by_rules is None:
        return None
    rules_json = canonical_json(by_rules).decode()
    for comment in comments:
        if comment.by_rules == rules_json:
            used.append(comment)
            return type(by_rules).model_validate_json(comment.said)
    return by_rules


def _read(
    con: duckdb.DuckDBPyConnection, condition: str, values: Sequence[str | list[str] | None]
) -> list[tuple[str, CoachComment]]:
    rows = con.execute(
        f"""
        select
            athlete_id, kind, subject, said_at, decided_by, prompt_version, prompt_sha256,
            was_answered, by_rules, said
        from coach.remarks where {condition}
        """,  # noqa: S608 - our own conditions
        values,
    ).fetchall()
    return [
        (athlete_id, CoachComment(kind, subject, said_at.replace(tzinfo=UTC), *rest))
        for athlete_id, kind, subject, said_at, *rest in rows
    ]
