"""Read the coach's input from the marts: current routines, and the workouts trained from them."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import duckdb

from coach_agent.domain.context import RoutineContext, SlotContext, TrainedRoutine
from coach_agent.domain.values import by_athlete
from coach_agent.engine.history.file_routines import complete_file_routine
from hevy_connector.schemas import FILE_ID_PREFIX

MOST_WORKOUTS = 100
"""Number of latest workouts that are read of an athlete."""


def read_context(con: duckdb.DuckDBPyConnection, athlete_id: str) -> tuple[RoutineContext, ...]:
    """Return the athlete's routines by id, from the mart `coach_context`; empty without any.

    Raises:
        pydantic.ValidationError: the mart breaks its contract.
    """
    return read_contexts(con, [athlete_id]).get(athlete_id, ())


def read_contexts(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, tuple[RoutineContext, ...]]:
    """Return the routines by id for each athlete, from the mart `coach_context`.

    Athletes without a routine are absent.

    Raises:
        pydantic.ValidationError: the mart breaks its contract.
    """
    cursor = con.execute(
        """
        select
            athlete_id, routine_id, routine_title, routine_sha256, routine_last_trained_at,
            exercise_index, occurrence, exercise_template_id, exercise_title, exercise_type,
            equipment, primary_muscle_group, secondary_muscle_groups, superset_id, rest_s, notes,
            is_left_out, last_trained_at, learned_increment_kg, planned_sets, exposures,
            {
                'verdict': trend_verdict,
                'slope_pct': trend_slope_pct,
                'lower_pct': trend_lower_pct,
                'upper_pct': trend_upper_pct,
                'standard_error_pct': trend_standard_error_pct,
                'residual_pct': trend_residual_pct,
                'false_alarm_rate': trend_false_alarm_rate,
                'exposure_count': trend_exposure_count,
                'mean_rpe': trend_mean_rpe,
                'mean_reps': trend_mean_reps
            } as trend
        from marts.coach_context
        where athlete_id in (select unnest($1))
        order by athlete_id, routine_id, exercise_index
        """,
        [list(athlete_ids)],
    )
    columns = [column[0] for column in cursor.description or ()]
    rows = (dict(zip(columns, row, strict=True)) for row in cursor.fetchall())
    found: dict[str, list[RoutineContext]] = {}
    for (athlete_id, _), group in groupby(rows, key=itemgetter("athlete_id", "routine_id")):
        found.setdefault(athlete_id, []).append(_routine(group))
    return {athlete_id: tuple(routines) for athlete_id, routines in found.items()}


def read_trained(con: duckdb.DuckDBPyConnection, athlete_id: str) -> tuple[TrainedRoutine, ...]:
    """Return the athlete's workouts from existing routines, oldest first, at most 100.

    100 workouts are enough for any rotation: the order is inferred from the latest weeks. A workout
    from a written copy of a routine counts as one of the original routine.
    """
    return read_trained_of(con, [athlete_id]).get(athlete_id, ())


def read_trained_of(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, tuple[TrainedRoutine, ...]]:
    """Return the workouts of `read_trained` by athlete; athletes without any are absent."""
    rows = con.execute(
        """
        with copies as (
            select athlete_id, written_routine_id, any_value(routine_id) as original_id
            from coach.publications
            where athlete_id in (select unnest($1)) and written_routine_id is not null
            group by athlete_id, written_routine_id
        ),

        present as (
            select distinct athlete_id, routine_id
            from marts.coach_context
            where athlete_id in (select unnest($1))
        ),

        -- Workouts of files, and those begun without a routine, by the routine that they resemble.
        resembled as (
            select distinct athlete_id, workout_id, routine_id
            from marts.fct_plan_compliance
            where athlete_id in (select unnest($1)) and routine_id is not null
        ),

        named as (
            select
                workouts.athlete_id,
                workouts.workout_id,
                workouts.started_at,
                coalesce(
                    copies.original_id, workouts.routine_id, resembled.routine_id
                ) as routine_id
            from marts.fct_workout as workouts
            left join copies
                on
                    workouts.athlete_id = copies.athlete_id
                    and workouts.routine_id = copies.written_routine_id
            left join resembled
                on
                    workouts.athlete_id = resembled.athlete_id
                    and workouts.workout_id = resembled.workout_id
            where workouts.athlete_id in (select unnest($1))
        ),

        trained as (
            select
                named.athlete_id,
                named.routine_id,
                named.started_at,
                row_number() over (
                    partition by named.athlete_id
                    order by named.started_at desc, named.workout_id desc
                ) as place
            from named
            inner join present
                on
                    named.athlete_id = present.athlete_id
                    and named.routine_id = present.routine_id
        )

        select athlete_id, routine_id, started_at
        from trained
        where place <= $2
        order by athlete_id, place desc
        """,
        [list(athlete_ids), MOST_WORKOUTS],
    ).fetchall()
    return {
        athlete_id: tuple(
            TrainedRoutine(routine_id=routine_id, started_at=started_at)
            for routine_id, started_at in own
        )
        for athlete_id, own in by_athlete(rows).items()
    }


_OF_PLANS = {"types_in_hevy", "is_range_ours"}
_SLOT_COLUMNS = tuple(name for name in SlotContext.model_fields if name not in _OF_PLANS)


def _routine(rows: Iterable[dict[str, Any]]) -> RoutineContext:
    slots = list(rows)
    routine = {
        "routine_id": slots[0]["routine_id"],
        "title": slots[0]["routine_title"],
        "sha256": slots[0]["routine_sha256"],
        "last_trained_at": slots[0]["routine_last_trained_at"],
        "slots": [_slot(row) for row in slots if not row["is_left_out"]],
        "left_out": [_slot(row) for row in slots if row["is_left_out"]],
    }
    context = RoutineContext.model_validate(routine)
    is_of_file = context.routine_id.startswith(FILE_ID_PREFIX)
    return complete_file_routine(context) if is_of_file else context


def _slot(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in _SLOT_COLUMNS}
