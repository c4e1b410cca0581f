"""Which attempts a decision may rest on: those for this target, with loads that can be believed.

An attempt is judged by older ones alone, as it could have been on its day. What is left out never
raises anything: doubts that are newer than the attempt used hold the block where it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from coach_agent.progression.constants import (
    LOAD_TOLERANCE,
    OTHER_WORK_LOAD_PCT,
    OTHER_WORK_REPS,
    TYPO_HI,
    TYPO_LO,
    TYPO_MIN_OTHERS,
    TYPO_WINDOW,
)
from coach_agent.progression.history import Attempt

LoadKind = Literal["whole", "part"]
"""The load is all that is moved, or the body is a part of it and ratios of loads say nothing."""


@dataclass(frozen=True)
class Doubt:
    """Why an attempt with this load, in kg with assistance negative, was not believed."""

    code: Literal["suspected_typo", "other_work"]
    load: float


@dataclass(frozen=True)
class Past:
    """The attempts to decide from, newest first, and the doubts about anything newer.

    A doubt may be about the newest attempt itself: then that has the load planned on its day.
    """

    attempts: tuple[Attempt, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def sift(found: Sequence[Attempt], low: int | None, loads: LoadKind | None) -> Past:
    """The credible ones among attempts that may have been for this target, newest first.

    `low` is the target's lower end, `loads` None where no load is recorded.
    """
    used: list[Attempt] = []
    doubts: list[Doubt] = []
    of_this_kind: list[float] = []
    for attempt in reversed(found):
        if _is_other_work(attempt, low, used, loads):
            doubts += [Doubt("other_work", attempt.load)] if used else []
            continue
        if loads != "whole":
            used.append(attempt)
            continue
        is_typo = _is_typo(attempt, used, of_this_kind)
        of_this_kind.append(attempt.load)
        if not is_typo:
            used.append(attempt)
            doubts = []
            continue
        doubts.append(Doubt("suspected_typo", attempt.load))
        if not used and attempt.planned_load is not None:
            used.append(attempt.with_at_most(attempt.planned_load))
    return Past(tuple(reversed(used)), tuple(reversed(doubts)))


def is_far_below(attempt: Attempt, low: int | None) -> bool:
    """Whether sets of an unknown plan all had far fewer repetitions than the target."""
    if attempt.is_target_known or low is None:
        return False
    best = max((answer.reps for answer in attempt.done if answer.reps is not None), default=0)
    return best < OTHER_WORK_REPS.value * low


def is_beyond_belief(load: float, planned: float | None, best_other: float) -> bool:
    """Whether a load is too far above the best other one, and was not planned either."""
    return _is_above(load, planned) and load > TYPO_HI.value * best_other


def _is_other_work(
    attempt: Attempt, low: int | None, used: Sequence[Attempt], loads: LoadKind | None
) -> bool:
    """Whether the repetitions are so few that the sets were clearly for another target.

    Once there are attempts to compare with, they must be clearly heavier as well: as few with
    the same or a lighter load are a failure.
    """
    if not is_far_below(attempt, low):
        return False
    if not used:
        return True
    if loads is None:
        return False
    heaviest = max(each.load for each in used)
    return attempt.load > heaviest + abs(heaviest) * OTHER_WORK_LOAD_PCT.value / 100


def _is_typo(attempt: Attempt, used: Sequence[Attempt], older: Sequence[float]) -> bool:
    """Whether the load was probably mistyped; `used` and `older` end with the newest.

    A load is only doubted in the direction in which it leaves the plan. With too few others for
    a median, only a load that is too high is: it would raise.
    """
    load, planned = attempt.load, attempt.planned_load
    if len(older) < TYPO_MIN_OTHERS.value:
        known = [max(each.load for each in used)] if used else []
        known += [] if planned is None else [planned]
        return any(is_beyond_belief(load, planned, each) for each in known)
    middle = median(older[-TYPO_WINDOW.value :])
    is_below = planned is None or load < planned - LOAD_TOLERANCE.value
    is_too_low = is_below and load < TYPO_LO.value * middle
    return is_too_low or is_beyond_belief(load, planned, middle)


def _is_above(load: float, planned: float | None) -> bool:
    return planned is None or load > planned + LOAD_TOLERANCE.value
