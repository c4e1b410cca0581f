"""Rows of the warehouse about one athlete that rules read."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal

from coach_agent.memory.mentions import Mention


@dataclass(frozen=True)
class PlannedExercise:
    """An exercise of a workout with a known plan.

    `is_at_end` if nothing that was planned after it was done. `instead` are key and title of the
    exercise that replaced it.
    """

    key: str
    day: date
    exercise_key: str
    title: str
    outcome: Literal["done", "swapped", "skipped"]
    is_at_end: bool = False
    instead: tuple[str, str] | None = None


@dataclass(frozen=True)
class OpenSet:
    """A set with an open range such as 5+, its RPE and the repetitions above the minimum."""

    key: str
    day: date
    exercise_key: str
    title: str
    rpe: float
    extra: int


@dataclass(frozen=True)
class TrainedWorkout:
    """A workout with its start in the athlete's time zone, and its duration if known (min)."""

    key: str
    started_at: datetime
    minutes: float | None = None

    @property
    def day(self) -> date:
        """Return the athlete's date of the start."""
        return self.started_at.date()


@dataclass(frozen=True)
class PrecedingWorkout:
    """A workout before a report of pain, with the titles of its exercises."""

    key: str
    day: date
    titles: tuple[str, ...]


@dataclass(frozen=True)
class PainReport:
    """A check-in with pain, and the workouts up to `PRECEDING` (`rules.py`) before it.

    `parts` are the parts of the body that hurt enough to count: a pain that is over is reported as
    mild.
    """

    key: str
    day: date
    parts: tuple[str, ...]
    preceding: tuple[PrecedingWorkout, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """The rows of one athlete that rules read."""

    athlete_id: str
    planned: tuple[PlannedExercise, ...] = ()
    open_sets: tuple[OpenSet, ...] = ()
    workouts: tuple[TrainedWorkout, ...] = ()
    pains: tuple[PainReport, ...] = ()
    mentions: tuple[Mention, ...] = ()

    def after(self, day: date) -> "Evidence":
        """Return the rows of later days."""
        return replace(
            self,
            planned=tuple(each for each in self.planned if each.day > day),
            open_sets=tuple(each for each in self.open_sets if each.day > day),
            workouts=tuple(each for each in self.workouts if each.day > day),
            pains=tuple(each for each in self.pains if each.day > day),
            mentions=tuple(each for each in self.mentions if each.day > day),
        )
