"""Stacks that no profile describes, from the loads that the athlete lifted on them."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor

from coach_agent.domain.constants.loads import LOAD_TOLERANCE, STACK_WIDEST_STEP
from coach_agent.domain.context import SameHistory
from coach_agent.engine.loads.logged_steps import logged_loads, off_step
from coach_agent.engine.loads.plates import Loads, listed_loads, stepped_loads

# Two sets are no typing error.
_LEAST_SETS = 2
# Two equal steps are no chance.
_LEAST_LOADS = 3
_WHOLE_KG = 0.01
_HALF_KG = 0.5


def logged_stack(
    history: SameHistory, step_kg: float, through_kg: float, up_to_kg: float
) -> Loads | None:
    """Return the stack of the loads lifted twice or more, if steps of `step_kg` do not have them.

    It goes on in their own steps. Loads that are nearer than a step come from small plates on the
    stack, and give no steps. None if there are such, or too few loads. `through_kg` is part of it.
    """
    known = _repeated_loads(history)
    rises = [after - before for before, after in pairwise(known)]
    if not rises or min(rises) < step_kg - LOAD_TOLERANCE.value:
        return None
    if all(off_step(each, step_kg) <= LOAD_TOLERANCE.value for each in rises):
        return None
    own_kg = min(rises)
    if rounded := _rounded_stack(known, up_to_kg):
        return _through(rounded, through_kg)
    if own_kg > STACK_WIDEST_STEP.value:
        own_kg = step_kg
    highest_kg = max(up_to_kg, known[-1] + own_kg)
    below = stepped_loads(own_kg, known[0], known[0]).loads_kg[:-1]
    above = stepped_loads(own_kg, known[-1], highest_kg).loads_kg
    between = (
        load
        for before, after in pairwise(known)
        if after - before > STACK_WIDEST_STEP.value
        for load in stepped_loads(own_kg, after, after).loads_kg[:-1]
        if load > before + LOAD_TOLERANCE.value
    )
    heavier = (load for load in above if load > known[-1] + LOAD_TOLERANCE.value)
    return _through((*below, *known, *between, *heavier), through_kg)


def with_logged_loads(history: SameHistory, stack: Loads) -> Loads:
    """Return a stack with each load that was lifted twice or more, also between its steps."""
    others = [
        load
        for load in _repeated_loads(history)
        if abs(stack.nearest(load) - load) > LOAD_TOLERANCE.value
    ]
    return listed_loads((*stack.loads_kg, *others)) if others else stack


def _through(loads: Sequence[float], load_kg: float) -> Loads:
    """Return these loads and `load_kg`, unless it differs from one of them by grams only."""
    is_there = any(abs(each - load_kg) <= LOAD_TOLERANCE.value for each in loads)
    return listed_loads((*loads,) if is_there or load_kg <= 0 else (*loads, load_kg))


@lru_cache(maxsize=256)
def _repeated_loads(history: SameHistory) -> tuple[float, ...]:
    """Return the loads (kg) of several sets without a doubt, ascending.

    Loads that differ by grams are one.
    """
    done = logged_loads(history)
    counts = Counter(round(load, 2) for load in done)
    loads = {load for load in done if counts[round(load, 2)] >= _LEAST_SETS}
    known: list[float] = []
    for load in sorted(loads):
        if not known or load - known[-1] > LOAD_TOLERANCE.value:
            known.append(load)
    return tuple(known)


def _rounded_stack(known: tuple[float, ...], up_to_kg: float) -> tuple[float, ...] | None:
    """Return a stack in equal steps that the athlete notes in whole kilograms; None without one.

    22.5, 30 and 37.5 kg are noted as 23, 30 and 38.
    """
    if len(known) < _LEAST_LOADS or any(abs(each - round(each)) > _WHOLE_KG for each in known):
        return None
    least = min(after - before for before, after in pairwise(known))
    for halves in range(2 * floor(least), 2 * ceil(least) + 2):
        step_kg = halves * _HALF_KG
        for offset in range(halves):
            count = ceil(up_to_kg / step_kg) + 1
            marks = [
                floor(offset * _HALF_KG + place * step_kg + _HALF_KG) for place in range(count)
            ]
            places = [marks.index(round(each)) for each in known if round(each) in marks]
            steps = [after - before for before, after in pairwise(places)]
            if len(places) == len(known) and steps.count(1) >= _LEAST_LOADS - 1:
                others = (float(each) for each in {*marks} - {0, *map(round, known)})
                return (*known, *others)
    return None
