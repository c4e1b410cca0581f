"""A model's choice in the routine: written once, and reverted by the next plan."""

import pytest

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.plan import Plan
from coach_agent.llm.windows import PlanWindows, plan_windows
from coach_agent.planning.decide import decide
from coach_agent.publishing.routine_changes import merge_plan
from coach_agent.situation.baseline import restore_routine
from hevy_connector.schemas import RoutineWrite
from tests.coach.builders import BENCH, routine
from tests.coach.llm.usual_day import (
    BENCH_SLOT,
    CURL_SLOT,
    INCLINE,
    PLANK_SLOT,
    RAISE_SLOT,
    ROW_SLOT,
    Change,
    as_proposed,
    block,
    changed,
    other_day,
    plan_of,
    slot_values,
    top,
    upper,
    usual_athlete,
    usual_situation,
)
from tests.coach.situation.test_baseline import in_hevy, read_back

ATHLETE = usual_athlete(
    preferences={"swap": {BENCH["exercise_title"]: [INCLINE["exercise_title"]]}}
)
CONTEXT = routine(*upper(notes="narrow grip").slots[:PLANK_SLOT])


def windows_of(context: RoutineContext) -> PlanWindows:
    told = usual_situation(context, other_day())
    decision = decide(told, ATHLETE)
    assert decision is not None
    return plan_windows(told, ATHLETE, decision)


WINDOWS = windows_of(CONTEXT)


def exchanged(windows: PlanWindows) -> Change:
    (window,) = windows.slots[BENCH_SLOT].exercises[1].blocks
    picked = window.proposed
    told = {"load": picked.load_kg, "sets": picked.sets, "reps": list(picked.counts)}
    return slot_values(BENCH_SLOT, exercise=INCLINE["exercise_template_id"], blocks=[told])


CHOICES = {
    "a lighter load": [block(BENCH_SLOT, load=100.0)],
    "a set less": [block(ROW_SLOT, sets=2, reps=[10, 8])],
    "a set more": [block(CURL_SLOT, sets=4, reps=[8] * 4)],
    "another exercise": [exchanged(WINDOWS)],
    "a set more, a set less": [
        block(CURL_SLOT, sets=4, reps=[8] * 4),
        block(RAISE_SLOT, sets=2, reps=[14, 12]),
    ],
}


@pytest.mark.parametrize("changes", CHOICES.values(), ids=CHOICES)
def test_a_plan_is_written_once_and_the_next_decision_is_the_same(changes: list[Change]) -> None:
    silent = [slot_values(at, cues=[]) for at in range(len(WINDOWS.slots))]
    plan = plan_of(changed(as_proposed(WINDOWS), *silent, *changes), WINDOWS)
    written = merge_plan(in_hevy(CONTEXT), plan)
    assert written != in_hevy(CONTEXT)
    assert merge_plan(written, plan) == written
    told = [
        (exercise.exercise_template_id, [(each.weight_kg, each.reps) for each in exercise.sets])
        for exercise in written.exercises
    ]
    assert told == [
        (slot.exercise_template_id, [(each.weight_kg, each.reps) for each in slot.sets])
        for slot in plan.slots
        if slot.sets
    ]
    again = restore_routine(_read_back(written, plan), [plan])
    after = windows_of(again)
    assert after.engine_input == WINDOWS.engine_input
    assert merge_plan(_without(written, after.plan), after.plan) == merge_plan(
        in_hevy(CONTEXT), WINDOWS.plan
    )


def _without(written: RoutineWrite, plan: Plan) -> RoutineWrite:
    """Return the routine without the exercises that the plan removes."""
    gone = {place.exercise_template_id for place in plan.takes_out}
    exercises = [each for each in written.exercises if each.exercise_template_id not in gone]
    return written.model_copy(update={"exercises": exercises})


def _read_back(written: RoutineWrite, plan: Plan) -> RoutineContext:
    """Return the input about the routine after the publication, with its placeholders."""
    known = (*CONTEXT.slots, *other_day().slots)
    before = CONTEXT.model_copy(update={"slots": known})
    found = read_back(written, before)
    own = {slot.exercise_template_id for slot in CONTEXT.slots}
    left_out = tuple(each for each in found.left_out if each.exercise_template_id in own)
    return found.model_copy(update={"left_out": left_out})


def test_an_order_is_written_where_the_publisher_knows_it() -> None:
    plan = plan_of(changed(as_proposed(WINDOWS), top(order=[1, 2, 3, 5, 4])), WINDOWS)
    before = [slot.moved_from or slot.exercise_index for slot in plan.slots]
    assert before == [0, 1, 2, RAISE_SLOT, CURL_SLOT]
