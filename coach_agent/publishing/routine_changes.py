"""Changes of a plan to a routine: only its targets."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from coach_agent.domain.own_notes import with_own
from coach_agent.domain.plan import Plan, SetPrescription, SlotPrescription
from coach_agent.domain.units import Unit, load_text
from hevy_connector.schemas import RoutineExerciseWrite, RoutineSetWrite, RoutineWrite

# Hevy stores kilograms as floats, with pounds converted; a smaller difference is rounding.
LOAD_TOLERANCE_KG = 0.01


@dataclass(frozen=True)
class Change:
    """One field of one set that differs between the routine and the plan. Loads are kg.

    The field `set` is the whole set: `before` is null for an added set, `after` for a removed one.
    Without a set index the change is of the exercise: its `notes`, or its `place` from 1.
    """

    exercise_index: int
    exercise_title: str
    set_index: int | None
    set_type: str | None
    field: str
    before: Any
    after: Any


class StructureConflictError(Exception):
    """The routine has other exercises or sets than the routine that the plan was built for."""


def merge_plan(current: RoutineWrite, plan: Plan, written: Collection[str] = ()) -> RoutineWrite:
    """Return the routine with the plan's targets; title, rest and supersets are unchanged.

    The order is unchanged except for exercises that the plan moves. Notes are unchanged except for
    our marks: `written` are our earlier texts.

    Exercises and sets that the plan leaves out this time are removed, and those that an earlier
    plan left out are added again; an exercise that never had sets stays. Idempotent for a routine
    that already has the plan's targets.

    Raises:
        StructureConflictError: the routine has other exercises or sets than the plan was built for.
    """
    removed = {(place.exercise_template_id, place.occurrence) for place in plan.takes_out}
    there = {
        key: exercise
        for key, exercise in zip(_keys(current), current.exercises, strict=True)
        if key not in removed
    }
    before = sorted(plan.slots, key=_index_before)
    ours = [(slot.exercise_template_id, slot.occurrence) for slot in before]
    if list(there) != [key for key in ours if key in there]:
        raise StructureConflictError(
            "The routine has other exercises than the plan was built for; the next run plans again."
        )
    exercises = []
    for slot in plan.slots:
        key = slot.exercise_template_id, slot.occurrence
        if key in there:
            merged_exercise = _merge_exercise(there[key], slot, written)
        elif slot.types_in_hevy == () or not slot.sets:
            merged_exercise = _restore_exercise(slot, written)
        else:
            raise StructureConflictError(
                f"{slot.exercise_title} is no longer in the routine; the next run plans again."
            )
        if slot.sets or not slot.whole_sets:
            exercises.append(merged_exercise)
    return current.model_copy(update={"exercises": exercises})


def removed_replaced_title(plan: Plan, base: RoutineWrite, now: RoutineWrite) -> str | None:
    """Return the title of a replaced exercise that was removed since `base`, if any.

    After a removal the athlete does not want a replacement.
    """
    removed = set(_keys(base)) - set(_keys(now))
    return next(
        (
            slot.replaces.exercise_title
            for slot in plan.slots
            if slot.replaces is not None
            and (slot.replaces.exercise_template_id, slot.replaces.occurrence) in removed
        ),
        None,
    )


def _index_before(slot: SlotPrescription) -> int:
    """Return the exercise's place in the routine that the plan was built for."""
    return slot.exercise_index if slot.moved_from is None else slot.moved_from


def _keys(routine: RoutineWrite) -> list[tuple[str, int]]:
    """Return each exercise with its number of earlier occurrences in the routine."""
    counts: Counter[str] = Counter()
    keys = []
    for exercise in routine.exercises:
        counts[exercise.exercise_template_id] += 1
        keys.append((exercise.exercise_template_id, counts[exercise.exercise_template_id]))
    return keys


def _merge_exercise(
    exercise: RoutineExerciseWrite, slot: SlotPrescription, written: Collection[str]
) -> RoutineExerciseWrite:
    expected = slot.types_in_hevy
    if expected is None:
        expected = tuple(planned.set_type for planned in slot.structure)
    found = tuple(planned.type for planned in exercise.sets)
    if found not in (expected, tuple(target.set_type for target in slot.sets)):
        raise StructureConflictError(
            f"Exercise {slot.exercise_index + 1} of the routine is no longer "
            f"{slot.exercise_title} with the same sets; the next run plans again."
        )
    waiting = {kind: iter([each for each in exercise.sets if each.type == kind]) for kind in found}
    sets = [
        _merge_set(
            next(waiting.get(target.set_type, iter(())), None),
            target,
            with_range=slot.replaces_ranges,
        )
        for target in slot.sets
    ]
    notes = with_own(exercise.notes, slot.note, written)
    return exercise.model_copy(update={"sets": sets, "notes": notes})


def _restore_exercise(slot: SlotPrescription, written: Collection[str]) -> RoutineExerciseWrite:
    return RoutineExerciseWrite(
        exercise_template_id=slot.exercise_template_id,
        superset_id=slot.superset_id,
        rest_seconds=slot.rest_s,
        notes=with_own(slot.notes, slot.note, written),
        sets=[_merge_set(None, target) for target in slot.sets],
    )


def _merge_set(
    planned: RoutineSetWrite | None, target: SetPrescription, *, with_range: bool = False
) -> RoutineSetWrite:
    """Return the set with the plan's targets; `with_range`, or a new set, takes the plan's
    range.
    """
    kept: dict[str, Any] = {} if planned is None else planned.model_dump()
    if planned is None or with_range:
        low, high = target.rep_range_start, target.rep_range_end
        kept["rep_range"] = None if low is None else {"start": low, "end": high}
    return RoutineSetWrite.model_validate(
        {
            **kept,
            "type": target.set_type,
            "weight_kg": target.weight_kg,
            "reps": target.reps,
            "duration_seconds": target.duration_s,
            "distance_meters": target.distance_m,
            "custom_metric": target.custom_metric,
        }
    )


def changes_between(
    current: RoutineWrite, target: RoutineWrite, titles: Mapping[str, str], unit: Unit
) -> tuple[Change, ...]:
    """Return the fields that differ between two versions of a routine; `titles` by template.

    Title and notes of the routine itself are excluded: the coach never changes them.
    """
    before = dict(zip(_keys(current), current.exercises, strict=True))
    after = dict(zip(_keys(target), target.exercises, strict=True))
    stay_old = [key for key in before if key in after]
    stay_new = [key for key in after if key in before]
    changes = []
    for index, key in enumerate(dict.fromkeys((*before, *after))):
        title = titles.get(key[0], key[0])
        if key in before and key in after:
            places = stay_old.index(key) + 1, stay_new.index(key) + 1
            fields = {"notes": (before[key].notes, after[key].notes), "place": places}
            changes += [
                Change(index, title, None, None, name, was, becomes)
                for name, (was, becomes) in fields.items()
                if was != becomes
            ]
        old = before[key].sets if key in before else []
        new = after[key].sets if key in after else []
        for set_index, (one, other) in enumerate(zip_longest(old, new)):
            kind = (other or one).type
            if one is None or other is None:
                changed: list[tuple[str, Any, Any]] = [
                    ("set", _format_set(one, unit), _format_set(other, unit))
                ]
            else:
                changed = _differing_fields(one, other)
            changes += [
                Change(index, title, set_index, kind, name, was, becomes)
                for name, was, becomes in changed
            ]
    return tuple(changes)


def _format_set(planned: RoutineSetWrite | None, unit: Unit) -> str | None:
    """Format an added or removed set; None without one."""
    if planned is None:
        return None
    parts = [] if planned.weight_kg is None else [load_text(planned.weight_kg, unit)]
    parts += [] if planned.reps is None else [f"{planned.reps} reps"]
    parts += [] if planned.duration_seconds is None else [f"{planned.duration_seconds} s"]
    return " × ".join(parts) or "a set"


def first_difference(found: RoutineWrite, expected: RoutineWrite) -> str | None:
    """Describe the first difference between two routines; None if they are equal."""
    for name in ("title", "notes"):
        if getattr(found, name) != getattr(expected, name):
            return f"{name} is {getattr(found, name)!r}"
    if len(found.exercises) != len(expected.exercises):
        return f"there are {len(found.exercises)} exercises"
    for number, (one, other) in enumerate(
        zip(found.exercises, expected.exercises, strict=True), start=1
    ):
        difference = _first_exercise_difference(one, other)
        if difference is not None:
            return f"exercise {number}{difference}"
    return None


def _first_exercise_difference(
    one: RoutineExerciseWrite, other: RoutineExerciseWrite
) -> str | None:
    for name in ("exercise_template_id", "superset_id", "rest_seconds", "notes"):
        if getattr(one, name) != getattr(other, name):
            return f": {name} is {getattr(one, name)!r}"
    if len(one.sets) != len(other.sets):
        return f": there are {len(one.sets)} sets"
    for place, (got, want) in enumerate(zip(one.sets, other.sets, strict=True), start=1):
        for name, value, _ in _differing_fields(got, want):
            return f", set {place}: {name} is {value!r}"
    return None


def is_same_set(one: RoutineSetWrite, other: RoutineSetWrite) -> bool:
    """Return whether two sets are equal, their loads apart from rounding."""
    return not _differing_fields(one, other)


def is_same_exercise(one: RoutineExerciseWrite, other: RoutineExerciseWrite) -> bool:
    """Return whether two exercises are equal in every field."""
    return _first_exercise_difference(one, other) is None


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
