"""Inputs of the check of a week: its calendar, workouts, and routines in Hevy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

from coach_agent.domain.block import BlockCalendar, BlockDay
from coach_agent.domain.titles import normalize_title
from coach_agent.programmes.catalogue import Catalogue, Exercise
from coach_agent.programmes.week_findings import Verdict
from coach_agent.programmes.weekly_volume import sets_by_muscle

VERDICTS: tuple[Verdict, ...] = ("fine", "caution", "advise_against")
"""From the best to the worst."""


class Placed(Protocol):
    """An exercise in a routine, such as a slot of it."""

    @property
    def exercise_title(self) -> str: ...  # noqa: D102
    @property
    def occurrence(self) -> int: ...  # noqa: D102


@dataclass(frozen=True)
class RoutineExercise:
    """An exercise of the routine in Hevy with its working sets."""

    exercise_title: str
    occurrence: int
    sets: int


@dataclass(frozen=True)
class DoneWorkout:
    """A workout of the week: its routine, None for another one, and working sets by exercise."""

    day: date
    routine_id: str | None
    sets: Mapping[str, int]


@dataclass(frozen=True)
class WeekInput:
    """Inputs of a check.

    `place` is the week in the calendar, from 0, `sessions` are its days in their order, `routines`
    the present exercises by routine, and `low` and `high` the range of weekly sets of a muscle.
    """

    calendar: BlockCalendar
    place: int
    begins: date
    today: date
    sessions: tuple[str, ...]
    workouts: tuple[DoneWorkout, ...]
    routines: Mapping[str, Sequence[RoutineExercise]]
    catalogue: Catalogue
    low: int
    high: int

    @property
    def is_easy(self) -> bool:
        """True in an easy week."""
        return is_easy_week(self.calendar, self.place)

    @property
    def ends(self) -> date:
        """The last day of the week."""
        return self.begins + timedelta(days=6)

    def day(self, title: str) -> BlockDay | None:
        """Return a day of the programme that has a routine; None without one."""
        return next((each for each in self.calendar.days if each.title == title), None)


Sets = Mapping[str, int]
"""Working sets by exercise."""


def is_easy_week(calendar: BlockCalendar, place: int) -> bool:
    """Return whether a week of a calendar, from 0, is an easy one."""
    return calendar.phases[place] == "deload"


def muscles_of(given: WeekInput, sets: Sets) -> dict[str, float]:
    """Return the hard sets by muscle, as `weekly_volume` counts them."""
    known = ((exercise_of(given, title), count) for title, count in sets.items())
    return sets_by_muscle((exercise, count) for exercise, count in known if exercise is not None)


def exercise_of(given: WeekInput, title: str) -> Exercise | None:
    """Return the exercise of the catalogue with this title; None if it has none."""
    return given.catalogue.get(normalize_title(title))
