"""Shorten a workout to the available time, least important parts first."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from coach_agent.domain.constants.session import TIME_LEAST_SETS, TIME_MAIN_SETS
from coach_agent.domain.plan import Adjustment, SetPrescription, SlotPrescription
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.limits.rest import kind_of
from coach_agent.engine.limits.set_cuts import is_ramp, near_end
from coach_agent.engine.loads.increments import has_one_joint_title
from coach_agent.language.messages import phrase

Slots = tuple[SlotPrescription, ...]
Estimate = Callable[[Slots], float]
_Unit = tuple[int, ...]
# Small work that has a second muscle group in the catalogue.
_SMALL = (("face", "pull"), ("pull", "apart"), ("rear", "delt"), ("shrug",))


def within_time(slots: Slots, minutes: int | None, estimate: Estimate, optional: set[str]) -> Slots:
    """Fit the workout into `minutes`; `estimate` returns its minutes.

    A few exercises done well are worth more than many with one set. First the profile's `optional`
    exercises are removed, the last one first. Then isolation exercises: their third sets, then
    whole ones. Then the others: sets above three, third sets, whole exercises. The remaining ones
    keep two sets, the main one at least one. If time is left, whole ones come back with two sets,
    then sets, those of isolation exercises evenly. The main exercise is the first one of several
    joints, or the first one; without any of several joints it loses third sets as the others do. A
    superset is shortened as one, to equal sets. A ramp leads to its last set, so it stays whole, or
    is left out.

    Source: Iversen et al. 2021, Sports Med 51:2079, on training with little time; the order within
    is opinion.
    """
    if minutes is None:
        return slots
    adjustment = Adjustment(rule="time_cap", text=phrase("time-cap", minutes=minutes))

    def with_counts(changed: Mapping[int, int]) -> Slots:
        return tuple(
            shorten(whole, changed[index], adjustment)
            if changed.get(index, working_count(whole)) < working_count(whole)
            else whole
            for index, whole in enumerate(slots)
        )

    counts: dict[int, int] = {}
    while estimate(with_counts(counts)) > minutes:
        cut = next(_cuts(with_counts(counts), optional), None)
        if cut is None:
            return with_counts(counts)
        counts = {**counts, **cut}

    def fits(more: Mapping[int, int]) -> bool:
        return bool(more) and estimate(with_counts({**counts, **more})) <= minutes

    for unit in _units(slots):
        again = {index: min(TIME_LEAST_SETS.value, working_count(slots[index])) for index in unit}
        is_out = all(counts.get(index) == 0 for index in unit)
        if is_out and not _is_optional(unit, slots, optional) and fits(again):
            counts = {**counts, **again}
    left = _units(with_counts(counts))
    while (
        more := next((each for each in _one_more_each(left, slots, counts) if fits(each)), None)
    ) is not None:
        counts = {**counts, **more}
    return with_counts(counts)


def no_longer_than(slots: Slots, others: Slots, minutes: int) -> Slots:
    """Shorten each exercise to the working sets that it has in another plan within `minutes`."""
    adjustment = Adjustment(rule="time_cap", text=phrase("time-cap", minutes=minutes))
    return tuple(
        shorten(slot, count, adjustment)
        if (count := near_end(_working(slot), working_count(other))) < working_count(slot)
        else slot
        for slot, other in zip(slots, others, strict=True)
    )


def working_count(slot: SlotPrescription) -> int:
    """Return the number of prescribed working sets."""
    return sum(each.set_type in WORKING_TYPES for each in slot.sets)


def shorten(slot: SlotPrescription, count: int, adjustment: Adjustment) -> SlotPrescription:
    """Return the exercise with its first `count` working sets and the sets before the last of
    them.
    """
    working = [each.set_index for each in slot.sets if each.set_type in WORKING_TYPES]
    sets = tuple(each for each in slot.sets if count and each.set_index <= working[count - 1])
    adjustments = (
        slot.adjustments if adjustment in slot.adjustments else (*slot.adjustments, adjustment)
    )
    return slot.model_copy(
        update={
            "sets": sets,
            "predictions": slot.predictions[: len(sets)],
            "adjustments": adjustments,
            "whole_sets": slot.structure,
            "limits": tuple(dict.fromkeys((*slot.limits, adjustment.rule))),
            "reason_codes": tuple(dict.fromkeys((*slot.reason_codes, adjustment.rule))),
        }
    )


def _cuts(slots: Slots, optional: set[str]) -> Iterator[Mapping[int, int]]:
    """Yield the next cuts, best first: working sets to keep by the index of an exercise."""
    units = _units(slots)
    main = [unit for unit in units if not _is_isolating(unit, slots)][:1] or units[:1]
    later = [unit for unit in reversed(units) if unit not in main]
    isolations = [unit for unit in later if _is_isolating(unit, slots)]
    others = [unit for unit in later if unit not in isolations]
    least = TIME_LEAST_SETS.value
    yield from (_without(unit) for unit in later if _is_optional(unit, slots, optional))
    is_isolating = all(_is_isolating(unit, slots) for unit in units)
    yield from _one_less(slots, units[::-1] if is_isolating else isolations, least)
    yield from map(_without, isolations)
    yield from _one_less(slots, [*others, *main], TIME_MAIN_SETS.value)
    yield from _one_less(slots, [*others, *main], least)
    yield from map(_without, others)
    yield from _one_less(slots, main, 1)


def _units(slots: Slots) -> list[_Unit]:
    """Return the exercises with sets, those of a superset together, in the order of the workout."""
    units: dict[object, _Unit] = {}
    for index, slot in enumerate(slots):
        if working_count(slot):
            key = ("alone", index) if slot.superset_id is None else ("superset", slot.superset_id)
            units[key] = (*units.get(key, ()), index)
    return list(units.values())


def _is_optional(unit: _Unit, slots: Slots, optional: set[str]) -> bool:
    return all(slots[index].exercise_title in optional for index in unit)


def _is_isolating(unit: _Unit, slots: Slots) -> bool:
    return all(_is_isolation(slots[index]) for index in unit)


def _is_isolation(slot: SlotPrescription) -> bool:
    kind = kind_of(slot.primary_muscle_group, slot.secondary_muscle_groups)
    title = slot.exercise_title.lower()
    is_small = any(all(word in title for word in words) for words in _SMALL)
    return kind == "isolation" or is_small or has_one_joint_title(slot)


def _one_more_each(
    units: Sequence[_Unit], slots: Slots, counts: Mapping[int, int]
) -> Iterator[Mapping[int, int]]:
    """Yield one more set for each unit, in the order in which they get one."""

    def place(unit: _Unit) -> tuple[bool, int]:
        is_isolating = _is_isolating(unit, slots)
        least = min(counts.get(index, working_count(slots[index])) for index in unit)
        return is_isolating, least if is_isolating else 0

    for unit in sorted(units, key=place):
        yield _one_more(unit, slots, counts)


def _one_more(unit: _Unit, slots: Slots, counts: Mapping[int, int]) -> Mapping[int, int]:
    """Return the unit with one more set for each incomplete exercise; empty if it is complete."""
    most = min(counts.get(index, working_count(slots[index])) for index in unit)
    return {
        index: most + 1
        for index in unit
        if index in counts and counts[index] == most < working_count(slots[index])
    }


def _without(unit: _Unit) -> Mapping[int, int]:
    return dict.fromkeys(unit, 0)


def _one_less(slots: Slots, units: Sequence[_Unit], least: int) -> Iterator[Mapping[int, int]]:
    """Yield the units with one set less, those with the most sets first; each keeps `least`.

    A wave or a ramp leads to its last set and stays whole.
    """
    by_count = sorted(units, key=lambda unit: -max(working_count(slots[index]) for index in unit))
    for unit in by_count:
        most = max(working_count(slots[index]) for index in unit)
        is_wave = any("training_max" in slots[index].rule for index in unit)
        is_kept = any(leads_up(slots[index], most - 1) for index in unit)
        if most > least and not is_wave and not is_kept:
            yield {index: most - 1 for index in unit if working_count(slots[index]) == most}


def leads_up(slot: SlotPrescription, count: int) -> bool:
    """Return whether the sets are a ramp that `count` of them would leave far below its end."""
    return count > 0 and is_ramp(_working(slot), count)


def _working(slot: SlotPrescription) -> list[SetPrescription]:
    return [each for each in slot.sets if each.set_type in WORKING_TYPES]
