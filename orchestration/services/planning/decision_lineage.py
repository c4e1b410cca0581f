"""Lineage of a decision: raw rows, sets, engine and publication in one chain.

The journal stores the engine's input and output. This module adds the raw rows and facts behind
them, and the publications in Hevy.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import duckdb

from coach_agent.domain.constants.catalogue import rule_version
from coach_agent.domain.context import ExposureSet, LiftTrend
from coach_agent.domain.plan import Place, Plan, SetPrescription, SlotPrescription
from coach_agent.domain.titles import did_you_mean, normalize_title
from coach_agent.domain.values import Value, naive_utc
from coach_agent.planning.explanation import Seen, SlotFacts, facts_of, plates_text
from coach_agent.publishing.routine_changes import Change
from coach_agent.verification.replay import JournaledDecision
from hevy_connector.records import Entity


class UnknownSlotError(Exception):
    """The plan has no such exercise."""


class RawRow(Value):
    """A row of a raw table; `is_latest` unless a newer version of the record was loaded since."""

    entity: Entity
    record_id: str
    loaded_at: datetime
    origin: str
    payload_sha256: str
    is_latest: bool


class SetRow(Value):
    """A row of `marts.fct_set` by its key, as it is now."""

    set_key: str
    set_index: int
    weight_kg: float | None
    reps: int | None
    e1rm_kg: float | None


class SeenWorkout(Seen):
    """A workout of the decision's input with its rows; `is_as_seen` if the marts are unchanged.

    `raw` are the versions that were current at the decision, from the account and from a file.
    """

    raw: tuple[RawRow, ...]
    sets_now: tuple[SetRow, ...]
    is_as_seen: bool


class PublicationRow(Value):
    """A row of `coach.publications` for the plan; times are UTC."""

    publication_id: str
    mode: str
    state: str
    detail: str | None
    staged_at: datetime
    effective_at: datetime | None
    finished_at: datetime | None


class SlotChain(Value):
    """One exercise from raw rows to loads; `plates` are the plates on the bar by set.

    `engine_sets` is the engine's proposal for the slot, null if there was none: a model may have
    chosen otherwise within its limits, also another exercise that the engine did not read. `trend`
    is the current one of the marts, which equals that of the decision only for the latest decision.
    `changes` are those of the latest publication in Hevy.
    """

    number: int
    workouts: tuple[SeenWorkout, ...]
    facts: SlotFacts | None
    prescription: SlotPrescription
    engine_sets: tuple[SetPrescription, ...] | None
    plates: tuple[str | None, ...]
    trend: LiftTrend | None
    changes: tuple[Change, ...]


class Chain(Value):
    """A decision with its complete lineage."""

    decision_id: str
    plan_id: str
    athlete_id: str
    routine_title: str
    decided_at: datetime
    run_id: str
    decided_by: str
    rule_version: str
    current_rule_version: str
    prompt_version: str | None
    model: str | None
    seed: int | None
    input_sha256: str
    output_sha256: str
    profile_sha256: str | None
    profile: dict[str, Any] | None
    circumstances: dict[str, Any]
    raw: tuple[RawRow, ...]
    publications: tuple[PublicationRow, ...]
    slots: tuple[SlotChain, ...]


def read_chain(
    con: duckdb.DuckDBPyConnection, decided: JournaledDecision, slot: str | None = None
) -> Chain:
    """Read the lineage of a decision, for all exercises or one, by number or title.

    Raises:
        UnknownSlotError: the plan has no such exercise.
        pydantic.ValidationError: the input has an unknown schema.
    """
    given = decided.engine_input
    facts = dict(zip(map(_place, given.slots), facts_of(given), strict=True))
    inputs = {_place(each): each for each in given.slots}
    proposed = {_place(each): each.sets for each in decided.engine_plan.slots}
    publications, changes = _publications(con, decided)
    chains = []
    for number, prescribed in _select_slots(decided.plan, slot):
        seen, read = facts.get(_place(prescribed)), inputs.get(_place(prescribed))
        chains.append(
            SlotChain(
                number=number,
                workouts=tuple(
                    _workout(con, decided, each, seen) for each in (seen.seen if seen else ())
                ),
                facts=seen,
                prescription=prescribed,
                engine_sets=proposed.get(_place(prescribed.replaces or prescribed)),
                plates=tuple(
                    None if read is None else plates_text(each, read, given.rules, decided.unit)
                    for each in prescribed.sets
                ),
                trend=None if seen is None else _trend(con, decided.athlete_id, seen),
                changes=tuple(
                    each for each in changes if each.exercise_title == prescribed.exercise_title
                ),
            )
        )
    return Chain(
        decision_id=decided.decision_id,
        plan_id=decided.plan_id,
        athlete_id=decided.athlete_id,
        routine_title=decided.plan.routine_title,
        decided_at=decided.decided_at,
        run_id=decided.run_id,
        decided_by=decided.decided_by,
        rule_version=decided.rule_version,
        current_rule_version=rule_version(),
        prompt_version=decided.prompt_version,
        model=decided.model,
        seed=decided.seed,
        input_sha256=decided.input_sha256,
        output_sha256=decided.output_sha256,
        profile_sha256=decided.profile_sha256,
        profile=json.loads(decided.profile_json) if decided.profile_json else None,
        circumstances=given.circumstances.model_dump(mode="json"),
        raw=(
            *_raw_rows(con, decided, "hevy_routines", [decided.plan.routine_id]),
            *_raw_rows(con, decided, "athlete_profiles", [decided.athlete_id]),
        ),
        publications=publications,
        slots=tuple(chains),
    )


def _place(slot: Place) -> tuple[str, int]:
    return slot.exercise_template_id, slot.occurrence


def _select_slots(plan: Plan, slot: str | None) -> Sequence[tuple[int, SlotPrescription]]:
    numbered = [(each.exercise_index + 1, each) for each in plan.slots]
    if slot is None:
        return numbered
    wanted = normalize_title(slot)
    found = [
        (number, each)
        for number, each in numbered
        if slot.strip() == str(number) or normalize_title(each.exercise_title) == wanted
    ]
    if not found:
        titles = [each.exercise_title for each in plan.slots]
        raise UnknownSlotError(
            f"The plan has no exercise '{slot}': it is a number from 1 to {len(titles)} or a title "
            f"as in Hevy.{did_you_mean(slot, titles)}"
        )
    return found


def _workout(
    con: duckdb.DuckDBPyConnection, decided: JournaledDecision, seen: Seen, facts: SlotFacts | None
) -> SeenWorkout:
    matched: list[tuple[str]] = con.execute(
        """
        select file_record_id from raw.workout_matches
        where athlete_id = $1 and hevy_record_id = $2
        """,
        [decided.athlete_id, seen.workout_id],
    ).fetchall()
    records = [seen.workout_id, *(record for (record,) in matched)]
    sets = () if facts is None else _sets_now(con, decided.athlete_id, seen, facts)
    return SeenWorkout(
        **dict(seen),
        raw=tuple(_raw_rows(con, decided, "hevy_workouts", records)),
        sets_now=sets,
        is_as_seen=_numbers(sets) == _numbers(seen.sets),
    )


def _numbers(
    sets: Iterable[SetRow] | Iterable[ExposureSet],
) -> list[tuple[int, float | None, int | None]]:
    return [(each.set_index, each.weight_kg, each.reps) for each in sets]


def _sets_now(
    con: duckdb.DuckDBPyConnection, athlete_id: str, seen: Seen, facts: SlotFacts
) -> tuple[SetRow, ...]:
    """Return the rows of the exercise in the workout.

    Of several occurrences, the one whose sets equal those of the decision; else the same
    occurrence; else the first one.
    """
    rows: list[tuple[Any, ...]] = con.execute(
        """
        select occurrence, set_key, set_index, weight_kg, reps, e1rm_kg
        from marts.fct_set
        where athlete_id = $1 and workout_id = $2 and exercise_key = $3
        order by occurrence, set_index
        """,
        [athlete_id, seen.workout_id, facts.exercise_template_id],
    ).fetchall()
    places: dict[int, list[SetRow]] = {}
    for occurrence, key, index, weight_kg, reps, e1rm_kg in rows:
        row = SetRow(set_key=key, set_index=index, weight_kg=weight_kg, reps=reps, e1rm_kg=e1rm_kg)
        places.setdefault(occurrence, []).append(row)
    alike = [each for each in places.values() if _numbers(each) == _numbers(seen.sets)]
    found = alike or [places[each] for each in (facts.occurrence, *places) if each in places]
    return tuple(found[0]) if found else ()


def _trend(con: duckdb.DuckDBPyConnection, athlete_id: str, facts: SlotFacts) -> LiftTrend | None:
    names = tuple(LiftTrend.model_fields)
    rows = con.execute(
        f"""
        select {", ".join(names)} from marts.fct_exercise_trend
        where athlete_id = $1 and exercise_key = $2
        """,  # noqa: S608 - our own column names
        [athlete_id, facts.exercise_template_id],
    ).fetchall()
    return LiftTrend(**dict(zip(names, rows[0], strict=True))) if rows else None


def _raw_rows(
    con: duckdb.DuckDBPyConnection,
    decided: JournaledDecision,
    entity: Entity,
    record_ids: Sequence[str],
) -> list[RawRow]:
    """Return for each record the version that was current at the decision."""
    rows: list[tuple[Any, ...]] = con.execute(
        f"""
        select record_id, loaded_at, origin, payload_sha256, is_latest
        from (
            select *, loaded_at = max(loaded_at) over (partition by record_id) as is_latest
            from raw.{entity}
            where athlete_id = $1 and record_id in (select unnest($2))
        )
        where loaded_at <= $3
        qualify loaded_at = max(loaded_at) over (partition by record_id)
        order by record_id
        """,  # noqa: S608 - our own table names
        [decided.athlete_id, list(record_ids), naive_utc(decided.decided_at)],
    ).fetchall()
    return [
        RawRow(
            entity=entity,
            record_id=record_id,
            loaded_at=loaded_at.replace(tzinfo=UTC),
            origin=origin,
            payload_sha256=digest,
            is_latest=is_latest,
        )
        for record_id, loaded_at, origin, digest, is_latest in rows
    ]


def _publications(
    con: duckdb.DuckDBPyConnection, decided: JournaledDecision
) -> tuple[tuple[PublicationRow, ...], tuple[Change, ...]]:
    """Return the plan's publications, oldest first, and the changes of the latest one in Hevy."""
    rows: list[tuple[Any, ...]] = con.execute(
        """
        select publication_id, mode, state, detail, staged_at, effective_at, finished_at, diff
        from coach.publications
        where plan_id = $1
        order by publication_number
        """,
        [decided.plan_id],
    ).fetchall()
    found = tuple(
        PublicationRow(
            publication_id=row[0],
            mode=row[1],
            state=row[2],
            detail=row[3] or None,
            **{
                name: at and at.replace(tzinfo=UTC)
                for name, at in zip(
                    ("staged_at", "effective_at", "finished_at"), row[4:7], strict=True
                )
            },
        )
        for row in rows
    )
    diff = rows[-1][7] if rows else None
    return found, tuple(Change(**change) for change in json.loads(diff or "[]"))
