"""Rows of the marts, check-ins and checked mentions that memories are learned from; no note."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from coach_agent.domain.constants.recovery import PAIN_NO_INCREASE_FROM
from coach_agent.domain.pain import Pain, part_with_side
from coach_agent.domain.values import by_athlete
from coach_agent.memory.evidence import (
    Evidence,
    OpenSet,
    PainReport,
    PlannedExercise,
    PrecedingWorkout,
    TrainedWorkout,
)
from coach_agent.memory.mentions import Mention
from coach_agent.memory.rules import HIGHEST_RESERVE_RPE, HISTORY_DAYS, PRECEDING, REPEATED_TIMES
from coach_agent.store.note_mentions import read_mentions_of

Rows = list[tuple[Any, ...]]

# Anchored at the newest workout, so that a night without news reads the same rows.
_SINCE = """
select athlete_id, max(started_at) - to_days($history) as since
from marts.fct_workout
where athlete_id in (select unnest($athletes))
group by athlete_id
order by athlete_id
"""
_WORKOUTS = """
select athlete_id, workout_key, started_at, duration_s / 60
from marts.fct_workout
inner join (select unnest($athletes) as athlete_id, unnest($since) as since) as recent
    using (athlete_id)
where started_at >= since
order by athlete_id, started_at, workout_key
"""
# Exercises that no rule can learn from are left in the database.
_PLANNED = """
with exercises as (
    select
        athlete_id, workout_id, exercise_key, workout_date,
        min(plan_compliance_key) as plan_compliance_key,
        min(exercise_title) as title,
        min(planned_exercise_index) as place,
        count(performed_exercise_index) > 0 as is_done,
        max(substitution_exercise_key) as instead_key
    from marts.fct_plan_compliance
    inner join (select unnest($athletes) as athlete_id, unnest($since) as since) as recent
        using (athlete_id)
    where started_at >= since and is_plan_known and not is_possibly_superseded
    group by athlete_id, workout_id, exercise_key, occurrence, workout_date
    having count(planned_exercise_index) > 0
),

judged as (
    select
        *,
        case when is_done then 'done' when instead_key is null then 'skipped' else 'swapped' end
            as outcome,
        coalesce(
            place > max(place) filter (is_done or instead_key is not null) over (
                partition by athlete_id, workout_id
            ),
            false
        ) as is_at_end
    from exercises
)

select
    judged.athlete_id, judged.plan_compliance_key, judged.workout_date, judged.exercise_key,
    judged.title, judged.outcome, judged.is_at_end, judged.instead_key, others.title
from judged
left join marts.dim_exercise as others
    on judged.athlete_id = others.athlete_id and judged.instead_key = others.exercise_key
window own as (partition by judged.athlete_id, judged.exercise_key)
qualify
    count(*) filter (outcome = 'swapped') over own >= $times
    or count(*) filter (outcome = 'skipped' and is_at_end) over own >= $times
    or (outcome = 'swapped' and count(*) over (
        partition by judged.athlete_id, judged.instead_key
    ) >= $times)
order by judged.athlete_id, judged.workout_date, judged.plan_compliance_key
"""
_OPEN_SETS = """
select athlete_id, plan_compliance_key, workout_date, exercise_key, exercise_title, rpe, amrap_extra
from marts.fct_plan_compliance
inner join (select unnest($athletes) as athlete_id, unnest($since) as since) as recent
    using (athlete_id)
where
    started_at >= since and is_plan_known and set_class = 'working'
    and amrap_extra is not null and rpe is not null and is_typo_suspect is distinct from true
qualify count(*) filter (amrap_extra = 0 and rpe <= $rpe) over (
    partition by athlete_id, exercise_key
) >= $times
order by athlete_id, workout_date, plan_compliance_key
"""
_PAINS = """
select athlete_id, check_in_id, checked_in_at, pain
from coach.check_ins
inner join (select unnest($athletes) as athlete_id, unnest($since) as since) as recent
    using (athlete_id)
where json_array_length(pain) > 0 and checked_in_at >= since
order by athlete_id, checked_in_at, check_in_id
"""
_PRECEDING = """
select
    check_ins.athlete_id, check_ins.check_in_id, workouts.workout_key, workouts.started_at,
    list(distinct sessions.exercise_title order by sessions.exercise_title)
from coach.check_ins
inner join marts.fct_workout as workouts
    on
        check_ins.athlete_id = workouts.athlete_id
        and workouts.started_at < check_ins.checked_in_at
        and workouts.started_at >= check_ins.checked_in_at - to_hours($hours)
inner join marts.fct_exercise_session as sessions
    on workouts.athlete_id = sessions.athlete_id and workouts.workout_id = sessions.workout_id
where
    check_ins.athlete_id in (select unnest($athletes)) and json_array_length(check_ins.pain) > 0
group by all
order by check_ins.athlete_id, workouts.started_at, workouts.workout_key
"""


def read_evidence(
    con: duckdb.DuckDBPyConnection, zones: Mapping[str, str]
) -> dict[str, Callable[[], Evidence]]:
    """Read the rows of all athletes that rules read; `zones` are time zones by athlete.

    Returns a function by athlete that parses the rows, so that an unreadable one fails its athlete
    alone.

    Raises:
        duckdb.CatalogException: there are no marts yet.
    """
    athletes = list(zones)

    def read(query: str, **parameters: Any) -> dict[str, Rows]:
        return by_athlete(con.execute(query, {"athletes": athletes, **parameters}).fetchall())

    # Without a workout all check-ins are read.
    known = {each: own[0][0] for each, own in read(_SINCE, history=HISTORY_DAYS).items()}
    since = [known.get(each, datetime.min) for each in athletes]  # noqa: DTZ901 - naive UTC
    workouts = read(_WORKOUTS, since=since)
    planned = read(_PLANNED, since=since, times=REPEATED_TIMES)
    open_sets = read(_OPEN_SETS, since=since, times=REPEATED_TIMES, rpe=HIGHEST_RESERVE_RPE)
    pains = read(_PAINS, since=since)
    preceding = read(_PRECEDING, hours=int(PRECEDING.total_seconds() // 3600))
    mentions = read_mentions_of(con, athletes)
    return {
        athlete: partial(
            _evidence,
            athlete,
            zones[athlete],
            planned=planned.get(athlete, []),
            open_sets=open_sets.get(athlete, []),
            workouts=workouts.get(athlete, []),
            pains=pains.get(athlete, []),
            preceding=preceding.get(athlete, []),
            mentions=mentions.get(athlete, []),
        )
        for athlete in athletes
    }


def _evidence(
    athlete: str,
    timezone: str,
    *,
    planned: Rows,
    open_sets: Rows,
    workouts: Rows,
    pains: Rows,
    preceding: Rows,
    mentions: Sequence[Mention],
) -> Evidence:
    zone = ZoneInfo(timezone)
    return Evidence(
        athlete_id=athlete,
        planned=tuple(_planned(row) for row in planned),
        open_sets=tuple(OpenSet(*row) for row in open_sets),
        workouts=tuple(
            TrainedWorkout(key, _local(at, zone), minutes) for key, at, minutes in workouts
        ),
        pains=_pains(pains, preceding, zone),
        mentions=tuple(mentions),
    )


def _planned(row: tuple[Any, ...]) -> PlannedExercise:
    key, day, exercise_key, title, outcome, is_at_end, instead_key, instead_title = row
    instead = None if outcome != "swapped" else (instead_key, instead_title or instead_key)
    return PlannedExercise(key, day, exercise_key, title, outcome, is_at_end, instead)


def _pains(rows: Rows, preceding: Rows, zone: ZoneInfo) -> tuple[PainReport, ...]:
    return tuple(
        PainReport(
            key=check_in_id,
            day=_local(at, zone).date(),
            parts=_painful_parts(pain),
            preceding=tuple(
                PrecedingWorkout(key, _local(started_at, zone).date(), tuple(titles))
                for of_check_in, key, started_at, titles in preceding
                if of_check_in == check_in_id
            ),
        )
        for check_in_id, at, pain in rows
    )


def _painful_parts(pain: str) -> tuple[str, ...]:
    """Return the parts that hurt from the level on which holds back a plan, too."""
    found = [Pain.model_validate(each) for each in json.loads(pain)]
    least = PAIN_NO_INCREASE_FROM.value
    return tuple(sorted({part_with_side(each.part) for each in found if each.is_at_least(least)}))


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.replace(tzinfo=UTC).astimezone(zone)
