"""A simulated lifter's sets for a plan, and their log entries."""

from random import Random
from statistics import fmean
from typing import NamedTuple

import pytest

from hevy_connector.simulator.athletes.habits import Habits, Performed, choose_load, perform

LOADS = tuple(float(load) for load in range(20, 202, 2))


class Planned(NamedTuple):
    load_kg: float
    low: int
    high: int
    goal: int


SET = Planned(80, 8, 12, 9)


def chance(seed: int = 1) -> Random:
    return Random(seed)  # noqa: S311 - chance, not secrecy


def logged(habits: Habits, able_kg: float, planned: Planned = SET, seed: int = 1) -> Performed:
    return perform(planned, planned.load_kg, able_kg, 30, LOADS, habits, chance(seed))[0]


def test_a_lifter_without_range_filling_stops_at_the_goal() -> None:
    """112 kg once is 80 kg twelve times."""
    found = logged(Habits(), able_kg=112)
    assert (found.reps, found.possible, found.reserve) == (9, 12, 3)


def test_a_range_filling_lifter_stops_at_the_top_or_the_reserve() -> None:
    assert logged(Habits(fills_range=True, kept_reserve=2), able_kg=112).reps == 10
    assert logged(Habits(fills_range=True, kept_reserve=2), able_kg=160).reps == 12
    assert logged(Habits(fills_range=True, kept_reserve=2), able_kg=104).reps == 9


def test_a_lifter_does_no_more_than_is_possible() -> None:
    """96 kg once is 80 kg six times."""
    found = logged(Habits(), able_kg=96)
    assert (found.reps, found.reserve) == (6, 0)


def test_a_failed_first_rep_reduces_the_load() -> None:
    found = logged(Habits(), able_kg=70)
    assert found.possible == 0
    assert found.load_kg == 64
    assert found.reps == 2


def test_one_short_may_be_logged_as_full() -> None:
    """99 kg once is 80 kg seven times, one short of eight."""
    assert logged(Habits(), able_kg=99).reps == 7
    assert logged(Habits(rounded_share=1), able_kg=99).reps == 8
    assert logged(Habits(rounded_share=1), able_kg=96).reps == 6


def test_an_rpe_is_off_by_the_lifters_bias() -> None:
    """Three are left, which is RPE 7; efforts below 6 are not rated."""
    means, unrated = [], []
    for bias in (0.0, 1.0, 3.0):
        habits = Habits(rated_share=1, rpe_bias=bias)
        found = [logged(habits, able_kg=112, seed=seed).rpe for seed in range(400)]
        means.append(fmean(each for each in found if each is not None))
        unrated.append(found.count(None))
    assert 7 < means[0] < means[1] < 9 < means[2]
    assert unrated[0] > unrated[1] > unrated[2]


def test_most_lifters_log_no_rpe() -> None:
    assert logged(Habits(), able_kg=112).rpe is None


@pytest.mark.parametrize(("planned", "steps", "load"), [(81, 0, 80), (80, 1, 82), (80, -1, 78)])
def test_the_load_exists_and_is_the_plan_or_some_steps_away(
    planned: float, steps: int, load: float
) -> None:
    assert choose_load(planned, LOADS, Habits(steps_off=steps), chance()) == load


def test_nothing_is_lighter_than_the_lightest_load() -> None:
    assert choose_load(5, LOADS, Habits(), chance()) == 20
    assert choose_load(20, LOADS, Habits(steps_off=-1), chance()) == 20
