"""Forecast of a log: the best e1RM of a session, before its load is known, and an RPE.

Half of all sessions repeat the last one, so that repeating it is a strong baseline; a mean of
several is worse for most lifters and better for some. None is chosen here: a few simple forecasts
are combined, each weighted by its past losses for this lifter. One of them covers a pattern that no
mean does: half of a fall is regained, while a rise is kept.

A logged set mostly shows what was planned, and at least what was possible. So these forecasts
predict the log, not the lifter's ability.

Source: weighting experts by their losses, Cesa-Bianchi and Lugosi 2006, chapter 2.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean
from typing import NamedTuple

from coach_agent.domain.constants.forecast import (
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
)
from coach_agent.domain.constants.strength import RPE_SHRINK_WEIGHT
from coach_agent.domain.e1rm import HIGHEST_RPE, effective_reps, epley_max, epley_reps

# After a single exposure all forecasts are equal.
_FEWEST = 2
_DECAY = tuple(PREDICT_DECAY.value**age for age in range(PREDICT_EXPOSURES.value))
_LOWEST_RPE = 5.0  # lifters cannot distinguish more than five repetitions in reserve
_USUAL_MISS, _MOST_MISSED = FORECAST_MAX_MISS.value
_TRUST = FORECAST_MAX_TRUST.value


class Best(NamedTuple):
    """The best maximum, in kg, of an exercise in a session.

    Only sets of 1 to 12 repetitions with a load count; exclude doubted and deliberately easy sets.
    """

    exercise: str
    max_kg: float


def expected_max(history: Sequence[Best], recent: Sequence[Best]) -> float:
    """Return the expected best e1RM, in kg, of an exercise in the next session.

    `history` has the known sessions of the exercise, never empty; `recent` those of all of the
    lifter's exercises, of which the latest `interval.window` are used; both oldest first.

    It is the weighted mean of all forecasts: each trust times e to the minus of its losses. Losses
    are scaled by this lifter's usual miss, so that neither a unit nor noise changes the weights.
    Losses with the exercise itself count twice.
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
    """Return the expected RPE of a set; None without any stated RPE.

    `rated` are top sets of the exercise, oldest first. Each of the latest predicts its own RPE,
    adjusted by half of Epley's difference for another load and other repetitions, because forecasts
    use half of a stated reserve. Newer ones have more weight.
    """
    latest = rated[: -PREDICT_EXPOSURES.value - 1 : -1]
    if not latest:
        return None
    expected = [
        each.rpe + RPE_SHRINK_WEIGHT.value * _harder(each, load_kg, reps) for each in latest
    ]
    return min(HIGHEST_RPE, max(_LOWEST_RPE, fmean(expected, weights=_DECAY[: len(expected)])))


def _harder(before: Rated, load_kg: float, reps: int) -> float:
    """Return the reduction of the reserve, in repetitions, compared with that set."""
    most_kg = epley_max(before.load_kg, effective_reps(before.reps, before.rpe))
    left = epley_reps(most_kg, load_kg) - reps
    return HIGHEST_RPE - before.rpe - left


def _ways(maxima_kg: Sequence[float]) -> tuple[float, ...]:
    """Return logarithms: the last, a fall half regained, most of the way back to the level, a
    mean.
    """
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
    """Return the miss of each forecast for each of the latest sessions of an exercise."""
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
    """Return the misses, cached: they are reused for each exercise, and again for the next
    session.
    """
    came = math.log(came_kg)
    return tuple(min(abs(expected - came), _MOST_MISSED) for expected in _ways(before_kg))
