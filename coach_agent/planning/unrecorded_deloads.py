"""Deloads that nobody recorded: light workouts that are no new level."""

from collections.abc import Iterable

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.recovery import (
    DELOAD_LOAD_FACTOR,
    DELOAD_RIR_MIN,
    LAYOFF_HOLD_UNTIL,
)
from coach_agent.domain.context import Exposure, ExposureSet, RoutineContext, SlotContext
from coach_agent.domain.e1rm import HIGHEST_RPE, epley_max
from coach_agent.engine.history.attempts import WORKING_TYPES, done_sets, is_as_planned
from coach_agent.engine.history.odd_loads import hard_days
from coach_agent.engine.loads.ladder import load_of

_LOADED = "weight_reps"
# Heavy, medium and light days take turns after three workouts at most.
_TURNS = 3
# A lift alone may be lighter for its own reason, unless its effort is stated.
_LEAST_LIFTS = 2


def with_unrecorded_deloads(routines: Iterable[RoutineContext]) -> tuple[RoutineContext, ...]:
    """Return the routines with the latest workout marked as easy, if it was like a deload.

    All of its lifts were lighter than the time before by at least the cut of a deload, at a clearly
    lower effort. A second light workout is a new level, and so is a light one after a break, at a
    high effort, as planned, or in turns with heavy ones. A workout of one lift needs a stated
    effort. A later workout of the lift decides by itself.
    """
    return tuple(map(_with_unrecorded_deload, routines))


def _with_unrecorded_deload(routine: RoutineContext) -> RoutineContext:
    latest = max(
        (slot.exposures[0] for slot in routine.slots if slot.exposures),
        key=lambda each: each.started_at,
        default=None,
    )
    if latest is None:
        return routine
    lifts = [
        slot
        for slot in routine.slots
        if slot.exposures
        and slot.exposures[0].workout_id == latest.workout_id
        and slot.exercise_type == _LOADED
        and _top_kg(slot.exposures[0]) > 0
    ]
    if not lifts or not all(map(_is_lighter_at_ease, lifts)):
        return routine
    if len(lifts) < _LEAST_LIFTS and _hardest(lifts[0].exposures[0]) is None:
        return routine
    slots = tuple(_with_easy_latest(slot, latest.workout_id) for slot in routine.slots)
    return routine.model_copy(update={"slots": slots})


def _with_easy_latest(slot: SlotContext, workout_id: str) -> SlotContext:
    if not slot.exposures or slot.exposures[0].workout_id != workout_id:
        return slot
    latest, *older = slot.exposures
    if latest.is_easy:
        return slot
    easy = latest.model_copy(
        update={"is_easy": True, "is_unrecorded": not is_as_planned(latest)},
    )
    return slot.model_copy(update={"exposures": (easy, *older)})


def _is_lighter_at_ease(slot: SlotContext) -> bool:
    """Return whether the latest workout of a lift was like a deload, and none shortly before it."""
    latest = slot.exposures[0]
    older = [each for each in slot.exposures[1:] if not each.is_easy]
    if latest.is_easy or not older or is_as_planned(latest):
        return False
    before = older[0]
    if (latest.started_at - before.started_at).days > LAYOFF_HOLD_UNTIL.value:
        return False
    recent = older[: _TURNS + 1]
    if not _is_cut(latest, before) or any(map(_is_cut, recent, recent[1:])):
        return False
    return _is_easier(slot, latest, before)


def _is_cut(after: Exposure, before: Exposure) -> bool:
    """Return whether load and estimated maximum fell by at least the cut of a deload.

    A heavy single among sets of more repetitions makes the next workout no lighter one.
    """
    return all(
        0 < of(after) <= of(before) * DELOAD_LOAD_FACTOR.value + LOAD_TOLERANCE.value
        for of in (_top_kg, _best_max)
    )


def _is_easier(slot: SlotContext, latest: Exposure, before: Exposure) -> bool:
    """Return whether a workout had no more repetitions and a clearly lower effort than the one
    before it.

    Without a stated effort, no set shows a limit.
    """
    if _most_reps(latest) > _most_reps(before):
        return False
    now, then = _hardest(latest), _hardest(before)
    if now is None:
        return not hard_days(slot)(latest.started_at, _top_kg(latest))
    easy = HIGHEST_RPE - DELOAD_RIR_MIN.value + 1
    return now <= easy and (then is None or now <= then - 1)


def _credible(exposure: Exposure) -> list[ExposureSet]:
    return [
        each
        for each in done_sets(exposure, WORKING_TYPES)
        if not each.is_typo_suspect and each.is_confirmed is not False
    ]


def _top_kg(exposure: Exposure) -> float:
    loads = (load_of(_LOADED, each.weight_kg) or 0.0 for each in _credible(exposure))
    return max(loads, default=0.0)


def _best_max(exposure: Exposure) -> float:
    maxima = (epley_max(each.weight_kg or 0.0, each.reps or 1) for each in _credible(exposure))
    return max(maxima, default=0.0)


def _most_reps(exposure: Exposure) -> int:
    return max((each.reps or 0 for each in _credible(exposure)), default=0)


def _hardest(exposure: Exposure) -> float | None:
    return max((each.rpe for each in _credible(exposure) if each.rpe is not None), default=None)
