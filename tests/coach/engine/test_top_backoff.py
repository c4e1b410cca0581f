"""A top set with back-offs: the one by its range, the others by its load."""

import pytest

from tests.coach.builders import (
    BENCH,
    PULL_UP,
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

RULE = rules(BENCH, model="top_backoff")
SETS = [*ranged(1, 100, 4, 6), *ranged(3, 90, 6, 10)]


@pytest.mark.parametrize(
    ("done", "expected_kg", "expected_reps"),
    [
        pytest.param(
            [(110, 6), (97.5, 10), (97.5, 8), (97.5, 8)],
            [112.5, 100, 100, 100],
            [4, 6, 6, 6],
            id="both go up, 101.25 rounded down",
        ),
        pytest.param(
            [(100, 6), (90, 10), (90, 8), (90, 8)],
            [102.5, 90, 90, 90],
            [4, 10, 9, 8],
            id="92.25 rounded down is no step: one rep more",
        ),
        pytest.param(
            [(100, 5), (90, 10), (90, 10), (90, 10)],
            [100, 90, 90, 90],
            [6, 10, 10, 10],
            id="back-offs wait at the top of their range",
        ),
        pytest.param(
            [(112.5, 6), (100, 8), (100, 5), (100, 4)],
            [115, 100, 100, 100],
            [4, 9, 6, 6],
            id="back-offs that failed stay",
        ),
        pytest.param(
            [(100, 6), (80, 10), (80, 10), (80, 10)],
            [102.5, 82.5, 82.5, 82.5],
            [4, 6, 6, 6],
            id="not more than a step above what was done",
        ),
        pytest.param(
            [(100, 6), (95, 8), (95, 8), (95, 8)],
            [102.5, 90, 90, 90],
            [4, 9, 8, 8],
            id="too heavy ones come back",
        ),
        pytest.param(
            [(100, 6, 9.0), (90, 8), (90, 8), (90, 8)],
            [100, 90, 90, 90],
            [6, 9, 8, 8],
            id="the top set's effort holds it",
        ),
    ],
)
def test_back_offs_follow_the_top_set(
    done: list[Done], expected_kg: list[float], expected_reps: list[int]
) -> None:
    decided = prescribe_slot(slot(BENCH, SETS, [exposure(done)]), RULE)
    assert (loads(decided), reps(decided)) == (expected_kg, expected_reps)
    assert decided.rule == "top_set, backoff"


def test_back_offs_go_down_with_the_top_set_and_name_what_failed() -> None:
    done: list[Done] = [(100, 3), (90, 8), (90, 5), (90, 8)]
    history = [exposure(done, SETS, days_ago=day) for day in (1, 4)]
    decided = prescribe_slot(slot(BENCH, SETS, history), RULE)
    assert loads(decided) == [92.5, 82.5, 82.5, 82.5]
    assert "Missed 6 reps on set 3: 90% of the top set are 82.5 kg." in decided.reason


def test_the_share_of_the_profile_is_taken() -> None:
    sets = [*fixed(1, 100, 5), *fixed(2, 80, 8)]
    done = exposure([(100, 5), (80, 8), (80, 8)], sets)
    decided = prescribe_slot(
        slot(BENCH, sets, [done]), rules(BENCH, model="top_backoff", backoff_pct=80.0)
    )
    assert loads(decided) == [102.5, 80, 80]


def test_sets_without_repetitions_are_judged_by_the_usual_ranges_and_keep_having_none() -> None:
    sets = fixed(3, 100, None)
    context = slot(BENCH, sets, [exposure([(110, 6), (97.5, 8), (97.5, 7)])])
    decided = prescribe_slot(context, RULE)
    assert (loads(decided), reps(decided)) == ([112.5, 100, 100], [None] * 3)
    plan = plan_for(routine(context), RULE)
    assert plan_for(applied(plan, routine(context)), RULE) == plan


def test_a_top_set_without_a_history_of_its_target_leaves_back_offs_to_themselves() -> None:
    done = exposure([(100, 9), (90, 10), (90, 10), (90, 10)], ranged(4, 90, 6, 10))
    decided = prescribe_slot(slot(BENCH, SETS, [done]), RULE)
    assert loads(decided) == [100, 92.5, 92.5, 92.5]


def test_a_part_of_what_is_moved_has_no_percents() -> None:
    chin_up = {**PULL_UP, "exercise_type": "bodyweight_weighted"}
    sets = fixed(2, 20, 5)
    decided = prescribe_slot(
        slot(chin_up, sets, [exposure([(20, 5), (20, 5)], sets)]),
        rules(chin_up, model="top_backoff"),
    )
    assert (decided.rule, loads(decided)) == ("linear", [22.5] * 2)
