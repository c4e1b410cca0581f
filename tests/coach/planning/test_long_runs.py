"""Properties of long or unusual histories: progress continues, no exercise is lost."""

from collections.abc import Callable

import pytest

from coach_agent.domain.context import Exposure, SlotContext
from coach_agent.domain.plan import SlotPrescription
from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.routine_changes import merge_plan
from coach_agent.situation.baseline import restore_routine
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    exposure,
    fixed,
    loads,
    prescribe_slot,
    profile,
    ranged,
    reps,
    routine,
    rules,
    situation,
    slot,
)
from tests.coach.situation.test_baseline import in_hevy, read_back

TIRED = CheckIn(checked_in_at=NOW, energy=2)
SHORT = CheckIn(checked_in_at=NOW, minutes=8)
Said = Callable[[int], CheckIn | None]


def obeyed(
    lift: SlotContext, said: Said, times: int, athlete: AthleteProfile | None = None
) -> list[SlotPrescription]:
    """Return the plans for an exercise of a lifter that follows each of them exactly."""
    context, plans = routine(lift), []
    now, plan = in_hevy(context), None
    for turn in range(times):
        known = restore_routine(read_back(now, context), [plan] if plan else [])
        decision = decide(situation([known], latest_check_in=said(turn)), athlete or profile())
        assert decision is not None
        plan = decision.plan
        now = merge_plan(now, plan)
        (prescribed,) = plan.slots
        plans.append(prescribed)
        trained = exposure(
            [(each.weight_kg, each.reps) for each in prescribed.sets],
            [each.model_dump(exclude={"set_index"}) for each in prescribed.sets],
            days_ago=-1 - turn,
        ).model_copy(update={"is_easy": prescribed.is_easy})
        first = context.slots[0]
        past = (trained, *first.exposures[:5])
        context = routine(first.model_copy(update={"exposures": past}))
    return plans


def done(sets: list[dict[str, object]], kg: float, count: int) -> Exposure:
    return exposure([(kg, count)] * len(sets), sets, days_ago=2)


Targets = tuple[list[float | None], list[int | None], list[tuple[int | None, int | None]]]


def nothing(turn: int) -> None:
    """A lifter without check-ins."""


def targets(plans: list[SlotPrescription]) -> list[Targets]:
    """Of each plan the loads, the repetitions, and the ends of the ranges."""
    return [
        (loads(each), reps(each), [(one.rep_range_start, one.rep_range_end) for one in each.sets])
        for each in plans
    ]


def test_a_step_that_is_too_big_comes_with_more_repetitions_and_the_target_returns() -> None:
    """An empty bar: fives show too little for 22.5 kg, seven in one set are enough."""
    bar = fixed(3, 20, 5)
    bench = slot(BENCH, bar, [exposure([(20, 5)] * 3, bar, days_ago=2)])
    trained = targets(obeyed(bench, nothing, 7))
    fixed_range = [(None, None)] * 2
    assert trained[:4] == [
        ([20] * 3, [6, 5, 5], [(5, 6), *fixed_range]),
        ([20] * 3, [7, 5, 5], [(5, 7), *fixed_range]),
        ([22.5] * 3, [5, 5, 5], [(None, None), *fixed_range]),
        ([22.5] * 3, [6, 5, 5], [(5, 6), *fixed_range]),
    ]
    assert [each[0][0] for each in trained[4:]] == [22.5, 25, 27.5]


def test_a_range_is_widened_at_its_top_alone() -> None:
    curls = ranged(2, 6, 8, 12)
    curl = slot(CURL, curls, [exposure([(6, 12)] * 2, curls, days_ago=2)])
    rack = profile(equipment={"dumbbells_kg": [4.0, 6.0, 8.0, 10.0]})
    trained = targets(obeyed(curl, nothing, 5, rack))
    assert trained == [
        ([6] * 2, [13, 12], [(8, 13), (8, 12)]),
        ([6] * 2, [14, 12], [(8, 14), (8, 12)]),
        ([6] * 2, [15, 12], [(8, 15), (8, 12)]),
        ([6] * 2, [16, 12], [(8, 16), (8, 12)]),
        ([8] * 2, [8, 8], [(8, 12), (8, 12)]),
    ]


def test_a_tired_day_now_and_then_does_not_stop_a_lift_with_wide_steps() -> None:
    sets = fixed(3, 16, 10)
    rack = profile(equipment={"dumbbells_kg": [12.0, 16.0, 20.0]})
    plans = obeyed(
        slot(CURL, sets, [done(sets, 16, 10)]), lambda at: TIRED if at % 3 == 2 else None, 20, rack
    )
    assert max(loads(each)[0] or 0 for each in plans) == 20


def test_a_rep_sum_takes_a_set_that_was_left_out_up_again() -> None:
    sets = fixed(3, 12, 8)
    athlete = profile(
        exercises={CURL["exercise_title"]: {"model": "rep_sum", "rep_sum": 30}},
        equipment={"dumbbells_kg": [12.0, 14.0]},
    )
    plans = obeyed(
        slot(CURL, sets, [done(sets, 12, 8)]), lambda at: TIRED if at == 1 else None, 6, athlete
    )
    assert all((count or 0) >= 8 for each in plans for count in reps(each))


def test_own_steps_take_a_set_that_was_left_out_up_again() -> None:
    sets = fixed(3, 60, 5)
    step = {"when": {"all_sets_at_least": 5}, "then": {"add_steps": 1}}
    athlete = profile(exercises={BENCH["exercise_title"]: {"model": "steps", "steps": [step]}})
    plans = obeyed(
        slot(BENCH, sets, [done(sets, 60, 5)]), lambda at: TIRED if at == 2 else None, 7, athlete
    )
    assert all(set(reps(each)) == {5} for each in plans)
    assert loads(plans[-1])[0] == 75


def test_a_stage_is_known_though_time_is_always_short() -> None:
    sets = fixed(5, 60, 3)
    athlete = profile(exercises={BENCH["exercise_title"]: {"model": "stages"}})
    plans = obeyed(slot(BENCH, sets, [done(sets, 60, 3)]), lambda at: SHORT, 8, athlete)
    assert loads(plans[-1])[0] != 60


def test_a_forgotten_weight_is_no_workout_with_the_body_alone() -> None:
    sets = fixed(3, 60, 5)
    past = [exposure([(None, 12)] * 3, sets, days_ago=2), exposure([(60, 5)] * 3, sets, days_ago=5)]
    decided = prescribe_slot(slot(BENCH, sets, past))
    assert (loads(decided), reps(decided)) == ([62.5] * 3, [5] * 3)


def test_a_lost_point_is_no_lighter_bar() -> None:
    sets = fixed(3, 60, 5)
    past = [exposure([(6, 5)] * 3, sets, days_ago=2), exposure([(60, 5)] * 3, sets, days_ago=5)]
    assert loads(prescribe_slot(slot(BENCH, sets, past))) == [60] * 3


def test_what_is_near_its_plan_is_believed() -> None:
    sets = fixed(3, 65, 5)
    older = exposure([(40, 5)] * 3, fixed(3, 40, 5), days_ago=5)
    decided = prescribe_slot(slot(BENCH, sets, [exposure([(70, 5)] * 3, sets, days_ago=2), older]))
    assert loads(decided) == [72.5] * 3


def test_one_mistyped_set_of_an_unknown_plan_starts_no_programme() -> None:
    press = slot(BENCH, fixed(3, 60, 5), [exposure([(60, 5), (600, 5), (60, 5)], days_ago=2)])
    assert max(loads(prescribe_slot(press, rules(BENCH, model="stages")))) == 60  # type: ignore[type-var]


def test_blank_repetitions_of_some_sets_are_filled_where_others_have_them() -> None:
    sets = [{"weight_kg": 60}, {"weight_kg": 60}, {"weight_kg": 60, "reps": 10}]
    past = [exposure([(60, 8)] * 3, sets, days_ago=day) for day in (2, 5)]
    athlete = profile(exercises={BENCH["exercise_title"]: {"model": "rep_sum", "rep_sum": 30}})
    decision = decide(situation([routine(slot(BENCH, sets, past))]), athlete)
    assert decision is not None
    assert all(each.reps for each in decision.plan.slots[0].sets)


def test_a_single_is_no_habit() -> None:
    blank = fixed(3, 60, None)
    older = exposure([(60, 8), (60, 8), (100, 1)], days_ago=5)
    decided = prescribe_slot(slot(BENCH, blank, [exposure([(60, 8)] * 3, days_ago=2), older]))
    assert "8 reps" in decided.reason


@pytest.mark.parametrize("increment_kg", [2.5, 10.0])
def test_a_wished_step_is_no_rack(increment_kg: float) -> None:
    sets = fixed(3, 23, 3)
    past = [exposure([(23, 12)] * 3, sets, days_ago=day) for day in (2, 5)]
    rule = {"exercises": {CURL["exercise_title"]: {"increment_kg": increment_kg}}}
    decided = prescribe_slot(
        slot(CURL, sets, past), profile(**rule).rules_for([CURL["exercise_title"]])
    )
    assert loads(decided) == [25.5] * 3
