"""What a plan changes in a routine: its targets, and nothing else of it."""

from dataclasses import dataclass
from typing import Any

from coach_agent.plan import Plan, SlotPrescription
from hevy_connector.schemas import Routine, RoutineExerciseWrite, RoutineSetWrite, RoutineWrite

# Hevy stores kilograms as floats, pounds converted; closer than this is the same load.
LOAD_TOLERANCE_KG = 0.01


@dataclass(frozen=True)
class Change:
    """One field of one set that differs between the routine and the plan. Loads are kg."""

    exercise_index: int
    exercise_title: str
    set_index: int
    set_type: str
    field: str
    before: Any
    after: Any


class StructureConflictError(Exception):
    """The routine has other exercises or sets than the plan was made for."""


def merged(current: RoutineWrite, plan: Plan) -> RoutineWrite:
    """The routine with the plan's targets; title, notes, rest, supersets and order stay.

    Raises:
        StructureConflictError: the plan's exercises or sets are not those of the routine.
    """
    if len(plan.slots) != len(current.exercises):
        raise StructureConflictError(
            f"The routine has {len(current.exercises)} exercises where the plan was made for "
            f"{len(plan.slots)}; the next run plans anew."
        )
    exercises = [
        _merged_exercise(exercise, slot)
        for exercise, slot in zip(current.exercises, plan.slots, strict=True)
    ]
    return current.model_copy(update={"exercises": exercises})


def _merged_exercise(
    exercise: RoutineExerciseWrite, slot: SlotPrescription
) -> RoutineExerciseWrite:
    types = [planned.type for planned in exercise.sets]
    if exercise.exercise_template_id != slot.exercise_template_id or types != [
        planned.set_type for planned in slot.sets
    ]:
        raise StructureConflictError(
            f"Exercise {slot.exercise_index + 1} of the routine is no longer "
            f"{slot.exercise_title} with the same sets; the next run plans anew."
        )
    return exercise.model_copy(
        update={
            "sets": [
                RoutineSetWrite.model_validate(
                    {
                        **planned.model_dump(),
                        "weight_kg": target.weight_kg,
                        "reps": target.reps,
                        "duration_seconds": target.duration_s,
                        "distance_meters": target.distance_m,
                        "custom_metric": target.custom_metric,
                    }
                )
                for planned, target in zip(exercise.sets, slot.sets, strict=True)
            ]
        }
    )


def differences(
    routine: Routine, current: RoutineWrite, target: RoutineWrite
) -> tuple[Change, ...]:
    """The fields of sets in which `target`, made from `current`, differs from it.

    `routine` gives the titles.
    """
    changes = []
    for index, (exercise, old, new) in enumerate(
        zip(routine.exercises, current.exercises, target.exercises, strict=True)
    ):
        for set_index, (before, after) in enumerate(zip(old.sets, new.sets, strict=True)):
            changes += [
                Change(index, exercise.title, set_index, after.type, name, was, becomes)
                for name, was, becomes in _differing_fields(before, after)
            ]
    return tuple(changes)


def first_difference(found: RoutineWrite, wanted: RoutineWrite) -> str | None:
    """Where two routines differ in anything at all, in words; None if they are the same."""
    for name in ("title", "notes"):
        if getattr(found, name) != getattr(wanted, name):
            return f"{name} is {getattr(found, name)!r}"
    if len(found.exercises) != len(wanted.exercises):
        return f"there are {len(found.exercises)} exercises"
    for number, (one, other) in enumerate(
        zip(found.exercises, wanted.exercises, strict=True), start=1
    ):
        for name in ("exercise_template_id", "superset_id", "rest_seconds", "notes"):
            if getattr(one, name) != getattr(other, name):
                return f"exercise {number}: {name} is {getattr(one, name)!r}"
        if len(one.sets) != len(other.sets):
            return f"exercise {number}: there are {len(one.sets)} sets"
        for place, (got, want) in enumerate(zip(one.sets, other.sets, strict=True), start=1):
            for name, value, _ in _differing_fields(got, want):
                return f"exercise {number}, set {place}: {name} is {value!r}"
    return None


def _differing_fields(
    before: RoutineSetWrite, after: RoutineSetWrite
) -> list[tuple[str, Any, Any]]:
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    return [
        (name, old[name], new[name])
        for name in RoutineSetWrite.model_fields
        if not _is_same(name, old[name], new[name])
    ]


def _is_same(name: str, old: Any, new: Any) -> bool:
    if name == "weight_kg" and old is not None and new is not None:
        return bool(abs(old - new) <= LOAD_TOLERANCE_KG)
    return bool(old == new)
