"""Trend of a lift, and the one rule for a stall.

The warehouse computes the same in SQL (`fct_exercise_trend`); a test compares both.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from coach_agent.domain.constants.recovery import (
    STALL_CONFIDENCE,
    STALL_FIX_LOW_REPS,
    STALL_FIX_RPE_MIN,
    STALL_MAX_EXPOSURES,
    STALL_MIN_EXPOSURES,
    STALL_SLOPE_THRESHOLD,
)

Verdict = Literal["insufficient", "stalled", "not_stalled"]
PlateauReason = Literal["high_effort", "low_reps", "other"]

USUAL_NOISE_PCT, USUAL_DRIFT_PCT, USUAL_WEIGHT = 3.1, 1.2, 8
"""Variation of all lifters' maxima, and its weight in degrees of freedom.

The noise is the median of public logs. The drift of 3.65 % that was measured there includes true
gains and losses. Relative to their known strength the maxima of simulated lifters under the coach
drift by 1.2 %. The weight is a choice.
"""
# Quantiles of Student's t at the confidence and 6 to 14 degrees of freedom, to ten digits.
_T_QUANTILES = {
    0.8: {
        6: 0.9057032852,
        7: 0.8960296443,
        8: 0.8888895178,
        9: 0.8834038597,
        10: 0.8790578286,
        11: 0.8755299781,
        12: 0.8726092916,
        13: 0.8701515340,
        14: 0.8680547816,
    }
}


@dataclass(frozen=True)
class Trend:
    """The straight line through the logarithms of maxima, in percent per exposure.

    Each bound holds with the confidence of `STALL_CONFIDENCE` on its side, so 60 % of such
    intervals hold the true slope. `residual_pct` is the spread around the line.
    """

    exposure_count: int
    slope_pct: float
    standard_error_pct: float
    lower_pct: float
    upper_pct: float
    residual_pct: float

    @property
    def verdict(self) -> Verdict:
        """Stalled if the slope is below the smallest relevant progress with the required
        confidence.
        """
        return "stalled" if self.upper_pct < STALL_SLOPE_THRESHOLD.value else "not_stalled"


@dataclass(frozen=True)
class Wobble:
    """Variation of a lifter's maxima from one exposure to the next, in percent.

    `noise_pct` disappears at the next exposure (sleep, a rep more or less), `drift_pct` stays for
    longer without being strength: good and bad weeks, and repetitions that a plan left undone.
    """

    noise_pct: float
    drift_pct: float


def trend_of(maxima_kg: Sequence[float]) -> Trend | None:
    """Return the trend of the latest estimated maxima, oldest first; None if there are too few.

    They must be positive, of one method and one zone of repetitions, each the best of its exposure,
    and from the days that the caller allows. Least squares on log(e1RM) by exposure.
    """
    latest = maxima_kg[-STALL_MAX_EXPOSURES.value :]
    count = len(latest)
    if count < STALL_MIN_EXPOSURES.value:
        return None
    logs = [math.log(maximum / latest[0]) for maximum in latest]
    turns = [turn - (count - 1) / 2 for turn in range(count)]
    spread = sum(turn**2 for turn in turns)
    mean = sum(logs) / count
    slope = sum(turn * log for turn, log in zip(turns, logs, strict=True)) / spread
    residuals = [log - mean - slope * turn for turn, log in zip(turns, logs, strict=True)]
    residual = math.sqrt(sum(each**2 for each in residuals) / (count - 2))
    error = residual / math.sqrt(spread)
    margin = _T_QUANTILES[STALL_CONFIDENCE.value][count - 2] * error
    return Trend(
        exposure_count=count,
        slope_pct=100 * slope,
        standard_error_pct=100 * error,
        lower_pct=100 * (slope - margin),
        upper_pct=100 * (slope + margin),
        residual_pct=100 * residual,
    )


def verdict_of(maxima_kg: Sequence[float]) -> Verdict:
    """Return the verdict on the lift by `trend_of`."""
    trend = trend_of(maxima_kg)
    return "insufficient" if trend is None else trend.verdict


def plateau_reason(mean_rpe: float | None, mean_reps: float) -> PlateauReason:
    """Return the probable cause of a stall, from the working sets of its trend.

    `high_effort`: a small deload helps. `low_reps`: sets of 6 to 8. `other`: a variation for some
    weeks. Without any RPE the first is not considered.
    """
    if mean_rpe is not None and mean_rpe >= STALL_FIX_RPE_MIN.value:
        return "high_effort"
    return "low_reps" if mean_reps <= STALL_FIX_LOW_REPS.value else "other"


def wobble_of(trend: Trend) -> Wobble:
    """Estimate noise and drift of a lift from the spread of its maxima around their trend.

    A dozen maxima cannot separate noise and drift, so their ratio is that of all lifters, and the
    lift's residual scales both. Its n - 2 degrees of freedom are combined with 8 of all lifters.

    Source: a scaled inverse chi-squared prior for a variance, Gelman et al. 2013, Bayesian Data
    Analysis, section 2.6. Around a line through n points of a random walk the mean square is on
    average its variance times (n + 2) / 15.
    """
    freedom = trend.exposure_count - 2
    usual = USUAL_NOISE_PCT**2 + USUAL_DRIFT_PCT**2 * (trend.exposure_count + 2) / 15
    spread = (freedom * trend.residual_pct**2 / usual + USUAL_WEIGHT) / (freedom + USUAL_WEIGHT)
    return Wobble(USUAL_NOISE_PCT * math.sqrt(spread), USUAL_DRIFT_PCT * math.sqrt(spread))
