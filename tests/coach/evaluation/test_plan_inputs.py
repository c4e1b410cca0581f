"""The backtest forecasts from the inputs of the plan that would have been made that morning."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from coach_agent.domain.plan import Prediction
from coach_agent.engine.engine import goals_of
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.evaluation.cases import questions_of
from coach_agent.evaluation.engine_forecast import engine_of_reps
from coach_agent.evaluation.past_days import PastDay, past_days
from coach_agent.evaluation.plan_inputs import inputs_on
from coach_agent.planning.decide import decide, input_for
from coach_agent.planning.guardrails import GuardrailError
from tests.coach.evaluation.logs import BENCH, SQUAT, log, workout
from tests.coach.evaluation.test_random_logs import random_log
from tests.profiles import examples

Asked = tuple[str, int, float, int | None]
"""An exercise, the place of a working set, its load in kg and its target."""


def statements(day: PastDay) -> dict[Asked, Prediction]:
    """Return what the plan of a day states about its loaded sets of repetitions."""
    try:
        decision = decide(day.situation, day.profile())
    except GuardrailError:
        return {}
    if decision is None or day.routine is None:
        return {}
    assert decision.plan.routine_id == day.routine.routine_id
    planned_from = input_for(day.routine, day.situation, day.profile())
    found = {}
    for slot, planned, asked_of in zip(
        decision.plan.slots, day.routine.slots, planned_from.slots, strict=True
    ):
        goals = goals_of(asked_of, planned_from.rules)
        working = [
            each.set_index for each in planned.planned_sets if each.set_type in WORKING_TYPES
        ]
        if slot.occurrence > 1 or slot.exercise_type != "weight_reps":
            continue
        for each, stated in zip(slot.sets, slot.predictions, strict=True):
            if stated is not None and stated.reps is not None and each.weight_kg is not None:
                place = working.index(each.set_index)
                is_goal = each.rep_range_start is None or each.set_index in goals
                target = each.reps if is_goal else each.rep_range_start
                asked = slot.exercise_template_id, place, each.weight_kg, target
                found[asked] = stated
    return found


@examples(60, quick=6)
@given(seed=st.integers(0, 10**6))
@example(seed=1)
@example(seed=63)
def test_the_forecast_of_a_past_set_is_that_of_its_plan(seed: int) -> None:
    """Bug: one set without its load in the gym made the goals of the others their targets."""
    done = random_log(seed)
    for day in past_days(done.sessions, "fixed", range(len(done.sessions))):
        inputs = inputs_on(day, done.gym_unit)
        for (template_id, place, load_kg, target), stated in statements(day).items():
            assert inputs[template_id].forecast(place, load_kg, target) == stated


def test_the_backtest_asks_the_plan_of_the_morning() -> None:
    """Two routines share the bench press, and a day's exposure is answered by its plan."""
    sessions = []
    for week in range(14):
        sessions.append(workout(7 * week, {BENCH: [(80 + week, 8), (80 + week, 7)]}))
        sessions.append(workout(7 * week + 3, {SQUAT: [(100, 5)] * 3, BENCH: [(60, 12)]}))
    done = log(*sessions)
    days = past_days(done.sessions, "fixed", range(len(done.sessions)))
    plans = {day.session.workout_id: statements(day) for day in days}
    compared = 0
    for exposure, question in questions_of(done):
        for (template_id, place, load_kg, target), stated in plans[exposure.session_id].items():
            if template_id == exposure.template_id and target is not None:
                asked = replace(question, weight_kg=load_kg, places=(place,), target_reps=target)
                forecast = engine_of_reps().predict(asked, ())
                assert forecast is not None
                assert forecast.p_target == stated.p_success
                plan = question.find_plan()
                assert plan is not None
                assert plan.forecast(place, load_kg, target) == stated
                compared += 1
    assert compared > 30


def test_a_session_recorded_later_is_not_known_that_morning() -> None:
    weekly = [workout(7 * week, {BENCH: [(80, 8)]}) for week in range(7)]
    late = workout(49, {BENCH: [(90, 8)]}, created=60)
    after = [workout(day, {BENCH: [(80, 8)]}) for day in (56, 63)]
    done = log(*weekly, late, *after)
    loads = [
        [each.sets[0].weight_kg for each in day.trained_routine.slots[0].exposures[:2]]
        for day in past_days(done.sessions, "fixed", [8, 9])
    ]
    assert loads == [[80, 80], [80, 90]]


def test_a_doubt_is_cleared_by_what_recurs_later() -> None:
    """A load twice the usual one is doubted until three later workouts confirm it."""
    loads = [40, 40, 40, 40, 90, 90, 92.5, 90, 90]
    done = log(*(workout(4 * at, {BENCH: [(load, 8)]}) for at, load in enumerate(loads)))
    flags = [
        [each.sets[0].is_typo_suspect for each in day.trained_routine.slots[0].exposures][::-1]
        for day in past_days(done.sessions, "fixed", [5, 8])
    ]
    assert flags == [[False] * 4 + [True], [False] * 6]


def test_an_exercise_that_is_new_in_the_routine_has_its_work_elsewhere() -> None:
    pushes = [workout(7 * week, {BENCH: [(80 + week, 8)]}) for week in range(7)]
    legs = [workout(7 * week + 2, {SQUAT: [(100, 5)]}) for week in range(7)]
    both = workout(51, {SQUAT: [(100, 5)], BENCH: [(86, 8)]})
    done = log(*pushes, *legs, both)
    *_, (exposure, question) = (
        each for each in questions_of(done) if each[0].session_id == "day-51"
    )
    plan = question.find_plan()
    assert plan is not None
    found = plan.forecast(0, 86.0)
    assert exposure.exercise == "bench press (barbell)"
    assert found is not None
    assert found.reps == 8
