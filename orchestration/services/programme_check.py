"""Check of the current week of the programme that an athlete follows."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta

import duckdb

from coach_agent.domain.block import FollowedProgramme
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.planning.block_week import place_on
from coach_agent.planning.rotation import local_date
from coach_agent.planning.situation import Situation, read_situation
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.calendar import sessions_of_week
from coach_agent.programmes.catalogue import Catalogue, Exercise
from coach_agent.programmes.week_check import DoneWorkout, RoutineExercise, WeekInput, check_week
from coach_agent.programmes.week_findings import WeekCheck
from coach_agent.programmes.weekly_volume import landmarks
from coach_agent.store.programmes import read_programmes
from orchestration.config.settings import SettingsError
from orchestration.services.exercise_catalogue import programme_catalogue
from orchestration.services.programmes import programme_in

_WEEK = timedelta(weeks=1)


def check_programme(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, now: datetime
) -> WeekCheck:
    """Check the athlete's week at the aware time `now`, from the marts of the last run.

    Raises:
        SettingsError: no programme is followed, or it has no week on that day.
    """
    situation = read_situation(con, profile.id, profile.timezone, now)
    followed = situation.programme
    if followed is None:
        raise SettingsError("You follow no programme: spotter program use NAME")
    place = place_on(situation, profile, situation.today)
    if place is None:
        raise SettingsError(f"{followed.calendar.title} begins on {followed.start}.")
    at = followed.calendar.place_of(place.week)
    if at is None:
        raise SettingsError(
            f"{followed.calendar.title} is over. Build the next block: spotter program new"
        )
    stored = read_programmes(con, profile.id)
    programme = programme_in(
        next(each for each in stored if each.programme_id == followed.programme_id)
    )
    low, high = landmarks(programme.goal, programme.level)
    last = _last_day_before(situation, followed, profile, place.begins)
    return check_week(
        WeekInput(
            calendar=followed.calendar,
            place=at,
            begins=place.begins,
            today=situation.today,
            sessions=sessions_of_week(programme, place.week, after=last),
            workouts=tuple(_workouts(con, situation, profile, place.begins)),
            routines=_routines(situation, followed),
            catalogue=_catalogue(situation),
            low=low,
            high=high,
        )
    )


def _last_day_before(
    situation: Situation, followed: FollowedProgramme, profile: AthleteProfile, begins: date
) -> str | None:
    """Return the day of the programme that was trained last before a week; None without one."""
    titles = {day.routine_id: day.title for day in followed.calendar.days}
    earlier = [
        titles[each.routine_id]
        for each in situation.trained
        if each.routine_id in titles
        and followed.start <= local_date(each.started_at, profile.timezone) < begins
    ]
    return earlier[-1] if earlier else None


def _workouts(
    con: duckdb.DuckDBPyConnection, situation: Situation, profile: AthleteProfile, begins: date
) -> list[DoneWorkout]:
    """Return the workouts of a week with their working sets by exercise."""
    routines = {each.started_at: each.routine_id for each in situation.trained}
    rows = con.execute(
        """
        select workouts.started_at, workouts.workout_date, sets.exercise_title, count(*)
        from marts.fct_workout as workouts
        inner join marts.fct_set as sets
            on workouts.athlete_id = sets.athlete_id and workouts.workout_id = sets.workout_id
        where
            workouts.athlete_id = $1
            and workouts.workout_date >= $2
            and workouts.workout_date < $3
            and sets.is_working
        group by workouts.workout_id, workouts.started_at, workouts.workout_date,
            sets.exercise_title
        order by workouts.started_at, min(sets.exercise_index)
        """,
        [profile.id, begins, begins + _WEEK],
    ).fetchall()
    found: dict[tuple[datetime, date], dict[str, int]] = defaultdict(dict)
    for started_at, day, title, count in rows:
        found[started_at, day][title] = count
    naive = {at.replace(tzinfo=None): routine_id for at, routine_id in routines.items()}
    return [
        DoneWorkout(day=day, routine_id=naive.get(at.replace(tzinfo=None)), sets=sets)
        for (at, day), sets in found.items()
    ]


def _routines(
    situation: Situation, followed: FollowedProgramme
) -> dict[str, Sequence[RoutineExercise]]:
    """Return the exercises of the programme's routines as the athlete has them in Hevy."""
    own = {day.routine_id for day in followed.calendar.days}
    return {
        routine.routine_id: [
            RoutineExercise(
                exercise_title=slot.exercise_title,
                occurrence=slot.occurrence,
                sets=sum(each.set_type in WORKING_TYPES for each in slot.planned_sets),
            )
            for slot in routine.slots
        ]
        for routine in situation.routines
        if routine.routine_id in own
    }


def _catalogue(situation: Situation) -> Catalogue:
    """Return the built-in exercises and the athlete's own ones in routines."""
    own = {
        normalize_title(slot.exercise_title): Exercise(
            exercise_title=slot.exercise_title,
            template_id=slot.exercise_template_id,
            exercise_type=slot.exercise_type or "",
            equipment=slot.equipment or "",
            primary_muscle_group=slot.primary_muscle_group,
            secondary_muscle_groups=slot.secondary_muscle_groups,
        )
        for routine in situation.routines
        for slot in routine.slots
    }
    return {**own, **programme_catalogue()}
