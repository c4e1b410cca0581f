"""The active plan of each athlete, with its publication, comments and rejections.

`coach.current_plans` points to it; see `decisions.py` for the rows behind it. All times are UTC.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb

from coach_agent.domain.plan import Plan
from coach_agent.domain.values import Value
from coach_agent.publishing.routine_changes import Change
from coach_agent.store.comments import CommentAuthor, read_latest_comments, with_comments
from coach_agent.store.rejections import PastRejection, read_past_rejections
from coach_agent.store.tables import has_table
from hevy_connector.schemas import UtcTime


class PlanReport(Value):
    """The active plan as JSON; `publication_state` is null before its publication.

    `rejections` are recently rejected plans of the routine, newest first. `remarks` are the models
    that comment on the last workout and on stalls instead of the rules. `last_workout_at` is the
    start of the latest workout of any kind; null if unknown.
    """

    plan_id: str
    decided_at: datetime
    publication_state: str | None
    plan: Plan
    changes: tuple[Change, ...]
    rejections: tuple[PastRejection, ...] = ()
    remarks: tuple[CommentAuthor, ...] = ()
    last_workout_at: UtcTime | None = None


@dataclass(frozen=True)
class JournaledPlan:
    """The active plan of an athlete with the state of its publication.

    `decided_at` is the time of its first decision. `state` is that of its publication, None before
    it. `changes` are its changes to the routine. `rejections` are recently rejected plans of that
    routine, newest first. The comments in `plan` are those of the models in `remarks`, by default
    those of the rules. `last_workout_at` is the start of the latest workout of any kind, None if
    unknown.
    """

    plan_id: str
    plan: Plan
    decided_at: datetime
    state: str | None
    changes: tuple[Change, ...]
    rejections: tuple[PastRejection, ...] = ()
    remarks: tuple[CommentAuthor, ...] = ()
    last_workout_at: datetime | None = None

    def summary(self) -> dict[str, Any]:
        """Return the plan as plain values in the schema of `PlanReport`."""
        report = PlanReport(
            plan_id=self.plan_id,
            decided_at=self.decided_at,
            publication_state=self.state,
            plan=self.plan,
            changes=self.changes,
            rejections=self.rejections,
            remarks=self.remarks,
            last_workout_at=self.last_workout_at,
        )
        return report.model_dump(mode="json")


def clear_current_plan(con: duckdb.DuckDBPyConnection, athlete_id: str) -> None:
    """Clear the athlete's active plan: an older one was built for other data."""
    clear_current_plans(con, [athlete_id])


def clear_current_plans(con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]) -> None:
    """Clear the active plans of these athletes."""
    if athlete_ids:
        con.execute(
            "delete from coach.current_plans where athlete_id in (select unnest($1))",
            [list(athlete_ids)],
        )


def read_current_plans(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str] | None = None
) -> dict[str, JournaledPlan]:
    """Return the active plan by athlete, by default of all athletes."""
    found = _read_plans(con, athlete_ids)
    return {journaled.plan.athlete_id: journaled for journaled in found}


def read_current_plan(con: duckdb.DuckDBPyConnection, athlete_id: str) -> JournaledPlan | None:
    """Return the active plan of an athlete; reads no other athlete's plan."""
    return read_current_plans(con, [athlete_id]).get(athlete_id)


def decided_at(con: duckdb.DuckDBPyConnection, plan_id: str) -> datetime:
    """Return the time of an active plan's latest decision; newer data may have confirmed it."""
    rows: list[tuple[datetime]] = con.execute(
        "select decided_at from coach.current_plans where plan_id = $1", [plan_id]
    ).fetchall()
    return rows[0][0].replace(tzinfo=UTC)


def _read_plans(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str] | None
) -> list[JournaledPlan]:
    rejections = read_past_rejections(con, athlete_ids)
    remarks = read_latest_comments(con, athlete_ids)
    latest = _last_workouts(con, athlete_ids)
    rows: list[tuple[str, str, datetime, str | None, str | None]] = con.execute(
        """
        with publications as (
            select
                plan_id,
                -- A plan that is decided again after its withdrawal is not in Hevy yet.
                case
                    when kind = 'withdrawal' then null
                    when rolled_back_by is null then state
                    else 'rolled_back'
                end as state,
                if(kind = 'withdrawal', null, diff) as diff
            from coach.publications
            where $1::varchar[] is null or athlete_id in (select unnest($1::varchar[]))
            qualify row_number() over (
                partition by plan_id order by publication_number desc
            ) = 1
        )
        select plan_id, plans.plan, plans.created_at, publications.state, publications.diff
        from coach.current_plans as current_plans
        inner join coach.plans as plans using (plan_id)
        left join publications using (plan_id)
        where $1::varchar[] is null or plans.athlete_id in (select unnest($1::varchar[]))
        order by plans.athlete_id
        """,
        [None if athlete_ids is None else list(athlete_ids)],
    ).fetchall()
    found = []
    for plan_id, plan_json, created_at, state, diff in rows:
        plan = Plan.model_validate_json(plan_json)
        commented_plan, authors = with_comments(plan, remarks.get(plan.athlete_id, ()))
        journaled = JournaledPlan(
            plan_id,
            commented_plan,
            created_at.replace(tzinfo=UTC),
            state,
            tuple(Change(**change) for change in json.loads(diff or "[]")),
            rejections.get(plan_id, ()),
            authors,
            latest.get(plan.athlete_id),
        )
        found.append(journaled)
    return found


def _last_workouts(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str] | None
) -> dict[str, datetime]:
    """Return the start of the latest workout by athlete; empty before the marts are built."""
    if not has_table(con, "marts.fct_workout"):
        return {}
    rows: list[tuple[str, datetime]] = con.execute(
        """
        select athlete_id, max(started_at)
        from marts.fct_workout
        where $1::varchar[] is null or athlete_id in (select unnest($1::varchar[]))
        group by athlete_id
        """,
        [None if athlete_ids is None else list(athlete_ids)],
    ).fetchall()
    return {athlete_id: at.replace(tzinfo=UTC) for athlete_id, at in rows}
