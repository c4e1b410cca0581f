"""What holds for every routine and every history, also for careless ones."""

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from coach_agent.context import Exposure, RoutineContext, SlotContext
from coach_agent.guardrails import violations
from coach_agent.plan import Plan
from coach_agent.progression.engine import prescribe, settled
from tests.coach.builders import BENCH, CURL, PLANK, PULL_UP, applied, profile, routine

EXERCISES = [
    BENCH,
    {**BENCH, "primary_muscle_group": "quadriceps", "exercise_title": "Squat (Barbell)"},
    CURL,
    PULL_UP,
    PLANK,
    {**CURL, "equipment": "machine", "exercise_title": "Triceps Pushdown (Cable)"},
    {**CURL, "equipment": "other", "exercise_title": "Ball Slams"},
    {**PULL_UP, "exercise_type": "bodyweight_weighted", "exercise_title": "Dip"},
    {**PULL_UP, "exercise_type": "bodyweight_assisted", "exercise_title": "Pull Up (Assisted)"},
    {**BENCH, "exercise_title": "Top Set"},
    {**BENCH, "exercise_title": "Top Set with Percent"},
    {**BENCH, "exercise_title": "Wave"},
    {**BENCH, "exercise_title": "Wave by AMRAP", "equipment": "machine"},
    {**BENCH, "exercise_title": "Stages"},
    {**CURL, "exercise_title": "One Stage"},
    {**CURL, "exercise_title": "Rep Sum"},
    {**BENCH, "exercise_title": "Own Steps"},
    {**CURL, "exercise_title": "Carry", "exercise_type": "short_distance_weight"},
]
ATHLETE = profile(
    equipment={"plate_pairs_kg": [20.0, 10.0, 5.0, 2.5, 1.25], "dumbbells_kg": [5.0, 8.0, 12.5]},
    exercises={
        BENCH["exercise_title"]: {"rpe_cap": 9.0, "rep_range": (4, 6)},
        CURL["exercise_title"]: {"model": "double", "increment_kg": 3.0},
        "Squat (Barbell)": {"model": "linear"},
        "Dip": {"model": "stages"},
        "Pull Up (Assisted)": {
            "model": "steps",
            "steps": [
                {"when": {"any_set_below": 5}, "then": {"multiply": 0.9}},
                {"when": {"exposures_since_step": 2}, "then": {"multiply": 1.1}},
            ],
        },
        "Top Set": {"model": "top_backoff", "min_exposures": 2},
        "Top Set with Percent": {"model": "top_backoff", "rep_range": (4, 6), "backoff_pct": 80.0},
        "Wave": {"model": "training_max", "training_max_kg": 70.0},
        "Wave by AMRAP": {
            "model": "training_max",
            "tm_change": "amrap",
            "wave": [["100x5+"], ["95x5", "90x6+"]],
        },
        "Stages": {"model": "stages", "stages": ["2x5", "3x5+", "4x6"]},
        "One Stage": {"model": "stages", "stages": ["2x5+"]},
        "Rep Sum": {"model": "rep_sum", "rep_sum": 12},
        "Own Steps": {
            "model": "steps",
            "steps": [
                {"when": {"misses_in_a_row": 2}, "then": {"add_steps": -2, "set_reps": 5}},
                {"when": {"all_sets_at_least": 8}, "then": {"add_steps": 2, "set_reps": 6}},
                {"when": {"last_set_reps_at_least": 6}, "then": {"add_reps": 1}},
                {"when": {"mean_rpe_at_most": 8.0}, "then": {"multiply": 1.1}},
            ],
        },
    },
)
weights = st.sampled_from([None, 0.0, 8.0, 20.0, 57.5, 60.0, 60.0, 60.0, 61.3, 62.5])
metres = st.sampled_from([None, None, 20, 40])
seconds = st.sampled_from([None, 0, 30, 30, 45])
rpes = st.sampled_from([None, None, None, 0.0, 8.0, 9.5])
types = ["normal", "normal", "normal", "normal", "warmup", "failure", "dropset"]


@st.composite
def set_targets(draw: st.DrawFn) -> dict[str, Any]:
    """Fixed repetitions, a range, an open range or none of them."""
    low, high = draw(st.sampled_from([(None, None), (None, None), (5, None), (5, 8), (6, 6)]))
    return {
        "set_type": draw(st.sampled_from(types)),
        "weight_kg": draw(weights),
        "reps": draw(st.sampled_from([None, 5, 5, 6])),
        "rep_range_start": low,
        "rep_range_end": high,
        "duration_s": draw(seconds),
        "distance_m": draw(metres),
    }


def answer(draw: st.DrawFn, target: dict[str, Any], *, is_plan_known: bool) -> dict[str, Any]:
    """A done set near its target, with what was planned then, which may have been another."""
    low, high = target["rep_range_start"], target["rep_range_end"]
    low, high = (target["reps"], target["reps"]) if low is None else (low, high)
    plan = {
        "planned_set_index": target["set_index"],
        "planned_weight_kg": draw(weights),
        "planned_reps_low": draw(st.sampled_from([low, low, low, low, 10, None])),
        "planned_reps_high": high,
        "planned_duration_s": draw(seconds),
    }
    return {
        "set_index": target["set_index"],
        "set_type": draw(st.sampled_from([target["set_type"]] * 4 + ["normal"])),
        "weight_kg": draw(weights),
        "reps": draw(st.sampled_from([None, 0, 4, 5, 5, 6, 8, 8, 14])),
        "duration_s": draw(seconds),
        "distance_m": draw(metres),
        "rpe": draw(rpes),
        **(plan if is_plan_known and draw(st.integers(0, 5)) else {}),
    }


@st.composite
def exposures(draw: st.DrawFn, targets: list[dict[str, Any]]) -> Exposure:
    """Mostly all sets as planned, sometimes fewer, more, or of a plan that nobody knows."""
    is_plan_known = draw(st.sampled_from([True, True, False]))
    done = [target for target in targets if draw(st.integers(0, 7))]
    sets = [answer(draw, target, is_plan_known=is_plan_known) for target in done]
    working = sum(target["set_type"] in {"normal", "failure"} for target in targets)
    return Exposure.model_validate(
        {
            "workout_id": "w",
            "started_at": "2026-03-01T17:00:00Z",
            "is_plan_known": is_plan_known,
            "planned_working_count": working if is_plan_known else None,
            "sets": sets,
        }
    )


@st.composite
def slots(draw: st.DrawFn) -> SlotContext:
    """Sets that are often alike, of a routine that may have changed since it was trained."""
    targets = draw(st.lists(set_targets(), min_size=1, max_size=3))
    sets = [target for target in targets for _ in range(draw(st.integers(1, 3)))]
    sets = [{**target, "set_index": at} for at, target in enumerate(sets)]
    then = sets if draw(st.integers(0, 5)) else sets[: draw(st.integers(1, len(sets)))]
    return SlotContext.model_validate(
        {
            "exercise_index": 0,
            "occurrence": 1,
            **draw(st.sampled_from(EXERCISES)),
            "planned_sets": sets,
            "exposures": draw(st.lists(exposures(then), min_size=1, max_size=4)),
        }
    )


routines = st.builds(lambda drawn: routine(*drawn), st.lists(slots(), min_size=1, max_size=2))


def planned(context: RoutineContext) -> Plan:
    rules = ATHLETE.rules_for(slot.exercise_title for slot in context.slots)
    return prescribe(settled(ATHLETE.id, context, rules))


@settings(max_examples=100, deadline=None)
@given(routines)
def test_every_plan_passes_the_guardrails(context: RoutineContext) -> None:
    assert violations(planned(context), context, ATHLETE) == ()


@settings(max_examples=100, deadline=None)
@given(routines)
def test_a_published_plan_decides_itself(context: RoutineContext) -> None:
    plan = planned(context)
    again = applied(plan, context)
    assert planned(again).to_json() == plan.to_json()
    rules = ATHLETE.rules_for(slot.exercise_title for slot in context.slots)
    assert settled("demo", again, rules) == settled("demo", context, rules)


@given(routines)
def test_every_number_is_finite_and_every_slot_has_its_reason(context: RoutineContext) -> None:
    plan = planned(context)
    for slot in plan.slots:
        assert slot.reason.endswith(".")
        assert slot.reason_codes
        for target in slot.sets:
            numbers = (target.weight_kg, target.reps, target.duration_s)
            assert all(number is None or math.isfinite(number) for number in numbers)
            assert all(number is None or number >= 0 for number in numbers)


@given(slots())
def test_no_working_load_is_more_than_a_step_above_anything_done(slot: SlotContext) -> None:
    """Counted by hand for dumbbells: 5, 8 and 12.5 kg are all there is."""
    curl = slot.model_copy(update=CURL)
    done = [
        each.weight_kg
        for exposure in curl.exposures
        for each in exposure.sets
        if each.weight_kg is not None
    ]
    for before, after in zip(curl.planned_sets, planned(routine(curl)).slots[0].sets, strict=True):
        if after.weight_kg == before.weight_kg or after.weight_kg is None:
            continue
        assert after.weight_kg in {5.0, 8.0, 12.5} or after.weight_kg in done
        heaviest = max(done)
        above = [load for load in (5.0, 8.0, 12.5) if load > heaviest]
        assert after.weight_kg <= max([heaviest, *above[:1]])
