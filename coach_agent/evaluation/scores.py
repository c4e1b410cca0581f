"""Scores of forecasts: measures of one lifter's cases, averages over lifters, and their intervals.

A lifter with many sessions counts as much as one with few: every measure is computed within each
lifter first. The interval of an average is a cluster bootstrap over lifters, because the cases of
one lifter are not independent.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from coach_agent.domain.constants.forecast import INTERVAL_LEVEL
from coach_agent.evaluation.cases import Case, Quantity
from coach_agent.evaluation.predictors import Forecast

SEED = 20_240_401
DRAWS = 2_000
_LOW = (1 - INTERVAL_LEVEL.value / 100) / 2
# Minimum cases of one lifter for a meaningful average.
FEWEST_CASES = 20

Scored = tuple[Case, Forecast]
Measure = Callable[[Sequence[Scored]], float | None]
"""Return one number for the cases of one lifter; None if undefined."""


@dataclass(frozen=True)
class Score:
    """An average over lifters with its 95 % interval; that is None with fewer than two lifters.

    `by_lifter` are the averaged values.
    """

    value: float
    low: float | None
    high: float | None
    by_lifter: Mapping[str, float]


def score(cases: Sequence[Case], predictor: str, measure: Measure) -> Score | None:
    """Return a predictor's average over lifters; None if no lifter has enough cases."""
    return _average(_by_lifter(_scored(cases, predictor), measure))


def difference(cases: Sequence[Case], predictor: str, other: str, measure: Measure) -> Score | None:
    """Return a predictor's average minus another's, on the cases that both forecast."""
    shared = [case for case in cases if case.forecasts[predictor] and case.forecasts[other]]
    first = _by_lifter(_scored(shared, predictor), measure)
    second = _by_lifter(_scored(shared, other), measure)
    return _average(
        {lifter: first[lifter] - second[lifter] for lifter in first if lifter in second}
    )


def _scored(cases: Sequence[Case], predictor: str) -> dict[str, list[Scored]]:
    found: dict[str, list[Scored]] = defaultdict(list)
    for case in cases:
        forecast = case.forecasts[predictor]
        if forecast is not None:
            found[case.lifter].append((case, forecast))
    return found


def _by_lifter(scored: Mapping[str, Sequence[Scored]], measure: Measure) -> dict[str, float]:
    measured = {lifter: measure(pairs) for lifter, pairs in sorted(scored.items())}
    return {lifter: value for lifter, value in measured.items() if value is not None}


def _average(by_lifter: Mapping[str, float]) -> Score | None:
    if not by_lifter:
        return None
    values = list(by_lifter.values())
    low, high = bootstrap_interval(values) if len(values) > 1 else (None, None)
    return Score(fmean(values), low, high, dict(by_lifter))


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 2.5 and 97.5 % points of the bootstrapped mean; deterministic.

    Source: percentile bootstrap, Efron and Tibshirani 1993, chapter 13.
    """
    means = np.array(values)[_draws(len(values))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


@cache
def _draws(count: int) -> NDArray[np.intp]:
    """Return the places of the drawn values, a row of `count` for each draw."""
    chosen = random.Random(SEED)  # noqa: S311 - the same draws in each run are wanted
    return np.array([chosen.choices(range(count), k=count) for _ in range(DRAWS)])


def measures_of(quantity: Quantity) -> Mapping[str, Measure]:
    """Return the measures of a quantity by name, the main one first.

    Errors of repetitions and RPE are in their units, those of maxima and minutes in % of the actual
    value. They are forecast minus actual: a positive bias expects too much.
    """
    return {"reps": _OF_REPS, "e1rm": _OF_E1RM, "rpe": _OF_RPE, "minutes": _OF_MINUTES}[quantity]


Each = Callable[[Case, Forecast], float | None]


def _mean(each: Each) -> Measure:
    def measured(pairs: Sequence[Scored]) -> float | None:
        found = [value for pair in pairs if (value := each(*pair)) is not None]
        return fmean(found) if len(found) >= FEWEST_CASES else None

    return measured


def _median(each: Each) -> Measure:
    def measured(pairs: Sequence[Scored]) -> float | None:
        found = [value for pair in pairs if (value := each(*pair)) is not None]
        return median(found) if len(found) >= FEWEST_CASES else None

    return measured


def _error(case: Case, forecast: Forecast) -> float:
    return forecast.value - case.actual


def _error_pct(case: Case, forecast: Forecast) -> float:
    return 100 * (forecast.value - case.actual) / case.actual


def _absolute(each: Callable[[Case, Forecast], float]) -> Each:
    return lambda case, forecast: abs(each(case, forecast))


def _within(most: float, each: Callable[[Case, Forecast], float]) -> Each:
    """Return 100 if the error is at most `most`, otherwise 0, with a tolerance for thirds."""
    return lambda case, forecast: 100.0 * (abs(each(case, forecast)) <= most + 1e-9)


def _censored_error(each: Callable[[Case, Forecast], float]) -> Each:
    """Return the error that the set proves: short of failure, more may have been possible.

    It favours high forecasts, so it is reported together with the plain error and never alone.
    """

    def measured(case: Case, forecast: Forecast) -> float:
        error = each(case, forecast)
        return abs(error) if case.is_near_maximal else max(0.0, -error)

    return measured


def _near_maximal(each: Callable[[Case, Forecast], float]) -> Each:
    return lambda case, forecast: abs(each(case, forecast)) if case.is_near_maximal else None


def _pinball(each_unit: Callable[[Case], float]) -> Each:
    """Return the mean loss of the interval's two ends and of the expectation, taken as its
    middle.
    """

    def measured(case: Case, forecast: Forecast) -> float | None:
        if forecast.low is None or forecast.high is None:
            return None
        levels = ((_LOW, forecast.low), (0.5, forecast.value), (1 - _LOW, forecast.high))
        return fmean(
            max(level * (case.actual - at), (level - 1) * (case.actual - at)) * each_unit(case)
            for level, at in levels
        )

    return measured


def _covered(case: Case, forecast: Forecast) -> float | None:
    if forecast.low is None or forecast.high is None:
        return None
    return 100.0 * (forecast.low <= case.actual <= forecast.high)


def _half_width_pct(case: Case, forecast: Forecast) -> float | None:
    if forecast.low is None or forecast.high is None:
        return None
    return 50 * (forecast.high - forecast.low) / forecast.value


def _half_width(case: Case, forecast: Forecast) -> float | None:
    if forecast.low is None or forecast.high is None:
        return None
    return (forecast.high - forecast.low) / 2


def _brier(case: Case, forecast: Forecast) -> float | None:
    return None if forecast.p_target is None else (forecast.p_target - case.is_hit) ** 2


_OF_REPS: Mapping[str, Measure] = {
    "mae": _mean(_absolute(_error)),
    "within_1_pct": _mean(_within(1, _error)),
    "within_2_pct": _mean(_within(2, _error)),
    "bias": _mean(_error),
    "pinball": _mean(_pinball(lambda case: 1.0)),
    "coverage_pct": _mean(_covered),
    "half_width": _median(_half_width),
    "brier": _mean(_brier),
    "censored_mae": _mean(_censored_error(_error)),
    "near_maximal_mae": _mean(_near_maximal(_error)),
}
_OF_E1RM: Mapping[str, Measure] = {
    "mape": _mean(_absolute(_error_pct)),
    "median_ape": _median(_absolute(_error_pct)),
    "bias_pct": _mean(_error_pct),
    "within_2_5_pct": _mean(_within(2.5, _error_pct)),
    "within_5_pct": _mean(_within(5, _error_pct)),
    "pinball_pct": _mean(_pinball(lambda case: 100 / case.actual)),
    "coverage_pct": _mean(_covered),
    "half_width_pct": _median(_half_width_pct),
    "censored_mape": _mean(_censored_error(_error_pct)),
    "near_maximal_mape": _mean(_near_maximal(_error_pct)),
}
_OF_RPE: Mapping[str, Measure] = {
    "mae": _mean(_absolute(_error)),
    "bias": _mean(_error),
    "coverage_pct": _mean(_covered),
    "half_width": _median(_half_width),
}
_OF_MINUTES: Mapping[str, Measure] = {
    "mape": _mean(_absolute(_error_pct)),
    "median_ape": _median(_absolute(_error_pct)),
    "bias_pct": _mean(_error_pct),
}
