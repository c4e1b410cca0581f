"""Read the coach's input from the marts: current routines, and the workouts trained from them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import duckdb

from coach_agent.domain.context import RoutineContext, SlotContext, TrainedRoutine
from coach_agent.domain.values import by_athlete
from coach_agent.engine.history.file_routines import complete_file_routine
from hevy_connector.schemas import FILE_ID_PREFIX

MOST_WORKOUTS = 100
"""Number of latest workouts that are read of an athlete."""


class RoutineRows(NamedTuple):
    """The rows of a routine, with each slot as JSON text of a `SlotContext`.

    Text is copied to another process in 5 % of the time of the slots.
    """

    routine_id: str
    title: str
    sha256: str
    last_trained_at: datetime | None
    slots: tuple[str, ...]
    left_out: tuple[str, ...]

    def context(self) -> RoutineContext:
        """Return the routine.

        Raises:
            pydantic.ValidationError: the mart breaks its contract.
        """
        slots, left_out = (
            tuple(map(SlotContext.model_validate_json, each))
            for each in (self.slots, self.left_out)
        )
        whole = RoutineContext(**{**self._asdict(), "slots": slots, "left_out": left_out})
        is_of_file = self.routine_id.startswith(FILE_ID_PREFIX)
        return complete_file_routine(whole) if is_of_file else whole


def read_context(con: duckdb.DuckDBPyConnection, athlete_id: str) -> tuple[RoutineContext, ...]:
    """Return the athlete's routines by id, from the mart `coach_context`; empty without any.

    Raises:
        pydantic.ValidationError: the mart breaks its contract.
    """
    return tuple(each.context() for each in read_routines(con, [athlete_id]).get(athlete_id, ()))


def read_routines(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, tuple[RoutineRows, ...]]:
    """Return the rows of the routines by id for each athlete, from the mart `coach_context`.

    Athletes without a routine are absent. DuckDB writes the JSON: its nested values as Python's
    dictionaries take three times as long.
    """
    rows = con.execute(
        """
        select
            athlete_id, routine_id, routine_title, routine_sha256, routine_last_trained_at,
            is_left_out,
            to_json({
                'exercise_index': exercise_index,
                'occurrence': occurrence,
                'exercise_template_id': exercise_template_id,
                'exercise_title': exercise_title,
                'exercise_type': exercise_type,
                'equipment': equipment,
                'primary_muscle_group': primary_muscle_group,
                'secondary_muscle_groups': secondary_muscle_groups,
                'superset_id': superset_id,
                'rest_s': rest_s,
                'learned_increment_kg': learned_increment_kg,
                'exposures': exposures,
                'planned_sets': planned_sets,
                'notes': notes,
                'last_trained_at': last_trained_at,
                'trend': {
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
                }
            })::varchar as slot
        from marts.coach_context
        where athlete_id in (select unnest($1))
        order by athlete_id, routine_id, exercise_index
        """,
        [list(athlete_ids)],
    ).fetchall()
    return {
        athlete_id: tuple(
            _routine(list(of_routine)) for _, of_routine in groupby(own, key=itemgetter(0))
        )
        for athlete_id, own in by_athlete(rows).items()
    }


def _routine(rows: Sequence[tuple[Any, ...]]) -> RoutineRows:
    routine_id, title, sha256, last_trained_at, *_ = rows[0]
    slots, left_out = (
        tuple(slot for *_, is_left_out, slot in rows if is_left_out == is_out)
        for is_out in (False, True)
    )
    return RoutineRows(routine_id, title, sha256, last_trained_at, slots, left_out)


def read_trained(con: duckdb.DuckDBPyConnection, athlete_id: str) -> tuple[TrainedRoutine, ...]:
    """Return the athlete's workouts from existing routines, oldest first, at most 100.

    100 workouts are enough for any rotation: the order is inferred from the latest weeks. A workout
    from a written copy of a routine counts as one of the original routine.
    """
    return trained_routines(read_trained_of(con, [athlete_id]).get(athlete_id, ()))


def trained_routines(rows: Iterable[tuple[str, datetime]]) -> tuple[TrainedRoutine, ...]:
    """Return the workouts of the rows of `read_trained_of`."""
    return tuple(
        TrainedRoutine(routine_id=routine_id, started_at=started_at)
        for routine_id, started_at in rows
    )


def read_trained_of(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, list[tuple[str, datetime]]]:
    """Return routine and start of the workouts of `read_trained` by athlete, if there are any."""
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
    return by_athlete(rows)
