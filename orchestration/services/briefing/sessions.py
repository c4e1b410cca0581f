"""Sessions that fit an athlete's day besides lifting; for display only."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, get_args

import duckdb

from coach_agent.domain.pain import Level, Pain, is_known_part
from coach_agent.domain.plan import Plan
from coach_agent.profile.model import AthleteProfile, Weekday
from coach_agent.profile.season import phase_on
from coach_agent.sessions.catalogue import Session
from coach_agent.sessions.matching import (
    CARDIO_DAYS,
    MUSCLE_DAYS,
    MatchedSession,
    SessionDay,
    matched_sessions,
)
from coach_agent.store.named_rows import rows_of_athletes
from orchestration.text.readiness import Readiness

_FIRST_EXERCISES = 3
"""The exercises of a workout that a warm-up is for."""

_OF_MANY = "with days as (select unnest($1::varchar[]) as athlete_id, unnest($2::date[]) as today)"
_FACTS = f"""
    , trained as (
        select days.athlete_id, muscles.muscle_group, sum(muscles.set_weight) as hard_sets
        from days
        inner join marts.fct_set as sets
            on
                days.athlete_id = sets.athlete_id and sets.is_hard
                and sets.workout_date between days.today - {MUSCLE_DAYS} and days.today
        inner join marts.bridge_exercise_muscle as muscles
            on sets.athlete_id = muscles.athlete_id and sets.exercise_key = muscles.exercise_key
        group by all
    )

    select
        days.athlete_id,
        (
            select max(workouts.workout_date) from marts.fct_workout as workouts
            where workouts.athlete_id = days.athlete_id and workouts.workout_date <= days.today
        ) as last_workout_date,
        (
            select list(trained.muscle_group order by trained.hard_sets desc, trained.muscle_group)
            from trained where trained.athlete_id = days.athlete_id
        ) as trained,
        exists(
            select 1 from marts.fct_endurance_session as sessions
            where
                sessions.athlete_id = days.athlete_id
                and sessions.session_date between days.today - {CARDIO_DAYS} and days.today
        ) as has_cardio,
        (
            select list({{part: pains.body_part, level: pains.severity}})
            from marts.fct_check_in_pain as pains
            where
                pains.athlete_id = days.athlete_id
                and pains.check_in_date between days.today - 1 and days.today
        ) as pains,
        (
            select min(check_ins.available_minutes) from marts.fct_check_in as check_ins
            where
                check_ins.athlete_id = days.athlete_id
                and check_ins.check_in_date between days.today - 1 and days.today
        ) as available_minutes,
        (
            select list({{exercise: muscles.exercise_key, muscle: muscles.muscle_group,
                weight: muscles.set_weight}} order by muscles.exercise_muscle_key)
            from marts.bridge_exercise_muscle as muscles
            where muscles.athlete_id = days.athlete_id
        ) as muscles
    from days
"""  # noqa: S608 - whole numbers

FACTS_OF_ONE = f"with days as (select $1 as athlete_id, $2::date as today) {_FACTS}"
"""Facts of one athlete and day, as `session_day` reads them."""


def read_session_days(
    con: duckdb.DuckDBPyConnection, days: Mapping[str, date]
) -> dict[str, dict[str, Any]]:
    """Return the facts of each athlete's day.

    Empty for a warehouse whose marts an older version built.
    """
    try:
        found = con.execute(f"{_OF_MANY} {_FACTS}", [list(days), list(days.values())])
    except duckdb.CatalogException:
        return {}
    return rows_of_athletes(found)


def sessions_of_day(
    profile: AthleteProfile,
    plan: Plan | None,
    facts: Mapping[str, Any],
    today: date,
    sessions: Sequence[Session],
    readiness: Readiness | None = None,
) -> tuple[MatchedSession, ...]:
    """Return the sessions that fit the athlete's day; none before the first workout.

    `facts` are a row of the query, `readiness` the recovery that is shown on the day.
    """
    if facts["last_workout_date"] is None:
        return ()
    return matched_sessions(session_day(profile, plan, facts, today, readiness), sessions)


def session_day(
    profile: AthleteProfile,
    plan: Plan | None,
    facts: Mapping[str, Any],
    today: date,
    readiness: Readiness | None,
) -> SessionDay:
    """Return what determines the sessions of a day."""
    reported = tuple(
        Pain(part=each["part"], level=each["level"])
        for each in facts["pains"] or ()
        if is_known_part(each["part"]) and each["level"] in get_args(Level)
    )
    is_easy_week = phase_on(profile.season, today).is_deload
    minutes_left = None
    if plan is not None:
        is_easy_week = is_easy_week or plan.deload is not None
        limits = [profile.session_minutes, facts["available_minutes"]]
        most = min((each for each in limits if each is not None), default=None)
        if most is not None and plan.minutes is not None:
            minutes_left = most - plan.minutes.minutes
    lifted = [] if plan is None else [each for each in plan.slots if each.sets]
    first = [each.exercise_template_id for each in lifted[:_FIRST_EXERCISES]]
    return SessionDay(
        today=today,
        is_workout_day=plan is not None and _is_workout_day(profile, facts, today),
        is_easy_week=is_easy_week,
        is_recovery_low=readiness is not None and readiness.is_lowered,
        has_cardio=facts["has_cardio"],
        planned=_planned(first, facts["muscles"] or ()),
        first_exercise=lifted[0].exercise_title if lifted else None,
        trained=tuple(facts["trained"] or ()),
        minutes_left=minutes_left,
        pains=(*reported, *profile.lasting_pains),
    )


def _is_workout_day(profile: AthleteProfile, facts: Mapping[str, Any], today: date) -> bool:
    """Return whether a workout is expected: by the weekdays, or after a day without one."""
    last: date = facts["last_workout_date"]
    if last == today:
        return False
    if profile.weekdays:
        weekday = get_args(Weekday)[today.weekday()]
        return any(weekday in days for days in profile.weekdays.values())
    return (today - last).days > 1


def _planned(keys: Sequence[str], muscles: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the muscle groups of exercises, most work first."""
    work: Counter[str] = Counter()
    for each in muscles:
        work[each["muscle"]] += each["weight"] * keys.count(each["exercise"])
    ordered = sorted(work, key=lambda muscle: (-work[muscle], muscle))
    return tuple(muscle for muscle in ordered if work[muscle])
