"""Making a workout shorter: less of what matters least, until it fits the time there is."""

from collections.abc import Callable, Iterator, Sequence

from coach_agent.plan import Adjustment, SlotPrescription
from coach_agent.progression.history import WORKING_TYPES
from coach_agent.progression.rest import kind_of

Slots = tuple[SlotPrescription, ...]
Estimate = Callable[[Slots], float]


def within_time(slots: Slots, minutes: int | None, estimate: Estimate, optional: set[str]) -> Slots:
    """The workout in the time there is: `estimate` tells its minutes.

    First exercises go that the profile calls `optional`, the last one first, then the last sets of
    isolation exercises and of the other accessories, then whole accessories. The first exercise
    keeps a set in any case, so a workout is never empty.
    """
    if minutes is None:
        return slots
    adjustment = Adjustment(rule="time_cap", text=f"Shortened to fit {minutes} minutes.")
    while estimate(slots) > minutes:
        index, count = next(_cuts(slots, optional), (None, 0))
        if index is None:
            break
        slots = _replaced(slots, index, shortened(slots[index], count, adjustment))
    return slots


def working_count(slot: SlotPrescription) -> int:
    """How many working sets are prescribed."""
    return sum(each.set_type in WORKING_TYPES for each in slot.sets)


def shortened(slot: SlotPrescription, count: int, adjustment: Adjustment) -> SlotPrescription:
    """The exercise with its first `count` working sets and what stands before the last of them."""
    working = [each.set_index for each in slot.sets if each.set_type in WORKING_TYPES]
    sets = tuple(each for each in slot.sets if count and each.set_index <= working[count - 1])
    told = slot.adjustments if adjustment in slot.adjustments else (*slot.adjustments, adjustment)
    return slot.model_copy(
        update={
            "sets": sets,
            "predictions": slot.predictions[: len(sets)],
            "adjustments": told,
            "whole_sets": slot.structure,
            "limits": tuple(dict.fromkeys((*slot.limits, adjustment.rule))),
            "reason_codes": tuple(dict.fromkeys((*slot.reason_codes, adjustment.rule))),
        }
    )


def _cuts(slots: Slots, optional: set[str]) -> Iterator[tuple[int, int]]:
    """What may go next, best first: the index of an exercise and the working sets it keeps."""
    there = [index for index, slot in enumerate(slots) if working_count(slot)]
    later = list(reversed(there[1:]))
    isolations = [
        index
        for index in later
        if kind_of(slots[index].primary_muscle_group, slots[index].secondary_muscle_groups)
        == "isolation"
    ]
    yield from ((index, 0) for index in later if slots[index].exercise_title in optional)
    yield from _one_less(slots, isolations)
    yield from _one_less(slots, [index for index in later if index not in isolations])
    yield from ((index, 0) for index in isolations)
    yield from ((index, 0) for index in later)
    yield from _one_less(slots, there[:1])


def _one_less(slots: Slots, indexes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The exercises with a set less, those with the most sets first; each keeps one.

    A wave leads to its last set and stays whole.
    """
    by_count = sorted(indexes, key=lambda index: -working_count(slots[index]))
    for index in by_count:
        if working_count(slots[index]) > 1 and "training_max" not in slots[index].rule:
            yield index, working_count(slots[index]) - 1


def _replaced(slots: Slots, index: int, slot: SlotPrescription) -> Slots:
    return (*slots[:index], slot, *slots[index + 1 :])
