"""Accuracy of a lifter's forecasts of repetitions, from the outcomes of earlier ones.

A planned set mostly ends at its target, an unplanned one at the lifter's choice. Both measure a
chance in the same way: the success of a target relative to the expectation.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from coach_agent.domain.constants.forecast import (
    INTERVAL_LEAST,
    INTERVAL_LEVEL,
    INTERVAL_MIN_RESIDUALS,
    INTERVAL_POOLED,
    INTERVAL_WINDOW,
    PREDICT_CHANCE,
    PREDICT_CHANCE_BOUND,
    PREDICT_CHANCE_EXCESS,
    PREDICT_CHANCE_SPREAD,
)
from coach_agent.domain.values import Value

LEAST_REPS = 0.5
"""Errors are proportional, and zero repetitions have no logarithm."""
# Newton's method on a concave function converges after some five steps. Each step is halved until
# the likelihood grows, so that it never diverges.
_MOST_STEPS = 20
_MOST_HALVINGS = 12
_NEAR_ENOUGH = 1e-6
# The excess of a target over the expectation is rounded to hundredths, so that equal cases add up.
_DIGITS = 2
_LEAST_SLOPE = 0.2
_FULL_EXCESS, _STEP_BEYOND = PREDICT_CHANCE_EXCESS.value
_BOUND = PREDICT_CHANCE_BOUND.value
# For seconds and metres the same share as half a repetition of ten counts as reached.
_NEARLY = 0.95


class Accuracy(Value):
    """The result of `count` earlier forecasts of the lifter.

    `half_width` is half of the 80 % interval as a logarithm; `level` and `slope` determine the
    chance of a target. With fewer than 20 forecasts the interval is the default of all lifters,
    `count` is 0 and no chance is stated.
    """

    count: int = 0
    half_width: float = INTERVAL_POOLED.value
    level: float = PREDICT_CHANCE.value[0]
    slope: float = PREDICT_CHANCE.value[1]

    def interval(self, expected: float) -> tuple[float, float]:
        """Return both ends of the 80 % interval around expected repetitions."""
        margin = math.exp(self.half_width)
        return expected / margin, expected * margin

    def chance(self, expected: float, target: int, *, is_counted: bool = True) -> float | None:
        """Return the chance of at least the target: logistic in its relative excess.

        Never nearer to 0 or 1 than `predict.chance_bound`. `is_counted`: see `excess`.
        """
        if not self.count:
            return None
        share = _stretch_excess(excess(expected, target, is_counted=is_counted))
        return _BOUND + (1 - 2 * _BOUND) * _logistic(self.level - self.slope * share)


class Outcome(NamedTuple):
    """A forecast set and its result.

    `error` is log(done / expected). `excess` is that of the target (the plan's, or the repetitions
    of the time before), and `is_hit` its success; None if unknown.
    """

    error: float
    excess: float | None
    is_hit: bool


def excess(expected: float, target: int, *, is_counted: bool = True) -> float:
    """Return the excess of a target over the expectation, as a logarithm.

    Repetitions are whole: a target counts as reached from half a repetition below it. Seconds and
    metres are not counted: they are reached from 95 % on.
    """
    needed = target - 0.5 if is_counted else _NEARLY * target
    return math.log(max(needed, LEAST_REPS) / expected)


def accuracy_of(outcomes: Sequence[Outcome]) -> Accuracy:
    """Return the accuracy of the next forecast from these outcomes, newest last."""
    latest = outcomes[-INTERVAL_WINDOW.value :]
    if len(latest) < INTERVAL_MIN_RESIDUALS.value:
        return Accuracy()
    level, slope = _fit(latest)
    return Accuracy(
        count=len(latest),
        half_width=round(_half_width([abs(each.error) for each in latest]), 4),
        level=round(level, 4),
        slope=round(slope, 4),
    )


def _half_width(sizes: Sequence[float]) -> float:
    """Return the conformal quantile of the own errors, shrunk towards that of all lifters.

    With few own errors their quantile is unreliable. A lifter that always logs the same has no
    errors, but still no certainty: the width is never below that of the most predictable lifter of
    the pool.

    Source: split conformal prediction, Lei et al. 2018, JASA 113:1094.
    """
    count, pooled = len(sizes), INTERVAL_MIN_RESIDUALS.value
    rank = math.ceil((count + 1) * INTERVAL_LEVEL.value / 100)
    own = sorted(sizes)[min(rank, count) - 1]
    drawn = (count * own + pooled * INTERVAL_POOLED.value) / (count + pooled)
    return max(INTERVAL_LEAST.value, drawn)


def _fit(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Fit level and slope of the chance to the outcomes, with those of all lifters as the prior.

    Source: logistic regression with a normal prior, by Newton's method with step halving; Gelman et
    al. 2013, Bayesian Data Analysis, chapter 16.
    """
    counts: Counter[float] = Counter()
    hits: Counter[float] = Counter()
    for _, above, is_hit in outcomes:
        if above is not None:
            rounded = round(above, _DIGITS)
            counts[rounded] += 1
            hits[rounded] += is_hit
    targets = [(_stretch_excess(each), count, hits[each]) for each, count in counts.items()]
    usual_level, usual_slope = level, slope = PREDICT_CHANCE.value
    level_sd, slope_sd = PREDICT_CHANCE_SPREAD.value

    def likelihood(level: float, slope: float) -> float:
        """Return the logarithm of the posterior density, up to a constant."""
        sum_ = -0.5 * ((level - usual_level) / level_sd) ** 2
        sum_ -= 0.5 * ((slope - usual_slope) / slope_sd) ** 2
        for share, count, hit_count in targets:
            odds = level - slope * share
            sum_ += hit_count * odds
            sum_ -= count * (max(odds, 0.0) + math.log1p(math.exp(-abs(odds))))
        return sum_

    reached = likelihood(level, slope)
    for _ in range(_MOST_STEPS):
        to_level = (usual_level - level) / level_sd**2
        to_slope = (usual_slope - slope) / slope_sd**2
        in_level, in_slope, in_both = level_sd**-2, slope_sd**-2, 0.0
        for share, count, hit_count in targets:
            chance = _logistic(level - slope * share)
            missing, weight = hit_count - count * chance, count * chance * (1 - chance)
            to_level += missing
            to_slope -= missing * share
            in_level += weight
            in_slope += weight * share * share
            in_both -= weight * share
        scale = in_level * in_slope - in_both * in_both
        level_step = (in_slope * to_level - in_both * to_slope) / scale
        slope_step = (in_level * to_slope - in_both * to_level) / scale
        for _ in range(_MOST_HALVINGS):
            found = likelihood(level + level_step, slope + slope_step)
            if found >= reached:
                break
            level_step, slope_step = level_step / 2, slope_step / 2
        else:
            break
        level, slope, reached = level + level_step, slope + slope_step, found
        if abs(level_step) + abs(slope_step) < _NEAR_ENOUGH:
            break
    return level, max(slope, _LEAST_SLOPE)


def _stretch_excess(above: float) -> float:
    """Transform an excess for the chance: increasing, with a decreasing slope beyond
    `predict.chance_excess`.

    Exceeding the expectation at all adds one step.
    """
    return math.asinh(above / _FULL_EXCESS) + _STEP_BEYOND * ((above > 0) - (above < 0))


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
