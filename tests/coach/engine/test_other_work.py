"""Forecasts with work at other places: the own place first, then similar work by recency."""

import pytest

from coach_agent.domain.context import Exposure
from coach_agent.engine.history.elsewhere import mean_reps, other_work, work_by_exercise
from coach_agent.planning.decide import decide
from tests.coach.builders import (
    BENCH,
    CURL,
    exposure,
    fixed,
    profile,
    routine,
    situation,
    slot,
)
from tests.coach.situations import planned

PLANK = {"Plank": "d10: 60s, d6: 60s, d2: 60s"}
TITLE = BENCH["exercise_title"]


def day(days_ago: int, load: float, reps: int) -> Exposure:
    return exposure([(load, reps)] * 3, days_ago=days_ago)


OWN = [day(5, 80, 8), day(12, 80, 7)]


@pytest.mark.parametrize(
    ("work", "days"),
    [
        ([day(2, 75, 9), day(9, 75, 8)], [2, 9]),
        ([day(2, 75, 9), *OWN], [2]),
        ([day(2, 60, 20), day(9, 75, 8)], [9]),
        ([day(2 + each, 75, 8) for each in range(20) if each not in {3, 10}], [2, 3, 4, 6, 7, 8]),
        ([], []),
    ],
    ids=["newest first", "not its own", "of similar repetitions", "the latest six", "none"],
)
def test_other_work_is_similar_and_recent(work: list[Exposure], days: list[int]) -> None:
    found = other_work(OWN, work)
    assert [each.workout_id for each in found] == [f"workout-{each}" for each in days]


def test_without_own_work_there_is_no_other() -> None:
    assert other_work([], [day(2, 75, 9)]) == ()


def test_mean_reps_has_only_working_sets() -> None:
    warm = [{"set_type": "warmup", "weight_kg": 40, "reps": 20}, *fixed(2, 80, 8)]
    assert mean_reps(exposure([(40, 20), (80, 8), (80, 6)], warm)) == 7


def test_work_of_all_routines_is_collected_once() -> None:
    sets = fixed(3, 80, 8)
    one = routine(slot(BENCH, sets, OWN), slot(CURL, sets, [day(4, 12, 10)]))
    other = routine(slot(BENCH, sets, [day(2, 75, 9), OWN[0]]), title="Upper B")
    work = work_by_exercise([one, other])
    bench = work[BENCH["exercise_template_id"]]
    assert [each.workout_id for each in bench] == ["workout-2", "workout-5", "workout-12"]


def expected(elsewhere: str | None, plan: str = "[80x8]") -> float:
    history = {"A": {TITLE: f"{plan} d11: 80x8, d4: 80x8"}}
    if elsewhere:
        history["B"] = {TITLE: elsewhere, **PLANK}
    found = planned(history, coach={"routines": ["A"]})
    (prediction,) = found.slot(TITLE).predictions
    assert prediction is not None
    assert prediction.reps is not None
    return prediction.reps


def test_newer_work_elsewhere_with_the_planned_load_is_expected_again() -> None:
    """82.5 kg are planned, done for 6 two days ago; 80 x 8 put 7 of the 8 within reach."""
    alone, both = expected(None), expected("d2: 82.5x6")
    assert (alone, both) == (8, 7)


def test_the_load_of_the_own_place_is_forecast_from_it() -> None:
    """The routine repeats its own load: what another routine did with it does not count more."""
    same = "[80x9]"
    assert expected("d2: 80x6", same) == expected(None, same)


def test_other_work_changes_no_target() -> None:
    sets = fixed(3, 80, 8)
    here = routine(slot(BENCH, sets, OWN))
    there = routine(slot(BENCH, sets, [day(2, 75, 9)]), title="Upper B")
    athlete = profile(coach={"routines": ["Upper A"]})
    alone, both = (decide(situation(each), athlete) for each in ([here], [here, there]))
    assert alone is not None
    assert both is not None
    assert alone.plan.slots[0].sets == both.plan.slots[0].sets
