"""How training goes beside the next plan, read from the marts once: weeks, records, trends."""

from datetime import date, timedelta

import duckdb

from coach_agent.values import Value

RECORD_DAYS = 7
TREND_DAYS = 28
_KINDS = ("load", "e1rm", "reps", "duration", "distance")


class Week(Value):
    """An athlete's week; `planned_sets` and `met_sets` are of workouts whose plan is known."""

    week_start: date
    workouts: int
    streak_weeks: int
    planned_sets: int
    met_sets: int


class BrokenRecord(Value):
    """A record that still stands; `kind` is the mart's, `value` and `gain` have the unit of it."""

    exercise_title: str
    exercise_type: str | None
    kind: str
    value: float
    gain: float
    weight_kg: float | None
    reps: int | None
    day: date


class Rise(Value):
    """A lift whose estimated maximum surely grows: % a workout, over so many workouts."""

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
    """What is worth telling: the present week, the one before, and what the last days brought.

    `doubted` is how many sets of the last four weeks look mistyped and were not spoken of.
    """

    this_week: Week | None = None
    last_week: Week | None = None
    latest: TrainedWorkout | None = None
    records: tuple[BrokenRecord, ...] = ()
    rises: tuple[Rise, ...] = ()
    doubted: int = 0


def read_progress(con: duckdb.DuckDBPyConnection, athlete_id: str, today: date) -> Progress:
    """The athlete's progress on a day of the own time zone."""
    monday = today - timedelta(days=today.weekday())
    weeks = _weeks(con, athlete_id, monday)
    return Progress(
        this_week=weeks.get(monday),
        last_week=weeks.get(monday - timedelta(weeks=1)),
        latest=_latest(con, athlete_id, today),
        records=_records(con, athlete_id, today),
        rises=_rises(con, athlete_id, today),
        doubted=_doubted(con, athlete_id, today),
    )


def _weeks(con: duckdb.DuckDBPyConnection, athlete_id: str, monday: date) -> dict[date, Week]:
    rows = con.execute(
        """
        select week_start_date, workout_count, streak_weeks, planned_set_count, met_set_count
        from marts.fct_consistency_week
        where athlete_id = $1 and week_start_date between $2 and $3
        """,
        [athlete_id, monday - timedelta(weeks=1), monday],
    ).fetchall()
    return {row[0]: Week(**dict(zip(Week.model_fields, row, strict=True))) for row in rows}


def _latest(con: duckdb.DuckDBPyConnection, athlete_id: str, today: date) -> TrainedWorkout | None:
    rows = con.execute(
        """
        select title, workout_date, working_set_count, duration_s // 60
        from marts.fct_workout
        where athlete_id = $1 and workout_date <= $2
        order by started_at desc, workout_id
        limit 1
        """,
        [athlete_id, today],
    ).fetchall()
    names = TrainedWorkout.model_fields
    return TrainedWorkout(**dict(zip(names, rows[0], strict=True))) if rows else None


def _records(
    con: duckdb.DuckDBPyConnection, athlete_id: str, today: date
) -> tuple[BrokenRecord, ...]:
    """Of each exercise the one that says most: a load before a maximum before repetitions."""
    rows = con.execute(
        """
        select
            exercises.title, exercises.exercise_type, records.record_kind, records.record_value,
            records.gain, records.weight_kg, records.reps, records.workout_date
        from marts.fct_personal_record as records
        inner join marts.dim_exercise as exercises
            on
                records.athlete_id = exercises.athlete_id
                and records.exercise_key = exercises.exercise_key
        where
            records.athlete_id = $1
            and records.workout_date > $2
            and records.workout_date <= $3
            and records.is_current
            and not records.is_first
            and records.gain > 0
            and records.record_kind in (select unnest($4))
        qualify row_number() over (
            partition by records.exercise_key
            order by
                list_position($4, records.record_kind), records.started_at desc, records.set_key
        ) = 1
        order by
            list_position($4, records.record_kind), records.workout_date desc,
            exercises.title
        """,
        [athlete_id, today - timedelta(days=RECORD_DAYS), today, list(_KINDS)],
    ).fetchall()
    return tuple(
        BrokenRecord(**dict(zip(BrokenRecord.model_fields, row, strict=True))) for row in rows
    )


def _rises(con: duckdb.DuckDBPyConnection, athlete_id: str, today: date) -> tuple[Rise, ...]:
    """The steepest first; only those whose lower bound is a rise."""
    rows = con.execute(
        """
        select exercises.title, trends.slope_pct, trends.exposure_count
        from marts.fct_exercise_trend as trends
        inner join marts.dim_exercise as exercises
            on
                trends.athlete_id = exercises.athlete_id
                and trends.exercise_key = exercises.exercise_key
        where
            trends.athlete_id = $1
            and trends.lower_pct > 0
            and trends.last_trained_date > $2
        order by trends.slope_pct desc, exercises.title
        """,
        [athlete_id, today - timedelta(days=TREND_DAYS)],
    ).fetchall()
    return tuple(Rise(**dict(zip(Rise.model_fields, row, strict=True))) for row in rows)


def _doubted(con: duckdb.DuckDBPyConnection, athlete_id: str, today: date) -> int:
    rows: list[tuple[int]] = con.execute(
        """
        select count(*) from marts.fct_set
        where
            athlete_id = $1
            and is_typo_suspect
            and is_confirmed is null
            and workout_date > $2
        """,
        [athlete_id, today - timedelta(days=TREND_DAYS)],
    ).fetchall()
    return rows[0][0]
