"""Simulated lifters on programmes, and the simulator next to published numbers."""

from dataclasses import replace

import pytest

from coach_agent.evaluation.closed_loop import Run
from coach_agent.evaluation.closed_loop_measures import measure_policy
from coach_agent.evaluation.policies import POLICIES
from hevy_connector.simulator.athletes.cohort import (
    SimulatedLifter,
    draw_lifter,
    known_exercises,
    with_exercises,
)
from hevy_connector.simulator.athletes.physiology import reps_possible
from hevy_connector.simulator.athletes.training_days import TrainingDay
from orchestration.services.simulations.simulated_programmes import programme_of, simulate_programme
from orchestration.services.simulations.simulation import simulate
from orchestration.services.simulations.simulator_check import compare_with_published

WEEKS = 6


@pytest.fixture(scope="module")
def lifters() -> list[SimulatedLifter]:
    return [draw_lifter(1, number, WEEKS) for number in range(3)]


@pytest.fixture(scope="module")
def runs(lifters: list[SimulatedLifter]) -> list[Run]:
    return [simulate_programme(each, "both", is_judged=False) for each in lifters]


def test_a_lifter_trains_a_programme_of_its_days_and_level(lifters: list[SimulatedLifter]) -> None:
    for lifter in lifters:
        programme = programme_of(lifter, "both")
        assert programme.days_per_week == len({each.day % 7 for each in lifter.days})
        level = {"beginner": "novice"}.get(lifter.level, lifter.level)
        assert programme.level == level


def test_programmes_are_missed_less_than_linear_progression(
    lifters: list[SimulatedLifter], runs: list[Run]
) -> None:
    linear = [simulate(each, POLICIES["linear"], is_judged=False) for each in lifters]
    assert measure_policy(runs).missed < measure_policy(linear).missed / 2
    assert measure_policy(runs).gain_pct > 0


def test_the_easy_week_of_each_block_comes(lifters: list[SimulatedLifter], runs: list[Run]) -> None:
    """After the weeks of a block for the level; a week without training moves it."""
    for lifter, each_run in zip(lifters, runs, strict=True):
        training = {"beginner": 7, "intermediate": 5, "advanced": 4}[lifter.level]
        easy = {each.day // 7 for each in each_run.sets if each.is_easy}
        assert (training in easy) == (training < WEEKS)
        assert easy <= {training, training + 1}


def test_new_exercises_fit_to_the_lifter() -> None:
    lifter = draw_lifter(1, 3, 1)
    every = with_exercises(lifter, known_exercises())
    assert set(every.lifts) == set(known_exercises())
    assert {name: every.lifts[name] for name in lifter.lifts} == lifter.lifts
    shares = [lift.start_kg / lift.ceiling_kg for lift in every.lifts.values()]
    own = [lift.start_kg / lift.ceiling_kg for lift in lifter.lifts.values()]
    assert max(shares) - min(shares) < 0.2
    assert sum(shares) / len(shares) == pytest.approx(sum(own) / len(own), abs=0.06)


def test_the_simulator_is_compared_by_source(
    lifters: list[SimulatedLifter], runs: list[Run]
) -> None:
    rows = {each.what: each for each in compare_with_published(lifters, runs)}
    assert all(each.source for each in rows.values())
    steady = [
        replace(
            each,
            lift_noise=0.0,
            days=tuple(TrainingDay(day, form) for day, form in enumerate((1.0, 1.1))),
        )
        for each in lifters
    ]
    found = {each.what: each for each in compare_with_published(steady, runs)}
    # 10 % between two days is a standard deviation of 7.07 %.
    assert found["a maximum from day to day, SD in %"].simulated == "7.1"
    few, many = (reps_possible(form, 0.9, 30.0) for form in (1.0, 1.1))
    spread = abs(many - few) / 2**0.5
    at_90 = found["repetitions to failure at 90 %, a week apart, SD"].simulated
    assert at_90 == f"{spread:.1f}"
