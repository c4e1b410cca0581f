import math
from typing import Any

import pytest

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.plan import Adjustment, Plan
from coach_agent.engine.limits.conditions import Circumstances
from coach_agent.planning.day_limits import Today
from coach_agent.planning.guardrails import Violation, violations
from tests.coach.builders import (
    BENCH,
    CURL,
    PULL_UP,
    changed_set,
    changed_slot,
    exposure,
    fixed,
    plan_for,
    profile,
    ranged,
    routine,
    slot,
)

WARMUP = {"set_type": "warmup", "weight_kg": 60, "reps": 5}
SETS = [WARMUP, *fixed(2, 100, 5)]
RANGE = [*ranged(2, 24, 8, 12), {"set_type": "dropset", "weight_kg": 16, "reps": 12}]

CONTEXT = routine(
    slot(BENCH, SETS, [exposure([(60, 5), (100, 5), (100, 5)], SETS)]),
    slot(CURL, RANGE, [exposure([(24, 12), (24, 12), (16, 12)], RANGE)]),
    slot({**CURL, "exercise_title": "Hammer Curl (Dumbbell)"}, fixed(1, 14, 10)),
    slot(PULL_UP, fixed(1, None, 8), [exposure([(None, 8)], fixed(1, None, 8))]),
)
BENCH_SLOT, CURL_SLOT, NEW_SLOT, PULL_UP_SLOT = range(4)


def found(
    plan: Plan, context: RoutineContext = CONTEXT
) -> list[tuple[str, int | None, int | None]]:
    return [
        (violation.code, violation.exercise_index, violation.set_index)
        for violation in violations(plan, context, profile())
    ]


def test_the_plan_of_the_engine_is_within_its_limits() -> None:
    assert violations(plan_for(CONTEXT), CONTEXT, profile()) == ()


@pytest.mark.parametrize(
    ("place", "values", "code"),
    [
        pytest.param((BENCH_SLOT, 1), {"weight_kg": 103.0}, "load_unavailable", id="no such load"),
        pytest.param((BENCH_SLOT, 1), {"weight_kg": 107.5}, "jump", id="three steps"),
        pytest.param((CURL_SLOT, 0), {"weight_kg": 28.0}, "jump", id="two dumbbells further"),
        pytest.param((BENCH_SLOT, 0), {"weight_kg": 105.0}, "jump", id="warm-up above the work"),
        pytest.param((BENCH_SLOT, 0), {"weight_kg": 61.0}, "load_unavailable", id="odd warm-up"),
        pytest.param((CURL_SLOT, 2), {"weight_kg": 15.0}, "load_unavailable", id="odd drop set"),
        pytest.param((NEW_SLOT, 0), {"weight_kg": 16.0}, "load_unfounded", id="never done"),
        pytest.param((PULL_UP_SLOT, 0), {"weight_kg": 5.0}, "load_unfounded", id="no load done"),
        pytest.param((CURL_SLOT, 0), {"reps": 13}, "reps", id="above the range"),
        pytest.param((CURL_SLOT, 0), {"reps": 7}, "reps", id="below the range"),
        pytest.param((CURL_SLOT, 2), {"reps": None}, "reps", id="a target taken away"),
        pytest.param((PULL_UP_SLOT, 0), {"reps": 0}, "reps", id="no repetition"),
        pytest.param((BENCH_SLOT, 1), {"weight_kg": math.nan}, "number", id="NaN"),
        pytest.param((BENCH_SLOT, 1), {"weight_kg": math.inf}, "number", id="infinite"),
        pytest.param((BENCH_SLOT, 1), {"weight_kg": -100.0}, "number", id="negative"),
        pytest.param((BENCH_SLOT, 1), {"duration_s": -1}, "number", id="negative time"),
    ],
)
def test_a_set_beyond_the_limits_is_found(
    place: tuple[int, int], values: dict[str, Any], code: str
) -> None:
    plan = changed_set(plan_for(CONTEXT), *place, values)
    assert (code, *place) in found(plan)


@pytest.mark.parametrize(
    "values",
    [{"set_type": "failure"}, {"rep_range_end": 15}, {"set_index": 7}, {"distance_m": 5}],
    ids=["type", "range", "index", "distance"],
)
def test_a_set_of_another_kind_breaks_the_structure(values: dict[str, Any]) -> None:
    assert found(changed_set(plan_for(CONTEXT), CURL_SLOT, 0, values)) == [
        ("structure", CURL_SLOT, None)
    ]


@pytest.mark.parametrize(
    "values",
    [{"sets": ()}, {"exercise_template_id": "x"}, {"superset_id": 1}, {"rest_s": 5}],
    ids=["sets", "exercise", "superset", "rest"],
)
def test_another_place_breaks_the_structure(values: dict[str, Any]) -> None:
    assert found(changed_slot(plan_for(CONTEXT), CURL_SLOT, **values)) == [
        ("structure", CURL_SLOT, None)
    ]


TOLD = (Adjustment(rule="coach_sets", text="One more."),)
PULL_UPS = routine(slot(PULL_UP, fixed(3, None, 8), [exposure([(None, 8)] * 3, fixed(3, None, 8))]))


def with_added(*changes: dict[str, Any], **values: Any) -> Plan:
    """The plan with further sets like the last one, changed so."""
    plan = plan_for(PULL_UPS)
    sets = plan.slots[0].sets
    added = (
        sets[-1].model_copy(update={"set_index": len(sets) + at, **change})
        for at, change in enumerate(changes)
    )
    kept = {"whole_sets": sets, "adjustments": TOLD}
    return changed_slot(plan, 0, **{**kept, "sets": (*sets, *added), **values})


def test_a_set_may_be_added_at_the_end_with_the_reason() -> None:
    assert found(with_added({}), PULL_UPS) == []
    assert found(with_added({"reps": 7}), PULL_UPS) == []


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(with_added({}, adjustments=()), id="without a reason"),
        pytest.param(with_added({}, whole_sets=()), id="without what is the routine's"),
        pytest.param(with_added({"weight_kg": 20.0}), id="with another load"),
        pytest.param(with_added({"set_type": "dropset"}), id="of another type"),
        pytest.param(with_added({"set_index": 7}), id="at another place"),
        pytest.param(with_added({"rep_range_start": 20}), id="with a range"),
        pytest.param(with_added({"reps": None}), id="without repetitions"),
        pytest.param(with_added({"distance_m": 100}), id="with a distance"),
    ],
)
def test_an_added_set_of_another_kind_breaks_the_structure(plan: Plan) -> None:
    assert ("structure", 0, None) in found(plan, PULL_UPS)


def test_more_than_a_fifth_and_a_set_are_too_many() -> None:
    assert found(with_added({}, {}), PULL_UPS) == [("sets", 0, None)]


def test_no_set_is_added_on_a_day_that_holds_back() -> None:
    tired = Today(Circumstances(readiness="low"))
    codes = {each.code for each in violations(with_added({}), PULL_UPS, profile(), tired)}
    assert "sets" in codes


def test_a_plan_for_another_routine_breaks_the_structure() -> None:
    plan = plan_for(CONTEXT)
    missing = plan.model_copy(update={"slots": plan.slots[:1]})
    other = plan.model_copy(update={"routine_id": "other"})
    assert found(missing) == found(other) == [("structure", None, None)]


@pytest.mark.parametrize("values", [{"reason": " "}, {"reason_codes": ()}], ids=["text", "codes"])
def test_an_exercise_without_a_reason_is_found(values: dict[str, Any]) -> None:
    plan = changed_slot(plan_for(CONTEXT), BENCH_SLOT, **values)
    assert found(plan) == [("reason", BENCH_SLOT, None)]


TYPED = routine(
    slot(
        BENCH,
        fixed(2, 87.5, 5),
        [
            exposure([(860, 5)] * 2, fixed(2, 87.5, 5), days_ago=1),
            exposure([(85, 5)] * 2, fixed(2, 85, 5), days_ago=4),
        ],
    )
)
PLANNED_JUMP = routine(
    slot(
        CURL,
        fixed(1, 4, 10),
        [
            exposure([(4, 20)], fixed(1, 4, 10), days_ago=1),
            *(exposure([(2, 10)], fixed(1, 2, 10), days_ago=day) for day in (4, 7, 9)),
        ],
    )
)


@pytest.mark.parametrize(("load_kg", "is_found"), [(90.0, False), (92.5, True), (325.0, True)])
def test_a_load_on_what_looks_like_a_typing_error_is_found(load_kg: float, is_found: bool) -> None:
    """85 kg is the best other load: with the jump cap 89.25 kg, and one step more is 90 kg."""
    plan = changed_set(plan_for(TYPED), 0, 0, {"weight_kg": load_kg})
    assert (("suspected_typo", 0, 0) in found(plan, TYPED)) is is_found


def test_an_error_that_was_typed_twice_is_no_foundation_either() -> None:
    """575 kg are not far above 550, but both are above what all other days had."""
    history = [
        exposure([(kg, 5)], days_ago=1 + 3 * place)
        for place, kg in enumerate((575, 550, 57.5, 57.5))
    ]
    context = routine(slot(BENCH, fixed(1, 60, 5), history))
    plan = plan_for(context)
    assert found(plan, context) == []
    for load_kg, is_found in ((62.5, False), (65.0, True)):
        typed = changed_set(plan, 0, 0, {"weight_kg": load_kg})
        assert (("suspected_typo", 0, 0) in found(typed, context)) is is_found


def test_a_load_of_sets_that_were_done_on_the_day_of_an_error_alone_is_unfounded() -> None:
    history = [exposure([(60, 8)], days_ago=1), exposure([(60, 8), (600, 5)], days_ago=4)]
    context = routine(slot(BENCH, [*fixed(1, 60, 8), *fixed(1, 60, 5)], history))
    plan = plan_for(context)
    assert found(plan, context) == []
    assert ("load_unfounded", 0, 1) in found(changed_set(plan, 0, 1, {"weight_kg": 325.0}), context)


def test_a_load_far_above_the_others_that_was_planned_so_is_none() -> None:
    plan = plan_for(PLANNED_JUMP)
    assert plan.slots[0].sets[0].weight_kg == 5
    assert found(plan, PLANNED_JUMP) == []


def test_a_set_that_is_doubted_is_no_witness_of_another() -> None:
    """57.5 kg are far from 8 kg, but these are what the marts doubt."""
    older = exposure([(8, 4)], days_ago=4)
    doubted = older.sets[0].model_copy(update={"is_typo_suspect": True})
    history = [
        exposure([(57.5, 4)], days_ago=1),
        older.model_copy(update={"sets": (doubted,)}),
    ]
    context = routine(slot(BENCH, fixed(1, None, 4), history))
    plan = plan_for(context)
    assert plan.slots[0].sets[0].weight_kg == 60
    assert found(plan, context) == []


def test_a_load_that_was_usual_lately_rests_on_no_typing_error() -> None:
    """100 kg are far from 40, but of the five before three had 180, which the marts doubt."""
    doubted = [exposure([(180, 8)], days_ago=days) for days in (10, 13, 16)]
    doubted = [
        each.model_copy(
            update={"sets": (each.sets[0].model_copy(update={"is_typo_suspect": True}),)}
        )
        for each in doubted
    ]
    usual = [exposure([(40, 12)], days_ago=days) for days in (4, 7)]
    history = [exposure([(100, 11)], days_ago=1), *usual, *doubted]
    context = routine(slot(BENCH, fixed(1, 100, 11), history))
    plan = plan_for(context)
    assert plan.slots[0].sets[0].weight_kg == 100
    assert found(plan, context) == []
    alone = routine(slot(BENCH, fixed(1, 100, 11), history[:4]))
    assert ("suspected_typo", 0, 0) in found(changed_set(plan, 0, 0, {"weight_kg": 102.5}), alone)


def test_a_missed_load_near_the_plan_of_the_time_before_is_no_typing_error() -> None:
    """One day with 8 kg and no repetitions makes 57.5 kg look far off; 60 kg was lifted before."""
    history = [
        exposure([(57.5, 0)], days_ago=1),
        exposure([(60, 4)], fixed(1, 57.5, 4), days_ago=2),
        exposure([(8, None)], days_ago=3),
    ]
    context = routine(slot(BENCH, ranged(1, None, 4, 6), history))
    plan = plan_for(context)
    assert "suspected_typo" not in plan.slots[0].reason_codes
    assert found(plan, context) == []


def test_a_load_of_the_routine_that_no_history_decides_rests_on_no_typing_error() -> None:
    """Last trained too long before other work to count; lighter loads may pass."""
    other = exposure([(15, 12)], fixed(2, 15, 12), days_ago=1)
    history = [other, exposure([(20, 5)], days_ago=18), exposure([(8, 5)], days_ago=19)]
    context = routine(slot(BENCH, fixed(2, 57.5, 5), history))
    plan = plan_for(context)
    assert plan.slots[0].reason_codes == ("target_changed",)
    assert found(changed_set(plan, 0, 0, {"weight_kg": 50.0}), context) == []
    assert ("load_unfounded", 0, 0) in found(changed_set(plan, 0, 0, {"weight_kg": 60.0}), context)


def test_loads_are_counted_from_any_that_was_done_or_planned() -> None:
    """90 % of 8 kg are 7.5 kg in the steps of 57.5 and 60 kg; 8 kg itself would leave 6."""
    own = {**CURL, "equipment": "other", "exercise_title": "Ball Slams"}
    targets = [*fixed(2, 8, 5), *fixed(2, 57.5, 5)]
    history = [exposure([(57.5, 5), (57.5, 5), (60, 5), (60, 5)])]
    context = routine(slot(own, targets, history))
    plan = plan_for(context)
    lighter = changed_set(plan, 0, 0, {"weight_kg": 7.5})
    assert ("load_unavailable", 0, 0) not in found(lighter, context)
    between = changed_set(plan, 0, 0, {"weight_kg": 6.7})
    assert ("load_unavailable", 0, 0) in found(between, context)


def test_what_the_routine_shows_already_is_the_athletes_own() -> None:
    """A routine may hold loads of another gym: only what a plan changes is the plan's fault."""
    assert found(changed_set(plan_for(CONTEXT), BENCH_SLOT, 1, {"weight_kg": 100.0})) == []
    odd = routine(slot(CURL, fixed(1, 13.37, 10)))
    assert found(plan_for(odd), odd) == []


def test_a_violation_reads_as_a_sentence() -> None:
    plan = changed_set(plan_for(CONTEXT), BENCH_SLOT, 1, {"weight_kg": 107.5})
    assert violations(plan, CONTEXT, profile()) == (
        Violation(
            "jump",
            "Exercise 1, Bench Press (Barbell), set 2: "
            "107.5 kg is more than one step above 100 kg.",
            BENCH_SLOT,
            1,
        ),
    )


WEEK = [{"weight_kg": kg, "reps": 5} for kg in (65, 75, 85)]
PROGRAMMES = profile(
    exercises={
        BENCH["exercise_title"]: {"model": "training_max"},
        CURL["exercise_title"]: {"model": "stages", "stages": ["2x5", "3x3"]},
    }
)
IN_PROGRAMMES = routine(
    slot(BENCH, WEEK[:2], [exposure([(65, 5), (75, 5), (85, 5)], WEEK)]),
    slot(
        CURL,
        [WARMUP, *fixed(2, 24, 5), {"set_type": "dropset", "weight_kg": 16, "reps": 12}],
        [exposure([(24, 5), (24, 4)], fixed(2, 24, 5))],
    ),
)


def found_in_programmes(plan: Plan) -> list[tuple[str, int | None, int | None]]:
    return [
        (violation.code, violation.exercise_index, violation.set_index)
        for violation in violations(plan, IN_PROGRAMMES, PROGRAMMES)
    ]


def programme_plan() -> Plan:
    titles = (each.exercise_title for each in IN_PROGRAMMES.slots)
    return plan_for(IN_PROGRAMMES, PROGRAMMES.rules_for(titles))


def test_a_programme_says_how_many_working_sets_there_are() -> None:
    plan = programme_plan()
    assert [len(each.sets) for each in plan.slots] == [3, 5]
    assert found_in_programmes(plan) == []
    without_warmup = changed_slot(plan, 1, sets=plan.slots[1].sets[1:])
    assert found_in_programmes(without_warmup) == [("structure", 1, None)]


@pytest.mark.parametrize(
    ("place", "values", "code"),
    [
        pytest.param((0, 2), {"weight_kg": 97.5}, "jump", id="more than five reps look possible"),
        pytest.param((0, 2), {"weight_kg": 88.0}, "load_unavailable", id="no such load"),
        pytest.param((1, 3), {"weight_kg": 28.0}, "jump", id="two dumbbells further"),
        pytest.param((1, 3), {"reps": 0}, "reps", id="no repetition in a set that is new"),
    ],
)
def test_the_sets_of_a_programme_have_their_limits(
    place: tuple[int, int], values: dict[str, Any], code: str
) -> None:
    changed = changed_set(programme_plan(), *place, values)
    assert (code, *place) in found_in_programmes(changed)


def test_a_kept_load_that_a_break_reduces_is_no_jump() -> None:
    """The engine keeps the 57.5 kg of the routine, so 50 kg is a reduction."""
    context = routine(slot(BENCH, fixed(1, 57.5, 5), [exposure([(20, 5)], days_ago=80)]))
    plan = changed_set(plan_for(context), 0, 0, {"weight_kg": 50.0})
    assert ("jump", 0, 0) in found(plan, context)
    kept = changed_slot(plan, 0, rule="keep")
    assert ("jump", 0, 0) not in found(kept, context)
    raised = changed_set(kept, 0, 0, {"weight_kg": 60.0})
    assert ("jump", 0, 0) in found(raised, context)


def test_a_load_of_several_sets_on_an_earlier_day_is_no_typing_error() -> None:
    """A routine without loads was refused after one set at a load that had been done before."""
    days = ([(24, 12)], [(24, 12)] * 3, [(12, 16), (12, 10), (12, 10)], [(10, 20)] * 3)
    done = [exposure(sets, days_ago=3 + 20 * place) for place, sets in enumerate(days)]
    context = routine(slot(CURL, ranged(2, None, 6, 10), done))
    plan = plan_for(context)
    assert [each.weight_kg for each in plan.slots[0].sets] == [24, 24]
    assert found(plan, context) == []
    once = [done[0], *done[2:]]
    doubted = routine(slot(CURL, ranged(2, None, 6, 10), once))
    assert ("suspected_typo", 0, 0) in found(plan, doubted)
