"""The policies in comparison with the engine, step by step."""

import pytest

from coach_agent.evaluation.diary import Diary
from coach_agent.evaluation.planned_workouts import SlotPlan, Target, Workout
from coach_agent.evaluation.policies import (
    POLICIES,
    FixedPolicy,
    fixed_policies,
    linear,
    random_walk,
    repeat_last,
)
from tests.coach.builders import BENCH, CURL, fixed, profile, ranged, routine, slot
from tests.coach.evaluation.lifters import coached, problems, steady
from tests.coach.evaluation.test_diary import Done

BENCH_AT_60 = Target(60, 5, 5, 5)


def bench_diary(*sessions: tuple[float, tuple[int, ...]]) -> Diary:
    """A bench press of three sets of five, planned and done with these loads."""
    found = Diary((routine(slot(BENCH, fixed(3, 60, 5)), days_ago=None),), profile(), {})
    for number, (load, reps) in enumerate(sessions):
        sets = (Target(load, 5, 5, 5),) * 3
        done = [[Done(load, each) for each in reps]]
        found.add(3 * number, Workout(0, (SlotPlan(sets, sets),)), done)
    return found


def load_of(workout: Workout) -> float:
    return workout.slots[0].targets[0].load_kg


HIT, MISS = (5, 5, 5), (5, 5, 4)


@pytest.mark.parametrize(
    ("sessions", "load"),
    [
        ([], 60),
        ([(60, HIT)], 62.5),
        ([(60, MISS)], 60),
        ([(60, (5, 5))], 60),
        ([(60, MISS), (60, MISS)], 60),
        ([(60, MISS), (60, MISS), (60, MISS)], 52.5),
        ([(60, MISS), (60, HIT), (60, MISS)], 60),
    ],
    ids=["first", "hit", "miss", "set left out", "two misses", "three misses", "hit between"],
)
def test_linear_goes_up_after_a_success_and_down_after_three_misses(
    sessions: list[tuple[float, tuple[int, ...]]], load: float
) -> None:
    """90 % of 60 kg is 54, of which 52.5 exists."""
    assert load_of(linear(bench_diary(*sessions), 9)) == load


def test_a_slower_policy_waits_and_a_faster_one_takes_two_loads() -> None:
    slow, fast = FixedPolicy(exposures_a_step=2), FixedPolicy(steps=2)
    assert load_of(slow(bench_diary((60, HIT)), 3)) == 60
    assert load_of(slow(bench_diary((60, HIT), (60, HIT)), 6)) == 62.5
    assert load_of(fast(bench_diary((60, HIT)), 3)) == 65


def test_a_fixed_deload_comes_by_the_calendar_with_half_of_the_sets() -> None:
    policy = FixedPolicy(deload_weeks=4)
    found = bench_diary((60, HIT))
    assert policy(found, 20).deload is None
    easy = policy(found, 21)
    assert easy.deload == "calendar"
    assert easy.slots[0].is_easy
    assert easy.slots[0].targets == (Target(55, 5, 5, 5),) * 2
    assert len(easy.slots[0].whole) == 3


def test_a_policy_may_ask_for_more_sets_and_for_the_middle_of_the_range() -> None:
    found = Diary((routine(slot(CURL, ranged(3, 10, 8, 12)), days_ago=None),), profile(), {})
    planned = FixedPolicy(rep_share=0.5, more_sets=1)(found, 0).slots[0].targets
    assert planned == (Target(10, 8, 12, 10),) * 4


def test_repeating_takes_what_was_done() -> None:
    found = bench_diary((60, HIT))
    assert repeat_last(found, 3).slots[0].targets == (BENCH_AT_60,) * 3
    found.add(
        6,
        Workout(0, (SlotPlan((BENCH_AT_60,) * 3, (BENCH_AT_60,) * 3),)),
        [[Done(57.5, 5), Done(57.5, 5)]],
    )
    assert [each.load_kg for each in repeat_last(found, 9).slots[0].targets] == [57.5] * 3


def test_a_walk_moves_by_one_existing_load_at_most_and_both_ways() -> None:
    found = {load_of(random_walk(bench_diary((60, HIT)), day)) for day in range(30)}
    assert found == {57.5, 60, 62.5}


def test_the_family_holds_108_different_policies_and_the_linear_one() -> None:
    family = list(fixed_policies())
    assert len(set(family)) == len(family) == 108
    assert linear in family


def test_a_model_without_judgement_cannot_leave_the_guardrails() -> None:
    """It changes plans, and all of them are legal; only ability it does not know."""
    lifter = steady(5, weeks=6)
    found = coached(lifter, POLICIES["llm-fake"])
    assert [each for each in problems(lifter, found) if "beyond" not in each] == []
    honest = coached(lifter, POLICIES["engine"])
    assert [each.target for each in found.sets] != [each.target for each in honest.sets]
