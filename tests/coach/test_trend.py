import math

import pytest

from coach_agent.progression import trend
from coach_agent.progression.constants import STALL_CONFIDENCE
from coach_agent.progression.trend import plateau_reason, trend_of, verdict_of, wobble_of
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


def test_noise_and_drift_are_told_apart() -> None:
    """Steps of +-2 % that undo each other are noise; the same that add up are drift."""
    there_and_back = wobble_of([100 * math.exp(0.01 * (turn % 2)) for turn in range(41)])
    assert there_and_back.drift_pct == pytest.approx(0, abs=1e-6)
    assert there_and_back.noise_pct == pytest.approx(1 / math.sqrt(2), abs=1e-6)
    ability, climbing = 0.0, []
    for turn in range(41):
        ability += 0.01 if turn % 4 < 2 else -0.01
        climbing.append(100 * math.exp(ability))
    apart = wobble_of(climbing)
    assert apart.noise_pct < 0.3 < apart.drift_pct


@pytest.mark.parametrize(("noise_pct", "drift_pct"), [(2.5, 0.0), (3.1, 2.0), (1.0, 3.65)])
def test_noise_and_drift_of_simulated_lifters_are_found(noise_pct: float, drift_pct: float) -> None:
    """In squares, which are unbiased as long as nothing is cut off; a long series shows them."""
    found = wobble_of(next(all_simulated(20_000, 0.0, noise_pct, drift_pct)))
    assert found.noise_pct**2 == pytest.approx(noise_pct**2, rel=0.1, abs=0.3)
    assert found.drift_pct**2 == pytest.approx(drift_pct**2, rel=0.1, abs=0.3)


def _t_quantile(confidence: float, freedom: int) -> float:
    """Where Student's t reaches the confidence, by halving."""
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
