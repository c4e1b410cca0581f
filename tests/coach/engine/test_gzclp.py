"""Programmes in stages: what was trained last decides what comes."""

import pytest

from coach_agent.domain.context import Exposure
from tests.coach.builders import (
    BENCH,
    CURL,
    Done,
    applied,
    exposure,
    fixed,
    loads,
    plan_for,
    prescribe_slot,
    ranged,
    reps,
    routine,
    rules,
    slot,
)

T1 = rules(BENCH, model="stages")
T2 = rules(BENCH, model="stages", stages=("3x10", "3x8", "3x6"))
T3 = rules(CURL, model="stages", stages=("3x15+",))
FIVE_THREES = [*fixed(4, 100, 3), *ranged(1, 100, 3, None)]
SIX_TWOS = [*fixed(5, 100, 2), *ranged(1, 100, 2, None)]
TEN_ONES = [*fixed(9, 100, 1), *ranged(1, 100, 1, None)]


@pytest.mark.parametrize(
    ("trained", "done", "expected_kg", "expected_reps"),
    [
        pytest.param(FIVE_THREES, [3, 3, 3, 3, 5], 102.5, [3] * 5, id="reached: next load"),
        pytest.param(FIVE_THREES, [3, 3, 3, 2, 2], 100, [2] * 6, id="missed: next stage"),
        pytest.param(SIX_TWOS, [2] * 6, 102.5, [2] * 6, id="a stage stays until it is missed"),
        pytest.param(SIX_TWOS, [2, 2, 2, 2, 2, 1], 100, [1] * 10, id="missed again: the last"),
        pytest.param(TEN_ONES, [1] * 9 + [0], 85, [3] * 5, id="missed the last: 85 %, the first"),
    ],
)
def test_the_stages_of_t1(
    trained: list[dict[str, object]], done: list[int], expected_kg: float, expected_reps: list[int]
) -> None:
    context = slot(BENCH, trained, [exposure([(100, each) for each in done], trained)])
    decided = prescribe_slot(context, T1)
    assert loads(decided) == [expected_kg] * len(expected_reps)
    assert reps(decided) == expected_reps
    *closed, last = decided.sets
    assert (last.rep_range_start, last.rep_range_end) == (expected_reps[-1], None)
    assert all(each.rep_range_start is None for each in closed)


def test_what_comes_next_does_not_depend_on_the_sets_that_the_routine_has_now() -> None:
    missed = exposure([(100, 3), (100, 3), (100, 2), (100, 2), (100, 1)], FIVE_THREES)
    warmup = {"set_type": "warmup", "weight_kg": 40, "reps": 5}
    drop = {"set_type": "dropset", "weight_kg": 60, "reps": 12}
    before = routine(slot(BENCH, [warmup, *FIVE_THREES, drop], [missed]))
    plan = plan_for(before, T1)
    assert [each.set_type for each in plan.slots[0].sets] == [
        "warmup",
        *["normal"] * 6,
        "dropset",
    ]
    assert [each.set_index for each in plan.slots[0].sets] == list(range(8))
    assert plan_for(applied(plan, before), T1) == plan


@pytest.mark.parametrize(
    ("done", "expected_kg", "expected_reps"),
    [([3, 3], 100, [3] * 5), ([3, 2], 100, [2] * 6)],
    ids=["reached: the other sets come first", "missed: the next stage"],
)
def test_a_stage_that_was_cut_short_is_still_that_stage(
    done: list[int], expected_kg: float, expected_reps: list[int]
) -> None:
    before = exposure([(97.5, 3)] * 5, [{**each, "weight_kg": 97.5} for each in FIVE_THREES])
    short = exposure([(100, each) for each in done], FIVE_THREES[:2], days_ago=-3)
    decided = prescribe_slot(slot(BENCH, FIVE_THREES, [short, before]), T1)
    assert (loads(decided), reps(decided)) == ([expected_kg] * len(expected_reps), expected_reps)
    assert "stage_start" not in decided.reason_codes


@pytest.mark.parametrize(
    ("planned_reps", "done", "expected_kg", "expected_reps"),
    [(10, [10, 10, 10], 102.5, 10), (10, [10, 9, 8], 100, 8), (6, [6, 6, 5], 85, 10)],
)
def test_the_stages_of_t2(
    planned_reps: int, done: list[int], expected_kg: float, expected_reps: int
) -> None:
    sets = fixed(3, 100, planned_reps)
    history = exposure([(100, each) for each in done], sets)
    decided = prescribe_slot(slot(BENCH, sets, [history]), T2)
    assert (loads(decided), reps(decided)) == ([expected_kg] * 3, [expected_reps] * 3)


@pytest.mark.parametrize(
    ("done", "expected_kg", "code"),
    [
        ([15, 15, 25], 16, "amrap_reached"),
        ([15, 15, 24], 14, "amrap_short"),
        ([15, 14, 25], 14, "missed_reps"),
    ],
)
def test_t3_waits_for_25_reps_on_the_last_set(
    done: list[int], expected_kg: float, code: str
) -> None:
    sets = [*fixed(2, 14, 15), *ranged(1, 14, 15, None)]
    history = exposure([(14, each) for each in done], sets)
    decided = prescribe_slot(slot(CURL, sets, [history]), T3)
    assert (loads(decided), reps(decided)) == ([expected_kg] * 3, [15] * 3)
    assert code in decided.reason_codes


@pytest.mark.parametrize(
    ("history", "expected_kg"),
    [
        pytest.param(exposure([(60, 10)] * 3), 60, id="the load done last"),
        pytest.param(exposure([(100, 1)], fixed(1, 100, 1)), 90, id="less where it was too heavy"),
    ],
)
def test_the_stages_start_with_what_was_done(history: Exposure, expected_kg: float) -> None:
    decided = prescribe_slot(slot(BENCH, fixed(3, 50, 8), [history]), T1)
    assert (loads(decided), reps(decided)) == ([expected_kg] * 5, [3] * 5)
    assert decided.reason_codes[0] == "stage_start"


def test_of_an_unknown_plan_the_number_of_sets_tells_the_stage() -> None:
    warmups: list[Done] = [(60, 5), (80, 3)]
    done = exposure([*warmups, *[(100.0, 2)] * 6])
    assert loads(prescribe_slot(slot(BENCH, SIX_TWOS, [done]), T1)) == [102.5] * 6


def test_the_floor_is_the_bar() -> None:
    sets = fixed(3, 22.5, 6)
    done = exposure([(22.5, 6), (22.5, 6), (22.5, 4)], sets)
    decided = prescribe_slot(slot(BENCH, sets, [done]), T2)
    assert (loads(decided), reps(decided)) == ([20] * 3, [10] * 3)


def test_a_set_left_out_repeats_the_stage() -> None:
    done = exposure([(100, 3)] * 4, FIVE_THREES, skipped=[4])
    decided = prescribe_slot(slot(BENCH, FIVE_THREES, [done]), T1)
    assert (loads(decided), reps(decided)) == ([100] * 5, [3] * 5)
    assert decided.reason == "Only 4 of 5 sets were done: repeat 100 kg."


def test_a_programme_without_a_history_leaves_the_routine_as_it_is() -> None:
    decided = prescribe_slot(slot(BENCH, fixed(3, 50, 8)), T1)
    assert (loads(decided), decided.reason_codes) == ([50] * 3, ("no_history",))


@pytest.mark.parametrize("stages", [("3x3", "2x5"), ("2x5", "3x3")])
def test_the_first_stage_with_the_empty_bar_may_have_another_number_of_sets(
    stages: tuple[str, str],
) -> None:
    """There is nothing lighter, so the repetitions are built up: it was an error."""
    last = fixed(int(stages[1][0]), 20, int(stages[1][2]))
    missed = exposure([(20, 2)] * len(last), last, days_ago=2)
    decided = prescribe_slot(
        slot(BENCH, last, [missed]), rules(BENCH, model="stages", stages=stages)
    )
    assert (loads(decided), len(decided.sets)) == ([20] * int(stages[0][0]), int(stages[0][0]))
