"""Scenarios of `spotter what-if`: a changed profile, and the programme that it leads to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import get_args

import tomlkit

from coach_agent.domain.block import FollowedProgramme
from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.plan import SetPrescription
from coach_agent.domain.titles import did_you_mean
from coach_agent.evaluation.diary import FIRST_DAY
from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.what_if import ProgrammeToFollow, weeks_of
from coach_agent.profile.model import AthleteProfile, ProfileError, parse_profile
from coach_agent.programmes.builder import build
from coach_agent.programmes.calendar import calendar_of
from coach_agent.programmes.catalogue import Catalogue, Exercise, exercise_tags
from coach_agent.programmes.model import Level, Programme
from coach_agent.programmes.request import ProgrammeRequest
from coach_agent.publishing.programme_routines import routines_of
from hevy_connector.schemas import RoutineExerciseWrite, RoutineWrite
from orchestration.config.profile_edits import apply_changes
from orchestration.config.settings import SettingsError
from orchestration.services.programmes.exercise_catalogue import (
    built_in_exercise,
)
from orchestration.services.programmes.follow_programme import request_of

MOST_DAYS = 7
_DAYS, _LEVEL = "days", "level"
_NOVICE_WEEKS = 26  # first half year of a log; the level advanced is never assumed
_BUILDING_KEYS = (_DAYS, _LEVEL, "goal.kind")


@dataclass(frozen=True)
class History:
    """Facts of a log for a programme: its length, usual sessions a week, and recent exercises.

    `exercises` are those with a tag, which programmes can have.
    """

    weeks: int
    days_a_week: int
    exercises: tuple[str, ...]


def history_of(training: TrainingLog, weeks: int) -> History:
    """Return the facts of a log; days and exercises are those of its last weeks, or of all."""
    newest, oldest = training.sessions[-1].started_at, training.sessions[0].started_at
    weeks = min(weeks, weeks_of(training.sessions))
    recent = [
        each for each in training.sessions if newest - each.started_at < timedelta(weeks=weeks)
    ]
    titles = {done.exercise["exercise_title"]: None for each in recent for done in each.done}
    known = (built_in_exercise(title) for title in titles)
    return History(
        weeks=(newest - oldest) // timedelta(weeks=1),
        days_a_week=min(max(round(len(recent) / weeks), 1), MOST_DAYS),
        exercises=tuple(
            sorted({facts.title for facts in known if facts is not None} & exercise_tags().keys())
        ),
    )


@dataclass(frozen=True)
class Change:
    """The profile after a change, and the programme that comes with it, if any.

    `compromises` are wishes that the programme cannot fulfil.
    """

    profile: AthleteProfile
    programme: Programme | None = None
    compromises: tuple[str, ...] = ()


def changed_scenario(
    base: AthleteProfile,
    changes: Sequence[str],
    programme: Programme | None,
    catalogue: Catalogue,
    *,
    history: History,
    today: date,
) -> Change:
    """Return the scenario after changes, such as `days=3` and `goal.kind=strength`.

    Days, level and goal build a programme, unless one is given; days, level and preferred exercises
    come from the history where nothing else is said. Other keys change the rules only. Account,
    models and addresses are left out: they decide nothing.

    Raises:
        SettingsError: a change is malformed, has an unknown key or an impossible value.
    """
    values: dict[str, str] = {}
    for change in changes:
        key, equals, value = (part.strip() for part in change.partition("="))
        if not equals or not value:
            raise SettingsError(f"--set {change}: write KEY=VALUE, as in --set days=3.")
        _check_key(change, key)
        values[key] = value
    of_profile = [f"{key}={value}" for key, value in values.items() if key not in (_DAYS, _LEVEL)]
    profile = _changed_profile(base, of_profile)
    if programme is not None:
        if own := [key for key in (_DAYS, _LEVEL) if key in values]:
            raise SettingsError(f"--set {own[0]}: the programme of --program has its own {own[0]}.")
        return Change(profile, programme)
    if not any(key in values for key in _BUILDING_KEYS):
        return Change(profile)
    wishes: dict[str, object] = {
        "days": history.days_a_week,
        "level": "novice" if history.weeks < _NOVICE_WEEKS else "intermediate",
        "prefer": history.exercises,
    }
    if _DAYS in values:
        wishes["days"] = _days(values[_DAYS])
    if _LEVEL in values:
        wishes["level"] = _level(values[_LEVEL])
    asked = request_of(profile, today).model_dump()
    built = build(ProgrammeRequest.model_validate({**asked, **wishes}), catalogue)
    return Change(profile, built.programme, tuple(each.text for each in built.compromises))


def _check_key(change: str, key: str) -> None:
    """Check the table of a key; those inside of it are checked with the whole profile."""
    known = (*AthleteProfile.model_fields, _DAYS, _LEVEL)
    table = key.split(".")[0]
    if table not in known:
        nearest = did_you_mean(table, known) or f" There are: {', '.join(sorted(known))}."
        raise SettingsError(f"--set {change}: there is no key {table!r}.{nearest}")


def _changed_profile(base: AthleteProfile, changes: Sequence[str]) -> AthleteProfile:
    values = base.model_dump(
        mode="json", exclude_unset=True, exclude_none=True, exclude={"hevy", "llm", "notify"}
    )
    changed = apply_changes(tomlkit.dumps(values), changes)
    try:
        return parse_profile(changed, Path(f"{base.id}.toml"))
    except ProfileError as error:
        problems = (each.partition(": ")[2] for each in str(error).splitlines())
        raise SettingsError("\n".join(f"--set: {each}" for each in problems)) from error


def _days(value: str) -> int:
    if not value.isdecimal() or not 1 <= int(value) <= MOST_DAYS:
        raise SettingsError(f"--set days={value}: must be a number from 1 to {MOST_DAYS}.")
    return int(value)


def _level(value: str) -> str:
    levels: tuple[str, ...] = get_args(Level)
    if value not in levels:
        known = ", ".join(levels)
        nearest = did_you_mean(value, levels)
        raise SettingsError(f"--set level={value}: must be one of {known}.{nearest}")
    return value


def programme_to_follow(programme: Programme, catalogue: Catalogue) -> ProgrammeToFollow:
    """Return the programme with a routine for each day, as its publication makes them.

    Raises:
        UnknownExerciseError: an exercise is not in the catalogue.
        ProgrammeError: there are no exercises, or Hevy cannot hold their sets.
    """
    written = routines_of(programme, catalogue, {})
    exercises = {each.template_id: each for each in catalogue.values()}
    routines = tuple(_routine(number, each, exercises) for number, each in enumerate(written))
    calendar = calendar_of(programme, {each.title: each.routine_id for each in routines})
    return ProgrammeToFollow(
        followed=FollowedProgramme(
            programme_id="what-if", name=programme.name, start=FIRST_DAY, calendar=calendar
        ),
        routines=routines,
        days=programme.days_per_week,
        is_rolling=programme.order == "rolling",
    )


def _routine(
    number: int, written: RoutineWrite, exercises: Mapping[str, Exercise]
) -> RoutineContext:
    seen: dict[str, int] = {}
    slots = []
    for index, each in enumerate(written.exercises):
        template_id = each.exercise_template_id
        seen[template_id] = seen.get(template_id, 0) + 1
        slots.append(_slot(index, each, exercises[template_id], seen[template_id]))
    return RoutineContext(
        routine_id=f"what-if-{number}",
        title=written.title,
        sha256=f"{number:064}",
        slots=tuple(slots),
    )


def _slot(
    index: int, written: RoutineExerciseWrite, exercise: Exercise, occurrence: int
) -> SlotContext:
    return SlotContext(
        exercise_index=index,
        occurrence=occurrence,
        exercise_template_id=exercise.template_id,
        exercise_title=exercise.exercise_title,
        exercise_type=exercise.exercise_type,
        equipment=exercise.equipment,
        primary_muscle_group=exercise.primary_muscle_group,
        secondary_muscle_groups=exercise.secondary_muscle_groups,
        rest_s=written.rest_seconds,
        planned_sets=tuple(
            SetPrescription(
                set_index=place,
                set_type=each.type,
                weight_kg=each.weight_kg,
                reps=each.reps,
                rep_range_start=None if each.rep_range is None else each.rep_range.start,
                rep_range_end=None if each.rep_range is None else each.rep_range.end,
                duration_s=each.duration_seconds,
            )
            for place, each in enumerate(written.sets)
        ),
    )
