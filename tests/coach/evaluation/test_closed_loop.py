"""The loop of coach and lifter, and the measures of what came of it."""

from dataclasses import replace

import pytest

from coach_agent.evaluation.closed_loop import Run, SetOutcome, Verdict
from coach_agent.evaluation.closed_loop_measures import measure_policy, true_slope_pct
from coach_agent.evaluation.planned_workouts import Target
from coach_agent.evaluation.policies import POLICIES
from hevy_connector.simulator.athletes.cohort import draw_lifter
from orchestration.services.simulations.simulation import best_fixed, simulate
from tests.coach.evaluation.lifters import coached, steady

TEN = Target(60, 8, 12, 10)


def outcome(day: int = 0, reps: int = 10, reserve: int = 2, **other: object) -> SetOutcome:
    found = SetOutcome(
        day=day,
        template_id="bench",
        target=TEN,
        done_kg=60,
        reps=reps,
        possible=reps + reserve,
        reserve=reserve,
        excess=-0.1,
        chance=None,
        is_easy=False,
    )
    return found._replace(**other)  # type: ignore[arg-type]


def a_run(*sets: SetOutcome, **other: object) -> Run:
    known = Run(
        sets=sets,
        verdicts=(),
        strength={"bench": (100.0, *[110.0] * 4)},
        muscles=("chest",),
        weekly_sets={("chest", 0): 3.0, ("chest", 1): 4.0},
        sessions=4,
        deloads=1,
        injuries=0,
    )
    return replace(known, **other)  # type: ignore[arg-type]


def test_the_same_lifter_under_the_same_policy_is_the_same_run() -> None:
    lifter = draw_lifter(1, 3, 6)
    assert simulate(lifter, POLICIES["engine"]) == simulate(lifter, POLICIES["engine"])


def test_every_policy_meets_the_same_good_and_bad_days() -> None:
    """The first session is the routine's own in each case, and so is what was possible."""
    lifter = draw_lifter(1, 3, 2)
    first = {
        name: [each[:9] for each in simulate(lifter, policy).sets if each.day == 0]
        for name, policy in POLICIES.items()
        if name not in {"random", "llm-fake"}
    }
    assert all(each == first["engine"] for each in first.values())


def test_who_trains_early_trains_what_the_routine_still_says() -> None:
    lifter = steady(5, weeks=3)
    early = replace(lifter, days=tuple(replace(each, is_early=True) for each in lifter.days))
    found = coached(early)
    slots = {slot.template_id: slot.load_kg for each in lifter.routines for slot in each.slots}
    assert all(each.target.load_kg == slots[each.template_id] for each in found.sets)
    assert found.deloads == 0


def test_shares_are_counted_by_hand() -> None:
    """Of five sets one is below 8, one easy with 4 left, one 3 beyond the goal, one overshoots."""
    found = measure_policy(
        [
            a_run(
                outcome(reps=7, reserve=0, excess=0.2),
                outcome(reserve=4),
                outcome(reps=13, reserve=0),
                outcome(),
                outcome(day=7, reserve=9, is_easy=True),
            )
        ]
    )
    assert found.gain_pct == pytest.approx(10)
    assert (found.missed, found.easy, found.sandbag) == (0.2, 0.25, 0.25)
    assert (found.overshoots, found.diverged, found.mean_reserve) == (1, 0, 1.5)
    assert (found.deloads, found.in_band) == (0.25, 0.5)


def test_a_load_of_the_lifters_own_is_not_held_against_the_plan() -> None:
    too_much = {"reps": 3, "reserve": 0, "excess": 0.3, "chance": 0.9, "has_own_load": True}
    own = [outcome(day=day, **too_much) for day in (1, 2, 3)]
    alone, beside = (measure_policy([a_run(*sets)]) for sets in ([outcome()], [outcome(), *own]))
    assert beside == alone
    theirs = [each._replace(has_own_load=False) for each in own]
    assert measure_policy([a_run(outcome(), *theirs)]).diverged == 1


def test_three_exposures_in_a_row_beyond_ability_are_a_divergence() -> None:
    above = [outcome(day=day, excess=0.16) for day in (0, 3, 7, 10)]
    assert measure_policy([a_run(*above[:2])]).diverged == 0
    assert measure_policy([a_run(*above)]).diverged == 2
    assert measure_policy([a_run(*above[:2], outcome(day=8), *above[3:])]).diverged == 0


def test_stated_probabilities_are_compared_with_what_came() -> None:
    sets = [outcome(reps=reps, chance=0.9) for reps in (10, 10, 8, 7)]
    *low, top = measure_policy([a_run(*sets, outcome(chance=None))]).chances
    assert [each.count for each in low] == [0, 0, 0, 0]
    assert (top.count, top.stated, top.reached) == (4, pytest.approx(0.9), 0.75)


def test_a_false_alarm_is_one_on_a_lift_that_truly_gains() -> None:
    """0.55 % an exposure, then nothing. Found and stated are of the same windows."""
    gaining = tuple(100 * 1.0055**turn for turn in range(9))
    flat = (gaining[-1],) * 8
    verdicts = (
        Verdict("bench", 8, "stalled", 8, 0.3),
        Verdict("bench", 8, "not_stalled", 8, 0.1),
        Verdict("bench", 16, "stalled", 8, 0.3),
        Verdict("bench", 16, "not_stalled", 8, 0.3),
        Verdict("bench", 4, "insufficient", 4, None),
    )
    found = a_run(outcome(), strength={"bench": (*gaining, *flat)}, verdicts=verdicts)
    assert true_slope_pct(found, verdicts[0]) == pytest.approx(0.5485, abs=0.001)
    stalls = measure_policy([found]).stalls
    assert (stalls.verdicts, stalls.gaining, stalls.false_alarms, stalls.hits) == (4, 2, 0.5, 0.5)
    assert stalls.stated == pytest.approx(0.2)


def test_who_gains_more_than_the_stated_rate_is_for_is_not_held_against_it() -> None:
    gaining = tuple(100 * 1.01**turn for turn in range(9))
    verdicts = (Verdict("bench", 8, "stalled", 8, 0.3),)
    stalls = measure_policy(
        [a_run(outcome(), strength={"bench": gaining}, verdicts=verdicts)]
    ).stalls
    assert (stalls.verdicts, stalls.gaining, stalls.false_alarms, stalls.stated) == (
        1,
        0,
        None,
        None,
    )


def test_the_way_back_after_a_break_is_counted_in_exposures() -> None:
    """60 kg, 20 days off, 54, 57 (95 %): back after one more exposure."""
    loads = [(0, 60.0), (20, 54.0), (23, 57.0)]
    sets = [outcome(day=day, target=TEN._replace(load_kg=load)) for day, load in loads]
    layoffs = measure_policy([a_run(*sets)]).layoffs
    assert layoffs.count == 1
    assert layoffs.first_share == pytest.approx(0.9)
    assert (layoffs.exposures_back, layoffs.within_4) == (1, 1.0)


@pytest.mark.long
def test_the_search_finds_the_best_of_each_lifter_and_of_all() -> None:
    found = best_fixed([draw_lifter(1, 5, 3), draw_lifter(1, 8, 3)], lambda: None)
    assert len(found.gains_pct) == 2
    assert all(
        one >= other for one, other in zip(found.gains_pct, found.same_sets_pct, strict=True)
    )
    assert found.gain_pct <= sum(found.gains_pct) / 2
