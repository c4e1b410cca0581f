"""What the next session will show of an exercise: its best e1RM, or the reps of its top set.

Half of all sessions repeat the last one, so that repeating it is hard to beat; a mean of several
is worse for most lifters and better for some. None is chosen here: a few simple ways to forecast
stand side by side, and each counts the more, the less it was wrong about this lifter. Among them
is what no mean can say: of a fall half is regained, while a rise is kept.

A logged set mostly shows what was planned, and at least what was possible. So these forecasts say
what a log will show, not what a lifter could do.

Source: weighting experts by their losses, Cesa-Bianchi and Lugosi 2006, chapter 2.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

from coach_agent.progression.constants import (
    FORECAST_AGE_REACH,
    FORECAST_LEARNING_RATE,
    FORECAST_LEVEL,
    FORECAST_LEVEL_EXPOSURES,
    FORECAST_LOAD_REACH,
    FORECAST_MAX_MISS,
    FORECAST_MAX_TRUST,
    FORECAST_REGAINED,
    FORECAST_REPS_MISS,
    FORECAST_REPS_TRUST,
    FORECAST_SAME_AGAIN,
    INTERVAL_MIN_RESIDUALS,
    INTERVAL_WINDOW,
    LOAD_TOLERANCE,
    PREDICT_DECAY,
    PREDICT_EXPOSURES,
)
from coach_agent.progression.strength import epley_max

# Exposures of an exercise that tell of repetitions; older ones would count for nothing.
_MOST = 30
# After a single one all ways to forecast say the same.
_FEWEST = 2
_DECAY = tuple(PREDICT_DECAY.value**age for age in range(PREDICT_EXPOSURES.value))


class Shown(NamedTuple):
    """What one session showed of an exercise: the best e1RM of its sets, and its top set.

    The top set is the heaviest, and of those the one with most repetitions. Only sets that tell a
    maximum count, so loads (kg) are above 0 and repetitions from 1 to 12; what is doubted or was
    made easy on purpose is to be left out.
    """

    started_at: datetime
    exercise: str
    max_kg: float
    load_kg: float
    reps: int


def expected_max(
    history: Sequence[Shown], recent: Sequence[Shown], load_kg: float | None = None
) -> float:
    """The best e1RM, in kg, that the next session will show of an exercise.

    `history` is what is known of the exercise, never empty; `recent` what is known of all of the
    lifter's exercises, of which the latest `interval.window` teach; both oldest first. With
    `load_kg`, the load that the top set will have, its repetitions are forecast instead, and far
    less is left to guess.
    """
    if load_kg is not None:
        return epley_max(load_kg, expected_reps(history, recent, load_kg))
    return math.exp(_blended(_MAX, history, recent, 0.0))


def expected_reps(history: Sequence[Shown], recent: Sequence[Shown], load_kg: float) -> int:
    """The repetitions that the top set of the next session will have with a load.

    `history` and `recent` as for `expected_max`. Whole, as half of a repetition is never logged.
    """
    return max(1, round(_blended(_REPS, history, recent, load_kg)))


_Ways = Callable[[tuple[Shown, ...], float], tuple[float, ...]]
"""From an exercise's history and the load of today's top set to what each way forecasts."""


@dataclass(frozen=True, eq=False)
class _Kind:
    """A quantity that is forecast.

    `exposures` of the history are looked at. `trust` is what the ways count for before anything is
    learned. `misses` are how far off a forecast usually is and the most that counts of one, in the
    unit in which `shown` and the ways tell the quantity.
    """

    ways: _Ways
    shown: Callable[[Shown], float]
    exposures: int
    trust: tuple[float, ...]
    misses: tuple[float, float]


def _ways_to_max(history: tuple[Shown, ...], _: float) -> tuple[float, ...]:
    """Logarithms: the last, a fall half regained, most of the way back to the level, a mean."""
    logs = [math.log(each.max_kg) for each in history]
    last = logs[-1]
    fall = logs[-2] - last
    below = fmean(logs[:-1][-FORECAST_LEVEL_EXPOSURES.value :]) - last
    from_below, from_above = FORECAST_LEVEL.value
    return (
        last,
        last + FORECAST_REGAINED.value * max(fall, 0.0),
        last + below * (from_below if below > 0 else from_above),
        fmean(reversed(logs), weights=_DECAY[: len(logs)]),
    )


def _ways_to_reps(history: tuple[Shown, ...], load_kg: float) -> tuple[float, ...]:
    """As with loads like this one, and as usual: the last with the same load, else the mean."""
    last = history[-1]
    is_same = abs(last.load_kg - load_kg) <= LOAD_TOLERANCE.value
    weights = [
        math.exp(
            -abs(math.log(each.load_kg / load_kg)) / (FORECAST_LOAD_REACH.value / 100)
            - age / FORECAST_AGE_REACH.value
        )
        for age, each in enumerate(reversed(history))
    ]
    if is_same:
        weights[0] *= FORECAST_SAME_AGAIN.value
    reps = [float(each.reps) for each in reversed(history)]
    usual = reps[0] if is_same else fmean(reps[: PREDICT_EXPOSURES.value])
    return _weighted_median(reps, weights), usual


_MAX = _Kind(
    _ways_to_max,
    lambda shown: math.log(shown.max_kg),
    PREDICT_EXPOSURES.value,
    FORECAST_MAX_TRUST.value,
    FORECAST_MAX_MISS.value,
)
_REPS = _Kind(
    _ways_to_reps,
    lambda shown: float(shown.reps),
    _MOST,
    FORECAST_REPS_TRUST.value,
    FORECAST_REPS_MISS.value,
)


def _blended(
    kind: _Kind, history: Sequence[Shown], recent: Sequence[Shown], load_kg: float
) -> float:
    """The mean of all ways, each with its trust times e to the minus of its losses.

    Losses are told in usual misses of this lifter, so that neither a unit nor noise changes what
    is learned. With the exercise itself they count a second time.
    """
    known = tuple(history[-kind.exposures :])
    if len(known) < _FEWEST:
        return kind.shown(known[-1])
    lessons = _lessons(kind, recent)
    usual, _ = kind.misses
    patience = INTERVAL_MIN_RESIDUALS.value
    scale = (usual * patience + sum(of_last for of_last, *_ in lessons)) / (patience + len(lessons))
    none = (0.0,) * len(kind.trust)
    losses = [sum(each) for each in zip(none, *lessons, *_lessons(kind, history), strict=True)]
    least = min(losses)
    weights = [
        trust * math.exp(FORECAST_LEARNING_RATE.value * (least - loss) / scale)
        for trust, loss in zip(kind.trust, losses, strict=True)
    ]
    return fmean(kind.ways(known, load_kg), weights=weights)


def _lessons(kind: _Kind, past: Sequence[Shown]) -> list[tuple[float, ...]]:
    """By how much each way would have missed each of the latest sessions of an exercise."""
    earlier: dict[str, list[Shown]] = defaultdict(list)
    found = []
    for left, each in zip(range(len(past), 0, -1), past, strict=True):
        before = earlier[each.exercise]
        if len(before) >= _FEWEST and left <= INTERVAL_WINDOW.value:
            found.append(_misses(kind, tuple(before[-kind.exposures :]), each))
        before.append(each)
    return found


@lru_cache(maxsize=4096)
def _misses(kind: _Kind, before: tuple[Shown, ...], came: Shown) -> tuple[float, ...]:
    """The same lessons are looked at for each exercise of a plan, and again for the next one."""
    _, most = kind.misses
    shown = kind.shown(came)
    return tuple(min(abs(told - shown), most) for told in kind.ways(before, came.load_kg))


def _weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    """The lowest value that together with those below has half of the weight."""
    pairs = sorted(zip(values, weights, strict=True))
    reached = accumulate(weight for _, weight in pairs)
    half = sum(weights) / 2 * (1 - 1e-9)  # sums differ by rounding
    return next(value for (value, _), sum_ in zip(pairs, reached, strict=True) if sum_ >= half)
