"""What a log will show next: the best e1RM of a session, before its load is known, and an RPE.

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
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean
from typing import NamedTuple

from coach_agent.domain.constants import (
    FORECAST_LEARNING_RATE,
    FORECAST_LEVEL,
    FORECAST_LEVEL_EXPOSURES,
    FORECAST_MAX_MISS,
    FORECAST_MAX_TRUST,
    FORECAST_REGAINED,
    INTERVAL_MIN_RESIDUALS,
    INTERVAL_WINDOW,
    PREDICT_DECAY,
    PREDICT_EXPOSURES,
    RPE_SHRINK_WEIGHT,
)
from coach_agent.engine.forecast.e1rm import HIGHEST_RPE, effective_reps, epley_max, epley_reps

# After a single exposure all ways to forecast say the same.
_FEWEST = 2
_DECAY = tuple(PREDICT_DECAY.value**age for age in range(PREDICT_EXPOSURES.value))
_LOWEST_RPE = 5.0  # nobody tells more than five repetitions in reserve from six
_USUAL_MISS, _MOST_MISSED = FORECAST_MAX_MISS.value
_TRUST = FORECAST_MAX_TRUST.value


class Best(NamedTuple):
    """The best maximum, in kg, that the sets of a session showed of an exercise.

    Only sets of 1 to 12 repetitions with a load tell one; what is doubted or was made easy on
    purpose is to be left out.
    """

    exercise: str
    max_kg: float


def expected_max(history: Sequence[Best], recent: Sequence[Best]) -> float:
    """The best e1RM, in kg, that the next session will show of an exercise.

    `history` is what is known of the exercise, never empty; `recent` what is known of all of the
    lifter's exercises, of which the latest `interval.window` teach; both oldest first.

    It is the mean of all ways, each with its trust times e to the minus of its losses. Those are
    told in usual misses of this lifter, so that neither a unit nor noise changes what is learned.
    With the exercise itself they count a second time.
    """
    known = tuple(each.max_kg for each in history[-PREDICT_EXPOSURES.value :])
    if len(known) < _FEWEST:
        return known[-1]
    lessons = _lessons(recent)
    patience = INTERVAL_MIN_RESIDUALS.value
    scale = (_USUAL_MISS * patience + sum(of_last for of_last, *_ in lessons)) / (
        patience + len(lessons)
    )
    none = (0.0,) * len(_TRUST)
    losses = [sum(each) for each in zip(none, *lessons, *_lessons(history), strict=True)]
    least = min(losses)
    weights = [
        trust * math.exp(FORECAST_LEARNING_RATE.value * (least - loss) / scale)
        for trust, loss in zip(_TRUST, losses, strict=True)
    ]
    return math.exp(fmean(_ways(known), weights=weights))


class Rated(NamedTuple):
    """A set with a load, in kg, and the RPE that was stated for it."""

    load_kg: float
    reps: int
    rpe: float


def expected_rpe(rated: Sequence[Rated], load_kg: float, reps: int) -> float | None:
    """The RPE that will be stated for a set; None where none was ever stated.

    `rated` are top sets of the exercise, oldest first. Each of the latest says the same again,
    moved by half of what Epley's formula makes of another load and other repetitions: the half of
    a stated reserve that any forecast believes. The newer, the more it counts.
    """
    latest = rated[: -PREDICT_EXPOSURES.value - 1 : -1]
    if not latest:
        return None
    told = [each.rpe + RPE_SHRINK_WEIGHT.value * _harder(each, load_kg, reps) for each in latest]
    return min(HIGHEST_RPE, max(_LOWEST_RPE, fmean(told, weights=_DECAY[: len(told)])))


def _harder(before: Rated, load_kg: float, reps: int) -> float:
    """By how many repetitions less would be left in reserve than that time."""
    most_kg = epley_max(before.load_kg, effective_reps(before.reps, before.rpe))
    left = epley_reps(most_kg, load_kg) - reps
    return HIGHEST_RPE - before.rpe - left


def _ways(maxima_kg: Sequence[float]) -> tuple[float, ...]:
    """Logarithms: the last, a fall half regained, most of the way back to the level, a mean."""
    logs = [math.log(each) for each in maxima_kg]
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


def _lessons(past: Sequence[Best]) -> list[tuple[float, ...]]:
    """By how much each way would have missed each of the latest sessions of an exercise."""
    earlier: dict[str, list[float]] = defaultdict(list)
    found = []
    for left, each in zip(range(len(past), 0, -1), past, strict=True):
        before = earlier[each.exercise]
        if len(before) >= _FEWEST and left <= INTERVAL_WINDOW.value:
            found.append(_misses(tuple(before[-PREDICT_EXPOSURES.value :]), each.max_kg))
        before.append(each.max_kg)
    return found


@lru_cache(maxsize=4096)
def _misses(before_kg: tuple[float, ...], came_kg: float) -> tuple[float, ...]:
    """The same lessons are looked at for each exercise, and again for the next session."""
    came = math.log(came_kg)
    return tuple(min(abs(told - came), _MOST_MISSED) for told in _ways(before_kg))
