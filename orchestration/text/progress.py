"""Draw an athlete's progress with characters: maxima of main lifts and weekly volume."""

from collections.abc import Sequence

import duckdb

from coach_agent.domain.units import Unit, in_unit
from coach_agent.engine.explain.plan_texts import number

_LIFTS = 5
_EXPOSURES = 12
_WEEKS = 12
_BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float]) -> str:
    """Format numbers as bars, the smallest lowest: `▁▃█`; equal ones have middle height."""
    if not values:
        return ""
    low, high = min(values), max(values)
    if low == high:
        return _BARS[len(_BARS) // 2] * len(values)
    top = len(_BARS) - 1
    return "".join(_BARS[round(top * (value - low) / (high - low))] for value in values)


def progress_markdown(con: duckdb.DuckDBPyConnection, athlete_id: str, unit: Unit) -> str:
    """Return the estimated maxima (e1RM) of the most trained lifts, and recent weekly volume.

    Maxima are those of the last twelve workouts with an estimate; a week without a workout has no
    volume.
    """
    lifts = _maxima(con, athlete_id)
    weeks = _volumes(con, athlete_id)
    if not lifts and not weeks:
        return "Nothing is trained yet."
    lines = [
        f"| e1RM | {unit} | last {_EXPOSURES} workouts | change |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {title} | {number(in_unit(maxima[-1], unit))} | {sparkline(maxima)} | "
        f"{maxima[-1] / maxima[0] - 1:+.1%} |"
        for title, maxima in lifts
    ]
    if weeks:
        lines += [
            "",
            f"Volume of the last {len(weeks)} weeks: {sparkline(weeks)} "
            f"{in_unit(min(weeks), unit):,.0f} to {in_unit(max(weeks), unit):,.0f} {unit}, "
            f"the last one {in_unit(weeks[-1], unit):,.0f} {unit}.",
        ]
    return "\n".join(lines)


def _maxima(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[tuple[str, list[float]]]:
    """Return title and maxima (kg), latest last, of the most trained lifts of half a year."""
    rows: list[tuple[str, list[float]]] = con.execute(
        """
        with sessions as (
            select exercise_key, exercise_title, e1rm_kg, started_at, workout_date
            from marts.fct_exercise_session
            where athlete_id = $1 and e1rm_kg > 0
        ),

        recent as (
            select
                *,
                count(*) over (partition by exercise_key) as session_count,
                row_number() over (partition by exercise_key order by started_at desc) as back
            from sessions
            where workout_date > (select max(workout_date) from sessions) - 182
        )

        select
            arg_max(exercise_title, started_at) as title,
            list(e1rm_kg order by started_at) as maxima
        from recent
        where back <= $2
        group by exercise_key
        order by any_value(session_count) desc, title
        limit $3
        """,
        [athlete_id, _EXPOSURES, _LIFTS],
    ).fetchall()
    return rows


def _volumes(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[float]:
    """Return the volume (kg) of each of the last weeks up to the last workout."""
    rows: list[tuple[float]] = con.execute(
        """
        with weeks as (
            select week_start_date, sum(volume_kg) as volume_kg
            from marts.fct_workout
            where athlete_id = $1
            group by week_start_date
        ),

        last_weeks as (
            select unnest(generate_series(
                greatest(
                    min(week_start_date), max(week_start_date) - 7 * ($2 - 1)::integer
                )::timestamp,
                max(week_start_date)::timestamp,
                interval 7 days
            ))::date as week_start_date
            from weeks
        )

        select coalesce(weeks.volume_kg, 0)
        from last_weeks
        left join weeks on last_weeks.week_start_date = weeks.week_start_date
        order by last_weeks.week_start_date
        """,
        [athlete_id, _WEEKS],
    ).fetchall()
    return [volume for (volume,) in rows]
