"""Forecasts of session minutes, computed by hand."""

import pytest

from coach_agent.evaluation.predictors import REPEAT_LAST
from coach_agent.evaluation.session_minutes import minutes_cases
from hevy_connector.schemas import Workout
from tests.coach.evaluation.logs import BENCH, log, workout


def session(day: int, minutes: float, sets: int) -> Workout:
    return workout(day, {BENCH: [(60, 5)] * sets}, minutes=minutes)


def test_each_way_to_expect_minutes() -> None:
    """Nine times 40 minutes for 10 sets, once 90 for 15; today 20 sets."""
    earlier = [session(day, 40, 10) for day in range(9)]
    [case] = minutes_cases(log(*earlier, session(9, 90, 15), session(10, 70, 20)))
    assert case.actual == 70
    assert {name: each and each.value for name, each in case.forecasts.items()} == {
        REPEAT_LAST: 90,
        "mean of 5": pytest.approx(50),
        "personal median": 40,
        "3 minutes a set": 60,
        "engine": pytest.approx(80),
    }


def test_ten_sessions_of_plausible_length_come_first() -> None:
    """A session of 11 seconds or a whole night has a wrong start or end."""
    odd = [session(20, 0.2, 10), session(21, 600, 10)]
    for count, asked in ((9, 0), (10, 0), (11, 1)):
        assert (
            len(minutes_cases(log(*odd, *(session(day, 40, 10) for day in range(count))))) == asked
        )


def test_a_session_that_has_not_ended_tells_nothing() -> None:
    """The tenth lasts until after the eleventh has begun."""
    earlier = [session(day, 40, 10) for day in range(9)]
    overlapping = workout(9, {BENCH: [(60, 5)] * 10}, minutes=60, created=20)
    assert minutes_cases(log(*earlier, overlapping, session(10, 40, 10))) == []
