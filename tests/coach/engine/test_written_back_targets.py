"""Targets of a routine that the app wrote after a workout: a miss or a typing error is no goal."""

import pytest

from tests.coach.situations import BENCH, DEADLIFT, PULL_UP, planned

LEG_PRESS, CARRY = "Leg Press (Machine)", "Farmers Walk"


@pytest.mark.parametrize(
    ("title", "history", "load", "reps"),
    [
        (BENCH, "3*97.5x5, 100x5 100x4 100x3", 100, 5),
        (BENCH, "3*75x5, 3*77.5x5, 3*(80x5@9 80x4@9.5 80x4@10)", 72.5, 5),
        (BENCH, "2*(100x5@9 100x4@10 100x3@10)", 90, 5),
        ("Bent Over Row (Dumbbell)", "3*24x12, 3*24x12, 24x12 24x12 24x1", 24, 12),
        (DEADLIFT, "[3*200x3] 3*200x3, [3*200x3] 200x3 200x2 200x2", 200, 3),
    ],
)
def test_a_miss_is_repeated_until_the_goal_is_reached(
    title: str, history: str, load: float, reps: int
) -> None:
    """100 kg x 5, 4, 3 was followed by 105 kg x 5, 4, 3."""
    found = planned(history, title=title)
    assert (found.load(), set(found.reps())) == (load, {reps})


def test_the_plan_of_the_day_is_the_goal_that_was_missed() -> None:
    found = planned("[100x5 100x4 100x3] 3*97.5x5, [3*100x5] 100x5 100x4 100x3", title=BENCH)
    assert (found.load(), found.reps()) == (100, [5, 5, 5])


def test_back_off_sets_have_their_own_goal() -> None:
    found = planned("120x5 100x8 100x8, 122.5x5 102.5x8 102.5x7", title=BENCH)
    assert found.loads() == [125, 102.5, 102.5]
    assert found.reps() == [5, 8, 8]


def test_repetitions_that_always_fall_are_the_goal() -> None:
    found = planned("60x10 60x9 60x8, 62.5x10 62.5x9 62.5x8", title=BENCH)
    assert found.reps() == [10, 9, 8]


@pytest.mark.parametrize(
    ("title", "history", "load", "reps"),
    [
        (BENCH, "3*100x5, 3*102.5x5, 3*105x55", 102.5, 5),
        (BENCH, "3*80x5, 3*82.5x5, 3*5x82", 82.5, 5),
        (LEG_PRESS, "3*100x10, 3*102.5x10, 3*105x100", 102.5, 10),
        ("Chin Up (Weighted)", "3*10x6, 3*12.5x6, 3*12.5x66", 12.5, 6),
    ],
)
def test_repetitions_that_were_mistyped_in_all_sets_are_no_goal(
    title: str, history: str, load: float, reps: int
) -> None:
    """3 x 55 with 105 kg was followed by 3 x 55 with 110 kg."""
    found = planned(history, title=title)
    assert (found.load(), set(found.reps())) == (load, {reps})
    assert "typing error" in found.text
    assert "improved" not in found.why


def test_metres_that_were_mistyped_in_all_sets_are_no_goal() -> None:
    found = planned("2*32/40m, 2*32/40m, 2*32/400m", title=CARRY)
    assert [each.distance_m for each in found.working()] == [40, 40]
    assert "improved" not in found.why


def test_seconds_that_were_mistyped_in_all_sets_are_no_progress() -> None:
    assert "improved" not in planned("3*60s, 3*65s, 3*650s", title="Plank").why


@pytest.mark.parametrize(
    ("history", "loads", "reps"),
    [
        ("1*140x1@9, 140x1@9 145x0", [140, 140], [1, 1]),
        ("3*200x3@8, 3*200x3@8, 220x0", [205], [3]),
        ("[3*100x5] 3*97.5x5, [3*100x5] 100x5 100x5 100x0", [100] * 3, [5] * 3),
    ],
    ids=["a failed single", "a failed load alone", "a failed set of a plan"],
)
def test_a_load_that_was_not_lifted_once_is_no_target(
    history: str, loads: list[float], reps: list[int]
) -> None:
    """After 145 kg x 0 the plan had a set of 145 kg without repetitions."""
    found = planned(history, title=DEADLIFT)
    assert (found.loads(), found.reps()) == (loads, reps)


def test_a_single_with_a_load_that_was_repeated_is_no_test() -> None:
    found = planned("2*(180x3@10 180x2@10 180x1@10)", title=DEADLIFT)
    assert "maximum" not in found.why
    assert set(found.reps()) == {3}


@pytest.mark.parametrize(
    ("title", "history", "expected"),
    [
        (PULL_UP, "[3*x8] 3*([3*x8] x6 x5 x4)", [6, 5, 4]),
        (PULL_UP, "[3*x8] 2*([3*x8] x6 x5 x4)", [8, 8, 8]),
        ("Plank", "[3*60s] 3*([3*60s] 45s 40s 40s)", [45, 40, 40]),
    ],
)
def test_a_goal_without_a_load_that_is_missed_again_and_again_is_built_up_anew(
    title: str, history: str, expected: list[int]
) -> None:
    """3 x 8 pull-ups were repeated for ever after 6, 5 and 4."""
    found = planned(history, title=title)
    assert [each.reps or each.duration_s for each in found.working()] == expected
    assert ("build up from there" in found.text) == (expected != [8, 8, 8])


def test_a_distance_that_is_missed_again_and_again_gets_less_load() -> None:
    assert planned("[2*32/40m] 2*(2*32/30m)", title=CARRY).load() == 32
    found = planned("[2*32/40m] 3*(2*32/30m)", title=CARRY)
    assert found.load() < 32
    assert "3 misses in a row" in found.text


def test_sets_below_the_range_are_named() -> None:
    found = planned("[3*x6-10] 2*(x6 x5 x4)", title="Chin Up")
    assert found.reps() == [7, 6, 6]
    assert "Sets 2 and 3 fell below 6 reps" in found.why


@pytest.mark.parametrize(
    ("history", "load"),
    [
        ("3*50x5, 3*52.5x5, 3*85x5", 85),
        ("3*112.5x5, 3*115x5, 3*151x5", 151),
        ("3*50x5, 3*52.5x5, 2*(3*85x5)", 87.5),
        ("3*50x5@6, 3*52.5x5@6, 3*70x5@6", 72.5),
        ("3*50x5, 3*52.5x5, [3*70x5] 3*70x5", 72.5),
    ],
    ids=["far above", "a third above", "the second time", "easy", "planned"],
)
def test_a_load_far_above_all_before_is_repeated_once(history: str, load: float) -> None:
    found = planned(history, title=BENCH)
    assert found.load() == load
    assert ("far above the" in found.text) == (found.slot().direction == "same")


@pytest.mark.parametrize("times", [1.2, 1.5, 1.7])
def test_a_far_heavier_bar_waits_for_a_second_time(times: float) -> None:
    """105 kg after 65 kg on the bar was planned again, 80 kg was not."""
    leap = 2.5 * round(65 * times / 2.5)
    usual = "3*60x8, 3*62.5x8, 3*65x8"
    title = "Overhead Press (Barbell)"
    assert planned(f"{usual}, 3*{leap}x8", title=title).load() == 65
    assert planned(f"{usual}, 2*(3*{leap}x8)", title=title).load() == leap + 2.5
