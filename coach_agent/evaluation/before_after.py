"""Strength trend before and after a date, tested against placebo dates.

The series is log e1RM, so that slopes are in percent per week and lifts can be combined. The
comparison cannot identify the cause of a change.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import floor, log
from statistics import NormalDist, fmean
from typing import Literal

import numpy as np

from coach_agent.domain.constants.strength import E1RM_HARD_MAX_REPS
from coach_agent.domain.e1rm import epley_max
from coach_agent.evaluation.interrupted_series import (
    FEWEST_WEEKS,
    Array,
    Estimate,
    Interrupted,
    fit_interrupted_series,
)

WEEKS_BEFORE, WEEKS_AFTER = 12, 8
"""Minimum weeks on each side for a trend."""
EXPOSURES = 8
"""Minimum exposures of a lift on each side."""
LONGEST_WEEKS = 26
"""Maximum weeks on each side: no straight line holds for longer."""
PLACEBO_DATES = 19
"""Minimum placebo dates for p = 5 %: (1 + 0) / (1 + 19)."""
FALSE_ALARM, POWER = 0.05, 0.80

_WEEK = timedelta(days=7)
# Minimum spread of a lift in percent; below it, its loads never change.
_STEADIEST = 0.1
# Relative to the largest singular value: below it is rounding.
_UNTOLD = 1e-10

Status = Literal["changed", "unconfirmed", "no_sign"]


@dataclass(frozen=True)
class Exposure:
    """The best e1RM of a lift on a day, always by the same method."""

    lift: str
    day: date
    e1rm_kg: float


def best_e1rms(sets: Iterable[tuple[str, date, float, int]]) -> list[Exposure]:
    """Return the best e1RM of each lift and day from lift, day, load (kg) and repetitions.

    Computed by Epley from repetitions alone, so a series has one method even if some days have an
    RPE. Sets of more repetitions than an estimate allows are left out.
    """
    best: dict[tuple[str, date], float] = {}
    for lift, day, weight_kg, reps in sets:
        if reps <= E1RM_HARD_MAX_REPS.value:
            best[lift, day] = max(best.get((lift, day), 0.0), epley_max(weight_kg, reps))
    return [Exposure(lift, day, e1rm_kg) for (lift, day), e1rm_kg in best.items()]


@dataclass(frozen=True)
class Change:
    """A number in percent (a slope in percent a week) with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Trend:
    """The fit of one series: a lift, or all of them together. `rho`: autocorrelation over a
    week.
    """

    name: str
    exposures_before: int
    exposures_after: int
    slope_before: Change
    slope_after: Change
    slope_change: Change
    level_change: Change
    rho: float


@dataclass(frozen=True)
class Placebo:
    """A placebo date before the true one, and its change of slope.

    `ratio` is that change in standard errors; `as_much`: it is as far from zero as the true one.
    """

    day: date
    slope_change: float
    ratio: float
    as_much: bool


@dataclass(frozen=True)
class BeforeAfter:
    """The comparison. The interval of the pooled change of slope is also valid against placebo
    dates.

    `p_value`: the share of dates, including the true one, with a change as far from zero.
    `detectable`: the smallest change of slope (% per week) found in 80 % of cases; None if no
    change could be confirmed, with fewer than `PLACEBO_DATES`.
    """

    since: date
    weeks_before: int
    weeks_after: int
    lifts: tuple[Trend, ...]
    pooled: Trend
    placebos: tuple[Placebo, ...]
    p_value: float
    detectable: float | None
    status: Status


@dataclass(frozen=True)
class TooFew:
    """A comparison without enough data: the required and the available amount.

    `nearest` is the lift that is nearest to the minimum, with its exposures before and after.
    """

    since: date
    weeks_before: int
    weeks_after: int
    nearest: tuple[str, int, int] | None
    status: Literal["too_few"] = "too_few"


def before_after(exposures: Sequence[Exposure], since: date) -> BeforeAfter | TooFew:
    """Compare the trends before and from `since` on, and at every placebo date before it.

    A placebo date has the same required weeks before and after it as the true one, all of them
    before the true one. Dates go back from it in whole weeks.
    """
    ordered = sorted(exposures, key=lambda each: each.day)
    weeks = _weeks_around(ordered, since)
    lifts, weekly = _weekly(ordered, since)
    if not lifts:
        return TooFew(since, *weeks, _nearest(ordered, since))
    fits = {name: _fit(values) for name, values in weekly.items()}
    pooled = _fit(strength_index(weekly))
    earlier = [each for each in ordered if each.day < since]
    tried = []
    for back in range(WEEKS_AFTER, weeks[0] - WEEKS_BEFORE + 1):
        day = since - back * _WEEK
        _, values = _weekly(earlier, day)
        if values:
            tried.append((day, _fit(strength_index(values)).slope_change))
    true = pooled.slope_change
    placebos = tuple(
        Placebo(day, each.value, each.ratio, abs(each.ratio) >= abs(true.ratio))
        for day, each in tried
    )
    limit = _placebo_limit([abs(each.ratio) for each in placebos])
    reach = max(pooled.t_limit, limit or 0.0)
    is_outside = abs(true.ratio) > reach
    return BeforeAfter(
        since=since,
        weeks_before=weeks[0],
        weeks_after=weeks[1],
        lifts=tuple(
            _trend(name, _sides(series, since), fits[name], fits[name].t_limit)
            for name, series in lifts.items()
        ),
        pooled=_trend(
            "all lifts",
            _sides([each for series in lifts.values() for each in series], since),
            pooled,
            reach,
        ),
        placebos=placebos,
        p_value=(1 + sum(each.as_much for each in placebos)) / (1 + len(placebos)),
        detectable=None
        if limit is None
        else (reach + NormalDist().inv_cdf(POWER)) * true.standard_error,
        status="no_sign" if not is_outside else "unconfirmed" if limit is None else "changed",
    )


def strength_index(lifts: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    """Return one value per week for all lifts, from each one's values by week: an athlete's own
    index.

    A week's value is the deviation of its lifts from their own lines, so a lift that is missing in
    a week does not move it. A bad week pulls all lifts down at once; here it is one value, while an
    average of the lifts' own results would count it several times. A lift with a larger spread than
    the median one has less weight, by the square. One with a smaller spread does not get more,
    because some have it by chance, and trusting these finds false changes. With one lift the index
    is that lift's values.
    """
    names = sorted(lifts)
    weeks = sorted({week for values in lifts.values() for week in values})
    of_lift, of_week, at, values = (
        np.array(each)
        for each in zip(
            *(
                (place, bisect_left(weeks, week), week, value)
                for place, name in enumerate(names)
                for week, value in lifts[name].items()
            ),
            strict=True,
        )
    )
    rows = np.arange(len(values))
    lines = np.zeros((len(values), 2 * len(names)))
    lines[rows, 2 * of_lift] = 1
    lines[rows, 2 * of_lift + 1] = at
    # Each lift's own line comes first: weeks without a common lift are only comparable through it.
    own = _least_squares(lines, values)
    left = values - lines @ own
    wavering = np.sqrt(np.bincount(of_lift, left**2) / np.bincount(of_lift))
    usual = max(float(np.median(wavering)), _STEADIEST)
    trust = (usual / np.maximum(wavering, usual)) ** 2
    mean_of_week = np.zeros((len(weeks), len(values)))
    mean_of_week[of_week, rows] = trust[of_lift]
    mean_of_week /= mean_of_week.sum(axis=1, keepdims=True)
    root = np.sqrt(trust[of_lift])
    shared = _least_squares(
        root[:, None] * (lines - (mean_of_week @ lines)[of_week]),
        root * (left - (mean_of_week @ left)[of_week]),
    )
    off = mean_of_week @ (left - lines @ shared)
    level, slope = (np.average((own + shared)[part::2], weights=trust) for part in (0, 1))
    return {week: float(each + level + slope * week) for week, each in zip(weeks, off, strict=True)}


def _least_squares(columns: Array, values: Array) -> Array:
    """Return the minimum-norm least squares solution: undetermined values stay 0."""
    solved = np.linalg.lstsq(columns.T @ columns, columns.T @ values, rcond=_UNTOLD)[0]
    return np.asarray(solved, dtype=np.float64)


Weekly = dict[str, dict[int, float]]


def _weekly(ordered: Sequence[Exposure], since: date) -> tuple[dict[str, list[Exposure]], Weekly]:
    """Return the lifts with enough data around a date and their values by week."""
    before, after = _weeks_around(ordered, since)
    if before < WEEKS_BEFORE or after < WEEKS_AFTER:
        return {}, {}
    lifts = {
        name: series
        for name, series in _by_lift(_around(ordered, since)).items()
        if _counts(series, since)
    }
    return lifts, {name: _by_week(series, since) for name, series in lifts.items()}


def _by_lift(exposures: Sequence[Exposure]) -> dict[str, list[Exposure]]:
    found: dict[str, list[Exposure]] = defaultdict(list)
    for each in exposures:
        found[each.lift].append(each)
    return dict(sorted(found.items()))


def _around(ordered: Sequence[Exposure], since: date) -> Sequence[Exposure]:
    span = LONGEST_WEEKS * _WEEK
    return ordered[
        bisect_left(ordered, since - span, key=lambda each: each.day) : bisect_left(
            ordered, since + span, key=lambda each: each.day
        )
    ]


def _weeks_around(ordered: Sequence[Exposure], since: date) -> tuple[int, int]:
    """Return the weeks from the first exposure to the date, and from it to the last exposure."""
    if not ordered:
        return 0, 0
    return max(-_week(ordered[0].day, since), 0), max(_week(ordered[-1].day, since) + 1, 0)


def _week(day: date, since: date) -> int:
    return (day - since).days // 7


def _sides(series: Sequence[Exposure], since: date) -> tuple[int, int]:
    before = sum(each.day < since for each in series)
    return before, len(series) - before


def _counts(series: Sequence[Exposure], since: date) -> bool:
    weeks = {_week(each.day, since) for each in series}
    return min(_sides(series, since)) >= EXPOSURES and all(
        count >= FEWEST_WEEKS
        for count in (sum(week < 0 for week in weeks), sum(week >= 0 for week in weeks))
    )


def _nearest(ordered: Sequence[Exposure], since: date) -> tuple[str, int, int] | None:
    by_lift = _by_lift(_around(ordered, since))
    sides = [(name, *_sides(series, since)) for name, series in by_lift.items()]
    return max(
        sides,
        key=lambda each: (sum(min(count, EXPOSURES) for count in each[1:]), sum(each[1:])),
        default=None,
    )


def _by_week(series: Sequence[Exposure], since: date) -> dict[int, float]:
    """Return the mean of 100 log(e1RM) of each week; a difference of 1 is 1 %."""
    weeks: dict[int, list[float]] = defaultdict(list)
    for each in series:
        weeks[_week(each.day, since)].append(100 * log(each.e1rm_kg))
    return {week: fmean(values) for week, values in sorted(weeks.items())}


def _fit(by_week: Mapping[int, float]) -> Interrupted:
    return fit_interrupted_series(tuple(by_week), tuple(by_week.values()))


def _placebo_limit(ratios: Sequence[float]) -> float | None:
    """Return the ratio that at most 5 % of all dates may exceed; None with too few."""
    if len(ratios) < PLACEBO_DATES:
        return None
    allowed = floor(FALSE_ALARM * (len(ratios) + 1) + 1e-9) - 1
    return sorted(ratios, reverse=True)[allowed]


def _trend(name: str, counts: tuple[int, int], fit: Interrupted, reach: float) -> Trend:
    def change(estimate: Estimate, limit: float = fit.t_limit) -> Change:
        margin = limit * estimate.standard_error
        return Change(estimate.value, estimate.value - margin, estimate.value + margin)

    return Trend(
        name,
        *counts,
        slope_before=change(fit.slope_before),
        slope_after=change(fit.slope_after),
        slope_change=change(fit.slope_change, reach),
        level_change=change(fit.level_change),
        rho=fit.rho,
    )
