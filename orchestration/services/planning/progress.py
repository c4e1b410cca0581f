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
            select exercise_key, exercises.title, e1rm_kg, started_at, workout_date
            from marts.fct_exercise_session
            inner join marts.dim_exercise as exercises using (athlete_id, exercise_key)
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
            any_value(title) as title,
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
    """Return the volume (kg) of each of the last observed weeks, 0 in one without a workout."""
    rows: list[tuple[float]] = con.execute(
        """
        with last_weeks as (
            select athlete_id, week_start_date
            from marts.fct_consistency_week
            where athlete_id = $1
            order by week_start_date desc
            limit $2
        )

        select coalesce(sum(workouts.volume_kg), 0)
        from last_weeks
        left join marts.fct_workout as workouts using (athlete_id, week_start_date)
        group by week_start_date
        order by week_start_date
        """,
        [athlete_id, _WEEKS],
    ).fetchall()
    return [volume for (volume,) in rows]
