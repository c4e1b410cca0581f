"""Difficult lifters for a coach: stalled, lying, absent, mistyping and disobedient ones.

In every scenario the safety limits hold: loads exist, no jump, no lifter is led 15 % beyond ability
three times in a row, no lifter is injured. Each test has its own further goals.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

import pytest

from coach_agent.evaluation.closed_loop import Run, SetOutcome
from coach_agent.evaluation.closed_loop_measures import exposures_of, gain_of
from coach_agent.evaluation.diary import moment
from coach_agent.store.check_ins import CheckIn
from hevy_connector.simulator.athletes.cohort import SimulatedLifter
from hevy_connector.simulator.athletes.gyms import COARSE_GYM
from hevy_connector.simulator.athletes.training_days import TrainingDay
from tests.coach.evaluation.lifters import NUMBERS, at, coached, problems, steady, without

Change = Callable[[SimulatedLifter], SimulatedLifter]


@pytest.fixture(
    params=[NUMBERS[0], *(pytest.param(each, marks=pytest.mark.long) for each in NUMBERS[1:])],
    ids=lambda number: f"lifter {number}",
)
def number(request: pytest.FixtureRequest) -> int:
    found: int = request.param
    return found


def safe(lifter: SimulatedLifter, found: Run) -> Run:
    assert list(problems(lifter, found)) == []
    assert found.sessions == len(lifter.days)
    return found


def flat(lifter: SimulatedLifter) -> SimulatedLifter:
    lifts = {name: replace(lift, ceiling_kg=lift.start_kg) for name, lift in lifter.lifts.items()}
    return replace(lifter, lifts=lifts)


def declining(lifter: SimulatedLifter) -> SimulatedLifter:
    """Half a percent a week, 8 % in all."""
    return replace(flat(lifter), body=replace(lifter.body, loss_per_week=0.005))


def hard(found: Run) -> Iterator[list[list[SetOutcome]]]:
    """The exposures of each exercise that were not light on purpose."""
    for each in exposures_of(found).values():
        yield [sets for sets in each if not sets[0].is_easy]


def load(sets: list[SetOutcome]) -> float:
    return sets[0].target.load_kg


def test_who_gains_steadily_is_led_on(number: int) -> None:
    lifter = steady(number)
    found = safe(lifter, coached(lifter))
    assert gain_of(found) > 0
    assert fmean(load(each[-1]) / load(each[0]) for each in hard(found)) > 1


def test_who_stands_still_is_not_driven_beyond(number: int) -> None:
    """The load of the last weeks is at most one of 10 % above that of the first, by noise."""
    lifter = flat(steady(number))
    found = safe(lifter, coached(lifter))
    assert fmean(each.excess for each in found.sets) < 0.05
    assert fmean(each.reps < each.target.low for each in found.sets) < 0.25


def test_who_becomes_weaker_is_followed_down(number: int) -> None:
    lifter = declining(steady(number))
    found = safe(lifter, coached(lifter))
    late = [each for each in found.sets if each.day >= 8 * 7]
    assert fmean(each.excess for each in late) < 0.05
    assert fmean(each.reps < each.target.low for each in late) < 0.30


@pytest.mark.long
@pytest.mark.parametrize(
    ("share", "bias"), [(0.0, 0.0), (0.3, 0.95), (1.0, 3.0)], ids=["absent", "sparse", "biased"]
)
def test_an_rpe_may_be_absent_sparse_or_three_off(number: int, share: float, bias: float) -> None:
    lifter = steady(number, rated_share=share, rpe_bias=bias)
    found = safe(lifter, coached(lifter))
    assert gain_of(found) > 0


def test_steps_of_ten_kilograms_are_stood(number: int) -> None:
    lifter = at(COARSE_GYM, steady(number))
    found = safe(lifter, coached(lifter))
    assert all(each.target.load_kg % 10 == 0 for each in found.sets)


def test_after_thirty_days_off_the_old_load_is_back_within_four_exposures(number: int) -> None:
    """Within 5 %, or one existing load below it where that is less.

    Sets below the target lead down, break or not, so only what was not too heavy is judged.
    """
    first, back = 36, 66
    lifter = without(steady(number), range(first, back))
    found = safe(lifter, coached(lifter))
    judged = 0
    for each in hard(found):
        before = [sets for sets in each if sets[0].day < first][-1]
        after = [sets for sets in each if sets[0].day >= back]
        assert load(after[0]) <= load(before)
        if all(fell_not_short(sets) for sets in (before, *after[:3])):
            judged += 1
            loads = lifter.loads(each[0][0].template_id)
            below = max((one for one in loads if one < load(before)), default=loads[0])
            assert max(map(load, after[:4])) >= min(0.95 * load(before), below)
    assert judged >= 1


def fell_not_short(sets: list[SetOutcome]) -> bool:
    return all(each.reps >= each.target.low for each in sets)


@pytest.mark.long
@pytest.mark.parametrize("exposure", [2, 7])
def test_a_zero_too_many_changes_nothing_for_long(number: int, exposure: int) -> None:
    """Four exposures later the load is what it is without the mistake, or within 5 % of it.

    Sets below the target lead down, mistyped or not.
    """
    lifter = steady(number, tenfold_exposure=exposure)
    found, honest = coached(lifter), coached(steady(number))
    assert found.injuries == 0
    for name, each in exposures_of(found).items():
        mistyped = load(each[exposure])
        assert each[exposure][0].done_kg >= 9 * mistyped
        later = [sets for sets in each[exposure + 1 :] if not sets[0].is_easy][:4]
        told = [sets for sets in exposures_of(honest)[name] if sets[0].day == later[-1][0].day]
        assert max(map(load, later)) <= 1.35 * mistyped
        if fell_not_short(each[exposure]):
            assert load(later[-1]) >= 0.95 * min(mistyped, load(told[0]) if told else mistyped)


def test_missed_sessions_stop_nothing(number: int) -> None:
    """Two of five are missed."""
    whole = steady(number)
    kept = tuple(each for place, each in enumerate(whole.days) if place % 5 not in {1, 3})
    lifter = replace(whole, days=kept)
    found = safe(lifter, coached(lifter))
    assert gain_of(found) > 0


def test_who_always_lifts_less_is_planned_no_more_than_a_step_above_it(number: int) -> None:
    lifter = steady(number, steps_off=-1)
    found = safe(lifter, coached(lifter))
    for each in hard(found):
        loads = lifter.loads(each[0][0].template_id)
        for before, after in pairwise(each):
            done = max(one.done_kg for one in before)
            step = min(one for one in loads if one > done)
            assert load(after) <= max(load(before), step)


def test_who_always_lifts_more_is_not_led_beyond_ability(number: int) -> None:
    lifter = steady(number, steps_off=1)
    found = coached(lifter)
    assert [each for each in problems(lifter, found) if "injuries" not in each] == []


def said(energy: int) -> Callable[[TrainingDay], CheckIn]:
    return lambda today: CheckIn(checked_in_at=moment(today.day), energy=energy)


def test_readiness_five_is_as_good_as_none(number: int) -> None:
    lifter = steady(number, weeks=8)
    assert coached(lifter, check_in=said(5)) == coached(lifter)


def test_readiness_one_never_leads_upwards(number: int) -> None:
    """Sets are fewer than the routine has, or one alone, and loads never rise."""
    lifter = steady(number, weeks=4)
    found = safe(lifter, coached(lifter, check_in=said(1)))
    slots = {slot.template_id: slot for each in lifter.routines for slot in each.slots}
    for name, each in exposures_of(found).items():
        assert all(len(sets) < slots[name].sets for sets in each)
        assert all(load(sets) <= slots[name].load_kg for sets in each)
        assert all(load(after) <= load(before) for before, after in pairwise(each))
