"""The best maximum that comes next. Examples are worked out by hand, properties always hold."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.engine.forecast.session import Best, Rated, expected_max, expected_rpe

LB = 0.45359237


def maxima(*values_kg: float, exercise: str = "bench") -> list[Best]:
    """Maxima session by session, oldest first."""
    return [Best(exercise, kg) for kg in values_kg]


def of(values_kg: Sequence[float]) -> float:
    """The expected maximum where nothing has been learned from any exercise."""
    return expected_max(maxima(*values_kg)[-2:], [])


def test_a_plateau_is_repeated_exactly() -> None:
    past = maxima(*[100.0] * 12)
    assert expected_max(past, past) == pytest.approx(100)


def test_a_single_exposure_is_repeated() -> None:
    assert expected_max(maxima(80), maxima(80)) == pytest.approx(80)


def test_of_a_fall_half_comes_back_and_a_rise_is_kept() -> None:
    """After 100 and 90: trusts of 3, 1, 1 and 1 for 90, half, 0.7 and a third of the way back.

    After 90 and 100: 0.15 of the way down for the level and a third for the mean.
    """
    way = math.log(100 / 90)
    assert of([100, 90]) == pytest.approx(90 * math.exp(way * (0.5 + 0.7 + 1 / 3) / 6))
    assert of([90, 100]) == pytest.approx(100 * math.exp(-way * (0.15 + 1 / 3) / 6))


def test_what_comes_back_is_learned_from_the_lifter() -> None:
    """After a fall, a lifter with regular recoveries is expected back, one without is not."""
    back = maxima(*[100, 90] * 20)
    stays = maxima(*(100 * 0.99**at for at in range(40)), 100 * 0.99**39 * 0.9)
    assert expected_max(back, back) > 93.5
    assert expected_max(stays, stays) < stays[-1].max_kg * 1.01


def test_what_other_exercises_taught_counts() -> None:
    """Squats with permanent falls lower the forecast of a fallen bench press."""
    bench = maxima(100, 100, 90)
    squats = maxima(*(150 * 0.95**at for at in range(30)), exercise="squat")
    assert 90 < expected_max(bench, [*squats, *bench]) < expected_max(bench, bench)


def test_an_outlier_moves_the_next_forecast_little_once_it_is_over() -> None:
    calm, jumped = maxima(*[100.0] * 12), maxima(*[100.0] * 10, 130, 100)
    assert expected_max(jumped, jumped) == pytest.approx(expected_max(calm, calm), rel=0.06)
    later = maxima(*[100.0] * 6, 130, *[100.0] * 6)
    assert expected_max(later, later) == pytest.approx(100, rel=0.001)


def test_a_bad_day_moves_the_forecast_by_less_than_itself() -> None:
    past = maxima(*[100.0] * 11, 80)
    assert 80 < expected_max(past, past) < 100


@given(st.lists(st.floats(20, 300), min_size=1, max_size=40))
def test_a_forecast_stays_within_what_was_shown_lately(values_kg: list[float]) -> None:
    past = maxima(*values_kg)
    latest = values_kg[-5:]
    assert min(latest) * (1 - 1e-9) <= expected_max(past, past) <= max(latest) * (1 + 1e-9)


@given(st.lists(st.floats(20, 300), min_size=2, max_size=30))
def test_pounds_and_kilograms_are_forecast_alike(values_kg: list[float]) -> None:
    in_kg, in_lb = maxima(*values_kg), maxima(*(kg * LB for kg in values_kg))
    assert expected_max(in_lb, in_lb) == pytest.approx(expected_max(in_kg, in_kg) * LB)


def test_the_same_set_is_rated_as_lately_the_newest_counting_most() -> None:
    """8 after 7: (8 + 7 / 2) / 1.5."""
    assert expected_rpe([Rated(100, 5, 8)] * 3, 100, 5) == pytest.approx(8)
    assert expected_rpe([Rated(100, 5, 7), Rated(100, 5, 8)], 100, 5) == pytest.approx(11.5 / 1.5)
    assert expected_rpe([], 100, 5) is None


def test_harder_work_is_rated_by_half_of_what_epley_makes_of_it() -> None:
    """5 at RPE 8 leave 2, so that 100 kg allow 7 and 105 kg 30 x (123.33 / 105 - 1) = 5.24."""
    past = [Rated(100, 5, 8)]
    assert expected_rpe(past, 100, 6) == pytest.approx(8.5)
    assert expected_rpe(past, 105, 5) == pytest.approx(8 + (2 - (370 / 3 / 105 - 1) * 30 + 5) / 2)
    assert expected_rpe(past, 100, 12) == 10
    assert expected_rpe([Rated(100, 5, 6)], 60, 1) == 5
