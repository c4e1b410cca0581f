"""The response to volume of one lifter, with matrices, as an independent computation.

Partially pooled: the slope of a muscle is the sum of two normal parts around zero, that of the
lifter and its own. With the least-squares slopes b, their sampling variances S and the prior
covariance K the posterior mean is K (K + S)^-1 b, its covariance K - K (K + S)^-1 K.

Source: Gelman and Hill (2007), chapter 12, with known variances; Rasmussen and Williams (2006),
equation 2.23.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import log
from statistics import fmean
from typing import NamedTuple

import numpy as np

from tests.warehouse.payloads import Json

LEAST_PERIODS = 6
SD_SHARED, SD_MUSCLE = 0.11, 0.07
Z_90 = 1.6449

Period = tuple[float, float]
"""Mean weekly hard sets, and the gain in four weeks in %."""


class Response(NamedTuple):
    """Gain in four weeks for each weekly hard set more, with its 90 % interval."""

    verdict: str
    period_count: int
    least_weekly_sets: float
    most_weekly_sets: float
    slope_pct: float
    lower_pct: float
    upper_pct: float


def responses(periods: Mapping[str, Sequence[Period]]) -> dict[str, Response]:
    """Return the response of each muscle from its periods."""
    known = {muscle: np.array(sorted(found)) for muscle, found in sorted(periods.items())}
    centred = {muscle: each - each.mean(axis=0) for muscle, each in known.items()}
    spread = {muscle: float((each[:, 0] ** 2).sum()) for muscle, each in centred.items()}
    sloped = [muscle for muscle in known if spread[muscle] > 1e-6]
    slopes = {
        muscle: float((centred[muscle][:, 0] * centred[muscle][:, 1]).sum()) / spread[muscle]
        for muscle in sloped
    }
    squares, count = 4 * 2.0**2, 4.0
    for muscle, each in centred.items():
        rest = each[:, 1] - slopes.get(muscle, 0.0) * each[:, 0]
        squares += float((rest**2).sum())
        count += len(each) - 1 - (muscle in slopes)
    muscles = list(known)
    prior = _covariance(muscles, sloped)
    observed = _covariance(sloped, sloped) + np.diag(
        [squares / count / spread[muscle] for muscle in sloped]
    )
    weights = np.linalg.solve(observed, prior.T).T if sloped else np.zeros((len(muscles), 0))
    means = weights @ np.array([slopes[muscle] for muscle in sloped])
    deviations = np.sqrt(np.diag(_covariance(muscles, muscles)) - (weights * prior).sum(axis=1))
    return {
        muscle: _response(known[muscle], float(mean), float(Z_90 * deviation))
        for muscle, mean, deviation in zip(muscles, means, deviations, strict=True)
    }


def _response(periods: np.ndarray, slope: float, margin: float) -> Response:
    verdict = "more_helps" if slope > 0 else "less_helps"
    if len(periods) < LEAST_PERIODS or slope - margin <= 0 <= slope + margin:
        verdict = "not_enough_data"
    least, most = float(periods[:, 0].min()), float(periods[:, 0].max())
    return Response(verdict, len(periods), least, most, slope, slope - margin, slope + margin)


def _covariance(some: Sequence[str], others: Sequence[str]) -> np.ndarray:
    return np.array(
        [[SD_SHARED**2 + SD_MUSCLE**2 * (muscle == other) for other in others] for muscle in some]
    ).reshape(len(some), len(others))


def periods_by_muscle(
    weekly_sets: Mapping[tuple[str, date], float], maxima: Sequence[Json], trained: Sequence[date]
) -> dict[str, dict[date, Period]]:
    """Return the whole periods of a lifter by muscle and the Monday after them.

    `trained` are the Mondays of weeks with a workout; `maxima` are in the order of time.
    """
    found: dict[str, dict[date, Period]] = {}
    begin = date(1970, 1, 5)
    while begin + timedelta(weeks=8) <= max(trained, default=begin):
        end = begin + timedelta(weeks=8)
        if begin >= min(trained):
            own = [each for each in maxima if begin <= each["workout_date"] < end]
            for muscle in {each["primary_muscle_group"] for each in own}:
                gains = _gains([each for each in own if each["primary_muscle_group"] == muscle])
                weeks = [begin + timedelta(weeks=week) for week in range(2, 6)]
                sets = fmean(weekly_sets.get((muscle, monday), 0.0) for monday in weeks)
                if gains:
                    found.setdefault(muscle, {})[end] = (sets, fmean(gains))
        begin = end
    return found


def _gains(maxima: Sequence[Json]) -> list[float]:
    gains = []
    for kind in {(each["exercise_key"], each["e1rm_family"]) for each in maxima}:
        halves: tuple[list[float], list[float]] = ([], [])
        for each in maxima:
            if (each["exercise_key"], each["e1rm_family"]) == kind:
                week = (each["workout_date"] - date(1970, 1, 5)).days // 7 % 8
                halves[week >= 4].append(log(each["e1rm_kg"]))
        before, after = halves
        if min(len(before), len(after)) >= 2:
            gains.append(100 * (fmean(after) - fmean(before)))
    return gains
