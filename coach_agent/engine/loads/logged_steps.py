"""Steps of an exercise's loads that its log shows."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.context import SameHistory, Slot
from coach_agent.domain.units import KILOGRAMS_PER_POUND, Unit
from coach_agent.engine.loads.increments import is_cable

# The places of a few routines; each is kept with its exposures.
_REMEMBERED = 256
# The steps of stacks that are marked in pounds. Files round kilograms to 0.1.
_FINE_LB = 5
ROUNDED_KG = 0.06
_ROUND_KG = 0.5
# Steps of unknown equipment in kilograms, the usual one first.
_ROUND_STEPS_KG = (2.5, 1.25, 1.0, 0.5)
# Minimum distinct loads to infer the steps of a stack.
_LOGGED_LOADS = 3


def stack_step_kg(slot: Slot, step_kg: float, through_kg: float) -> float:
    """Return the step of the logged loads, or this one if they are on it.

    Logs that skip every other pin do not prove that it is missing.
    """
    logged_kg = _logged_step_kg(slot, through_kg)
    if logged_kg and off_step(logged_kg, step_kg) > LOAD_TOLERANCE.value:
        return logged_kg
    return step_kg


def round_step_kg(slot: Slot, step_kg: float, through_kg: float, unit: Unit) -> float:
    """Return this step of unknown equipment, or the usual one that fits the logged loads.

    Of loads on the coarse step of pounds the next ones are on it, too.
    """
    known = {*_known_loads(SameHistory(slot)), round(through_kg, 2)} - {0.0}
    if unit == "lb":
        coarse_kg = _FINE_LB * KILOGRAMS_PER_POUND
        return coarse_kg if known and _are_multiples(known, coarse_kg) else step_kg
    steps = (step_kg, *_ROUND_STEPS_KG)
    return next((step for step in steps if _are_multiples(known, step)), step_kg)


def off_step(load_kg: float, step_kg: float) -> float:
    """Return the distance (kg) of a load or a rise from the nearest multiple of a step."""
    return abs(load_kg - step_kg * round(load_kg / step_kg))


def _are_multiples(loads_kg: Iterable[float], step_kg: float) -> bool:
    return all(off_step(load, step_kg) <= ROUNDED_KG for load in loads_kg)


@lru_cache(maxsize=_REMEMBERED)
def logged_loads(history: SameHistory) -> tuple[float, ...]:
    """Return the load (kg) of each set that neither the marts nor the athlete doubt."""
    return tuple(
        done.weight_kg
        for exposure in history.slot.exposures
        for done in exposure.sets
        if done.weight_kg and not done.is_typo_suspect and done.is_confirmed is not False
    )


@lru_cache(maxsize=_REMEMBERED)
def _known_loads(history: SameHistory) -> frozenset[float]:
    """Return the different logged loads, to 10 g."""
    return frozenset(round(load, 2) for load in logged_loads(history))


def pound_step_kg(slot: Slot, through_kg: float) -> float | None:
    """Return the step of a stack that is marked in pounds; None if its loads may be kilograms.

    All loads are multiples of 5 lb, and one of them is no round number of kilograms. A cable has
    each 5 lb, a machine each 10 unless loads between them were lifted.
    """
    known = {*_known_loads(SameHistory(slot)), through_kg} - {0.0}
    fine_kg = _FINE_LB * KILOGRAMS_PER_POUND
    if not _are_multiples(known, fine_kg) or _are_multiples(known, _ROUND_KG):
        return None
    parities = {round(load / fine_kg) % 2 for load in known}
    return fine_kg if is_cable(slot) or len(parities) > 1 else 2 * fine_kg


def _logged_step_kg(slot: Slot, through_kg: float) -> float | None:
    """Return the common divisor of the distances of all logged loads; None without one.

    A stack of 12, 19 and 26 kg goes on with 33: two equal steps are no chance.
    """
    loads = _known_loads(SameHistory(slot))
    known = sorted(loads | ({round(through_kg, 2)} if through_kg > 0 else set()))
    if len(known) < _LOGGED_LOADS:
        return None
    rises = [after - before for before, after in pairwise(known)]
    step = min(rises)
    is_grid = all(off_step(rise, step) <= LOAD_TOLERANCE.value for rise in rises)
    is_told = sum(abs(rise - step) <= LOAD_TOLERANCE.value for rise in rises) > 1
    return step if is_grid and is_told and step > LOAD_TOLERANCE.value else None
