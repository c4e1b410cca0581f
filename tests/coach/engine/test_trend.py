import math
from itertools import islice
from statistics import fmean

import pytest

from coach_agent.domain.constants.recovery import STALL_CONFIDENCE
from coach_agent.engine.forecast import trend
from coach_agent.engine.forecast.trend import (
    Trend,
    Wobble,
    plateau_reason,
    trend_of,
    verdict_of,
    wobble_of,
)
from tests.coach.simulated_lifters import SERIES, all_simulated, share_flagged

FLAT = [120, 121, 119.5, 120.5, 119, 120, 120.5, 119.5]
RISING = [120, 118.5, 121.5, 120.5, 123, 121, 124.5, 123.5]
NOISY = [120, 116, 124, 119, 122.5, 117, 123, 120.5]


@pytest.mark.parametrize(
    ("maxima_kg", "expected", "verdict"),
    [
        (FLAT, (-0.059, 0.088, 0.020), "stalled"),
        (RISING, (0.543, 0.159, 0.687), "not_stalled"),
        (NOISY, (0.210, 0.387, 0.561), "not_stalled"),
    ],
    ids=["flat", "rising", "noisy"],
)
def test_b4_the_vectors_of_the_rule(
    maxima_kg: list[float], expected: tuple[float, float, float], verdict: str
) -> None:
    found = trend_of(maxima_kg)
    assert found is not None
    values = (found.slope_pct, found.standard_error_pct, found.upper_pct)
    assert values == pytest.approx(expected, abs=0.0005)
    assert found.lower_pct + found.upper_pct == pytest.approx(2 * found.slope_pct)
    assert found.verdict == verdict_of(maxima_kg) == verdict


def test_b4_seven_exposures_are_insufficient() -> None:
    assert trend_of(FLAT[:7]) is None
    assert verdict_of(FLAT[:7]) == "insufficient"


def test_only_the_last_twelve_exposures_count() -> None:
    assert trend_of([50, 200, 50, *FLAT, 120, 119, 121, 120]) == trend_of(
        [*FLAT, 120, 119, 121, 120]
    )


def test_maxima_that_never_change_are_a_stall_without_noise() -> None:
    found = trend_of([100] * 10)
    assert found is not None
    assert (found.slope_pct, found.upper_pct, found.residual_pct) == (0, 0, 0)
    assert found.verdict == "stalled"


def test_the_quantiles_are_those_of_student() -> None:
    """Each leaves 20 % of the distribution above it, and those of the source are met."""
    ((confidence, quantiles),) = trend._T_QUANTILES.items()
    assert confidence == STALL_CONFIDENCE.value
    for freedom, quantile in quantiles.items():
        assert quantile == pytest.approx(_t_quantile(confidence, freedom), abs=1e-10)
    assert (quantiles[6], quantiles[8], quantiles[10]) == pytest.approx(
        (0.9057, 0.8889, 0.8791), abs=5e-5
    )


@pytest.mark.parametrize(
    ("true_pct", "flagged", "without_a_best"), [(0, 0.42, 0.33), (0.5, 0.07, 0.25)]
)
def test_b5_the_stated_rate_of_false_alarms_holds(
    true_pct: float, flagged: float, without_a_best: float
) -> None:
    assert share_flagged(8, true_pct, noise_pct=2.5) == pytest.approx(flagged, abs=0.015)
    lifters = all_simulated(8, true_pct, noise_pct=2.5)
    found = sum(max(maxima[-3:]) <= maxima[-3] for maxima in lifters) / SERIES
    assert found == pytest.approx(without_a_best, abs=0.015)


@pytest.mark.parametrize(
    ("mean_rpe", "mean_reps", "expected"),
    [
        (9, 3, "high_effort"),
        (8.9, 4, "low_reps"),
        (8.9, 4.1, "other"),
        (None, 4, "low_reps"),
        (None, 10, "other"),
    ],
)
def test_a_plateau_has_a_reason(mean_rpe: float | None, mean_reps: float, expected: str) -> None:
    assert plateau_reason(mean_rpe, mean_reps) == expected


def test_a_lift_that_varies_as_usual_has_the_usual_noise_and_drift() -> None:
    """3.1 and 1.2 % leave 3.26 % around a line through 8 points, as 10 / 15 of drift count."""
    usual = _varying(8, math.sqrt(3.1**2 + 1.2**2 * 10 / 15))
    assert (usual.noise_pct, usual.drift_pct) == pytest.approx((3.1, 1.2))


@pytest.mark.parametrize(("count", "share"), [(8, 8 / 14), (12, 8 / 18)])
def test_what_all_lifters_vary_by_counts_as_eight_degrees_of_freedom(
    count: int, share: float
) -> None:
    """Maxima exactly on the line still have noise: n - 2 degrees of freedom of their own, plus
    8.
    """
    steady = _varying(count, 0.0)
    assert steady.noise_pct == pytest.approx(3.1 * math.sqrt(share))
    assert steady.drift_pct == pytest.approx(1.2 * math.sqrt(share))


def test_the_more_a_lift_varies_the_more_noise_and_drift_it_has() -> None:
    found = [_varying(10, residual_pct) for residual_pct in (1.0, 3.0, 9.0)]
    assert found == sorted(found, key=lambda each: each.noise_pct)
    assert all(each.drift_pct / each.noise_pct == pytest.approx(1.2 / 3.1) for each in found)


@pytest.mark.parametrize("count", [8, 12])
def test_drift_counts_in_the_residual_as_the_source_says(count: int) -> None:
    """A random walk of 2 % leaves a mean square of 4 (n + 2) / 15 around a line."""
    walks = all_simulated(count, 0.0, 0.0, 2.0)
    squares = [_trend(maxima).residual_pct ** 2 for maxima in islice(walks, 4000)]
    assert fmean(squares) == pytest.approx(4 * (count + 2) / 15, rel=0.05)


def _varying(count: int, residual_pct: float) -> Wobble:
    return wobble_of(Trend(count, 0.5, 0.3, 0.2, 0.8, residual_pct))


def _trend(maxima_kg: list[float]) -> Trend:
    found = trend_of(maxima_kg)
    assert found is not None
    return found


def _t_quantile(confidence: float, freedom: int) -> float:
    """Student's t at the confidence, by bisection."""
    low, high = 0.0, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if _t_share_below(middle, freedom) < confidence else (low, middle)
        )
    return low


def _t_share_below(t: float, freedom: int) -> float:
    """Student's distribution for whole degrees of freedom (Abramowitz and Stegun 26.7.3-4)."""
    angle = math.atan2(t, math.sqrt(freedom))
    cosine = math.cos(angle)
    if freedom % 2 == 0:
        factors = [(2 * k - 1) / (2 * k) for k in range(1, freedom // 2)]
        total, term = 1.0, 1.0
        for factor in factors:
            term *= factor * cosine**2
            total += term
        return 0.5 + math.sin(angle) * total / 2
    total, term = 0.0, cosine
    for k in range(1, (freedom - 1) // 2 + 1):
        total += term
        term *= 2 * k / (2 * k + 1) * cosine**2
    return 0.5 + (angle + math.sin(angle) * total) / math.pi
