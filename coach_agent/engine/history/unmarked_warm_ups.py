"""Warm-ups without a mark, in logs of apps that have no mark for them.

Sets are warm-ups if they lead up to the work: each is lighter than the next, and either has far
fewer repetitions than the work or is far below it and easy for what the athlete showed in this
workout. If one of them is not, only the lightest are: the others may be a pyramid, ascending sets
of five or weeks of percentages. A workout with a marked warm-up of the exercise is read as marked.
"""

from collections.abc import Sequence
from itertools import pairwise, takewhile

from coach_agent.domain.constants.history import (
    UNMARKED_EFFORT,
    UNMARKED_FEWER,
    UNMARKED_FEWER_REPS,
    UNMARKED_LEAST_REPS,
    UNMARKED_LEVEL,
    UNMARKED_LIGHT,
    UNMARKED_LOAD,
    UNMARKED_REPEATED,
    UNMARKED_RPE,
)
from coach_agent.domain.constants.strength import E1RM_HARD_MAX_REPS
from coach_agent.domain.context import Exposure, ExposureSet, RoutineContext, SlotContext
from coach_agent.domain.e1rm import effective_reps, epley_max, epley_reps
from coach_agent.domain.plan import SetPrescription
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED


def mark_warm_ups(routine: RoutineContext) -> RoutineContext:
    """Return a routine with warm-ups marked in its sets and in the history of each exercise."""
    slots = tuple(_mark_slot(slot) for slot in routine.slots)
    return routine.model_copy(update={"slots": slots})


def count_unmarked(sets: Sequence[ExposureSet]) -> int:
    """Return the number of leading sets of a workout that are warm-ups without a mark."""
    if any(each.set_type == "warmup" for each in sets):
        return 0
    top_kg = _top_kg(sets)
    max_kg = max((_max_kg(each) for each in sets if _is_work(each)), default=0.0)
    level = _first_level(sets, top_kg)
    fitting = [_is_warm_up(each, sets[level:], max_kg) for each in sets[:level]]
    if all(fitting) and _is_work_from(sets, level, top_kg):
        return level
    are_light = (
        fits and (each.weight_kg or 0.0) < UNMARKED_LIGHT.value * top_kg
        for fits, each in zip(fitting, sets, strict=False)
    )
    return sum(1 for _ in takewhile(bool, are_light))


def _mark_slot(slot: SlotContext) -> SlotContext:
    """Mark as many sets of the routine as were warm-ups in the latest workout with its sets."""
    if slot.exercise_type in {ASSISTED, WEIGHTED} or any(
        each.set_type == "warmup" for each in slot.planned_sets
    ):
        return slot
    counts = [count_unmarked(each.sets) for each in slot.exposures]
    alike = (each for each in slot.exposures if len(each.sets) == len(slot.planned_sets))
    latest = next((each.sets for each in alike), ())
    is_usual = 2 * sum(map(bool, counts)) > len(counts)
    count = count_unmarked(latest) or (_count_rising(latest) if is_usual else 0)
    if not count:
        return slot
    first, others = slot.planned_sets[:count], slot.planned_sets[count:]
    return slot.model_copy(
        update={
            "planned_sets": (*map(_as_done, first, latest), *others),
            "exposures": tuple(_mark(each, count) for each in slot.exposures),
        }
    )


def _as_done(planned: SetPrescription, done: ExposureSet) -> SetPrescription:
    repetitions = {"reps": done.reps, "rep_range_start": None, "rep_range_end": None}
    return planned.model_copy(update={"set_type": "warmup", **repetitions})


def _mark(exposure: Exposure, planned: int) -> Exposure:
    """Mark an exposure's warm-ups, and the light sets that were `planned` as the first ones.

    Where warm-ups are usual, as many sets that lead up to the work are warm-ups.
    """
    sets = exposure.sets
    rising = _count_rising(sets)
    own = count_unmarked(sets) or (rising if rising <= planned else 0)
    top_kg = _top_kg(sets)
    marked = tuple(
        each.model_copy(update={"set_type": "warmup"})
        if place < own or _is_planned_before(each, planned, top_kg)
        else each
        for place, each in enumerate(sets)
    )
    count = exposure.planned_working_count
    left = None if count is None else max(1, count - planned)
    return exposure.model_copy(update={"sets": marked, "planned_working_count": left})


def _is_planned_before(done: ExposureSet, planned: int, top_kg: float) -> bool:
    return (
        done.planned_set_index is not None
        and done.planned_set_index < planned
        and done.set_type == "normal"
        and 0 < (done.weight_kg or 0.0) < UNMARKED_LOAD.value * top_kg
    )


def _is_work(done: ExposureSet) -> bool:
    is_real = done.is_confirmed is not False and not done.is_typo_suspect
    return is_real and done.set_type in WORKING_TYPES and bool(done.weight_kg and done.reps)


def _max_kg(done: ExposureSet) -> float:
    reps = min(effective_reps(done.reps or 0, done.rpe), E1RM_HARD_MAX_REPS.value)
    return epley_max(done.weight_kg or 0.0, reps)


def _top_kg(sets: Sequence[ExposureSet]) -> float:
    return max((each.weight_kg or 0.0 for each in sets if _is_work(each)), default=0.0)


def _count_rising(sets: Sequence[ExposureSet]) -> int:
    """Return the number of leading sets that lead up to the work; 0 if there are marks."""
    if any(each.set_type == "warmup" for each in sets):
        return 0
    top_kg = _top_kg(sets)
    level = _first_level(sets, top_kg)
    return level if _is_work_from(sets, level, top_kg) else 0


def _is_work_from(sets: Sequence[ExposureSet], place: int, top_kg: float) -> bool:
    """Return whether the work may begin at a place.

    It is near the heaviest load, and more than one set of no more repetitions: that may end a
    programme of ascending sets.
    """
    if not place:
        return True
    last, first = sets[place - 1], sets[place]
    is_single = place + 1 == len(sets) and (first.reps or 0) <= (last.reps or 0)
    return not is_single and (first.weight_kg or 0.0) >= UNMARKED_LOAD.value * top_kg


def _first_level(sets: Sequence[ExposureSet], top_kg: float) -> int:
    """Return the place of the first set that is not followed by a clearly heavier one.

    The lightest loads, such as the empty bar, may be repeated. Before several sets of one load, one
    with far fewer repetitions leads up to them however near it is.
    """
    top = [each for each in sets if _is_work(each) and each.weight_kg == top_kg]
    few = UNMARKED_FEWER_REPS.value * max((each.reps or 0 for each in top[1:]), default=0)
    for place, (one, following) in enumerate(pairwise(sets)):
        if one.set_type != "normal" or not (_is_work(one) and _is_work(following)):
            return place
        load, next_load = one.weight_kg or 0.0, following.weight_kg or 0.0
        is_repeated = load == next_load and load <= UNMARKED_REPEATED.value * top_kg
        is_heavier = next_load > load * (1 if (one.reps or 0) <= few else UNMARKED_LEVEL.value)
        if not is_heavier and not is_repeated:
            return place
    return max(0, len(sets) - 1)


def _is_warm_up(done: ExposureSet, work: Sequence[ExposureSet], max_kg: float) -> bool:
    load, reps = done.weight_kg or 0.0, done.reps or 0
    work_kg, work_reps = work[0].weight_kg or 0.0, work[0].reps or 0
    is_easy = load < UNMARKED_LOAD.value * work_kg and reps <= UNMARKED_EFFORT.value * epley_reps(
        max_kg, load
    )
    at_work = [each for each in work if _is_work(each) and each.weight_kg == work_kg]
    has_fewer = (
        load < work_kg * (1 if len(at_work) > 1 else UNMARKED_FEWER.value)
        and reps <= UNMARKED_FEWER_REPS.value * work_reps
        and (reps <= UNMARKED_LEAST_REPS.value or len(at_work) > 1)
    )
    is_repeated_later = any(
        each.set_type in WORKING_TYPES
        and (each.weight_kg or 0.0) <= load
        and (each.reps or 0) <= reps
        for each in work
    )
    return (
        (is_easy or has_fewer)
        and (done.rpe is None or done.rpe <= UNMARKED_RPE.value)
        and not is_repeated_later
    )
