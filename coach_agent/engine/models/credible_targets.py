"""Targets of a routine without doubted or missed values, and those of the last workout where it has
none.
"""

from collections.abc import Collection, Sequence

from coach_agent.domain.constants.history import TYPO_COUNT_LEAST, TYPO_HI
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.progression import EFFORT_LIMIT
from coach_agent.domain.context import ExposureSet, Slot, SlotContext
from coach_agent.domain.plan import SetPrescription
from coach_agent.engine.history.attempts import WORKING_TYPES, Answer, done_sets
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
    """Return the slot without targets that are a doubted or a missed value of a workout.

    The app writes done values into the routine, a mistyped one as well. Such a load, number of
    repetitions, time or distance is replaced by that of the nearest other set. Repetitions that
    were missed are replaced by the goal. Sets without any target have those of the last workout,
    if there is no habit yet.
    """
    slot = _with_last_targets(slot)
    working = _without_failed_targets(slot, working_sets(slot.planned_sets))
    working = without_doubted_targets(slot, working, rules)
    if select_model(slot, rules) is None:
        working = _without_missed_targets(slot, working)
    credible = {each.set_index: each for each in working}
    sets = tuple(credible.get(each.set_index, each) for each in slot.planned_sets)
    return slot.model_copy(update={"planned_sets": sets})


def _with_last_targets(slot: SlotContext) -> SlotContext:
    """Return the slot with the last workout's sets as targets, if it has no target and no habit.

    There is no habit after one workout, or after easy ones alone. Sets that are doubted or were not
    lifted once are no target.
    """
    working = working_sets(slot.planned_sets)
    usual = [each for each in slot.exposures if not each.is_easy]
    done = (
        [
            each
            for each in exposure.sets
            if each.set_type in WORKING_TYPES and each.reps != 0 and not each.is_typo_suspect
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


def _without_failed_targets(slot: Slot, working: Group) -> Group:
    """Return the sets with a target instead of none, if their last load was not lifted once.

    It is that of the nearest other set, or of the newest set that was lifted. A load of before that
    failed in all sets stays, with the repetitions of that set.
    """
    usual = [each for each in slot.exposures if not each.is_easy]
    last = [one for one in usual[0].sets if one.set_type in WORKING_TYPES] if usual else []
    if len(last) != len(working) or not any(one.reps == 0 for one in last):
        return working
    done = [one for each in usual for one in done_sets(each, WORKING_TYPES) if one.reps]
    if not done:
        return working
    heaviest = max(one.weight_kg or 0.0 for one in done)
    lifted = [each for each in working if each.reps or each.rep_range_start is not None]
    is_failed = all(one.reps == 0 and 0 < (one.weight_kg or 0.0) <= heaviest for one in last)
    if is_failed and not lifted:
        return tuple(each.model_copy(update={"reps": done[0].reps}) for each in working)
    return tuple(
        each.model_copy(update=_lifted_target(each, lifted, done))
        if each not in lifted
        and one.reps == 0
        and (one.weight_kg or 0.0) > heaviest
        and is_same_load(each.weight_kg, one.weight_kg)
        else each
        for each, one in zip(working, last, strict=True)
    )


def _lifted_target(
    failed: SetPrescription, lifted: Sequence[SetPrescription], done: Sequence[ExposureSet]
) -> dict[str, float | None]:
    names = ("weight_kg", "reps", "rep_range_start", "rep_range_end")
    if not lifted:
        return {name: getattr(done[0], name) for name in names[:2]}
    nearest = min(lifted, key=lambda each: abs(each.set_index - failed.set_index))
    return {name: getattr(nearest, name) for name in names}


def _without_missed_targets(slot: Slot, working: Group) -> Group:
    """Return the sets with the goal instead of repetitions that the last workout missed.

    Such sets have the targets that were done last. The goal is the plan of that day. Without one
    it is the number of the first set with that load, if all of them had it in a workout before, or
    if the sets that fell short went to the limit.
    """
    usual = [each for each in slot.exposures if not each.is_easy]
    done = [one for one in usual[0].sets if one.set_type in WORKING_TYPES] if usual else []
    if len(done) != len(working) or not all(map(_was_done, working, done)):
        return working
    before = [done_sets(each, WORKING_TYPES) for each in usual[1:]]
    goals = list(working)
    first = 0
    for place, (planned, one) in enumerate(zip(working, done, strict=True)):
        if not is_same_load(planned.weight_kg, working[first].weight_kg):
            first = place
        goal, reps = one.planned_reps_low, one.reps or 0
        if goal is None and not usual[0].is_plan_known:
            goal = working[first].reps
            had_it = any(
                {each.reps for each in sets[first : place + 1]} == {goal} for sets in before
            )
            if not had_it and (one.rpe or 0.0) < EFFORT_LIMIT.value:
                continue
        if goal is not None and reps < goal:
            goals[place] = planned.model_copy(update={"reps": goal})
    return tuple(goals)


def _was_done(planned: SetPrescription, done: ExposureSet) -> bool:
    """Return whether a target is what was done: a load, and repetitions without a range."""
    return (
        bool(planned.weight_kg)
        and planned.rep_range_start is None
        and planned.reps is not None
        and planned.reps == done.reps
        and is_same_load(planned.weight_kg, done.weight_kg)
    )


def _has_target(planned: SetPrescription) -> bool:
    return any(getattr(planned, name) is not None for name in (*_DONE, "rep_range_start"))


def without_doubted_targets(slot: SlotContext, working: Group, rules: Rules) -> Group:
    """Return the working sets without targets that are a doubted value of a workout."""
    if not _may_be_doubted(slot, working) or select_model(slot, rules) in SCHEME_MODELS:
        return working
    block = block_of(slot, working, rules)
    if block.model == "keep":
        return working
    found = attempts_of(slot, working, block)
    wrongs = outliers_of(found, load_kind(slot, block))
    doubted = {
        (place, number)
        for attempt, wrong in zip(found, wrongs, strict=True)
        for place, numbers in wrong.items()
        for number in numbers
        if _is_target(working[place], attempt.answers[place], number, slot)
    }
    credible = [
        answer
        for attempt, wrong in zip(found, wrongs, strict=True)
        for place, answer in enumerate(attempt.answers)
        if answer is not None and place not in wrong
    ]
    return tuple(
        planned.model_copy(update=_credible_targets(working, place, doubted, credible))
        for place, planned in enumerate(working)
    )


def _may_be_doubted(slot: Slot, working: Group) -> bool:
    """Return whether a target differs so much from others, or from the sets of a workout, that it
    may be mistyped.
    """
    loads = [each.weight_kg for each in working if each.weight_kg]
    if loads and max(loads) > TYPO_HI.value * min(loads):
        return True
    for name in ("reps", "duration_s", "distance_m"):
        most = max((getattr(each, name) or 0 for each in working), default=0)
        if most < TYPO_COUNT_LEAST.value:
            continue
        done = (each for exposure in slot.exposures for each in exposure.sets)
        counts = [count for each in (*working, *done) if (count := getattr(each, name))]
        if is_far_more(most, min(counts)):
            return True
    return False


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
    working: Group,
    place: int,
    doubted: Collection[tuple[int, Number]],
    credible: Sequence[Answer],
) -> dict[str, float | None]:
    """Return the fields of the set at a place with a doubted target.

    They are those of the nearest set without a doubt, the earlier of two, or if all are doubted,
    those of the newest credible set.
    """
    targets: dict[str, float | None] = {}
    for at, number in doubted:
        if at != place:
            continue
        others = [other for other in range(len(working)) if (other, number) not in doubted]
        if not others:
            targets.update(_done_target(number, credible))
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


def _done_target(number: Number, credible: Sequence[Answer]) -> dict[str, float | None]:
    """Return the newest credible count as a target; a load is decided by the history."""
    if number == "load":
        return {}
    counts = (getattr(answer, number) for answer in credible)
    newest = next((count for count in counts if count), None)
    return {} if newest is None else {number: newest}


def is_same_load(first_kg: float | None, second_kg: float | None) -> bool:
    """Return whether two loads in kg are equal within the tolerance, or both missing."""
    if first_kg is None or second_kg is None:
        return first_kg is second_kg
    return abs(first_kg - second_kg) <= LOAD_TOLERANCE.value
