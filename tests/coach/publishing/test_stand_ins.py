"""A substitute exercise for a day, in an account with edits by its owner."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.plan import Plan, SlotPrescription
from coach_agent.publishing.new_routine import OwnRoutine
from coach_agent.publishing.rollback import RollbackError
from coach_agent.publishing.routine_changes import merge_plan
from coach_agent.situation.baseline import restore_routine
from hevy_connector.schemas import JsonObject, Routine, RoutineWrite
from tests.coach.publishing.test_publisher import without_times
from tests.coach.publishing_world import BENCH, NOW, ROW, World, exercise, planned

INCLINE = "3BC06AD3"
BENCH_TITLE = "Bench Press (Barbell)"
NOTE = "Chest as ever."
NO_SUPERSET: JsonObject = {
    "title": "Push",
    "notes": "mine",
    "exercises": [
        exercise(BENCH, [planned(100, 5)] * 3, rest_seconds=180, notes="narrow grip"),
        exercise(ROW, [planned(60, 10)] * 2, rest_seconds=90, notes="strict"),
    ],
}


@pytest.fixture
def world() -> Iterator[World]:
    found = World(NO_SUPERSET)
    yield found
    found.close()


def exchange(plan: Plan) -> Plan:
    """The same plan with another exercise for the first one, as a model's choice has it."""
    first, *others = plan.slots
    left = first.model_copy(
        update={
            "sets": (),
            "whole_sets": first.structure,
            "notes": "narrow grip",
            "rest_s": 180,
        }
    )
    stand_in = first.model_copy(
        update={
            "exercise_template_id": INCLINE,
            "exercise_title": "Incline Bench Press",
            "exercise_index": 1,
            "moved_from": 0,
            "replaces": first.place,
            "types_in_hevy": (),
            "rest_s": 180,
            "note": NOTE,
            "notes": None,
        }
    )
    moved = [
        each.model_copy(
            update={"exercise_index": each.exercise_index + 1, "moved_from": each.exercise_index}
        )
        for each in others
    ]
    return plan.model_copy(update={"slots": (left, stand_in, *moved)})


def templates(routine: JsonObject) -> list[str]:
    return [each["exercise_template_id"] for each in routine["exercises"]]


def at(place: int, **fields: Any) -> Callable[[JsonObject], object]:
    return lambda routine: routine["exercises"][place].update(fields)


def swapped(routine: JsonObject) -> object:
    return routine["exercises"].reverse()


def heavier_set(routine: JsonObject) -> object:
    return routine["exercises"][0]["sets"][0].update({"weight_kg": 80.0})


def fewer_sets(routine: JsonObject) -> object:
    return routine["exercises"][0]["sets"].pop()


def in_superset(routine: JsonObject) -> object:
    return [each.update({"superset_id": 1}) for each in routine["exercises"]]


def twice(routine: JsonObject) -> object:
    """As the athlete wants it, before the one of the plan."""
    return routine["exercises"].insert(0, exercise(INCLINE, [planned(40, 5)] * 3, rest_seconds=180))


def nothing(routine: JsonObject) -> object:
    return routine


def known_after(world: World, plan: Plan) -> RoutineContext:
    """Return the coach's input for the routine the next night, if it held this plan."""
    routine = Routine.model_validate(world.now_in_hevy())
    content = RoutineWrite.from_read(routine)
    slots = [
        SlotContext(
            exercise_index=index,
            occurrence=1
            + sum(
                other.exercise_template_id == each.exercise_template_id
                for other in content.exercises[:index]
            ),
            exercise_template_id=each.exercise_template_id,
            exercise_title=each.exercise_template_id,
            superset_id=each.superset_id,
            rest_s=each.rest_seconds,
            notes=each.notes,
            planned_sets=[
                {
                    "set_index": number,
                    "set_type": one.type,
                    "weight_kg": one.weight_kg,
                    "reps": one.reps,
                }
                for number, one in enumerate(each.sets)
            ],
        )
        for index, each in enumerate(content.exercises)
    ]
    context = RoutineContext(
        routine_id=plan.routine_id, title=plan.routine_title, sha256="", slots=tuple(slots)
    )
    return restore_routine(context, [plan])


def next_plan(context: RoutineContext, plan: Plan) -> Plan:
    """The plan that has every exercise of the restored routine as it is."""
    slots = tuple(
        SlotPrescription(
            **dict(slot.place),
            rule="hold",
            reason_codes=("hold",),
            reason="As it is.",
            sets=slot.planned_sets,
            types_in_hevy=slot.types_in_hevy,
            notes=slot.notes if slot.types_in_hevy == () else None,
        )
        for slot in context.slots
    )
    return plan.model_copy(update={"slots": slots, "takes_out": context.stand_ins})


def test_it_is_written_in_its_place_and_taken_back(world: World) -> None:
    done = world.publish(plan=exchange(world.plan))
    assert done.state == "published"
    now = world.now_in_hevy()
    assert templates(now) == [INCLINE, ROW]
    assert (now["exercises"][0]["rest_seconds"], now["exercises"][0]["notes"]) == (
        180,
        f"[Spotter: {NOTE}]",
    )
    assert world.publisher().roll_back(done, "kg", is_dry_run=False).state == "published"
    assert without_times(world.now_in_hevy()) == without_times(world.before)


def test_it_waits_for_the_athletes_word_with_what_comes_and_what_goes(world: World) -> None:
    done = world.publish("approve", plan=exchange(world.plan))
    assert (done.state, world.puts()) == ("waiting", [])
    changes = {
        (each.exercise_title, each.before is None, each.after is None)
        for each in done.changes
        if each.field == "set"
    }
    assert changes == {("Incline Bench Press", True, False), (BENCH_TITLE, False, True)}


def test_beside_the_own_routine_it_stands_in_the_new_one_alone(world: World) -> None:
    plan = exchange(world.plan)
    done = world.publisher(world.hevy).publish(
        "plan_new", plan, "auto", world.before, own=OwnRoutine(NOW.date(), 2)
    )
    assert done.state == "published"
    assert done.written_routine_id is not None
    assert templates(world.hevy.routine(done.written_routine_id).payload) == [INCLINE, ROW]
    assert world.now_in_hevy() == world.before


@pytest.mark.parametrize(
    ("edit", "is_kept"),
    [
        (nothing, False),
        (heavier_set, False),
        (swapped, False),
        (at(1, notes="my row"), False),
        (fewer_sets, True),
        (at(0, notes=f"left bench\n[Spotter: {NOTE}]"), True),
        (at(0, rest_seconds=60), True),
        (in_superset, True),
    ],
    ids=["nothing", "load", "order", "another's note", "sets", "note", "rest", "superset"],
)
def test_the_own_exercise_returns_and_what_the_athlete_made_of_the_other_stays(
    world: World, edit: Callable[[JsonObject], object], is_kept: bool
) -> None:
    """Loads and repetitions are what the app takes over from a workout, and mean nothing."""
    exchanged = exchange(world.plan)
    world.publish(plan=exchanged)
    before = world.edit(edit)
    later = known_after(world, exchanged)
    assert [each.exercise_template_id for each in later.stand_ins] == ([] if is_kept else [INCLINE])
    done = world.publish(plan=next_plan(later, exchanged), plan_id="plan_next", known=before)
    assert done.state == "published"
    now = world.now_in_hevy()
    by_template = dict(zip(templates(now), now["exercises"], strict=True))
    assert set(by_template) == ({BENCH, INCLINE, ROW} if is_kept else {BENCH, ROW})
    bench = by_template[BENCH]
    assert (bench["rest_seconds"], bench["notes"]) == (180, "narrow grip")
    assert [(each["weight_kg"], each["reps"]) for each in bench["sets"]] == [(102.5, 5)] * 3
    # Other edits of the athlete are unchanged.
    kept = [INCLINE, ROW] if is_kept else [ROW]
    were = dict(zip(templates(before), before["exercises"], strict=True))
    for template in kept:
        for field in ("rest_seconds", "superset_id", "supersets_id", "sets"):
            assert by_template[template].get(field) == were[template].get(field)
        # Our line of a note goes with the plan that wrote it.
        own = (were[template]["notes"] or "").replace(f"[Spotter: {NOTE}]", "").strip()
        assert (by_template[template]["notes"] or "") == own
    if edit is not swapped:
        assert templates(now)[0] == BENCH


def test_one_that_the_athlete_put_in_beside_it_is_not_taken_for_it(world: World) -> None:
    exchanged = exchange(world.plan)
    world.publish(plan=exchanged)
    world.edit(twice)
    later = known_after(world, exchanged)
    assert later.stand_ins == ()
    assert [each.exercise_template_id for each in later.slots] == [BENCH, INCLINE, INCLINE, ROW]


def test_the_same_exercise_may_stand_in_again(world: World) -> None:
    exchanged = exchange(world.plan)
    world.publish(plan=exchanged)
    before = world.now_in_hevy()
    later = known_after(world, exchanged)
    again = exchanged.model_copy(update={"takes_out": later.stand_ins})
    done = world.publish(plan=again, plan_id="plan_again", known=before)
    assert done.state == "unchanged"
    first, second, *others = again.slots
    lighter = tuple(each.model_copy(update={"weight_kg": 90.0}) for each in second.sets)
    other = second.model_copy(update={"sets": lighter, "note": "Lighter."})
    changed = again.model_copy(update={"slots": (first, other, *others)})
    done = world.publish(plan=changed, plan_id="plan_lighter", known=before)
    assert done.state == "published"
    now = world.now_in_hevy()
    assert templates(now) == [INCLINE, ROW]
    assert now["exercises"][0]["notes"] == "[Spotter: Lighter.]"
    assert {each["weight_kg"] for each in now["exercises"][0]["sets"]} == {90.0}


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (heavier_set, "Exercise 1 was edited"),
        (at(0, notes="wide grip"), "Exercise 1 was edited"),
        (at(0, rest_seconds=60), "Exercise 1 was edited"),
        (in_superset, "Exercise 1 was edited"),
        (
            lambda routine: routine["exercises"].append(exercise(INCLINE, [planned(50, 8)])),
            "was added already",
        ),
        (lambda routine: routine["exercises"].pop(0), "was removed"),
    ],
    ids=["load", "note", "rest", "superset", "added itself", "removed"],
)
def test_an_edit_of_the_exercise_before_it_is_exchanged_is_a_conflict(
    world: World, edit: Callable[[JsonObject], object], told: str
) -> None:
    edited = world.edit(edit)
    done = world.publish(plan=exchange(world.plan))
    assert (done.state, world.puts()) == ("conflict", [])
    assert told in done.detail
    assert world.now_in_hevy() == edited


@pytest.mark.parametrize(
    "edit", [swapped, at(1, notes="my row"), at(1, rest_seconds=45)], ids=["order", "note", "rest"]
)
def test_edits_of_other_exercises_stay_beside_the_exchange(
    world: World, edit: Callable[[JsonObject], object]
) -> None:
    edited = world.edit(edit)
    assert world.publish(plan=exchange(world.plan)).state == "published"
    now = world.now_in_hevy()
    assert set(templates(now)) == {INCLINE, ROW}
    (row,) = [each for each in now["exercises"] if each["exercise_template_id"] == ROW]
    (was,) = [each for each in edited["exercises"] if each["exercise_template_id"] == ROW]
    assert (row["notes"], row["rest_seconds"]) == (was["notes"], was["rest_seconds"])


@pytest.mark.parametrize(
    "edit", [heavier_set, at(0, notes="mine"), at(0, rest_seconds=60)], ids=["load", "note", "rest"]
)
def test_an_edited_stand_in_is_neither_taken_out_unseen_nor_rolled_back(
    world: World, edit: Callable[[JsonObject], object]
) -> None:
    exchanged = exchange(world.plan)
    done = world.publish(plan=exchanged)
    before = world.now_in_hevy()
    later = next_plan(known_after(world, exchanged), exchanged)
    edited = world.edit(edit)
    writes = len(world.puts())
    late = world.publish(plan=later, plan_id="plan_next", known=before)
    assert late.state == "conflict"
    with pytest.raises(RollbackError, match="was edited"):
        world.publisher().roll_back(done, "kg", is_dry_run=False)
    assert (world.now_in_hevy(), len(world.puts())) == (edited, writes)


def test_a_stand_in_that_the_athlete_removed_is_not_missed(world: World) -> None:
    exchanged = exchange(world.plan)
    world.publish(plan=exchanged)
    before = world.edit(lambda routine: routine["exercises"].pop(0))
    later = known_after(world, exchanged)
    assert later.stand_ins == ()
    done = world.publish(plan=next_plan(later, exchanged), plan_id="plan_next", known=before)
    assert done.state == "published"
    assert templates(world.now_in_hevy()) == [BENCH, ROW]


def test_merging_knows_an_exercise_that_is_exchanged_and_moved_by_its_old_place(
    world: World,
) -> None:
    plan = exchange(world.plan)
    left, stand_in, row = plan.slots
    moved = plan.model_copy(
        update={
            "slots": (
                row.model_copy(update={"exercise_index": 0}),
                left.model_copy(update={"exercise_index": 1, "moved_from": 0}),
                stand_in.model_copy(update={"exercise_index": 2}),
            )
        }
    )
    current = RoutineWrite.from_read(Routine.model_validate(world.before))
    assert [each.exercise_template_id for each in merge_plan(current, moved).exercises] == [
        ROW,
        INCLINE,
    ]
