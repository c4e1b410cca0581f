"""Simulate how a lifter performs and logs a plan, and the usual deviations from it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, Protocol

from hevy_connector.simulator.api.body_values import ALLOWED_RPE
from hevy_connector.simulator.athletes.physiology import Effort, reps_possible

# Lifters underestimate the repetitions in reserve by 0.95 (Halperin et al. 2022), and the error
# grows with the reserve: about 1 near failure, over 2 from 7 on (Hackett et al. 2017).
USUAL_RPE_BIAS = 0.95
_RPE_SD, _RPE_SD_PER_REP = 1.0, 0.15
_LOWEST_RATED = 6
# After a failed first repetition the lifter reduces the load by a tenth and retries.
_LIGHTER = 0.9


class Target(Protocol):
    """A planned working set: its load, its rep range, and the goal within it."""

    @property
    def load_kg(self) -> float: ...  # noqa: D102
    @property
    def low(self) -> int: ...  # noqa: D102
    @property
    def high(self) -> int: ...  # noqa: D102
    @property
    def goal(self) -> int: ...  # noqa: D102


class Performed(NamedTuple):
    """A logged set and its true values.

    `possible` are the repetitions that the planned load allowed at that moment, `reserve` the
    repetitions left at the end of the set.
    """

    load_kg: float
    reps: int
    rpe: float | None
    possible: int
    reserve: int


@dataclass(frozen=True)
class Habits:
    """A lifter's habits; shares are 0 to 1, each drawn independently every time.

    `fills_range`: continues to the top of the range while `kept_reserve` repetitions are left;
    other lifters stop at the goal. `steps_off` is the deviation from the planned load in available
    loads, in `off_share` of the exercises. `rated_share` of the sets get an RPE, off by `rpe_bias`
    reps (positive: more were left than reported). `rounded_share` of the sets that ended one short
    are logged as full. `skipped_share` of the sessions end before the last exercise; `early_share`
    of them are trained before the new plan is published, `edited_share` after an edit of the
    routine in the app. `tenfold_exposure` is the exposure of each exercise, from 0, whose load is
    logged with an extra zero.
    """

    fills_range: bool = False
    kept_reserve: int = 1
    steps_off: int = 0
    off_share: float = 1.0
    rated_share: float = 0.0
    rpe_bias: float = USUAL_RPE_BIAS
    rounded_share: float = 0.0
    skipped_share: float = 0.0
    early_share: float = 0.0
    edited_share: float = 0.0
    tenfold_exposure: int | None = None


def choose_load(planned_kg: float, loads: Sequence[float], habits: Habits, rng: Random) -> float:
    """Choose an available load: at most the planned one, or some steps away from it."""
    is_off = habits.steps_off and rng.random() < habits.off_share
    return step_load(planned_kg, loads, habits.steps_off if is_off else 0)


def step_load(load_kg: float, loads: Sequence[float], steps: int) -> float:
    """Return the available load some steps away from the heaviest one up to `load_kg`."""
    count = max(1, bisect_right(loads, load_kg + 0.01)) + steps
    return loads[min(max(count, 1), len(loads)) - 1]


def perform(
    target: Target,
    load_kg: float,
    able_kg: float,
    endurance: float,
    loads: Sequence[float],
    habits: Habits,
    rng: Random,
) -> tuple[Performed, Effort]:
    """Perform one set with the chosen load; return the log entry and the true effort."""
    planned_possible = reps_possible(able_kg, target.load_kg, endurance)
    possible = reps_possible(able_kg, load_kg, endurance)
    while possible == 0 and load_kg > loads[0]:
        load_kg = loads[max(0, bisect_right(loads, load_kg * _LIGHTER) - 1)]
        possible = reps_possible(able_kg, load_kg, endurance)
    wanted = target.goal
    if habits.fills_range:
        wanted = max(wanted, min(target.high, possible - habits.kept_reserve))
    reps = min(wanted, possible)
    is_rounded = reps == target.low - 1 and rng.random() < habits.rounded_share
    is_rated = rng.random() < habits.rated_share
    performed = Performed(
        load_kg,
        reps + is_rounded,
        _rate_set(possible - reps, habits.rpe_bias, rng) if is_rated else None,
        planned_possible,
        possible - reps,
    )
    return performed, Effort(reps, possible)


def _rate_set(reserve: int, bias: float, rng: Random) -> float | None:
    """Return the allowed RPE nearest to the lifter's estimate; None for easy sets."""
    believed = max(0.0, reserve - bias + rng.gauss(0, _RPE_SD + _RPE_SD_PER_REP * reserve))
    felt = 10 - believed
    return min(ALLOWED_RPE, key=lambda rpe: abs(rpe - felt)) if felt >= _LOWEST_RATED else None
