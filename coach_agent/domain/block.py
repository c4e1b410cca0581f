"""A programme that an athlete follows, week by week, and the demands of one of its weeks."""

from datetime import date as Date
from typing import Literal

from coach_agent.domain.values import Value

Phase = Literal["accumulate", "intensify", "peak", "deload"]
"""The kind of a week: more work, harder work, few heavy sets, or an easy week."""


class BlockExercise(Value):
    """An exercise of a day: working sets and repetitions in reserve by week.

    `base` is the number of sets that the routine was made with. In `sets` 0 leaves the exercise
    out, and null changes nothing; a null reserve is not stated.
    """

    exercise_title: str
    occurrence: int
    base: int
    sets: tuple[int | None, ...]
    reserve: tuple[float | None, ...]


class BlockDay(Value):
    """A day of a programme with the routine that was made from it."""

    title: str
    routine_id: str
    exercises: tuple[BlockExercise, ...]


class BlockCalendar(Value):
    """The weeks of a programme by phase, null without one, and its days.

    `cycle_from` is the week, from 0, from which the weeks repeat; null for a programme that ends.
    """

    title: str
    phases: tuple[Phase | None, ...]
    cycle_from: int | None
    days: tuple[BlockDay, ...]

    def place_of(self, week: int) -> int | None:
        """Return the place of a week in `phases`; both count from 0. None after the end."""
        count = len(self.phases)
        if week < count:
            return week
        if self.cycle_from is None:
            return None
        return self.cycle_from + (week - count) % (count - self.cycle_from)

    def phase_of(self, week: int) -> Phase | None:
        """Return the phase of a week, from 0; None without one and after the end."""
        place = self.place_of(week)
        return None if place is None else self.phases[place]

    def day_of(self, routine_id: str) -> BlockDay | None:
        """Return the day of a routine; None for a routine that is not of the programme."""
        return next((day for day in self.days if day.routine_id == routine_id), None)


class FollowedProgramme(Value):
    """The programme in force, and the first day of its first week."""

    programme_id: str
    name: str
    start: Date
    calendar: BlockCalendar


class BlockDemand(Value):
    """The demand of a week on an exercise.

    `change` is the number of sets more or, negative, fewer than the routine has. `is_left_out`: the
    week has none of it. `reserve` are the repetitions to leave in reserve, null where not stated.
    """

    exercise_title: str
    occurrence: int
    change: int = 0
    is_left_out: bool = False
    reserve: float | None = None


class BlockWeek(Value):
    """The week of a followed programme, from 1 of `weeks`, and its demands on one routine."""

    programme_id: str
    programme_title: str
    week: int
    weeks: int
    phase: Phase | None
    demands: tuple[BlockDemand, ...] = ()

    def demand_on(self, exercise_title: str, occurrence: int) -> BlockDemand | None:
        """Return the demand on an exercise of the routine; None without one."""
        return next(
            (
                each
                for each in self.demands
                if (each.exercise_title, each.occurrence) == (exercise_title, occurrence)
            ),
            None,
        )
