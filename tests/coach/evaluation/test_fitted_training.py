"""Simulated lifters that are fitted to a log."""

from dataclasses import replace
from datetime import UTC, datetime
from statistics import fmean

import pytest

from coach_agent.domain.context import RoutineContext
from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.past_days import situation_after
from coach_agent.evaluation.what_if import Scenario
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.files import find_programme
from hevy_connector.simulator.athletes.fitted import Trend, fitted_lifters
from hevy_connector.simulator.athletes.physiology import reps_possible
from orchestration.services.programmes.exercise_catalogue import (
    built_in_titles,
    programme_catalogue,
)
from orchestration.services.simulations.fitted_training import (
    current_routines,
    measured_trend,
    plan_ahead,
    train_ahead,
    train_fitted,
)
from orchestration.services.simulations.what_if import programme_to_follow
from tests.coach.evaluation.logs import BENCH, SQUAT, log, workout

PROFILE = AthleteProfile.model_validate({"id": "me"})
TREND = Trend(gain_per_week=0.004, error=0.002, noise=0.03, weekly_sets=4.0)


def growing(weekly: float, weeks: int = 12) -> TrainingLog:
    """Squat and bench on each Monday, with loads that grow by a share a week."""
    return log(
        *(
            workout(
                7 * week,
                {
                    SQUAT: [(100 * (1 + weekly) ** week, 5)] * 3,
                    BENCH: [(60 * (1 + weekly) ** week, 8)] * 3,
                },
            )
            for week in range(weeks)
        )
    )


def test_the_trend_of_steady_growth_is_that_growth() -> None:
    trend, lifts = measured_trend(growing(0.01))
    assert lifts == 2
    assert trend.gain_per_week == pytest.approx(0.00995, abs=1e-5)
    assert trend.noise == pytest.approx(0, abs=1e-6)


def test_a_short_log_has_no_trend() -> None:
    trend, lifts = measured_trend(growing(0.01, weeks=3))
    assert lifts == 0
    assert trend.error == 0.01


def own(training: TrainingLog) -> tuple[RoutineContext, ...]:
    now = training.sessions[-1].started_at
    return current_routines(situation_after(training.sessions, "ranged", now).routines, PROFILE)


def test_lifters_can_just_do_the_latest_training() -> None:
    training = growing(0.0)
    (ahead,) = train_ahead(
        *(training, TREND, [(Scenario(PROFILE), own(training))], None),
        **{"days": [1], "weeks": 1, "count": 2, "seed": 1},
    )
    assert ahead is not None
    assert (ahead.lifters, ahead.sessions_a_week, ahead.sets_a_week.median) == (2, 1, 6)
    assert set(ahead.lifts) == {SQUAT, BENCH}
    assert ahead.guessed == ()


def test_results_are_those_of_single_runs() -> None:
    """The slow way: each lifter alone, and each number from its sets."""

    training = growing(0.0)
    scenario = Scenario(PROFILE)
    plan = plan_ahead(training, scenario, own(training))
    assert plan is not None
    lifters = fitted_lifters(TREND, plan.lifts, days_a_week=2, weeks=3, count=3, seed=5)
    runs = [train_fitted(each, plan.routines, plan.profile, None) for each in lifters]
    (ahead,) = train_ahead(
        *(training, TREND, [(scenario, own(training))], None),
        **{"days": [2], "weeks": 3, "count": 3, "seed": 5},
    )
    assert ahead is not None
    gains = sorted(
        fmean(100 * (each[-1] / each[0] - 1) for each in run.strength.values()) for run in runs
    )
    assert [ahead.gain_pct.low, ahead.gain_pct.median, ahead.gain_pct.high] == pytest.approx(gains)
    missed = sorted(
        100 * len([1 for each in run.sets if each.reps < each.target.low]) / len(run.sets)
        for run in runs
    )
    found = [ahead.missed_pct.low, ahead.missed_pct.median, ahead.missed_pct.high]
    assert found == pytest.approx(missed)
    quads = sum(
        sets for run in runs for (muscle, _), sets in run.weekly_sets.items() if muscle == "chest"
    )
    assert ahead.muscles["chest"] == pytest.approx(quads / 3 / 3)


def test_a_faster_trend_draws_lifters_with_more_room() -> None:
    training = growing(0.0)

    plan = plan_ahead(training, Scenario(PROFILE), own(training))
    assert plan is not None

    def growth(gain_per_week: float) -> float:
        trend = replace(TREND, gain_per_week=gain_per_week)
        lifters = fitted_lifters(trend, plan.lifts, days_a_week=1, weeks=1, count=5, seed=1)
        return fmean(
            each.body.growth_per_week * (1 - lift.start_kg / lift.ceiling_kg)
            for each in lifters
            for lift in each.lifts.values()
        )

    slow, middle, fast = map(growth, (0.0, 0.004, 0.01))
    assert slow < middle < fast
    assert middle == pytest.approx(0.0045, abs=0.0015)


def test_a_lifter_keeps_its_body_under_every_plan() -> None:
    training = growing(0.0)

    plan = plan_ahead(training, Scenario(PROFILE), own(training))
    assert plan is not None
    all_lifts = plan.lifts
    squat = {name: lift for name, lift in all_lifts.items() if lift.name == SQUAT.lower()}
    (both, one) = (
        fitted_lifters(TREND, lifts, days_a_week=1, weeks=1, count=2, seed=1)
        for lifts in (all_lifts, squat)
    )
    for first, second in zip(both, one, strict=True):
        assert (first.body, first.habits) == (second.body, second.habits)
        assert second.lifts.items() <= first.lifts.items()
        (lift,) = second.lifts.values()
        possible = reps_possible(lift.start_kg, 100, lift.endurance)
        assert possible == 5 + first.habits.kept_reserve


def test_exercises_without_loads_are_left_out_and_named() -> None:
    training = log(
        *(
            workout(7 * week, {BENCH: [(60, 8)] * 3, "Pull Up": [(None, 8)] * 3})
            for week in range(4)
        )
    )
    (ahead,) = train_ahead(
        *(training, TREND, [(Scenario(PROFILE), own(training))], None),
        **{"days": [1], "weeks": 1, "count": 2, "seed": 1},
    )
    assert ahead is not None
    assert ahead.left_out == ("Pull Up",)
    assert set(ahead.lifts) == {BENCH}


def test_nothing_to_simulate_gives_no_result() -> None:
    training = log(*(workout(7 * week, {"Pull Up": [(None, 8)] * 3}) for week in range(4)))
    assert train_ahead(
        *(training, TREND, [(Scenario(PROFILE), own(training))], None),
        **{"days": [1], "weeks": 1, "count": 2, "seed": 1},
    ) == [None]


def test_a_log_without_loads_shows_no_strength_for_a_programme() -> None:
    training = log(*(workout(7 * week, {"Pull Up": [(None, 8)] * 3}) for week in range(4)))
    programme = programme_to_follow(
        find_programme("gzclp", built_in_titles()), programme_catalogue()
    )
    assert plan_ahead(training, Scenario(PROFILE, programme), own(training)) is None


def test_routines_of_long_ago_are_not_current() -> None:
    old = workout(0, {BENCH: [(60, 8)]})
    new = workout(60, {SQUAT: [(100, 5)]}).model_copy(update={"title": "Legs"})
    training = log(old, new)
    situation = situation_after(training.sessions, "ranged", datetime(2025, 6, 1, tzinfo=UTC))
    assert [each.title for each in current_routines(situation.routines, PROFILE)] == ["Legs"]
