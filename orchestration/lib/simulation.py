"""Simulated lifters under the coach: the simulator's people in the evaluation's loop."""

import csv
from functools import cache
from pathlib import Path
from typing import Any

from coach_agent.context import RoutineContext, SlotContext
from coach_agent.evaluation.closed_loop import Run, run
from coach_agent.evaluation.diary import Diary, FalseAlarms
from coach_agent.evaluation.policies import Policy
from coach_agent.plan import SetPrescription
from coach_agent.profile import AthleteProfile
from hevy_connector.simulator.catalogue import built_in_templates
from hevy_connector.simulator.cohort import Gym, PlannedRoutine, PlannedSlot, SimulatedLifter
from hevy_connector.simulator.trainee import Trainee

_FALSE_ALARMS = Path(__file__).parents[2] / "dbt_project" / "seeds" / "stall_false_alarms.csv"


def simulate(lifter: SimulatedLifter, policy: Policy, *, is_judged: bool = True) -> Run:
    """The lifter's training under a policy, from a first day without any history."""
    diary = Diary(routines_of(lifter), profile_of(lifter), false_alarms())
    return run(Trainee(lifter), lifter.days, diary, policy, is_judged=is_judged)


def profile_of(lifter: SimulatedLifter) -> AthleteProfile:
    """The profile that the lifter would write: the routines in their order, and the gym."""
    return AthleteProfile.model_validate(
        {
            "id": "simulated",
            "routines": [each.title for each in lifter.routines],
            "equipment": _equipment(lifter.gym),
        },
        strict=False,
    )


def routines_of(lifter: SimulatedLifter) -> tuple[RoutineContext, ...]:
    """The lifter's routines before the first session."""
    return tuple(_routine(number, each) for number, each in enumerate(lifter.routines))


@cache
def false_alarms() -> FalseAlarms:
    """How often the rule about stalls is wrong, as the warehouse knows it."""
    with _FALSE_ALARMS.open(newline="") as file:
        return {
            (int(row["exposure_count"]), float(row["noise_pct"]), float(row["drift_pct"])): float(
                row["false_alarm_rate"]
            )
            for row in csv.DictReader(file)
        }


def _equipment(gym: Gym) -> dict[str, object]:
    return {
        "bar_kg": gym.bar_kg,
        "plate_pairs_kg": tuple(map(float, gym.plate_pairs_kg)),
        "dumbbells_kg": tuple(map(float, gym.dumbbells_kg)),
        "machine_step_kg": gym.stack_step_kg,
        "cable_step_kg": gym.stack_step_kg,
    }


def _routine(number: int, planned: PlannedRoutine) -> RoutineContext:
    return RoutineContext(
        routine_id=f"routine-{number}",
        title=planned.title,
        sha256=f"{number:064}",
        slots=tuple(_slot(index, each) for index, each in enumerate(planned.slots)),
    )


def _slot(index: int, planned: PlannedSlot) -> SlotContext:
    template = _templates()[planned.template_id]
    is_fixed = planned.low == planned.high
    sets = tuple(
        SetPrescription(
            set_index=number,
            set_type="normal",
            weight_kg=planned.load_kg,
            reps=planned.low,
            rep_range_start=None if is_fixed else planned.low,
            rep_range_end=None if is_fixed else planned.high,
        )
        for number in range(planned.sets)
    )
    return SlotContext(
        exercise_index=index,
        occurrence=1,
        exercise_template_id=planned.template_id,
        exercise_title=template["title"],
        exercise_type=template["type"],
        equipment=template["equipment"],
        primary_muscle_group=template["primary_muscle_group"],
        secondary_muscle_groups=tuple(template["secondary_muscle_groups"]),
        rest_s=120,
        planned_sets=sets,
    )


@cache
def _templates() -> dict[str, dict[str, Any]]:
    return {each["id"]: each for each in built_in_templates()}
