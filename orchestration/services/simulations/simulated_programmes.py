"""Simulated lifters of a cohort on a programme that is built for them."""

from collections.abc import Mapping

from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.plan import SetPrescription
from coach_agent.evaluation.closed_loop import Run, run
from coach_agent.evaluation.diary import Diary
from coach_agent.evaluation.following import ProgrammePolicy
from coach_agent.programmes.builder import build
from coach_agent.programmes.catalogue import Catalogue
from coach_agent.programmes.model import Aim, Level, Programme
from coach_agent.programmes.request import ProgrammeRequest
from hevy_connector.simulator.athletes.cohort import (
    Level as SimulatedLevel,
)
from hevy_connector.simulator.athletes.cohort import (
    SimulatedLifter,
    known_exercises,
    starting_load,
    with_exercises,
)
from hevy_connector.simulator.athletes.trainee import Trainee
from orchestration.services.programmes.exercise_catalogue import (
    programme_catalogue,
)
from orchestration.services.simulations.simulation import false_alarms, profile_of, run_named
from orchestration.services.simulations.what_if import programme_to_follow

PROGRAMMES: Mapping[str, Aim] = {
    "programme-strength": "strength",
    "programme-both": "both",
    "programme-hypertrophy": "hypertrophy",
}
"""Goals of programmes by the name of their policy."""

_LEVELS: Mapping[SimulatedLevel, Level] = {
    "beginner": "novice",
    "intermediate": "intermediate",
    "advanced": "advanced",
}


def programme_of(lifter: SimulatedLifter, goal: Aim) -> Programme:
    """Build the programme of a simulated lifter, from the exercises that can be simulated.

    It has the lifter's training days and level, and sessions of an hour.
    """
    request = ProgrammeRequest(
        days=len({each.day % 7 for each in lifter.days}), goal=goal, level=_LEVELS[lifter.level]
    )
    return build(request, _simulated_catalogue()).programme


def simulate_programme(lifter: SimulatedLifter, goal: Aim, *, is_judged: bool = True) -> Run:
    """Simulate the lifter's training of a programme under the coach, again after each end."""
    programme = programme_to_follow(programme_of(lifter, goal), _simulated_catalogue())
    templates = dict.fromkeys(
        slot.exercise_template_id for each in programme.routines for slot in each.slots
    )
    trained = with_exercises(lifter, templates)
    routines = tuple(_with_loads(each, trained) for each in programme.routines)
    profile = profile_of(lifter).model_copy(
        update={"routines": tuple(each.title for each in routines)}
    )
    diary = Diary(routines, profile, false_alarms())
    policy = ProgrammePolicy(programme.followed)
    return run(Trainee(trained), trained.days, diary, policy, is_judged=is_judged)


def run_programme_or_policy(lifter: SimulatedLifter, name: str) -> Run:
    """Simulate a lifter under one of `PROGRAMMES` or `POLICIES`."""
    if name in PROGRAMMES:
        return simulate_programme(lifter, PROGRAMMES[name])
    return run_named(lifter, name)


def _simulated_catalogue() -> Catalogue:
    known = known_exercises()
    return {
        title: each for title, each in programme_catalogue().items() if each.template_id in known
    }


def _with_loads(routine: RoutineContext, lifter: SimulatedLifter) -> RoutineContext:
    slots = tuple(_slot(each, lifter) for each in routine.slots)
    return routine.model_copy(update={"slots": slots})


def _slot(slot: SlotContext, lifter: SimulatedLifter) -> SlotContext:
    first = slot.planned_sets[0]
    low, high = first.rep_range_start or first.reps or 1, first.rep_range_end or first.reps or 1
    load = starting_load(lifter, slot.exercise_template_id, (low + high) / 2)
    sets = tuple(_with_load(each, load) for each in slot.planned_sets)
    return slot.model_copy(update={"planned_sets": sets})


def _with_load(each: SetPrescription, load_kg: float) -> SetPrescription:
    return each.model_copy(update={"weight_kg": load_kg, "reps": each.reps or each.rep_range_start})
