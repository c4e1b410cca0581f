"""Simulated lifters for the closed loop, without habits or chance but what a test asks for."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from coach_agent.evaluation.closed_loop import Run, run
from coach_agent.evaluation.closed_loop_measures import exposures_of
from coach_agent.evaluation.policies import Policy, engine
from coach_agent.store.check_ins import CheckIn
from hevy_connector.simulator.athletes.cohort import SimulatedLifter, draw_lifter
from hevy_connector.simulator.athletes.gyms import Gym
from hevy_connector.simulator.athletes.habits import Habits
from hevy_connector.simulator.athletes.trainee import Trainee
from hevy_connector.simulator.athletes.training_days import TrainingDay
from orchestration.services.simulations.simulation import diary_of

NUMBERS = (0, 5)
"""An advanced lifter in a gym with wide steps, and a beginner with fixed repetitions."""
WEEKS = 12


def steady(number: int, weeks: int = WEEKS, **habits: Any) -> SimulatedLifter:
    """A lifter that trains on Monday, Wednesday and Friday and follows the plan."""
    lifter = draw_lifter(1, number, weeks, "median")
    days = tuple(
        TrainingDay(7 * week + weekday, each.form)
        for (week, weekday), each in zip(
            ((week, weekday) for week in range(weeks) for weekday in (0, 2, 4)),
            draw_lifter(1, number, 3 * weeks, "median").days,
            strict=False,
        )
    )
    return replace(lifter, days=days, habits=replace(Habits(fills_range=True), **habits))


def without(lifter: SimulatedLifter, days: range) -> SimulatedLifter:
    """The lifter without training on these days."""
    return replace(lifter, days=tuple(each for each in lifter.days if each.day not in days))


def at(gym: Gym, lifter: SimulatedLifter) -> SimulatedLifter:
    """The lifter in another gym, with the first loads that it has."""
    routines = tuple(
        replace(
            routine,
            slots=tuple(
                replace(slot, load_kg=_nearest(lifter, gym, slot.template_id, slot.load_kg))
                for slot in routine.slots
            ),
        )
        for routine in lifter.routines
    )
    return replace(lifter, gym=gym, routines=routines)


def _nearest(lifter: SimulatedLifter, gym: Gym, template_id: str, load_kg: float) -> float:
    loads = replace(lifter, gym=gym).loads(template_id)
    return max((load for load in loads if load <= load_kg), default=loads[0])


def coached(
    lifter: SimulatedLifter,
    policy: Policy = engine,
    check_in: Callable[[TrainingDay], CheckIn | None] = lambda _: None,
) -> Run:
    """The lifter under the coach; guardrails stop what is illegal with an error."""
    return run(Trainee(lifter), lifter.days, diary_of(lifter), policy, check_in=check_in)


def problems(lifter: SimulatedLifter, found: Run) -> Iterator[str]:
    """Every breach of the safety limits, in words, by the plans and the log alone.

    A load must exist, and lie at most 5 % or one existing step above the best of the last five
    exposures; none may lie 15 % above ability three times in a row. Loads that the lifter put into
    the routine are no plan's.
    """
    for name, exposures in exposures_of(found).items():
        loads = lifter.loads(name)
        best: list[float] = []
        above = 0
        for sets in exposures:
            load = max(each.target.load_kg for each in sets)
            where = f"{name} on day {sets[0].day}: {load:g} kg"
            is_planned = not sets[0].has_own_load
            if load not in loads and load > loads[0]:
                yield f"{where} does not exist"
            if best and is_planned:
                known = max(best[-5:])
                step = min((each for each in loads if each > known + 0.01), default=known)
                if load > max(1.05 * known, step) + 0.01:
                    yield f"{where} after {known:g} kg"
            best.append(max(each.done_kg for each in sets))
            above = above + 1 if sets[0].excess > 0.15 and is_planned else 0
            if above == 3:
                yield f"{where} is beyond ability for the third time"
    if found.injuries:
        yield f"{found.injuries} injuries"
