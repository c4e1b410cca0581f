"""Detect workouts whose loads look like a mix-up of kilograms and pounds."""

from datetime import datetime, timedelta
from itertools import groupby

import duckdb

from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.domain.values import naive_utc

# A workout loaded within these days is checked and reported.
_LOOKED_AT = timedelta(days=7)
_LEAST_SESSIONS = 3  # of a lift, before its usual load is known
_LEAST_LIFTS = 3  # one lift may be a typo or a new machine
_LEAST_SHARE = 0.75  # of the lifts that can be compared
# Half the load is a deload and double a new variation; 2.2 differs from both by more than this.
_TOLERANCE_RATIO = 0.08

_DOUBTED = """
with touched as (
    select distinct athlete_id, record_id as workout_id from raw.hevy_workouts
    where loaded_at > $since and not is_deleted
),

lifted as (
    select athlete_id, workout_id, exercise_key, started_at, max(weight_kg) as top_kg
    from marts.fct_set
    where
        athlete_id in (select athlete_id from touched)
        and is_working and weight_kg > 0
    group by athlete_id, workout_id, exercise_key, started_at
),

compared as (
    select *, median(top_kg) over before as usual_kg, count(*) over before as session_count
    from lifted
    window before as (
        partition by athlete_id, exercise_key order by started_at, workout_id
        rows between 5 preceding and 1 preceding
    )
),

judged as (
    select
        athlete_id,
        workout_id,
        started_at,
        count(*) as lift_count,
        count(*) filter (
            where abs(top_kg / usual_kg * $kg_per_lb - 1) <= $tolerance
        ) as heavier_count,
        count(*) filter (
            where abs(top_kg / usual_kg / $kg_per_lb - 1) <= $tolerance
        ) as lighter_count
    from compared
    where session_count >= $least_sessions
    group by athlete_id, workout_id, started_at
)

select athlete_id, started_at, lift_count, heavier_count, lighter_count
from judged
semi join touched using (athlete_id, workout_id)
where
    greatest(heavier_count, lighter_count) >= $least_lifts
    and greatest(heavier_count, lighter_count) >= lift_count * $least_share
order by athlete_id, started_at
"""


def unit_mixups(con: duckdb.DuckDBPyConnection, now: datetime) -> list[str]:
    """Return a message for each athlete with workouts of the last week in a doubtful unit.

    A workout is doubtful if at least three and nearly all of its lifts differ by a factor of 2.2
    from the median of their last five sessions.
    """
    rows: list[tuple[str, datetime, int, int, int]] = con.execute(
        _DOUBTED,
        {
            "since": naive_utc(now - _LOOKED_AT),
            "kg_per_lb": KILOGRAMS_PER_POUND,
            "tolerance": _TOLERANCE_RATIO,
            "least_sessions": _LEAST_SESSIONS,
            "least_lifts": _LEAST_LIFTS,
            "least_share": _LEAST_SHARE,
        },
    ).fetchall()
    return [
        f"{athlete}: {_format_mixup(list(found))}"
        for athlete, found in groupby(rows, key=lambda row: row[0])
    ]


def _format_mixup(found: list[tuple[str, datetime, int, int, int]]) -> str:
    _, started_at, lifts, heavier, lighter = found[0]
    how = "heavier" if heavier > lighter else "lighter"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return (
        f"in the workout of {started_at:%Y-%m-%d}{more} {max(heavier, lighter)} of {lifts} lifts "
        f"are 2.2 times {how} than usual, as if kg and lb had been mixed up. Look at the unit in "
        "Hevy, or import the file again with the right --weight-unit; spotter correct exclude "
        "leaves a workout out."
    )
