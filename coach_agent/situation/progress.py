"""Training progress for reports, read from the marts in one batch: weeks, records, trends."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import duckdb

from coach_agent.domain.days import monday_of
from coach_agent.domain.values import Value, by_athlete

RECORD_DAYS = 7
TREND_DAYS = 28
_KINDS = ("load", "e1rm", "reps", "duration", "distance")


class Week(Value):
    """An athlete's week; `planned_sets` and `met_sets` are of workouts with a known plan."""

    week_start: date
    workouts: int
    streak_weeks: int
    planned_sets: int
    met_sets: int


class BrokenRecord(Value):
    """A current record; `kind` is the mart's, `value` and `gain` have its unit."""

    exercise_title: str
    exercise_type: str | None
    kind: str
    value: float
    gain: float
    weight_kg: float | None
    reps: int | None
    day: date


class Rise(Value):
    """A lift with a significant rise of its estimated maximum: % per workout, over `workouts`."""

    exercise_title: str
    slope_pct: float
    workouts: int


class TrainedWorkout(Value):
    """A workout with its working sets."""

    title: str
    day: date
    working_sets: int
    minutes: int | None


class Progress(Value):
    """Reportable progress: the present week, the one before, and events of the last days.

    `doubted` is the number of sets of the last four weeks that look mistyped and are not reported.
    """

    this_week: Week | None = None
    last_week: Week | None = None
    latest: TrainedWorkout | None = None
    records: tuple[BrokenRecord, ...] = ()
    rises: tuple[Rise, ...] = ()
    doubted: int = 0


def read_progress_of(
    con: duckdb.DuckDBPyConnection, days: Mapping[str, date]
) -> dict[str, Progress]:
    """Return progress by athlete on that day, with a constant number of queries."""
    weeks, latest, records = _weeks(con, days), _latest(con, days), _records(con, days)
    rises, doubted = _rises(con, days), _doubted(con, days)
    found = {}
    for athlete_id, today in days.items():
        monday = monday_of(today)
        own_weeks = weeks.get(athlete_id, {})
        found[athlete_id] = Progress(
            this_week=own_weeks.get(monday),
            last_week=own_weeks.get(monday - timedelta(weeks=1)),
            latest=latest.get(athlete_id),
            records=records.get(athlete_id, ()),
            rises=rises.get(athlete_id, ()),
            doubted=doubted.get(athlete_id, 0),
        )
    return found


def _query(
    con: duckdb.DuckDBPyConnection, days: Mapping[str, date], statement: str, *more: object
) -> dict[str, list[tuple[Any, ...]]]:
    """Return by athlete the rows of a statement that reads `days` and begins with the athlete's
    id.
    """
    rows = con.execute(
        f"with days as (select unnest($1) as athlete_id, unnest($2) as today) {statement}",
        [list(days), list(days.values()), *more],
    ).fetchall()
    return by_athlete(rows)


def _weeks(con: duckdb.DuckDBPyConnection, days: Mapping[str, date]) -> dict[str, dict[date, Week]]:
    found = _query(
        con,
        days,
        """
        select
            weeks.athlete_id, weeks.week_start_date, weeks.workout_count, weeks.streak_weeks,
            weeks.planned_set_count, weeks.met_set_count
        from marts.fct_consistency_week as weeks
        inner join days
            on
                weeks.athlete_id = days.athlete_id
                and weeks.week_start_date
                between date_trunc('week', days.today) - interval 7 day
                and date_trunc('week', days.today)
        order by weeks.athlete_id
        """,
    )
    return {
        athlete_id: {row[0]: Week(**dict(zip(Week.model_fields, row, strict=True))) for row in own}
        for athlete_id, own in found.items()
    }


def _latest(con: duckdb.DuckDBPyConnection, days: Mapping[str, date]) -> dict[str, TrainedWorkout]:
    found = _query(
        con,
        days,
        """
        select
            workouts.athlete_id, workouts.title, workouts.workout_date,
            workouts.working_set_count, workouts.duration_s // 60
        from marts.fct_workout as workouts
        inner join days
            on workouts.athlete_id = days.athlete_id and workouts.workout_date <= days.today
        qualify row_number() over (
            partition by workouts.athlete_id
            order by workouts.started_at desc, workouts.workout_id
        ) = 1
        order by workouts.athlete_id
        """,
    )
    names = TrainedWorkout.model_fields
    return {
        athlete_id: TrainedWorkout(**dict(zip(names, own[0], strict=True)))
        for athlete_id, own in found.items()
    }


def _records(
    con: duckdb.DuckDBPyConnection, days: Mapping[str, date]
) -> dict[str, tuple[BrokenRecord, ...]]:
    """Return the most significant record per exercise: a load before a maximum before
    repetitions.
    """
    found = _query(
        con,
        days,
        """
        select
            records.athlete_id, exercises.title, exercises.exercise_type, records.record_kind,
            records.record_value, records.gain, records.weight_kg, records.reps,
            records.workout_date
        from marts.fct_personal_record as records
        inner join days
            on
                records.athlete_id = days.athlete_id
                and records.workout_date > days.today - to_days($3)
                and records.workout_date <= days.today
        inner join marts.dim_exercise as exercises
            on
                records.athlete_id = exercises.athlete_id
                and records.exercise_key = exercises.exercise_key
        where
            records.is_current
            and not records.is_first
            and records.gain > 0
            and records.record_kind in (select unnest($4))
        qualify row_number() over (
            partition by records.athlete_id, records.exercise_key
            order by
                list_position($4, records.record_kind), records.started_at desc, records.set_key
        ) = 1
        order by
            records.athlete_id, list_position($4, records.record_kind),
            records.workout_date desc, exercises.title
        """,
        RECORD_DAYS,
        list(_KINDS),
    )
    names = BrokenRecord.model_fields
    return {
        athlete_id: tuple(BrokenRecord(**dict(zip(names, row, strict=True))) for row in own)
        for athlete_id, own in found.items()
    }


def _rises(con: duckdb.DuckDBPyConnection, days: Mapping[str, date]) -> dict[str, tuple[Rise, ...]]:
    """Return the rises with a positive lower bound, the steepest first."""
    found = _query(
        con,
        days,
        """
        select trends.athlete_id, exercises.title, trends.slope_pct, trends.exposure_count
        from marts.fct_exercise_trend as trends
        inner join days
            on
                trends.athlete_id = days.athlete_id
                and trends.last_trained_date > days.today - to_days($3)
        inner join marts.dim_exercise as exercises
            on
                trends.athlete_id = exercises.athlete_id
                and trends.exercise_key = exercises.exercise_key
        where trends.lower_pct > 0
        order by trends.athlete_id, trends.slope_pct desc, exercises.title
        """,
        TREND_DAYS,
    )
    return {
        athlete_id: tuple(Rise(**dict(zip(Rise.model_fields, row, strict=True))) for row in own)
        for athlete_id, own in found.items()
    }


def _doubted(con: duckdb.DuckDBPyConnection, days: Mapping[str, date]) -> dict[str, int]:
    found = _query(
        con,
        days,
        """
        select sets.athlete_id, count(*)
        from marts.fct_set as sets
        inner join days
            on
                sets.athlete_id = days.athlete_id
                and sets.workout_date > days.today - to_days($3)
        where sets.is_typo_suspect and sets.is_confirmed is null
        group by sets.athlete_id
        order by sets.athlete_id
        """,
        TREND_DAYS,
    )
    return {athlete_id: own[0][0] for athlete_id, own in found.items()}
