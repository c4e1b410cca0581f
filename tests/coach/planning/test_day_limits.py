"""Guardrails enforce the day's limits from check-ins, independent of the plan's author."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.pain import Level, Pain
from coach_agent.domain.plan import Plan
from coach_agent.engine.engine import build_input, prescribe
from coach_agent.engine.limits.conditions import Circumstances
from coach_agent.engine.models.block_history import history
from coach_agent.engine.models.select import LOAD_MODELS, SCHEME_MODELS
from coach_agent.planning.day_limits import Today
from coach_agent.planning.guardrails import violations
from coach_agent.profile.model import AthleteProfile, Rules
from tests.coach.builders import (
    BENCH,
    CURL,
    PLANK,
    PULL_UP,
    changed_set,
    changed_slot,
    exposure,
    fixed,
    profile,
    ranged,
    routine,
    slot,
    timed_exposure,
)
from tests.coach.random_training import ATHLETE, routines
from tests.profiles import examples

DIP = {**PULL_UP, "exercise_type": "bodyweight_weighted", "exercise_title": "Dip"}
FIVES, RANGE, DIPS = fixed(3, 100, 5), ranged(2, 24, 8, 12), fixed(1, 10, 5)
NEW = {**CURL, "exercise_title": "Hammer Curl (Dumbbell)"}
CONTEXT = routine(
    slot(BENCH, FIVES, [exposure([(100, 5)] * 3, FIVES)]),
    slot(CURL, RANGE, [exposure([(24, 10), (24, 9)], RANGE)]),
    slot(PULL_UP, ranged(1, None, 8, 12), [exposure([(None, 9)], ranged(1, None, 8, 12))]),
    slot(PLANK, [{"duration_s": 60}], [timed_exposure([60], [60])]),
    slot(DIP, DIPS, [exposure([(10, 5)], DIPS)]),
    slot(NEW, fixed(1, 12, 10), [exposure([(10, 5)], fixed(1, 10, 5), days_ago=40)]),
)
BENCH_SLOT, CURL_SLOT, PULL_UP_SLOT, PLANK_SLOT, DIP_SLOT, NEW_SLOT = range(6)


def day(**values: Any) -> Today:
    return Today(Circumstances.model_validate(values))


def hurts(*parts: str, level: Level = "moderate") -> Today:
    return day(pains=tuple(Pain(part=part, level=level) for part in parts))


HELD = {
    "pain": hurts("shoulder", "elbow", "abdomen"),
    "low": day(readiness="low"),
    "very low": day(readiness="very_low"),
    "deload": day(deload="asked"),
    "deload of each": day(deloaded_titles=tuple(slot.exercise_title for slot in CONTEXT.slots)),
    "taper": day(is_taper=True),
}


def plan_on(today: Today, context: RoutineContext = CONTEXT, given: Rules | None = None) -> Plan:
    return prescribe(build_input("demo", context, given or Rules(), today.circumstances))


def found(
    plan: Plan,
    today: Today,
    context: RoutineContext = CONTEXT,
    athlete: AthleteProfile | None = None,
) -> list[tuple[str, int | None, int | None]]:
    return [
        (each.code, each.exercise_index, each.set_index)
        for each in violations(plan, context, athlete or profile(), today)
    ]


@pytest.mark.parametrize("today", HELD.values(), ids=HELD)
def test_the_plan_of_the_engine_is_within_the_days_limits(today: Today) -> None:
    assert found(plan_on(today), today) == []


@pytest.mark.parametrize("today", HELD.values(), ids=HELD)
@pytest.mark.parametrize(
    ("slot_index", "more"),
    [
        (BENCH_SLOT, {"weight_kg": 102.5}),
        (BENCH_SLOT, {"weight_kg": 100.0, "reps": 6}),
        (CURL_SLOT, {"weight_kg": 26.0}),
        (CURL_SLOT, {"weight_kg": 24.0, "reps": 11}),
        (PULL_UP_SLOT, {"reps": 10}),
        (PLANK_SLOT, {"duration_s": 65}),
        (DIP_SLOT, {"weight_kg": 12.5}),
        (NEW_SLOT, {"weight_kg": 12.0}),
    ],
    ids=["load", "reps", "dumbbell", "in range", "body", "time", "belt", "other target"],
)
def test_more_than_was_done_last_is_found(
    today: Today, slot_index: int, more: dict[str, Any]
) -> None:
    """Each of these is a legal step on a day on which nothing holds it back."""
    plan = changed_set(plan_on(today), slot_index, 0, more)
    assert ("increase", slot_index, 0) in found(plan, today)
    free = changed_set(plan_on(day()), slot_index, 0, more)
    assert "increase" not in {code for code, *_ in found(free, day())}


def test_with_what_a_time_is_held_is_the_routines_own() -> None:
    sets = [{"weight_kg": 8, "duration_s": 30}]
    context = routine(slot(DIP, sets, [timed_exposure([30], [30])]))
    today = HELD["low"]
    plan = plan_on(today, context)
    assert plan.slots[0].sets[0].weight_kg == 8
    assert found(plan, today, context) == []


def test_pain_elsewhere_and_mild_pain_hold_nothing() -> None:
    for today in (hurts("knee"), hurts("shoulder", level="mild")):
        assert plan_on(today).slots[BENCH_SLOT].sets[0].weight_kg == 102.5
        assert found(plan_on(today), today) == []


def test_a_violation_of_the_day_reads_as_a_sentence() -> None:
    today = hurts("left shoulder")
    (one,) = violations(
        changed_set(plan_on(today), BENCH_SLOT, 1, {"weight_kg": 102.5}), CONTEXT, profile(), today
    )
    assert one.message == (
        "Exercise 1, Bench Press (Barbell), set 2: 102.5 kg are more than was done last, and "
        "nothing goes up today."
    )


def test_what_hurts_severely_and_what_is_avoided_has_no_sets() -> None:
    for code, today in (
        ("pain", hurts("chest", level="severe")),
        ("avoided", day(avoided_titles=("bench  press (barbell)",))),
    ):
        plan = plan_on(today)
        assert plan.slots[BENCH_SLOT].sets == ()
        assert found(plan, today) == []
        back = changed_slot(plan, BENCH_SLOT, sets=plan.slots[BENCH_SLOT].whole_sets)
        assert (code, BENCH_SLOT, None) in found(back, today)


@pytest.mark.parametrize(
    ("name", "most"), [("low", 2), ("very low", 2), ("deload", 2), ("taper", 2)]
)
def test_more_sets_than_the_day_leaves_are_found(name: str, most: int) -> None:
    """Of three: one fewer, half of them rounded up, 55 % rounded up."""
    today = HELD[name]
    plan = plan_on(today)
    assert len(plan.slots[BENCH_SLOT].sets) == most
    whole = changed_slot(plan, BENCH_SLOT, sets=plan.slots[BENCH_SLOT].structure)
    assert ("sets", BENCH_SLOT, None) in found(whole, today)


def test_the_cap_of_the_effort_is_kept_where_an_effort_is_noted() -> None:
    """Low readiness: 7.5; a deload with four repetitions to spare: 6."""
    context = routine(slot(BENCH, FIVES, [exposure([(100, 5, 8)] * 3, FIVES)]))
    for today, cap in ((HELD["low"], 7.5), (HELD["deload"], 6)):
        plan = plan_on(today, context)
        assert plan.slots[0].rpe_cap == cap
        assert found(plan, today, context) == []
        for harder in (None, 8.0):
            loosened = changed_slot(plan, 0, rpe_cap=harder)
            assert found(loosened, today, context) == [("rpe_cap", 0, None)]


WEEK = [{"weight_kg": kg, "reps": 5} for kg in (65, 75, 85)]
WAVE = profile(exercises={BENCH["exercise_title"]: {"model": "training_max"}})


def with_bench_sets(count: int, context: RoutineContext) -> Plan:
    plan = plan_on(day(), context, WAVE.rules_for([BENCH["exercise_title"]]))
    first = plan.slots[0].sets[0]
    sets = tuple(first.model_copy(update={"set_index": at}) for at in range(count))
    return changed_slot(plan, 0, sets=sets)


def test_a_programme_has_no_more_sets_than_it_says_nor_the_week_than_its_limit() -> None:
    """31 sets for the chest; the fullest week before had 10, a fifth more are 12."""
    context = routine(
        slot(BENCH, WEEK, [exposure([(65, 5), (75, 5), (85, 5)], WEEK)]), title="Upper A"
    )
    today = Today(weeks={"chest": [8.0, 10.0]}, this_week={"chest": 2.0})
    many = with_bench_sets(31, context)
    assert found(many, today, context, WAVE) == [("structure", 0, None), ("volume", None, None)]
    (*_, last) = violations(many, context, WAVE, today)
    assert last.message == (
        "Chest: 33 sets this week are more than 12, which is 20 % or a set above the fullest week "
        "before."
    )
    as_it_says = with_bench_sets(3, context)
    full = Today(weeks={"chest": [8.0, 10.0]}, this_week={"chest": 30.0})
    assert "volume" not in {code for code, *_ in found(as_it_says, full, context, WAVE)}
    unknown = Today(this_week={"chest": 30.0})
    assert "volume" not in {code for code, *_ in found(many, unknown, context, WAVE)}


def test_helping_muscles_count_half() -> None:
    """Ten sets more of the bench are five more for the triceps."""
    bench = {**BENCH, "secondary_muscle_groups": ("triceps",)}
    context = routine(slot(bench, WEEK, [exposure([(65, 5), (75, 5), (85, 5)], WEEK)]))
    today = Today(weeks={"triceps": [5.0]}, this_week={})
    assert ("volume", None, None) in found(with_bench_sets(13, context), today, context, WAVE)
    assert ("volume", None, None) not in found(with_bench_sets(12, context), today, context, WAVE)


@examples(200, derandomize=True)
@given(routines(), st.sampled_from(sorted(set(HELD) - {"pain", "deload of each"})))
def test_a_plan_that_goes_up_against_the_day_is_always_found(
    context: RoutineContext, name: str
) -> None:
    """Each set that is decided by a load or by repetitions: a kilogram or a repetition more."""
    today = HELD[name]
    rules = ATHLETE.rules_for(slot.exercise_title for slot in context.slots)
    given_input = build_input("demo", context, rules, today.circumstances)
    plan = prescribe(given_input)
    assert found(plan, today, context, ATHLETE) == []
    for at, (prescribed, shaped) in enumerate(zip(plan.slots, given_input.slots, strict=True)):
        answers = {
            index: (block, answer, attempts[0].loads)
            for block in shaped.blocks
            if block.model not in {*SCHEME_MODELS, "keep", "timed", "distance"}
            and (attempts := history(shaped, shaped.sets, block).attempts)
            for index, answer in zip(block.set_indexes, attempts[0].answers, strict=True)
        }
        for place, target in enumerate(prescribed.sets):
            block, answer, loads = answers.get(target.set_index, (None, None, ()))
            if block is None or answer is None or shaped.exercise_type == "bodyweight_assisted":
                continue
            more: dict[str, Any] = {"reps": max(block.target.low or 1, answer.reps or 1) + 1}
            if target.weight_kg is not None and block.model in LOAD_MODELS:
                more = {"weight_kg": loads[-1] + 1}
            broken = changed_set(plan, at, place, more)
            assert ("increase", at, target.set_index) in found(broken, today, context, ATHLETE)


def test_sets_kept_as_the_routine_has_them_are_compared_with_all_lifted_loads() -> None:
    """The routine asks for 6 of a range from 5; the 3 done last are no limit for kept sets.

    The whole exercise of a plan has them unchanged.
    """
    six = [{"weight_kg": 100, "reps": 6, "rep_range_start": 5, "rep_range_end": 8}] * 2
    context = routine(slot(BENCH, six, [exposure([(100, 3)] * 2, six)]))
    today = day(readiness="low")
    same = changed_slot(plan_on(today, context), 0, sets=context.slots[0].planned_sets[:1])
    assert found(same, today, context) == [("increase", 0, 0)]
    assert found(changed_slot(same, 0, rule="keep"), today, context) == [("increase", 0, 0)]
    kept = changed_slot(same, 0, rule="keep", whole_sets=context.slots[0].planned_sets)
    assert found(kept, today, context) == []
    heavier = changed_set(kept, 0, 0, {"weight_kg": 102.5})
    assert ("increase", 0, 0) in found(heavier, today, context)
    more = changed_set(kept, 0, 0, {"reps": 7})
    assert ("increase", 0, 0) in found(more, today, context)


def test_a_lighter_set_with_more_repetitions_than_the_routine_is_an_increase() -> None:
    """The first set is kept, because its target is new; the others follow their last attempt."""
    new = [*fixed(1, 100, 3), *fixed(2, 80, 5)]
    then = [*fixed(1, 95, 8), *fixed(2, 77.5, 5)]
    done = exposure([(95, 8), (77.5, 5), (77.5, 5)], then, days_ago=2)
    context, today = routine(slot(BENCH, new, [done])), day(readiness="low")
    plan = plan_on(today, context)
    assert found(plan, today, context) == []
    more = changed_set(plan, 0, 1, {"weight_kg": 77.5, "reps": 12})
    assert ("increase", 0, 1) in found(more, today, context)
