"""Response to volume: the gain of estimated maxima by weekly hard sets of a muscle."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from math import log
from operator import attrgetter
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np

PERIOD_WEEKS = 8
"""Weeks of a period, in two halves. Periods share no maximum, so their errors are independent."""
LEAST_PERIODS = 6
"""Periods of a lifter and a muscle for an answer: about a year."""
_HALF_WEEKS = PERIOD_WEEKS // 2
_LEAST_MAXIMA = 2  # of an exercise in each half
_Z_90 = 1.645
# SD of the slope around zero, in % of a maximum in four weeks for each weekly set: of all lifters,
# of one lifter, of one muscle, and of one lifter's muscle. Gains of four weeks are 1 to 4 %, at
# about ten sets (Steele 2022, Latella 2020), so a set is worth tenths. The parts are a choice.
_SD_ALL, _SD_LIFTER, _SD_MUSCLE, _SD_BOTH = 0.10, 0.05, 0.05, 0.05
# Usual noise of a gain, %, and the number of gains that it counts for: maxima vary by 3.1 % from
# day to day, and a half has about four of them.
_NOISE_PCT, _NOISE_COUNT = 2.0, 4

Verdict = Literal["not_enough_data", "more_helps", "less_helps"]


class Maximum(NamedTuple):
    """The estimated maximum of an exercise on a day, in kg.

    Maxima of two families are not compared: with the first RPEs an estimate rises by itself.
    """

    exercise: str
    family: str
    muscle: str
    day: date
    e1rm_kg: float


class Period(NamedTuple):
    """Eight weeks of a lifter's muscle: mean weekly hard sets, and the gain in four weeks, %."""

    lifter: str
    muscle: str
    weekly_sets: float
    gain_pct: float


@dataclass(frozen=True)
class VolumeResponse:
    """Gain in four weeks for each weekly hard set more, % of the maximum, with its 90 % interval.

    `least_sets` and `most_sets` are the lowest and highest weekly sets of the periods: outside of
    them nothing is known.
    """

    lifter: str
    muscle: str
    periods: int
    least_sets: float
    most_sets: float
    slope_pct: float
    low_pct: float
    high_pct: float

    @property
    def verdict(self) -> Verdict:
        """Not enough data with few periods or zero in the interval, which is usual."""
        if self.periods < LEAST_PERIODS or self.low_pct <= 0 <= self.high_pct:
            return "not_enough_data"
        return "more_helps" if self.slope_pct > 0 else "less_helps"


def periods_of(
    lifter: str,
    weekly_sets: Mapping[tuple[str, date], float],
    maxima: Iterable[Maximum],
    today: date,
) -> list[Period]:
    """Return the periods of a lifter that are over, from the first Monday with sets of each muscle.

    `weekly_sets` are hard sets by muscle and Monday; weeks without an entry have none. The gain is
    the mean over exercises of the muscle of the change between the mean logarithms of both halves.
    The sets are those between their middles. Periods without maxima in both halves are left out.
    """
    first: dict[str, date] = {}
    for muscle, monday in weekly_sets:
        first[muscle] = min(first.get(muscle, monday), monday)
    halves: dict[tuple[str, int], dict[tuple[str, str], tuple[list[float], list[float]]]] = {}
    for each in maxima:
        begin = first.get(each.muscle)
        if begin is None or each.day < begin or each.e1rm_kg <= 0:
            continue
        number, week = divmod((each.day - begin).days // 7, PERIOD_WEEKS)
        if begin + timedelta(weeks=PERIOD_WEEKS * (number + 1)) > today:
            continue
        exercises = halves.setdefault((each.muscle, number), {})
        found = exercises.setdefault((each.exercise, each.family), ([], []))
        found[week >= _HALF_WEEKS].append(log(each.e1rm_kg))
    periods = []
    for (muscle, number), exercises in sorted(halves.items()):
        gains = [
            100 * (fmean(after) - fmean(before))
            for before, after in exercises.values()
            if min(len(before), len(after)) >= _LEAST_MAXIMA
        ]
        begin = first[muscle] + timedelta(weeks=PERIOD_WEEKS * number + _HALF_WEEKS // 2)
        weeks = [begin + timedelta(weeks=week) for week in range(_HALF_WEEKS)]
        if gains:
            sets = fmean(weekly_sets.get((muscle, monday), 0.0) for monday in weeks)
            periods.append(Period(lifter, muscle, sets, fmean(gains)))
    return periods


def volume_responses(periods: Sequence[Period]) -> list[VolumeResponse]:
    """Return the response of each lifter's muscle, by lifter and muscle.

    Partially pooled: the slope of a lifter's muscle is the sum of four normal parts around zero,
    those of all lifters, of the lifter, of the muscle, and its own. With the least-squares slopes b
    of the groups, their sampling variances S and the prior covariance K the posterior mean is
    K (K + S)^-1 b, its covariance K - K (K + S)^-1 K. Few or even sets leave a slope near zero with
    a wide interval. It is an association: lifters choose their sets.

    Source: Gelman and Hill (2007), chapter 12, with known variances; Rasmussen and Williams (2006),
    equation 2.23.
    """
    groups = {
        key: list(found)
        for key, found in groupby(
            sorted(periods, key=attrgetter("lifter", "muscle", "weekly_sets", "gain_pct")),
            key=attrgetter("lifter", "muscle"),
        )
    }
    known = {key: np.array([each[2:] for each in found]) for key, found in groups.items()}
    spread = {
        key: float(((each[:, 0] - each[:, 0].mean()) ** 2).sum()) for key, each in known.items()
    }
    sloped = [key for key in known if spread[key] > 1e-9]
    slopes = {
        key: float(((known[key][:, 0] - known[key][:, 0].mean()) * known[key][:, 1]).sum())
        / spread[key]
        for key in sloped
    }
    variance = _noise_variance(known, slopes)
    keys = list(groups)
    prior = _covariance(keys, sloped)
    weights = np.zeros((len(keys), 0))
    if sloped:
        observed = _covariance(sloped, sloped) + np.diag([variance / spread[key] for key in sloped])
        weights = np.linalg.solve(observed, prior.T).T
    means = weights @ np.array([slopes[key] for key in sloped])
    deviations = np.sqrt(np.diag(_covariance(keys, keys)) - (weights * prior).sum(axis=1))
    return [
        VolumeResponse(
            lifter=lifter,
            muscle=muscle,
            periods=len(groups[lifter, muscle]),
            least_sets=float(known[lifter, muscle][:, 0].min()),
            most_sets=float(known[lifter, muscle][:, 0].max()),
            slope_pct=float(mean),
            low_pct=float(mean - _Z_90 * deviation),
            high_pct=float(mean + _Z_90 * deviation),
        )
        for (lifter, muscle), mean, deviation in zip(keys, means, deviations, strict=True)
    ]


def _covariance(some: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return the prior covariance of the slopes of two lists of lifters' muscles."""
    found = np.zeros((len(some), len(others)))
    for row, (lifter, muscle) in enumerate(some):
        for column, (other, second) in enumerate(others):
            found[row, column] = (
                _SD_ALL**2
                + _SD_LIFTER**2 * (lifter == other)
                + _SD_MUSCLE**2 * (muscle == second)
                + _SD_BOTH**2 * (lifter == other and muscle == second)
            )
    return found


def _noise_variance(
    known: Mapping[tuple[str, str], np.ndarray], slopes: Mapping[tuple[str, str], float]
) -> float:
    """Return the variance of gains around the line of their group, of all groups together."""
    squares, count = _NOISE_COUNT * _NOISE_PCT**2, float(_NOISE_COUNT)
    for key, each in known.items():
        centred = each - each.mean(axis=0)
        squares += float(((centred[:, 1] - slopes.get(key, 0.0) * centred[:, 0]) ** 2).sum())
        count += len(each) - 1 - (key in slopes)
    return squares / count
