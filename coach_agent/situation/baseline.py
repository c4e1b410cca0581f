"""Restore the full routine after a plan that left out or lightened parts of it.

Reductions by circumstances are in Hevy only for one workout. The next decision starts from the full
routine, which is rebuilt from the published plan.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.own_notes import own_texts, with_own
from coach_agent.domain.plan import Place, Plan, SetPrescription, SlotPrescription
from coach_agent.engine.models.select import Group

Fields = dict[str, Any]
_TARGETS = ("weight_kg", "reps", "rep_range_start", "rep_range_end", "duration_s")


def restore_routine(routine: RoutineContext, sent: Sequence[Plan]) -> RoutineContext:
    """Return the routine with the parts that our plans had removed.

    `sent` are the plans that it may hold, newest first: the arrival of the last one is not always
    confirmed. An exercise counts as ours while it has the number of sets that one of them left in
    it, and the athlete's changes to them are kept; with other sets it is the athlete's. Exercises
    that were left out return to their place. Their placeholders are removed, with the loads and
    repetitions that the app took over from a workout; but a placeholder with its own sets, note,
    rest or superset by the athlete, or one that occurs twice, is kept as the athlete's.
    """
    count = Counter(slot.exercise_template_id for slot in routine.slots)
    stand_ins = [
        slot
        for slot in routine.slots
        if count[slot.exercise_template_id] == 1 and _is_placeholder(slot, sent)
    ]
    slots = [_restore_sets(slot, sent) for slot in routine.slots if slot not in stand_ins]
    waiting = {_key(slot): slot for slot in routine.left_out}
    for plan in sent:
        there = {_key(slot) for slot in slots}
        for prescribed in plan.slots:
            if not prescribed.sets and _key(prescribed) not in there:
                returned = _restore_slot(prescribed, waiting.get(_key(prescribed)))
                slots.insert(_index_of(prescribed, plan, slots), returned)
    numbered = tuple(
        slot.model_copy(update={"exercise_index": index}) for index, slot in enumerate(slots)
    )
    known = tuple(slot.place for slot in stand_ins)
    return routine.model_copy(update={"slots": numbered, "left_out": (), "stand_ins": known})


def _key(place: Place) -> tuple[str, int]:
    return place.exercise_template_id, place.occurrence


def _is_placeholder(slot: SlotContext, sent: Sequence[Plan]) -> bool:
    """Return whether an exercise is only a placeholder of our plan for another one."""
    return any(
        each.replaces is not None
        and _key(each) == _key(slot)
        and _edits(slot.planned_sets, each.sets) is not None
        and (slot.superset_id, slot.rest_s) == (each.superset_id, each.rest_s)
        and not (
            slot.notes and with_own(slot.notes, None, own_texts(with_own(None, each.note, ())))
        )
        for plan in sent
        for each in plan.slots
    )


def _restore_sets(slot: SlotContext, sent: Sequence[Plan]) -> SlotContext:
    """Return the slot with its removed parts and the athlete's later changes."""
    ours = [each for plan in sent for each in plan.slots if _key(each) == _key(slot)]
    found = [(each, _edits(slot.planned_sets, each.sets)) for each in ours]
    alike = [(each, edits) for each, edits in found if edits is not None]
    left, edits = min(alike, key=lambda pair: any(pair[1]), default=(None, []))
    if left is None or not left.whole_sets:
        return slot
    untouched: list[Fields] = [{}] * (len(left.whole_sets) - len(edits))
    # Sets added for one day beyond the full routine are removed again.
    known = [*edits, *untouched][: len(left.whole_sets)]
    whole = zip(left.whole_sets, known, strict=True)
    return slot.model_copy(
        update={
            "planned_sets": tuple(each.model_copy(update=edited) for each, edited in whole),
            "types_in_hevy": tuple(each.set_type for each in slot.planned_sets),
            "is_range_ours": left.replaces_ranges,
        }
    )


def _edits(found: Group, ours: Group) -> list[Fields] | None:
    """Return the changed fields of each of our sets; None if the sets differ."""
    if [each.set_type for each in found] != [each.set_type for each in ours]:
        return None
    return [
        {name: getattr(one, name) for name in _TARGETS if not _is_same(name, one, other)}
        for one, other in zip(found, ours, strict=True)
    ]


def _is_same(name: str, one: SetPrescription, other: SetPrescription) -> bool:
    """Return whether a field of two sets is equal; Hevy's kilograms differ from ours by
    rounding.
    """
    before, after = getattr(one, name), getattr(other, name)
    if name == "weight_kg":
        return bool(abs((before or 0.0) - (after or 0.0)) <= LOAD_TOLERANCE.value)
    return bool(before == after)


def _restore_slot(prescribed: SlotPrescription, waiting: SlotContext | None) -> SlotContext:
    """Return the exercise with its earlier targets and, if the context has it, its history."""
    place = {name: getattr(prescribed, name) for name in Place.model_fields}
    whole = {"planned_sets": prescribed.whole_sets, "types_in_hevy": ()}
    if waiting is None:
        return SlotContext(**place, **whole, notes=prescribed.notes)
    return waiting.model_copy(update={**place, **whole, "notes": prescribed.notes})


def _index_of(prescribed: SlotPrescription, published: Plan, slots: Sequence[SlotContext]) -> int:
    """Return the index after the nearest earlier exercise that is still there, otherwise the
    front.
    """
    before = [
        _key(slot) for slot in published.slots if slot.exercise_index < prescribed.exercise_index
    ]
    indexes = [index for index, slot in enumerate(slots) if _key(slot) in before]
    return max(indexes, default=-1) + 1
