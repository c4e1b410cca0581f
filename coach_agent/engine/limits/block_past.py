"""The last state of a block of sets, which limits compare its next one with."""

from dataclasses import dataclass

from coach_agent.domain.e1rm import (
    effective_reps,
    epley_max,
)
from coach_agent.engine.history.attempts import Attempt
from coach_agent.engine.history.breaks import Return
from coach_agent.engine.loads.ladder import Ladder


@dataclass(frozen=True)
class BlockPast:
    """The last state of a block, with its available loads and the ends of its target.

    `held` is the last attempt with its doubted sets as they were before. `ramp_back`: the ramp back
    to its load before a recent long break. `is_mastered`: its last two attempts reached the target
    with one load; `is_below_best`: the last load is already less than an earlier one;
    `is_at_limit`: the last workout showed a limit. `is_programme`: it has its own sets and
    repetitions. `single_loads` are those of earlier workouts with singles only.
    `newer_load` is the lightest load since, which is odd or was only logged in part.
    """

    last: Attempt
    held: Attempt
    ladder: Ladder | None
    low: int | None
    high: int | None
    ramp_back: Return | None = None
    is_mastered: bool = False
    is_below_best: bool = False
    is_at_limit: bool = False
    is_programme: bool = False
    single_loads: tuple[float, ...] = ()
    newer_load: float | None = None


def shown_max(last: Attempt, unrated: float = 0) -> float:
    """Return the highest estimated maximum of its sets, in kg, by their repetitions and RPE.

    Sets without an RPE had `unrated` repetitions to spare.
    """
    return max(
        (
            epley_max(
                answer.load,
                effective_reps(answer.reps, answer.rpe) + (unrated if answer.rpe is None else 0),
            )
            for answer in last.done
            if answer.load and answer.reps
        ),
        default=last.load,
    )
