"""The routine behind a plan that took something away from it.

What circumstances left out or lightened is in Hevy only for that workout. The next decision starts
from the whole routine, so the plan that was published remembers it.
"""

from collections.abc import Sequence

from coach_agent.context import RoutineContext, SlotContext
from coach_agent.plan import Place, Plan, SlotPrescription
from coach_agent.progression.choosing import Group
from coach_agent.progression.constants import LOAD_TOLERANCE


def restored(routine: RoutineContext, sent: Sequence[Plan]) -> RoutineContext:
    """The routine with what our plans had taken away.

    `sent` are the plans that it may hold, newest first: it is not always known whether the last one
    arrived. An exercise counts as ours while it has the sets that one of them left in it; once the
    athlete changed them it is as the athlete wants it. Exercises that were left out return to
    their place.
    """
    slots = [_whole(slot, sent) for slot in routine.slots]
    waiting = {_key(slot): slot for slot in routine.left_out}
    for plan in sent:
        there = {_key(slot) for slot in slots}
        for prescribed in plan.slots:
            if not prescribed.sets and _key(prescribed) not in there:
                returned = _returned(prescribed, waiting.get(_key(prescribed)))
                slots.insert(_index_of(prescribed, plan, slots), returned)
    numbered = tuple(
        slot.model_copy(update={"exercise_index": index}) for index, slot in enumerate(slots)
    )
    return routine.model_copy(update={"slots": numbered, "left_out": ()})


def _key(place: Place) -> tuple[str, int]:
    return place.exercise_template_id, place.occurrence


def _whole(slot: SlotContext, sent: Sequence[Plan]) -> SlotContext:
    ours = (each for plan in sent for each in plan.slots if _key(each) == _key(slot))
    left = next((each for each in ours if _are_same(slot.planned_sets, each.sets)), None)
    if left is None or not left.whole_sets:
        return slot
    return slot.model_copy(
        update={
            "planned_sets": left.whole_sets,
            "types_in_hevy": tuple(each.set_type for each in slot.planned_sets),
        }
    )


def _are_same(found: Group, ours: Group) -> bool:
    """Whether sets are as we left them; Hevy's kilograms differ from ours by rounding."""
    return len(found) == len(ours) and all(
        (one.set_type, one.reps, one.duration_s) == (other.set_type, other.reps, other.duration_s)
        and abs((one.weight_kg or 0.0) - (other.weight_kg or 0.0)) <= LOAD_TOLERANCE.value
        for one, other in zip(found, ours, strict=True)
    )


def _returned(prescribed: SlotPrescription, waiting: SlotContext | None) -> SlotContext:
    """The exercise with the targets that it had and, where the context has it, its history."""
    place = {name: getattr(prescribed, name) for name in Place.model_fields}
    whole = {"planned_sets": prescribed.whole_sets, "types_in_hevy": ()}
    if waiting is None:
        return SlotContext(**place, **whole, notes=prescribed.notes)
    return waiting.model_copy(update={**place, **whole, "notes": prescribed.notes})


def _index_of(prescribed: SlotPrescription, published: Plan, slots: Sequence[SlotContext]) -> int:
    """After the nearest exercise that stood before it and is still there, else at the front."""
    before = [
        _key(slot) for slot in published.slots if slot.exercise_index < prescribed.exercise_index
    ]
    indexes = [index for index, slot in enumerate(slots) if _key(slot) in before]
    return max(indexes, default=-1) + 1
