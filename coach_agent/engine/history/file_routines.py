"""Routines that are inferred from files: their targets are what was done, not what was planned.

So their set types and goals come from the history of the exercise.
"""

from coach_agent.domain.constants.history import TYPO_COUNT_HI
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.progression import LINEAR_FAIL_LIMIT
from coach_agent.domain.context import Exposure, RoutineContext, SlotContext
from coach_agent.domain.plan import SetPrescription
from coach_agent.engine.history.unmarked_warm_ups import mark_warm_ups
from coach_agent.profile.equipment import equipment_kind


def complete_file_routine(routine: RoutineContext) -> RoutineContext:
    """Return a routine of a file with its warm-ups, and without a missed time or distance as goal.

    Otherwise each miss would lower the next goal. Titles outside of the catalogue name equipment.
    """
    slots = tuple(
        slot.model_copy(
            update={
                "equipment": slot.equipment or _equipment_of(slot),
                "planned_sets": tuple(_with_distance(each, slot) for each in slot.planned_sets),
                "exposures": tuple(map(_without_times, slot.exposures)),
            }
        )
        for slot in mark_warm_ups(routine).slots
    )
    return routine.model_copy(update={"slots": slots})


def _equipment_of(slot: SlotContext) -> str | None:
    kind = equipment_kind(slot.exercise_title, None, slot.exercise_type)
    return "machine" if kind == "cable" else kind


def _with_distance(planned: SetPrescription, slot: SlotContext) -> SetPrescription:
    """Return the set with the longest credible distance at its place in the latest workouts.

    Lighter loads were carried for other goals.
    """
    goal = planned.distance_m
    if goal is None:
        return planned
    done = [
        each
        for exposure in slot.exposures[: LINEAR_FAIL_LIMIT.value]
        for each in exposure.sets
        if each.set_index == planned.set_index and each.weight_kg and each.distance_m
    ]
    least_kg = (done[0].weight_kg or 0.0) - LOAD_TOLERANCE.value if done else 0.0
    known = (each.distance_m or 0 for each in done if (each.weight_kg or 0.0) >= least_kg)
    credible = (metres for metres in known if metres <= TYPO_COUNT_HI.value * goal)
    return planned.model_copy(update={"distance_m": max((goal, *credible))})


def _without_times(exposure: Exposure) -> Exposure:
    if all(each.planned_duration_s is None for each in exposure.sets):
        return exposure
    sets = tuple(each.model_copy(update={"planned_duration_s": None}) for each in exposure.sets)
    return exposure.model_copy(update={"sets": sets})
