"""Simulate lifters under coaching policies, for evaluation."""

import csv
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from statistics import median
from typing import Any, TypeVar

from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.plan import SetPrescription
from coach_agent.evaluation.closed_loop import Run, run
from coach_agent.evaluation.closed_loop_measures import gain_of
from coach_agent.evaluation.diary import Diary, FalseAlarms
from coach_agent.evaluation.policies import POLICIES, FixedPolicy, Policy, fixed_policies
from coach_agent.profile.model import AthleteProfile
from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.simulator.athletes.cohort import PlannedRoutine, PlannedSlot, SimulatedLifter
from hevy_connector.simulator.athletes.gyms import Gym
from hevy_connector.simulator.athletes.trainee import Trainee
from orchestration.config.locations import PROJECT_FILES
from orchestration.runs.processors import end_on_sigterm

_WORTH_PROCESSES = 8
_Found = TypeVar("_Found")
_Done = Callable[[], None]
_FALSE_ALARMS = PROJECT_FILES / "dbt_project" / "seeds" / "stall_false_alarms.csv"


@dataclass(frozen=True)
class BestFixed:
    """Best fixed policies for the same lifters, gains in percent.

    `policy` has the highest median gain over all lifters. `gains_pct` has by lifter the gain of
    that lifter's best policy, which is biased upwards by selection; `same_sets_pct` only considers
    policies with the routine's number of sets.
    """

    policy: FixedPolicy
    gain_pct: float
    gains_pct: tuple[float, ...]
    same_sets_pct: tuple[float, ...]


def run_policies(
    lifters: Sequence[SimulatedLifter],
    names: Sequence[str],
    on_done: _Done,
    run_one: Callable[[SimulatedLifter, str], Run] | None = None,
) -> dict[str, list[Run]]:
    """Run all lifters under each policy on all CPUs; calls `on_done` after each run.

    `run_one` runs a policy by name, by default one of `POLICIES`.
    """
    asked = [(lifter, name) for name in names for lifter in lifters]
    found = iter(on_all_processors(run_one or run_named, asked, on_done))
    return {name: [next(found) for _ in lifters] for name in names}


def best_fixed(lifters: Sequence[SimulatedLifter], on_done: _Done) -> BestFixed:
    """Find the best fixed policies for these lifters; calls `on_done` after each lifter."""
    family = tuple(fixed_policies())
    gains = on_all_processors(_gains_of_family, [(lifter,) for lifter in lifters], on_done)
    medians = [median(of_lifter[at] for of_lifter in gains) for at in range(len(family))]
    best = max(range(len(family)), key=medians.__getitem__)
    same = [at for at, policy in enumerate(family) if policy.more_sets == 0]
    return BestFixed(
        policy=family[best],
        gain_pct=medians[best],
        gains_pct=tuple(max(of_lifter) for of_lifter in gains),
        same_sets_pct=tuple(max(of_lifter[at] for at in same) for of_lifter in gains),
    )


def run_named(lifter: SimulatedLifter, name: str) -> Run:
    """Simulate a lifter under one of `POLICIES`."""
    return simulate(lifter, POLICIES[name])


def _gains_of_family(lifter: SimulatedLifter) -> list[float]:
    return [gain_of(simulate(lifter, policy, is_judged=False)) for policy in fixed_policies()]


def on_all_processors(
    work: Callable[..., _Found], asked: Sequence[tuple[Any, ...]], on_done: _Done
) -> list[_Found]:
    """Map in order of `asked`; in this process if there are few items."""
    if len(asked) < _WORTH_PROCESSES:
        found = []
        for each in asked:
            found.append(work(*each))
            on_done()
        return found
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=end_on_sigterm) as pool:
        futures = [pool.submit(work, *each) for each in asked]
        for _ in as_completed(futures):
            on_done()
        return [future.result() for future in futures]


def simulate(lifter: SimulatedLifter, policy: Policy, *, is_judged: bool = True) -> Run:
    """Simulate the lifter's training under a policy, without previous history."""
    return run(Trainee(lifter), lifter.days, diary_of(lifter), policy, is_judged=is_judged)


def diary_of(lifter: SimulatedLifter) -> Diary:
    """Return the diary of a lifter before the first session."""
    there = {slot.template_id: slot for each in lifter.routines for slot in each.slots}
    others = [
        _slot(0, replace(slot, template_id=lifter.similar[name]))
        for name, slot in there.items()
        if name in lifter.similar
    ]
    return Diary(routines_of(lifter), profile_of(lifter), false_alarms(), others)


def profile_of(lifter: SimulatedLifter) -> AthleteProfile:
    """Return the lifter's profile: the routines in order, and the gym."""
    return AthleteProfile.model_validate(
        {
            "id": "simulated",
            "routines": [each.title for each in lifter.routines],
            "equipment": _equipment(lifter.gym),
        },
        strict=False,
    )


def routines_of(lifter: SimulatedLifter) -> tuple[RoutineContext, ...]:
    """Return the lifter's routines before the first session."""
    return tuple(_routine(number, each) for number, each in enumerate(lifter.routines))


@cache
def false_alarms() -> FalseAlarms:
    """Return the false alarm rates of the stall rule, from the dbt seed."""
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
