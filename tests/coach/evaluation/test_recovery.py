"""Benefit of readiness on invented training whose answer is known."""

import math
import random
from datetime import UTC, date, datetime, timedelta

import pytest

from coach_agent.evaluation.cases import Case
from coach_agent.evaluation.engine_forecast import ENGINE
from coach_agent.evaluation.predictors import Forecast
from coach_agent.evaluation.recovery import benefit_of_recovery

FIRST = datetime(2026, 1, 5, 18, tzinfo=UTC)


def case(day: int, error: float, *, is_hit: bool = True, at: datetime = FIRST) -> Case:
    return Case(
        lifter="kim",
        exercise="Bench Press (Barbell)",
        session_id=f"{day}",
        started_at=at + timedelta(days=day),
        actual=100 * math.exp(error),
        is_hit=is_hit,
        is_near_maximal=False,
        slices=frozenset(),
        forecasts={ENGINE: Forecast(100.0)},
    )


def states(count: int, period: int = 3) -> dict[date, str]:
    """Every third day is lowered, another one mixed."""
    names = ["lowered", "mixed", "usual"]
    return {FIRST.date() + timedelta(days=day): names[day % period] for day in range(count)}


def test_the_example_by_hand() -> None:
    """Ten lowered days with -4 and -6 % in turn, twenty others with 1 and -1 %.

    The difference of the means is -0.05; the variances of both means are 0.000111 / 10 and
    0.000105 / 20, so the error is 0.00405, of 16 degrees of freedom, t = 2.12. The five last
    lowered days are forecast with the mean of those before: 0.048, 0.05, 0.0486, 0.05, 0.0489
    instead of 0.
    """
    cases = []
    for day in range(30):
        lowered, number = day % 3 == 0, day // 3
        error = (-0.06 if number % 2 else -0.04) if lowered else (0.01 if day % 3 == 1 else -0.01)
        cases.append(case(day, error, is_hit=not lowered))
    found = benefit_of_recovery(cases, cases, states(30), "UTC")
    assert (found.verdict, found.lowered_days, found.other_days) == ("helps", 10, 20)
    assert found.difference_pct == pytest.approx(100 * math.expm1(-0.05))
    assert found.low_pct == pytest.approx(-5.69, abs=0.02)
    assert found.high_pct == pytest.approx(-4.06, abs=0.02)
    assert found.tested_days == 5
    assert found.without_pct == pytest.approx(5.2)
    assert found.with_pct == pytest.approx(1.09, abs=0.005)
    assert (found.reached_lowered_pct, found.reached_other_pct) == (0, 100)


@pytest.mark.parametrize("count", [0, 29])
def test_with_too_few_days_there_is_no_answer(count: int) -> None:
    """29 days have ten lowered ones and nineteen others; without their states none."""
    cases = [case(day, -0.05) for day in range(count)]
    known = {day: state for day, state in states(count).items() if state != "lowered"}
    found = benefit_of_recovery(cases, cases, known, "UTC")
    assert found.verdict == "not enough days"
    assert (found.difference_pct, found.with_pct, found.lowered_days) == (None, None, 0)
    assert found.other_days + found.unknown_days == count


def test_a_lifter_stronger_on_lowered_days_has_no_benefit_and_no_raise() -> None:
    """The learned difference may only reduce, so both errors are the same."""
    cases = [case(day, 0.05 if day % 3 == 0 else 0.0) for day in range(60)]
    found = benefit_of_recovery(cases, cases, states(60), "UTC")
    assert found.verdict == "no benefit shown"
    assert found.with_pct == found.without_pct


def test_noise_rarely_looks_like_a_benefit() -> None:
    """Recovery without any effect: the interval excludes a difference of 0 in 5 %, half below."""
    helped = 0
    for seed in range(200):
        draw = random.Random(seed)  # noqa: S311 - the same each time
        cases = [case(day, draw.gauss(0, 0.03)) for day in range(90)]
        found = benefit_of_recovery(cases, cases, states(90), "UTC")
        helped += found.verdict == "helps"
    assert helped <= 12


def test_a_day_is_that_of_the_athlete() -> None:
    """Monday 23:30 UTC is Tuesday in Berlin."""
    late = datetime(2026, 1, 5, 23, 30, tzinfo=UTC)
    cases = [case(day, -0.05 if day % 2 else 0.0, at=late) for day in range(60)]
    tuesdays = {
        date(2026, 1, 6) + timedelta(days=day): "lowered" if day % 2 else "usual"
        for day in range(60)
    }
    assert benefit_of_recovery(cases, cases, tuesdays, "Europe/Berlin").verdict == "helps"
    assert benefit_of_recovery(cases, cases, tuesdays, "UTC").verdict == "no benefit shown"
