"""Ability of the simulated body, and its response to all kinds of training."""

from itertools import pairwise

import pytest

from hevy_connector.simulator.athletes.physiology import (
    Body,
    BodyTraits,
    Effort,
    LiftTraits,
    dose_of_set,
    load_for,
    reps_possible,
)

SQUAT = LiftTraits(100, 150, 30, "quadriceps", ("glutes",))
CURL = LiftTraits(20, 30, 30, "biceps")


def body(**traits: float) -> Body:
    return Body(BodyTraits(**traits), {"squat": SQUAT, "curl": CURL})


def trained(weekly_sets: int, reserve: int, weeks: int = 24) -> float:
    """Return the squat after two equal sessions a week; the set allowed 8 repetitions."""
    one = body()
    for _ in range(weeks):
        for days in (3, 4):
            for _ in range(weekly_sets // 2):
                one.work("squat", Effort(8 - reserve, 8))
            one.rest(days)
    return one.strength("squat")


@pytest.mark.parametrize(("load_kg", "reps"), [(100, 6), (120, 1), (120.5, 0), (96, 7), (60, 30)])
def test_repetitions_follow_epley_with_the_lifters_own_endurance(load_kg: float, reps: int) -> None:
    """120 kg once is 100 kg six times: 100 x (1 + 6 / 30)."""
    assert reps_possible(120, load_kg, 30) == reps


def test_more_endurance_gives_more_reps_at_the_same_share_of_the_maximum() -> None:
    assert reps_possible(100, 80, 24) == 6
    assert reps_possible(100, 80, 36) == 9
    assert load_for(120, 6, 30) == pytest.approx(100)


def test_strength_grows_ever_more_slowly_and_never_beyond_its_ceiling() -> None:
    after = [trained(6, reserve=2, weeks=weeks) for weeks in (0, 26, 52, 520)]
    first, second, rest = (new - old for old, new in pairwise(after))
    assert first > second > 0
    assert rest > 0
    assert 145 < after[-1] < 150


def test_a_beginners_first_year_is_as_published() -> None:
    """+30 to 50 % in the first year, from 65 % of the ceiling."""
    novice = LiftTraits(65, 100, 30, "quadriceps")
    one = Body(BodyTraits(), {"squat": novice})
    for _ in range(52):
        for days in (2, 2, 3):
            for _ in range(3):
                one.work("squat", Effort(8, 10))
            one.rest(days)
    assert 1.30 <= one.strength("squat") / 65 <= 1.50


def test_the_best_training_is_neither_the_least_nor_the_most() -> None:
    least, good, most = trained(2, 2), trained(8, 2), trained(40, 0)
    assert good > least > 100
    assert good > most


def test_easy_sets_build_less() -> None:
    """Five repetitions in reserve count half, so they take longer to reach the same strength."""
    assert dose_of_set(5) == 0.5
    assert dose_of_set(0) > 0.99
    assert trained(4, reserve=1) > trained(4, reserve=5) > trained(4, reserve=7)


def test_sets_for_the_same_muscle_count_for_a_lift_that_was_not_done() -> None:
    lifts = {"squat": SQUAT, "press": LiftTraits(200, 300, 36, "quadriceps")}
    one = Body(BodyTraits(), lifts)
    for _ in range(4):
        one.work("press", Effort(8, 9))
    one.rest(7)
    assert one.strength("squat") > 100


@pytest.mark.parametrize(("days", "lost_pct"), [(30, 1.8), (70, 4.2)])
def test_strength_is_lost_slowly_without_training(days: int, lost_pct: float) -> None:
    """0.06 % a day from the first day, for an untrained lifter: 1 - exp(-0.0006 x days)."""
    one = body()
    one.rest(days)
    assert 100 - one.strength("squat") == pytest.approx(lost_pct, abs=0.1)


def test_two_weeks_off_cost_nothing_after_regular_training() -> None:
    one = body()
    for _ in range(8):
        for _ in range(6):
            one.work("squat", Effort(8, 10))
        one.rest(7)
    before = one.strength("squat")
    one.rest(10)
    assert one.strength("squat") >= before


def test_sets_tire_for_the_moment_and_for_days() -> None:
    one = body()
    fresh = one.current_max_kg("squat", 1.0, 0, [])
    assert fresh == 100
    hard, easy = [Effort(8, 8)] * 3, [Effort(4, 8)] * 3
    assert (
        one.current_max_kg("squat", 1.0, 0, hard)
        < one.current_max_kg("squat", 1.0, 0, easy)
        < fresh
    )
    assert one.current_max_kg("squat", 1.0, 3, []) < fresh
    for each in hard:
        one.work("squat", each)
    tired = one.current_max_kg("squat", 1.0, 0, [])
    one.rest(3)
    assert tired < one.current_max_kg("squat", 1.0, 0, []) < one.strength("squat")


def test_three_straight_sets_lose_about_as_many_repetitions_as_in_public_logs() -> None:
    """97.4 and 94.4 % of the first set's, with two repetitions in reserve each time."""
    one = body()
    possible = [
        30 * (one.current_max_kg("squat", 1.0, 0, [Effort(8, 10)] * before) / 75 - 1)
        for before in range(3)
    ]
    assert possible[1] / possible[0] == pytest.approx(0.974, abs=0.02)
    assert possible[2] / possible[0] == pytest.approx(0.944, abs=0.02)


def test_one_overshoot_is_forgiven_and_three_in_a_row_are_not() -> None:
    """16 % above ability: (0.16 / 0.15)^2 = 1.14 each, 81 % of it remains after three days."""
    one = body(tolerance=2.5)
    too_heavy = 1.16 * load_for(100, 5, 30)
    assert one.excess("squat", too_heavy, 5) == pytest.approx(0.16)
    assert [_next(one, too_heavy) for _ in range(3)] == [False, False, True]
    assert one.injuries == ["squat"]
    assert one.is_hurt("squat")
    assert one.strength("squat") < 96.5


def _next(one: Body, load_kg: float) -> bool:
    one.rest(3)
    return one.apply_exposure("squat", load_kg, 5)


def test_a_load_within_reach_never_injures() -> None:
    one = body(tolerance=0.5)
    assert not any(_next(one, 1.04 * load_for(one.strength("squat"), 5, 30)) for _ in range(50))


def test_an_accident_heals_in_three_weeks() -> None:
    one = body()
    one.hurt("quadriceps")
    one.rest(20)
    assert one.is_hurt("squat")
    assert not one.is_hurt("curl")
    one.rest(1)
    assert not one.is_hurt("squat")
