"""Measures and their doubt, worked out by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from coach_agent.evaluation.cases import Case
from coach_agent.evaluation.predictors import Forecast
from coach_agent.evaluation.report import calibration
from coach_agent.evaluation.scores import (
    FEWEST_CASES,
    bootstrap_interval,
    difference,
    measures_of,
    score,
)

REPS, E1RM = measures_of("reps"), measures_of("e1rm")


def case(
    actual: float,
    *forecasts: Forecast | None,
    lifter: str = "me",
    is_hit: bool = True,
    is_near_maximal: bool = False,
) -> Case:
    """A case with forecasters "0", "1"..."""
    return Case(
        lifter=lifter,
        exercise="bench",
        session_id="1",
        started_at=datetime(2025, 1, 1, tzinfo=UTC),
        actual=actual,
        is_hit=is_hit,
        is_near_maximal=is_near_maximal,
        slices=frozenset(),
        forecasts={str(place): each for place, each in enumerate(forecasts)},
    )


def value(cases: Sequence[Case], name: str, quantity: str = "reps") -> float:
    """A measure where each of the given cases came ten times."""
    measure = (REPS if quantity == "reps" else E1RM)[name]
    found = score(list(cases) * 10, "0", measure)
    assert found
    return found.value


def test_errors_of_repetitions() -> None:
    """Off by 0, -1, +2 and +3."""
    cases = [case(8, Forecast(each)) for each in (8, 7, 10, 11)]
    assert value(cases, "mae") == 1.5
    assert value(cases, "bias") == 1
    assert value(cases, "within_1_pct") == 50
    assert value(cases, "within_2_pct") == 75


def test_errors_of_maxima_are_shares_of_what_was_done() -> None:
    """Of 200 and 100 kg, 10 too much, 10 too little and 2 too little: +5, -10, -2 %."""
    cases = [case(200, Forecast(210)), case(100, Forecast(90)), case(100, Forecast(98))]
    assert value(cases, "mape", "e1rm") == pytest.approx(17 / 3)
    assert value(cases, "median_ape", "e1rm") == pytest.approx(5)
    assert value(cases, "bias_pct", "e1rm") == pytest.approx(-7 / 3)
    assert value(cases, "within_5_pct", "e1rm") == pytest.approx(200 / 3)
    assert value(cases, "within_2_5_pct", "e1rm") == pytest.approx(100 / 3)


def test_short_of_failure_more_may_have_been_possible() -> None:
    """Three too many count only for the set that went to failure; two too few always do."""
    cases = [
        case(8, Forecast(11)),
        case(8, Forecast(6)),
        case(8, Forecast(11), is_near_maximal=True),
        case(8, Forecast(6), is_near_maximal=True),
    ]
    assert value(cases, "mae") == 2.5
    assert value(cases, "censored_mae") == (0 + 2 + 3 + 2) / 4
    assert value([*cases, cases[2]], "near_maximal_mae") == pytest.approx(8 / 3)


def test_interval_and_chance() -> None:
    """Pinball of 6, 8, 11 at .1, .5, .9 for 10 done: .4, 1, .1; for 12: .6, 2, .9."""
    cases = [
        case(10, Forecast(8, 6, 11, 0.9), is_hit=True),
        case(12, Forecast(8, 6, 11, 0.6), is_hit=False),
    ]
    assert value(cases, "coverage_pct") == 50
    assert value(cases, "half_width") == 2.5
    assert value(cases, "pinball") == pytest.approx((1.5 + 3.5) / 6)
    assert value(cases, "brier") == pytest.approx((0.01 + 0.36) / 2)
    assert value([case(100, Forecast(100, 90, 120))] * 2, "half_width_pct", "e1rm") == 15


def test_a_lifter_counts_once_however_much_was_logged() -> None:
    few = [case(8, Forecast(10), lifter="few")] * FEWEST_CASES
    many = [case(8, Forecast(8), lifter="many")] * 1000
    found = score([*few, *many], "0", REPS["mae"])
    assert found
    assert found.value == 1
    assert found.by_lifter == {"few": 2, "many": 0}


def test_a_lifter_with_too_few_cases_does_not_count() -> None:
    few = [case(8, Forecast(10), lifter="few")] * (FEWEST_CASES - 1)
    many = [case(8, Forecast(8), lifter="many")] * FEWEST_CASES
    found = score([*few, *many], "0", REPS["mae"])
    assert found
    assert found.by_lifter == {"many": 0}
    assert (found.low, found.high) == (None, None)
    assert score(few, "0", REPS["mae"]) is None


def test_a_difference_is_of_the_cases_that_both_forecast() -> None:
    """The first is off by 1 where the second is off by 3; elsewhere only one of them speaks."""
    cases = [
        *[case(8, Forecast(9), Forecast(5))] * FEWEST_CASES,
        *[case(8, Forecast(80), None)] * FEWEST_CASES,
        *[case(8, None, Forecast(80))] * FEWEST_CASES,
    ]
    found = difference(cases, "0", "1", REPS["mae"])
    assert found
    assert found.value == -2


def test_the_bootstrap_over_two_lifters_ends_at_the_two() -> None:
    """Drawn twice with replacement, both are the lower one in a quarter of all draws."""
    assert bootstrap_interval([1.0, 3.0]) == (1.0, 3.0)
    assert bootstrap_interval([2.0, 2.0, 2.0]) == (2.0, 2.0)


def test_the_bootstrap_is_as_wide_as_the_theory_says_and_always_the_same() -> None:
    """Of 0 to 99 the mean's standard error is 28.87 / 10: 49.5 plus and minus 1.96 times that."""
    low, high = bootstrap_interval([float(each) for each in range(100)])
    assert low == pytest.approx(49.5 - 1.96 * 2.887, abs=0.4)
    assert high == pytest.approx(49.5 + 1.96 * 2.887, abs=0.4)
    assert bootstrap_interval([float(each) for each in range(100)]) == (low, high)


def test_chances_are_compared_with_what_came_in_fifths() -> None:
    """400 times 0.7 of which 300 came; 399 times 0.2, which is of the second fifth; 1 once."""
    likely = [case(8, Forecast(8, 8, 8, 0.7), is_hit=place < 300) for place in range(400)]
    unlikely = [case(8, Forecast(8, 8, 8, 0.2), is_hit=False)] * 399
    bins = calibration([*likely, *unlikely, case(8, Forecast(8, 8, 8, 1.0))], "0")
    assert [each.count for each in bins] == [0, 399, 0, 400, 1]
    assert [each.is_tested for each in bins] == [False, False, False, True, False]
    assert bins[3].error == pytest.approx(0.05)
    assert bins[1].error == pytest.approx(0.2)
    assert (bins[0].stated, bins[0].came, bins[0].error) == (None, None, None)
