"""Strength before and after a date: by how much the trend differs, and whether chance does as much.

What is compared is log e1RM, so that slopes are in percent a week and lifts can be put together.
Nothing here tells why a trend differs.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import floor, log
from statistics import NormalDist, fmean
from typing import Literal

import numpy as np

from coach_agent.evaluation.interrupted_series import (
    FEWEST_WEEKS,
    Array,
    Estimate,
    Interrupted,
    interrupted,
)

WEEKS_BEFORE, WEEKS_AFTER = 12, 8
"""Fewer weeks than these on a side tell no trend."""
EXPOSURES = 8
"""A lift counts with so many exposures on each side."""
LONGEST_WEEKS = 26
"""The weeks that are looked at on each side, at most: no straight line holds for longer."""
PLACEBO_DATES = 19
"""From so many placebo dates on can one in twenty be told: (1 + 0) / (1 + 19) is 5 %."""
FALSE_ALARM, POWER = 0.05, 0.80

_WEEK = timedelta(days=7)
# A lift that wavers by less, in percent, has loads that never change.
_STEADIEST = 0.1
# Of the largest singular value: less is rounding.
_UNTOLD = 1e-10

Status = Literal["changed", "unconfirmed", "no_sign"]


@dataclass(frozen=True)
class Exposure:
    """The best e1RM of a lift on a day, all of one method."""

    lift: str
    day: date
    e1rm_kg: float


@dataclass(frozen=True)
class Change:
    """A number in percent (a slope in percent a week) with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Trend:
    """What one series tells: a lift, or all of them together. `rho`: what holds over a week."""

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
    """A date before the true one at which nothing began, and the change of slope there.

    `ratio` is that change in its standard errors; `as_much` whether it is as far from none as the
    true one.
    """

    day: date
    slope_change: float
    ratio: float
    as_much: bool


@dataclass(frozen=True)
class BeforeAfter:
    """The comparison. The interval of the pooled change of slope also holds against placebo dates.

    `p_value`: the share of dates, the true one among them, with a change as far from none.
    `detectable`: the smallest change of slope (% a week) found in 80 % of cases; None where no
    change could be confirmed, because there are fewer than `PLACEBO_DATES`.
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
    """Why nothing is compared: what is needed, and what there is.

    `nearest` is the lift that is nearest to counting, with its exposures before and after.
    """

    since: date
    weeks_before: int
    weeks_after: int
    nearest: tuple[str, int, int] | None
    status: Literal["too_few"] = "too_few"


def before_after(exposures: Sequence[Exposure], since: date) -> BeforeAfter | TooFew:
    """Compare the trends before and from `since` on, and at every placebo date before it.

    A placebo date has as many weeks before and after it as are asked of the true one, all of them
    before the true one. Dates go back from it in whole weeks.
    """
    ordered = sorted(exposures, key=lambda each: each.day)
    weeks = _weeks_around(ordered, since)
    lifts, weekly = _weekly(ordered, since)
    if not lifts:
        return TooFew(since, *weeks, _nearest(ordered, since))
    fits = {name: _fitted(values) for name, values in weekly.items()}
    pooled = _fitted(strength_index(weekly))
    earlier = [each for each in ordered if each.day < since]
    tried = []
    for back in range(WEEKS_AFTER, weeks[0] - WEEKS_BEFORE + 1):
        day = since - back * _WEEK
        _, values = _weekly(earlier, day)
        if values:
            tried.append((day, _fitted(strength_index(values)).slope_change))
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
    """One value a week for all lifts, from each one's values by week: an athlete's own index.

    A week is above or below by what its lifts are above or below their own lines, so a lift that
    is left out for a week does not move it. A bad week pulls all lifts down at once. Here it is one
    value, where an average of the lifts' own results would take it for as many. A lift that wavers
    more than the middle one counts less, by the square; one that wavers less does not count more,
    because some do so by chance, and to trust these finds changes that are none. With one lift the
    index is that lift's values.
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
    # Each lift's own line comes first: where weeks share no lift, nothing else compares them.
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
    """The shortest of the best solutions: what nothing tells stays 0."""
    solved = np.linalg.lstsq(columns.T @ columns, columns.T @ values, rcond=_UNTOLD)[0]
    return np.asarray(solved, dtype=np.float64)


Weekly = dict[str, dict[int, float]]


def _weekly(ordered: Sequence[Exposure], since: date) -> tuple[dict[str, list[Exposure]], Weekly]:
    """The lifts that count around a date and their values by week; none with too few weeks."""
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
    """The weeks from the first exposure to the date, and from it to the last exposure."""
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
    """The mean of 100 log(e1RM) of each week; a difference of 1 is one of 1 %."""
    weeks: dict[int, list[float]] = defaultdict(list)
    for each in series:
        weeks[_week(each.day, since)].append(100 * log(each.e1rm_kg))
    return {week: fmean(values) for week, values in sorted(weeks.items())}


def _fitted(by_week: Mapping[int, float]) -> Interrupted:
    return interrupted(tuple(by_week), tuple(by_week.values()))


def _placebo_limit(ratios: Sequence[float]) -> float | None:
    """What a ratio must exceed for at most 5 % of all dates to show as much; None with too few."""
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
