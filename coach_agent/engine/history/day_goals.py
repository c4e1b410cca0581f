"""Repetitions of heavy and light days that take turns, where each kind of day has its own.

A routine holds one goal for all of them, mostly that of the day before.
"""

from collections.abc import Mapping, Sequence

from coach_agent.domain.constants.history import ALTERNATION_GAP, ALTERNATION_LEAST
from coach_agent.engine.history.alternation import DayKind
from coach_agent.engine.history.attempts import Attempt

Goal = tuple[int, int]
"""The least and the most repetitions of each set."""


def goals_of_days(
    kinds: Sequence[DayKind | None], past: Sequence[Attempt]
) -> Mapping[DayKind, Goal]:
    """Return the goal of each kind of day, by its attempts, newest first; empty if any is unclear
    or all are the same.

    At least `alternation.least` attempts of a kind show its goal, and none shows another one.
    """
    goals: dict[DayKind, Goal] = {}
    for kind in {each for each in kinds if each is not None}:
        shown = [
            goal
            for own, attempt in zip(kinds, past, strict=False)
            if own == kind and (goal := _goal_of(attempt)) is not None
        ]
        if len(shown) < ALTERNATION_LEAST.value or len(set(shown)) > 1:
            return {}
        goals[kind] = shown[0]
    return goals if len(set(goals.values())) > 1 else {}


def _goal_of(attempt: Attempt) -> Goal | None:
    """Return the goal that an attempt shows: its plan's unless it exceeded that in each set or had
    another kind of load, otherwise the repetitions that all sets had; None without any.
    """
    done = [answer.reps or 0 for answer in attempt.done]
    first = attempt.done[0]
    low, high = first.planned_reps_low, first.planned_reps_high
    gap = 1 + ALTERNATION_GAP.value / 100
    planned = attempt.planned_load
    is_near = planned is None or max(planned, attempt.load) < gap * min(planned, attempt.load)
    if low is not None and is_near and min(done) <= (high or low):
        return low, high or low
    return (done[0], done[0]) if len(set(done)) == 1 and done[0] else None
