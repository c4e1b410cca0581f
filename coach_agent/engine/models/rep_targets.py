"""Repetition goals within a range."""

from collections.abc import Sequence
from itertools import pairwise
from math import floor
from typing import NamedTuple

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.progression import DOUBLE_QUICK_REPS
from coach_agent.domain.e1rm import HIGHEST_RPE, epley_max, epley_reps
from coach_agent.engine.explain.reasons import SetNames
from coach_agent.engine.history.attempts import Answer, Attempt
from coach_agent.language.messages import phrase


class RepTargets(NamedTuple):
    """The goal of each set, and the raises by place from 0."""

    goals: tuple[int, ...]
    raised: dict[int, int]

    def text(self, names: SetNames) -> str:
        """Describe the raises as the end of a sentence: `one more on set 1`. Requires a raise."""
        least, most = min(self.raised.values()), max(self.raised.values())
        sets = names.some(tuple(self.raised))
        if least == most:
            return phrase("more-reps", count=most, sets=sets)
        return phrase("more-reps-up-to", count=most, sets=sets)


def next_rep_targets(
    attempts: Sequence[Attempt], low: int, high: int, quick: int = DOUBLE_QUICK_REPS.value
) -> RepTargets:
    """Return the next goals in the range from the attempts, newest first.

    The first set below the top gets one more repetition. So does every other one once the load was
    done before and nothing fell short of these goals the last time; `quick` more if nothing ever
    did with this load. After another load a set that held goes at once to the number that the other
    load proves. An attempt that fell short is repeated: each set to failure every time would only
    tire.

    Source: training-science, double progression, for the first set; the others are practitioners'
    opinion.
    """
    oldest = attempts[-1]
    found = _next_targets(oldest, None, [], low, high, quick)
    fell_short: list[bool] = []
    for before, attempt in pairwise(reversed(attempts)):
        if _have_same_load(before, attempt):
            fell_short.append(_is_short(attempt, found.goals))
        else:
            fell_short = []
        found = _next_targets(attempt, before, fell_short, low, high, quick)
    return found


def _next_targets(
    last: Attempt,
    before: Attempt | None,
    fell_short: Sequence[bool],
    low: int,
    high: int,
    quick: int,
) -> RepTargets:
    """Return the goals after an attempt; `fell_short` has those with its load except the first."""
    step = 1 if any(fell_short) else quick
    if not fell_short or fell_short[-1]:
        step = 0
    goals: list[int] = []
    raised: dict[int, int] = {}
    for place, answer in enumerate(last.answers):
        done = low if answer is None or answer.reps is None else answer.reps
        goal = done
        if answer is not None and done < high:
            more = min(step, _max_raise(answer, quick))
            goal += more if raised else max(1, more)
            if before is not None and not fell_short and done >= low:
                goal = max(goal, _proven_reps(before.answers[place], answer))
        goals.append(min(max(goal, low), high))
        if answer is not None and done < goals[-1] and (done >= low or not raised):
            raised[place] = goals[-1] - done
    return RepTargets(tuple(goals), raised)


def _is_short(attempt: Attempt, goals_before: Sequence[int]) -> bool:
    return not attempt.is_complete or any(
        answer is not None and (answer.reps or 0) < goal
        for answer, goal in zip(attempt.answers, goals_before, strict=True)
    )


def _max_raise(answer: Answer, quick: int) -> int:
    """Return the maximum raise of a set: its reserve by RPE, if it has one."""
    return quick if answer.rpe is None else floor(HIGHEST_RPE - answer.rpe)


def _proven_reps(before: Answer | None, answer: Answer) -> int:
    """Return the repetitions that a set with another load proves for the answer's load; 0: none.

    For a set without RPE, taken to failure, that is the minimum.
    """
    if before is None or not before.load or not before.reps or not answer.load:
        return 0
    if min(before.load, answer.load) <= 0:  # assistance: the body is most of the load
        return 0
    return floor(epley_reps(epley_max(before.load, before.reps), answer.load) + 1e-9)


def _have_same_load(one: Attempt, other: Attempt) -> bool:
    if not one.loads or not other.loads:
        return bool(one.loads) == bool(other.loads)
    return abs(one.load - other.load) <= LOAD_TOLERANCE.value
