"""Workouts of simulated lifters as they are planned, edited and logged."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from coach_agent.domain.plan import SetPrescription


class Target(NamedTuple):
    """A planned working set: its load in kg, its range of repetitions and the goal within it."""

    load_kg: float
    low: int
    high: int
    goal: int


class Logged(Protocol):
    """A logged set."""

    @property
    def load_kg(self) -> float: ...  # noqa: D102
    @property
    def reps(self) -> int: ...  # noqa: D102
    @property
    def rpe(self) -> float | None: ...  # noqa: D102


class EditedExercise(Protocol):
    """An exercise of a routine that the lifter edited.

    `place` is its earlier place, or that of the exercise it replaces. Each of `sets` is the working
    set with this index there, with its load in kg.
    """

    @property
    def place(self) -> int: ...  # noqa: D102
    @property
    def template_id(self) -> str: ...  # noqa: D102
    @property
    def sets(self) -> Sequence[tuple[int, float]]: ...  # noqa: D102


class SlotPlan(NamedTuple):
    """The sets of an exercise for a day; `whole` are those that stay in the routine.

    `chances` are the stated probabilities of the targets, None without one.
    """

    targets: tuple[Target, ...]
    whole: tuple[Target, ...]
    is_easy: bool = False
    chances: tuple[float | None, ...] = ()


class Workout(NamedTuple):
    """The plan of a day: the routine by its place, its exercises, and the reason of a deload."""

    routine: int
    slots: tuple[SlotPlan, ...]
    deload: str | None = None


class Record(NamedTuple):
    """An exercise on a day, planned and logged."""

    at: datetime
    plan: SlotPlan
    done: tuple[Logged, ...]


def target_of(planned: SetPrescription) -> Target:
    """Convert a planned working set with a load to a target.

    Raises:
        ValueError: it has no load or no closed target, which no simulated routine contains.
    """
    low = planned.reps if planned.rep_range_start is None else planned.rep_range_start
    high = planned.reps if planned.rep_range_start is None else planned.rep_range_end
    if planned.weight_kg is None or low is None or high is None:
        raise ValueError(f"set {planned.set_index} has no load or no target")
    return Target(planned.weight_kg, low, high, planned.reps or low)
