"""How far forecasts of repetitions can be relied on: what became of the lifter's earlier ones.

A set that was planned mostly ends at its target, one that nobody planned where the lifter chose
to. Both say the same about a chance: with so much expected and so much asked for, was it done?
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from coach_agent.domain.constants import (
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
"""Forecasts err in proportion, and none at all would have no logarithm."""
# Newton's method on a concave function converges after some five steps. Each step is halved until
# the likelihood grows, so that it never diverges.
_MOST_STEPS = 20
_MOST_HALVINGS = 12
_NEAR_ENOUGH = 1e-6
# What is asked for beyond what is expected is counted in hundredths, so that equal cases add up.
_DIGITS = 2
_LEAST_SLOPE = 0.2
_FULL_EXCESS, _STEP_BEYOND = PREDICT_CHANCE_EXCESS.value
_BOUND = PREDICT_CHANCE_BOUND.value
# Of seconds and metres the same share as half a repetition of ten counts as reached.
_NEARLY = 0.95


class Accuracy(Value):
    """What `count` earlier forecasts of the lifter came to.

    `half_width` is half of the 80 % interval as a logarithm; `level` and `slope` make the chance of
    a target. With fewer than 20 forecasts the interval is that of all lifters, `count` is 0 and no
    chance is stated.
    """

    count: int = 0
    half_width: float = INTERVAL_POOLED.value
    level: float = PREDICT_CHANCE.value[0]
    slope: float = PREDICT_CHANCE.value[1]

    def interval(self, expected: float) -> tuple[float, float]:
        """Both ends of the 80 % interval around expected repetitions."""
        margin = math.exp(self.half_width)
        return expected / margin, expected * margin

    def chance(self, expected: float, target: int, *, is_counted: bool = True) -> float | None:
        """How likely at least the target is: logistic in the share by which it is above.

        Never nearer to 0 or 1 than `predict.chance_bound`. `is_counted`: see `excess`.
        """
        if not self.count:
            return None
        share = _stretched(excess(expected, target, is_counted=is_counted))
        return _BOUND + (1 - 2 * _BOUND) * _logistic(self.level - self.slope * share)


class Outcome(NamedTuple):
    """A set that was forecast, and what came of it.

    `error` is log(done / expected). `excess` is that of what was asked for, the plan's target or as
    many as the time before, and `is_hit` whether that was done; None where nothing is known of it.
    """

    error: float
    excess: float | None
    is_hit: bool


def excess(expected: float, target: int, *, is_counted: bool = True) -> float:
    """By how much a target is above what is expected, as a logarithm.

    Repetitions are whole: from half a one below it on, a target counts as reached. Seconds and
    metres are not counted: of them it does from 95 % on.
    """
    needed = target - 0.5 if is_counted else _NEARLY * target
    return math.log(max(needed, LEAST_REPS) / expected)


def accuracy_of(outcomes: Sequence[Outcome]) -> Accuracy:
    """What these outcomes, the latest of them newest last, tell of the next forecast."""
    latest = outcomes[-INTERVAL_WINDOW.value :]
    if len(latest) < INTERVAL_MIN_RESIDUALS.value:
        return Accuracy()
    level, slope = _fitted(latest)
    return Accuracy(
        count=len(latest),
        half_width=round(_half_width([abs(each.error) for each in latest]), 4),
        level=round(level, 4),
        slope=round(slope, 4),
    )


def _half_width(sizes: Sequence[float]) -> float:
    """The conformal quantile of the own errors, drawn towards that of all lifters.

    As long as the own ones are few, their quantile is as good as a guess. Whoever logs the same
    again and again has no errors, and still no certainty: it is never narrower than that of the
    surest lifter of the pool.

    Source: split conformal prediction, Lei et al. 2018, JASA 113:1094.
    """
    count, pooled = len(sizes), INTERVAL_MIN_RESIDUALS.value
    rank = math.ceil((count + 1) * INTERVAL_LEVEL.value / 100)
    own = sorted(sizes)[min(rank, count) - 1]
    drawn = (count * own + pooled * INTERVAL_POOLED.value) / (count + pooled)
    return max(INTERVAL_LEAST.value, drawn)


def _fitted(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Level and slope of the chance that make the outcomes likeliest, given those of all lifters.

    Source: logistic regression with a normal prior, by Newton's method with step halving; Gelman
    et al. 2013, Bayesian Data Analysis, chapter 16.
    """
    asked: Counter[float] = Counter()
    hits: Counter[float] = Counter()
    for _, above, is_hit in outcomes:
        if above is not None:
            share = _stretched(round(above, _DIGITS))
            asked[share] += 1
            hits[share] += is_hit
    usual_level, usual_slope = level, slope = PREDICT_CHANCE.value
    level_sd, slope_sd = PREDICT_CHANCE_SPREAD.value

    def likelihood(level: float, slope: float) -> float:
        """The logarithm of the posterior density, but for a constant."""
        sum_ = -0.5 * ((level - usual_level) / level_sd) ** 2
        sum_ -= 0.5 * ((slope - usual_slope) / slope_sd) ** 2
        for share, count in asked.items():
            odds = level - slope * share
            sum_ += hits[share] * odds
            sum_ -= count * (max(odds, 0.0) + math.log1p(math.exp(-abs(odds))))
        return sum_

    reached = likelihood(level, slope)
    for _ in range(_MOST_STEPS):
        to_level = (usual_level - level) / level_sd**2
        to_slope = (usual_slope - slope) / slope_sd**2
        in_level, in_slope, in_both = level_sd**-2, slope_sd**-2, 0.0
        for share, count in asked.items():
            chance = _logistic(level - slope * share)
            missing, weight = hits[share] - count * chance, count * chance * (1 - chance)
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


def _stretched(above: float) -> float:
    """An excess as the chance counts it: growing, and ever less so beyond `predict.chance_excess`.

    Exceeding the expectation at all counts a step more.
    """
    return math.asinh(above / _FULL_EXCESS) + _STEP_BEYOND * ((above > 0) - (above < 0))


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
