"""Targets of a routine without doubted values, and those of the last workout where it has none."""

from collections.abc import Collection, Sequence

from coach_agent.domain.constants.history import TYPO_HI
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.context import ExposureSet, Slot, SlotContext
from coach_agent.domain.plan import SetPrescription
from coach_agent.engine.history.attempts import WORKING_TYPES, Answer
from coach_agent.engine.history.far_off import is_far_more
from coach_agent.engine.history.filter import outliers_of
from coach_agent.engine.history.outliers import Number
from coach_agent.engine.loads.ladder import load_of
from coach_agent.engine.models.block_history import attempts_of, load_kind
from coach_agent.engine.models.select import (
    SCHEME_MODELS,
    Group,
    block_of,
    select_model,
    working_sets,
)
from coach_agent.profile.model import Rules

_DONE = ("weight_kg", "reps", "duration_s", "distance_m")


def with_credible_targets(slot: SlotContext, rules: Rules) -> SlotContext:
    """Return the slot without targets that are a doubted value of a workout.

    The app writes done values into the routine, a mistyped one as well. Such a load, number of
    repetitions, time or distance is replaced by that of the nearest other set. Sets without any
    target have those of the last workout, if there is no habit yet.
    """
    slot = _with_last_targets(slot)
    working = working_sets(slot.planned_sets)
    credible = {each.set_index: each for each in without_doubted_targets(slot, working, rules)}
    sets = tuple(credible.get(each.set_index, each) for each in slot.planned_sets)
    return slot.model_copy(update={"planned_sets": sets})


def _with_last_targets(slot: SlotContext) -> SlotContext:
    """Return the slot with the last workout's sets as targets, if it has no target and no habit.

    There is no habit after one workout, or after easy ones alone. Doubted sets are no target.
    """
    working = working_sets(slot.planned_sets)
    usual = [each for each in slot.exposures if not each.is_easy]
    done = (
        [
            each
            for each in exposure.sets
            if each.set_type in WORKING_TYPES and not each.is_typo_suspect
        ]
        for exposure in usual or slot.exposures
    )
    last: Sequence[ExposureSet] = next((sets for sets in done if sets), ())
    if len(usual) > 1 or not last or any(_has_target(each) for each in working):
        return slot
    targets = {
        planned.set_index: {name: getattr(last[min(place, len(last) - 1)], name) for name in _DONE}
        for place, planned in enumerate(working)
    }
    sets = tuple(
        each.model_copy(update=targets.get(each.set_index, {})) for each in slot.planned_sets
    )
    return slot.model_copy(update={"planned_sets": sets})


def _has_target(planned: SetPrescription) -> bool:
    return any(getattr(planned, name) is not None for name in (*_DONE, "rep_range_start"))


def without_doubted_targets(slot: SlotContext, working: Group, rules: Rules) -> Group:
    """Return the working sets without targets that are a doubted value of a workout."""
    if not _are_far_apart(working) or select_model(slot, rules) in SCHEME_MODELS:
        return working
    block = block_of(slot, working, rules)
    if block.model == "keep":
        return working
    found = attempts_of(slot, working, block)
    doubted = {
        (place, number)
        for attempt, wrong in zip(found, outliers_of(found, load_kind(slot, block)), strict=True)
        for place, numbers in wrong.items()
        for number in numbers
        if _is_target(working[place], attempt.answers[place], number, slot)
    }
    return tuple(
        planned.model_copy(update=_credible_targets(working, place, doubted))
        for place, planned in enumerate(working)
    )


def _are_far_apart(working: Group) -> bool:
    """Return whether the targets of the sets differ so much that one may be mistyped."""
    loads = [each.weight_kg for each in working if each.weight_kg]
    counts = [
        [count for each in working if (count := getattr(each, name))]
        for name in ("reps", "duration_s", "distance_m")
    ]
    is_far = bool(loads) and max(loads) > TYPO_HI.value * min(loads)
    return is_far or any(is_far_more(max(each), min(each)) for each in counts if each)


def _is_target(planned: SetPrescription, done: Answer | None, number: Number, slot: Slot) -> bool:
    """Return whether a number of a done set is the target of a planned one."""
    if done is None:
        return False
    if number != "load":
        return getattr(planned, number) is not None and getattr(planned, number) == getattr(
            done, number
        )
    load = load_of(slot.exercise_type, planned.weight_kg)
    return load is not None and is_same_load(load, done.load)


def _credible_targets(
    working: Group, place: int, doubted: Collection[tuple[int, Number]]
) -> dict[str, float | None]:
    """Return the fields of the set at a place with a doubted target: those of the nearest set
    without a doubt, the earlier of two.
    """
    targets: dict[str, float | None] = {}
    for at, number in doubted:
        others = [other for other in range(len(working)) if (other, number) not in doubted]
        if at != place or not others:
            continue
        nearest = working[min(others, key=lambda other: (abs(other - place), other))]
        if number == "load":
            targets["weight_kg"] = nearest.weight_kg
        elif number != "reps":
            targets[number] = getattr(nearest, number)
        elif nearest.reps is None or is_far_more(working[place].reps or 0, nearest.reps):
            for name in ("reps", "rep_range_start", "rep_range_end"):
                targets[name] = getattr(nearest, name)
    return targets


def is_same_load(first_kg: float | None, second_kg: float | None) -> bool:
    """Return whether two loads in kg are equal within the tolerance, or both missing."""
    if first_kg is None or second_kg is None:
        return first_kg is second_kg
    return abs(first_kg - second_kg) <= LOAD_TOLERANCE.value
