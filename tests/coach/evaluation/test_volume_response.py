"""Response to volume: planted slopes are found, noise is not, and data narrow the interval."""

from datetime import date, timedelta
from math import exp
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.evaluation.volume_response import (
    LEAST_PERIODS,
    Maximum,
    Period,
    periods_of,
    volume_responses,
)
from tests.profiles import examples

MONDAY = date(2025, 1, 6)
MUSCLES = ("back", "chest", "quadriceps")


def simulated(
    seed: int, slope: float, lifters: int = 4, periods: int = 12, spread: float = 4.0
) -> list[Period]:
    """Periods with 10 sets, give or take `spread`, and gains with a noise of 2 %."""
    rng = Random(seed)  # noqa: S311 - reproducible noise, not a secret
    found = []
    for lifter in range(lifters):
        for muscle in MUSCLES:
            base = rng.uniform(0, 2)
            for _ in range(periods):
                sets = max(0.0, rng.gauss(10, spread))
                gain = base + slope * (sets - 10) + rng.gauss(0, 2)
                found.append(Period(f"lifter-{lifter}", muscle, sets, gain))
    return found


@pytest.mark.parametrize("slope", [-0.15, 0.15, 0.3])
def test_a_planted_slope_lies_in_its_interval(slope: float) -> None:
    """The intervals have 90 %; over 30 samples at least 80 % of them hold the slope."""
    found = [each for seed in range(30) for each in volume_responses(simulated(seed, slope))]
    inside = [each.low_pct <= slope <= each.high_pct for each in found]
    assert sum(inside) >= 0.8 * len(inside)


def test_a_clear_slope_is_found_with_its_sign() -> None:
    verdicts = {each.verdict for each in volume_responses(simulated(1, 0.4, periods=30))}
    assert verdicts == {"more_helps"}
    verdicts = {each.verdict for each in volume_responses(simulated(1, -0.4, periods=30))}
    assert verdicts == {"less_helps"}


def test_without_a_response_there_is_not_enough_data() -> None:
    """Pooled muscles share their errors, so whole samples err: at most one in ten answers does."""
    found = [each for seed in range(60) for each in volume_responses(simulated(seed, 0.0))]
    wrong = [each for each in found if each.verdict != "not_enough_data"]
    assert len(wrong) <= 0.1 * len(found)


@given(st.integers(0, 10**6), st.integers(2, 8))
@examples(200, quick=20)
def test_more_data_narrow_the_interval(seed: int, times: int) -> None:
    periods = simulated(seed, 0.1, lifters=2, periods=4)
    few, many = volume_responses(periods), volume_responses(periods * times)
    for less, more in zip(few, many, strict=True):
        assert more.high_pct - more.low_pct < less.high_pct - less.low_pct
        assert more.periods == times * less.periods


@given(st.integers(0, 10**6))
@examples(200, quick=20)
def test_the_order_of_periods_does_not_count(seed: int) -> None:
    periods = simulated(seed, 0.1, periods=5)
    rng = Random(seed)  # noqa: S311 - a reproducible order, not a secret
    shuffled = rng.sample(periods, len(periods))
    assert volume_responses(shuffled) == volume_responses(periods)


def test_even_sets_and_few_periods_are_not_enough() -> None:
    """Sets that never vary show nothing; the interval is that of the prior, 1.645 x 0.132."""
    even = [Period("me", "chest", 10.0, gain) for gain in (0.5, 1.0, 1.5, 1.0, 0.5, 1.5, 2.0)]
    [found] = volume_responses(even)
    assert (found.slope_pct, found.verdict) == (0.0, "not_enough_data")
    assert (found.low_pct, found.high_pct) == pytest.approx((-0.2176, 0.2176), abs=1e-3)
    steep = [Period("me", "chest", float(sets), 3.0 * sets) for sets in range(LEAST_PERIODS - 1)]
    assert volume_responses(steep)[0].verdict == "not_enough_data"
    assert volume_responses([]) == []


def test_a_muscle_without_periods_of_its_own_learns_from_others() -> None:
    """One period has no slope; that of the lifter's other muscle counts in part."""
    many = [Period("me", "chest", float(sets), 0.3 * sets) for sets in range(20)]
    back, chest = volume_responses([*many, Period("me", "back", 10.0, 1.0)])
    assert 0 < back.slope_pct < chest.slope_pct < 0.3
    assert back.verdict == "not_enough_data"


def test_periods_by_hand() -> None:
    """100 and 102 kg, four weeks later 2 % more; the sets are those of weeks 2 to 5."""
    weekly = {("chest", MONDAY + timedelta(weeks=week)): float(week) for week in range(16)}
    weekly["back", MONDAY] = 9.0

    def bench(week: int, kg: float, exercise: str = "bench", family: str = "tested") -> Maximum:
        return Maximum(exercise, family, "chest", MONDAY + timedelta(weeks=week, days=2), kg)

    maxima = [
        *(bench(0, 100.0), bench(3, 102.0), bench(4, 100 * exp(0.02)), bench(7, 102 * exp(0.02))),
        *(bench(0, 50.0, "fly"), bench(1, 50.0, "fly"), bench(5, 60.0, "fly")),
        *(bench(-1, 40.0), bench(8, 100.0)),
        # The first maxima from an RPE are higher by themselves.
        *(bench(week, 120.0, family="epley_rated") for week in (4, 5, 6, 7)),
    ]
    whole = MONDAY + timedelta(weeks=8)
    assert periods_of("me", weekly, maxima, whole - timedelta(days=1)) == []
    [found] = periods_of("me", weekly, maxima, whole)
    assert (found.lifter, found.muscle, found.weekly_sets) == ("me", "chest", 3.5)
    assert found.gain_pct == pytest.approx(2.0)
