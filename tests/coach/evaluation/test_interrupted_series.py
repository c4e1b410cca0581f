"""Two lines and their errors, compared with an independent implementation."""

import math
import random
from collections.abc import Sequence
from statistics import fmean, linear_regression, stdev

import pytest

from coach_agent.domain.t_distribution import t_quantile
from coach_agent.evaluation.interrupted_series import FEWEST_WEEKS, fit_interrupted_series

WEEKS = tuple(range(-20, 8))


def noise(count: int, rho: float, drawn: random.Random) -> list[float]:
    """AR(1) noise of variance 1."""
    values = [drawn.gauss(0, 1)]
    while len(values) < count:
        values.append(rho * values[-1] + math.sqrt(1 - rho**2) * drawn.gauss(0, 1))
    return values


def halves(weeks: Sequence[int], values: Sequence[float]) -> list[tuple[list[float], list[float]]]:
    pairs = [(week + 0.5, value) for week, value in zip(weeks, values, strict=True)]
    before = [pair for pair in pairs if pair[0] < 0]
    after = [pair for pair in pairs if pair[0] > 0]
    return [([at for at, _ in side], [value for _, value in side]) for side in (before, after)]


def newey_west_error(weeks: Sequence[int], values: Sequence[float], lags: int) -> float:
    """The usual robust error of the change of slope, with Bartlett's weights."""
    scores = []
    for sign, (at, told) in zip((-1, 1), halves(weeks, values), strict=True):
        line = linear_regression(at, told)
        middle = fmean(at)
        spread = sum((each - middle) ** 2 for each in at)
        scores += [
            sign * (each - middle) / spread * (value - line.intercept - line.slope * each)
            for each, value in zip(at, told, strict=True)
        ]
    variance = sum(each**2 for each in scores)
    for lag in range(1, lags + 1):
        products = sum(a * b for a, b in zip(scores, scores[lag:], strict=False))
        variance += 2 * (1 - lag / (lags + 1)) * products
    return math.sqrt(variance * len(weeks) / (len(weeks) - 4))


@pytest.mark.parametrize("left_out", [(), (-20, -7, 3)], ids=["every week", "weeks missing"])
def test_the_lines_are_those_of_each_side_alone(left_out: tuple[int, ...]) -> None:
    weeks = [week for week in WEEKS if week not in left_out]
    drawn = random.Random(1)  # noqa: S311 - a test's seed
    values = [0.3 * week + (2 + 0.2 * week) * (week >= 0) + drawn.gauss(0, 1) for week in weeks]
    before, after = (linear_regression(*side) for side in halves(weeks, values))
    found = fit_interrupted_series(weeks, values)
    assert found.slope_before.value == pytest.approx(before.slope)
    assert found.slope_after.value == pytest.approx(after.slope)
    assert found.slope_change.value == pytest.approx(after.slope - before.slope)
    assert found.level_change.value == pytest.approx(after.intercept - before.intercept)


def test_where_nothing_holds_over_the_errors_are_the_textbook_ones() -> None:
    """Deviations that change their sign each week hold nothing over."""
    values = [0.1 * week + (-1) ** week for week in WEEKS]
    found = fit_interrupted_series(WEEKS, values)
    left, spreads = 0.0, []
    for at, told in halves(WEEKS, values):
        line = linear_regression(at, told)
        left += sum(
            (value - line.intercept - line.slope * each) ** 2
            for each, value in zip(at, told, strict=True)
        )
        spreads.append(sum((each - fmean(at)) ** 2 for each in at))
    variance = left / (len(WEEKS) - 4)
    assert found.rho == 0
    assert found.slope_before.standard_error == pytest.approx(math.sqrt(variance / spreads[0]))
    assert found.slope_change.standard_error == pytest.approx(
        math.sqrt(variance / spreads[0] + variance / spreads[1])
    )


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
def test_what_holds_over_is_not_taken_for_less_than_it_is(rho: float) -> None:
    """The mean stated error is near the true spread of the estimate; its rho near the true one."""
    drawn = random.Random(2)  # noqa: S311 - a test's seed
    found = [fit_interrupted_series(WEEKS, noise(len(WEEKS), rho, drawn)) for _ in range(1500)]
    true = stdev(each.slope_change.value for each in found)
    stated = math.sqrt(fmean(each.slope_change.standard_error**2 for each in found))
    assert 0.9 <= stated / true <= 1.15
    assert abs(fmean(each.rho for each in found) - rho) < 0.12


def test_the_usual_robust_errors_promise_too_much() -> None:
    """The reason not to use them: one in five series without a change would count as changed."""
    drawn = random.Random(3)  # noqa: S311 - a test's seed
    ours = usual = 0
    for _ in range(1000):
        values = noise(len(WEEKS), 0.3, drawn)
        found = fit_interrupted_series(WEEKS, values)
        change = abs(found.slope_change.value)
        ours += change > found.t_limit * found.slope_change.standard_error
        usual += change > found.t_limit * newey_west_error(WEEKS, values, lags=3)
    assert ours / 1000 < 0.09
    assert usual / 1000 > 0.20


def test_values_on_the_lines_leave_next_to_no_doubt() -> None:
    """A rounding error is no change, and a real one is seen."""
    straight = fit_interrupted_series(WEEKS, [500 + 0.25 * week for week in WEEKS])
    assert straight.slope_change.value == pytest.approx(0, abs=1e-9)
    assert abs(straight.slope_change.ratio) < 0.01
    bent = fit_interrupted_series(WEEKS, [500 + 0.25 * max(week + 0.5, 0) for week in WEEKS])
    assert bent.slope_change.value == pytest.approx(0.25)
    assert bent.slope_change.ratio > 1000


def test_a_side_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="6 weeks on each side"):
        fit_interrupted_series(range(-20, FEWEST_WEEKS - 1), [0.0] * (20 + FEWEST_WEEKS - 1))


@pytest.mark.parametrize(
    ("degrees", "told"), [(8, 2.306), (16, 2.120), (30, 2.042), (100, 1.984)], ids=str
)
def test_quantiles_are_those_of_the_tables(degrees: int, told: float) -> None:
    assert t_quantile(degrees) == pytest.approx(told, abs=0.001)
