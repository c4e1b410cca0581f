"""Benefit of readiness for one athlete: forecasts of days with lowered recovery, in hindsight.

Readiness helps if a lifter is weaker on days of lowered recovery than the engine expects, and if
the difference known from earlier ones makes the forecast better. The value of a day is the mean
over its lifts of log(best e1RM / forecast). Days are taken as independent of each other.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import expm1, log, sqrt
from statistics import fmean, variance
from typing import Literal

from coach_agent.domain.days import local_date
from coach_agent.domain.t_distribution import t_quantile
from coach_agent.evaluation.cases import Case
from coach_agent.evaluation.engine_forecast import ENGINE

FEWEST_DAYS = 10
"""Minimum training days with lowered recovery, and of others: fewer have intervals of over 5 %."""

FEWEST_EARLIER = 5
"""Minimum earlier lowered days from which an adjustment is learned."""

Verdict = Literal["not enough days", "no benefit shown", "helps"]


@dataclass(frozen=True)
class RecoveryBenefit:
    """Training days of lowered recovery against others, in percent of e1RM.

    `difference_pct` is lowered less others, after the forecast, with its 95 % interval (Welch).
    `without_pct` and `with_pct` are the mean errors of the `tested_days`, without and with the mean
    difference of earlier lowered days, if it reduces. `reached_*` are shares of top sets with the
    target's repetitions. Null with too few days.
    """

    verdict: Verdict
    lowered_days: int
    other_days: int
    unknown_days: int
    fewest_days: int = FEWEST_DAYS
    difference_pct: float | None = None
    low_pct: float | None = None
    high_pct: float | None = None
    tested_days: int = 0
    without_pct: float | None = None
    with_pct: float | None = None
    reached_lowered_pct: float | None = None
    reached_other_pct: float | None = None


def benefit_of_recovery(
    e1rm: Sequence[Case], reps: Sequence[Case], states: Mapping[date, str], timezone: str
) -> RecoveryBenefit:
    """Measure whether readiness predicts an athlete's own training.

    `e1rm` and `reps` are cases of this athlete alone; `states` has the readiness of each day, as it
    was known in the morning: lowered, mixed, usual or not_enough_data.
    """
    errors = _errors_by_day(e1rm, timezone)
    lowered = [error for day, error in errors if states.get(day) == "lowered"]
    others = [error for day, error in errors if states.get(day) in {"mixed", "usual"}]
    unknown = len(errors) - len(lowered) - len(others)
    if min(len(lowered), len(others)) < FEWEST_DAYS:
        return RecoveryBenefit("not enough days", len(lowered), len(others), unknown)
    difference, reach = _welch(lowered, others)
    without, adjusted = _tested(lowered)
    is_better = fmean(adjusted) < fmean(without)
    return RecoveryBenefit(
        verdict="helps" if difference + reach < 0 and is_better else "no benefit shown",
        lowered_days=len(lowered),
        other_days=len(others),
        unknown_days=unknown,
        difference_pct=100 * expm1(difference),
        low_pct=100 * expm1(difference - reach),
        high_pct=100 * expm1(difference + reach),
        tested_days=len(without),
        without_pct=100 * fmean(without),
        with_pct=100 * fmean(adjusted),
        reached_lowered_pct=_reached(reps, states, timezone, {"lowered"}),
        reached_other_pct=_reached(reps, states, timezone, {"mixed", "usual"}),
    )


def _errors_by_day(cases: Sequence[Case], timezone: str) -> list[tuple[date, float]]:
    """Return the mean error of each training day with a forecast, oldest first."""
    found: dict[date, list[float]] = defaultdict(list)
    for case in cases:
        forecast = case.forecasts.get(ENGINE)
        if forecast is not None and forecast.value > 0 and case.actual > 0:
            day = local_date(case.started_at, timezone)
            found[day].append(log(case.actual / forecast.value))
    return [(day, fmean(errors)) for day, errors in sorted(found.items())]


def _welch(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return the difference of two means and the half-width of its 95 % interval.

    Source: Welch 1947, Biometrika 34:28.
    """
    parts = [variance(each) / len(each) for each in (one, other)]
    difference = fmean(one) - fmean(other)
    if not (total := sum(parts)):
        return difference, 0.0
    degrees = total**2 / sum(
        part**2 / (len(each) - 1) for part, each in zip(parts, (one, other), strict=True)
    )
    return difference, t_quantile(int(degrees)) * sqrt(total)


def _tested(lowered: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return the absolute errors of later lowered days, without and with the learned difference."""
    without, adjusted = [], []
    for place in range(FEWEST_EARLIER, len(lowered)):
        learned = min(0.0, fmean(lowered[:place]))
        without.append(abs(lowered[place]))
        adjusted.append(abs(lowered[place] - learned))
    return without, adjusted


def _reached(
    cases: Sequence[Case], states: Mapping[date, str], timezone: str, wanted: set[str]
) -> float | None:
    hits = [
        case.is_hit for case in cases if states.get(local_date(case.started_at, timezone)) in wanted
    ]
    return 100 * sum(hits) / len(hits) if hits else None
