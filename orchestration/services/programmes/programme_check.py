"""Check of the current week of the programme that an athlete follows."""

import json
import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta

import duckdb
from pydantic import ValidationError

from coach_agent.domain.block import BlockCalendar, FollowedProgramme
from coach_agent.domain.days import local_date
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.planning.block_week import BlockPlace, place_on
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.calendar import sessions_of_week
from coach_agent.programmes.catalogue import Catalogue, Exercise
from coach_agent.programmes.files import programme_from_json
from coach_agent.programmes.model import Programme
from coach_agent.programmes.week_check import check_week, outline_week
from coach_agent.programmes.week_findings import FollowedWeek, WeekCheck, WeekOutline
from coach_agent.programmes.week_input import DoneWorkout, RoutineExercise, WeekInput
from coach_agent.programmes.weekly_volume import landmarks
from coach_agent.situation.situation import Situation, read_situation, read_situations
from coach_agent.store.followed_programmes import read_followed_programmes
from coach_agent.store.programmes import StoredProgramme, read_programmes
from orchestration.config.settings import SettingsError
from orchestration.services.programmes.exercise_catalogue import (
    programme_catalogue,
)

_WEEK = timedelta(weeks=1)

_log = logging.getLogger(__name__)


def check_programme(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, now: datetime
) -> WeekCheck:
    """Check the athlete's week at the aware time `now`, from the marts of the last run.

    Raises:
        SettingsError: no programme is followed, or it has no week on that day.
    """
    found = _followed_week(con, profile, read_situation(con, profile.id, profile.timezone, now))
    if found is None:
        raise SettingsError("You follow no programme: spotter program use NAME")
    if found.is_over:
        raise SettingsError(f"{found.title} is over. Build the next block: spotter program new")
    if found.check is None:
        raise SettingsError(f"{found.title} begins on {found.start}.")
    return found.check


def read_followed_weeks(
    con: duckdb.DuckDBPyConnection, profiles: Sequence[AthleteProfile], now: datetime
) -> dict[str, FollowedWeek]:
    """Return the programmes that athletes follow at the aware time `now`, with their checked week.

    Athletes without one are absent, and so is one whose programme this version cannot read, with a
    warning: it must not stop the release of all others.
    """
    following = read_followed_programmes(con, [each.id for each in profiles], now)
    own = [each for each in profiles if each.id in following]
    if not own:
        return {}
    situations = read_situations(con, {each.id: each.timezone for each in own}, now)
    found = {}
    for profile in own:
        try:
            week = _followed_week(con, profile, situations[profile.id])
        except ValidationError as error:
            _log.warning("The programme of %s is not in the release: %s", profile.id, error)
            continue
        if week is not None:
            found[profile.id] = week
    return found


def programme_in(stored: StoredProgramme) -> Programme:
    """Return the programme of a stored version, with its days in the order of its routines.

    Versions from before they kept their order have days and lifts in alphabetical order.

    Raises:
        pydantic.ValidationError: it is not a programme of this version.
    """
    programme = programme_from_json(json.loads(stored.content)["programme"])
    places = {each.day: each.place for each in stored.routines}
    blocks = tuple(
        block.model_copy(
            update={
                "days": dict(
                    sorted(block.days.items(), key=lambda day: places.get(day[0], len(places)))
                )
            }
        )
        for block in programme.blocks
    )
    return programme.model_copy(update={"blocks": blocks})


def _followed_week(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, situation: Situation
) -> FollowedWeek | None:
    followed = situation.programme
    if followed is None:
        return None
    calendar = followed.calendar
    place = place_on(situation, profile, situation.today)
    stored = read_programmes(con, profile.id)
    programme = programme_in(
        next(each for each in stored if each.programme_id == followed.programme_id)
    )
    is_over = place is not None and place.is_over
    return FollowedWeek(
        title=calendar.title,
        start=followed.start,
        weeks=tuple(_outlines(programme, calendar)),
        cycle_from=calendar.cycle_from,
        is_over=is_over,
        check=None
        if place is None or is_over
        else _check(con, profile, situation, followed, programme, place),
    )


def _outlines(programme: Programme, calendar: BlockCalendar) -> Iterator[WeekOutline]:
    """Yield the weeks; a rolling week goes on where the one before it ended."""
    last = None
    for week in range(len(calendar.phases)):
        sessions = sessions_of_week(programme, week, after=last)
        last = sessions[-1] if sessions else last
        yield outline_week(calendar, week, sessions)


def _check(
    con: duckdb.DuckDBPyConnection,
    profile: AthleteProfile,
    situation: Situation,
    followed: FollowedProgramme,
    programme: Programme,
    place: BlockPlace,
) -> WeekCheck | None:
    at = followed.calendar.place_of(place.week)
    if at is None:
        return None
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
