"""Estimated one-repetition maximum (e1RM)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from coach_agent.domain.constants.loads import JUMP_MAX_PCT, LOAD_TOLERANCE
from coach_agent.domain.constants.strength import (
    E1RM_BAND_6_8,
    E1RM_BAND_9_10,
    E1RM_BAND_11_12,
    E1RM_BAND_LE_5,
    E1RM_HARD_MAX_REPS,
    E1RM_MAX_REPS,
    E1RM_SINGLE_HABIT,
    E1RM_TESTED_SINGLE_RPE,
)

LOWEST_RPE, HIGHEST_RPE = 1.0, 10.0


@dataclass(frozen=True)
class EstimatedMax:
    """An e1RM in kg with its 80 % band.

    `tags`: `assumes_failure` (no RPE: a lower bound), `low_confidence` (more than 10 reps).
    """

    kg: float
    low_kg: float
    high_kg: float
    method: Literal["tested", "epley"]
    reps_effective: float
    tags: tuple[str, ...] = ()


@lru_cache(maxsize=4096, typed=True)
def estimated_max(load_kg: float, reps: int, rpe: float | None) -> EstimatedMax | None:
    """Return the e1RM of a set; None if it cannot be estimated.

    None: no load, no repetition, or more than 12 effective repetitions, where formulas diverge. A
    single at RPE 9.5 or more is a tested maximum.

    Source: Epley; up to 10 repetitions Reynolds et al. 2006, JSCR 20:584. The bands are priors.
    """
    if load_kg <= 0 or reps < 1:
        return None
    reps_eff = effective_reps(reps, rpe)
    if reps_eff > E1RM_HARD_MAX_REPS.value:
        return None
    margin = _band_pct(reps_eff) / 100
    if is_tested_max(reps, rpe):
        return EstimatedMax(
            load_kg, load_kg * (1 - margin), load_kg * (1 + margin), "tested", reps_eff
        )
    kg = epley_max(load_kg, reps_eff)
    tags = []
    if rpe is None:
        tags.append("assumes_failure")
    if reps_eff > E1RM_MAX_REPS.value:
        tags.append("low_confidence")
    return EstimatedMax(kg, kg * (1 - margin), kg * (1 + margin), "epley", reps_eff, tuple(tags))


def is_tested_max(reps: int | None, rpe: float | None) -> bool:
    """Return whether a set is a single that counts as a tested maximum."""
    return reps == 1 and rpe is not None and rpe >= E1RM_TESTED_SINGLE_RPE.value


def is_planned_single(
    load: float | None, planned_load: float | None, planned_reps: int | None
) -> bool:
    """Return whether a single was planned training and no test: a single no heavier than planned.

    Loads are kg. Unknown plans are no plans.
    """
    if load is None or planned_load is None or planned_reps != 1:
        return False
    return load <= planned_load + LOAD_TOLERANCE.value


def is_trained_single(load: float, others: Iterable[float]) -> bool:
    """Return whether a single is usual training: enough others were about as heavy.

    Loads are kg, `others` the heaviest single of each other workout: no heavier, and lighter by no
    more than the jump cap.
    """
    least = load / (1 + JUMP_MAX_PCT.value / 100) - LOAD_TOLERANCE.value
    most = load + LOAD_TOLERANCE.value
    return sum(least <= each <= most for each in others) >= E1RM_SINGLE_HABIT.value


def effective_reps(reps: int, rpe: float | None) -> float:
    """Return the repetitions to failure: done plus in reserve (10 - RPE).

    Without an RPE the set is taken to failure, so every estimate is a lower bound.
    """
    return float(reps) if rpe is None else reps + HIGHEST_RPE - rpe


def epley_max(load_kg: float, reps: float) -> float:
    """Return the one-repetition maximum from a set to failure: w (1 + r / 30), and w itself at r =
    1.
    """
    return load_kg if reps == 1 else load_kg * (1 + reps / 30)


def epley_load(max_kg: float, reps: float) -> float:
    """Return the maximum load for `reps` repetitions: the inverse of `epley_max`."""
    return max_kg if reps == 1 else max_kg / (1 + reps / 30)


def epley_reps(max_kg: float, load_kg: float) -> float:
    """Return the maximum repetitions with a load: at least 1 up to the maximum load, otherwise
    0.
    """
    return max(1.0, 30 * (max_kg / load_kg - 1)) if load_kg <= max_kg else 0.0


def _band_pct(reps_effective: float) -> float:
    """Return half the width of the 80 % band around an e1RM, in percent of it."""
    if reps_effective <= 5:
        return E1RM_BAND_LE_5.value
    if reps_effective <= 8:
        return E1RM_BAND_6_8.value
    if reps_effective <= E1RM_MAX_REPS.value:
        return E1RM_BAND_9_10.value
    return E1RM_BAND_11_12.value


def can_manage(
    load_kg: float,
    reps: int,
    rpe: float | None,
    next_load_kg: float,
    next_reps: int,
    *,
    needs_proof: bool = False,
) -> bool:
    """Return whether a set of `reps` with `load_kg` makes `next_reps` with the next load plausible.

    Plausible is the upper end of the e1RM's band; with `needs_proof` the estimate itself.
    """
    middle, upper = middle_and_upper(load_kg, reps, rpe)
    highest = epley_load(middle if needs_proof else upper, next_reps)
    return next_load_kg <= highest + 1e-9


def middle_and_upper(load_kg: float, reps: int, rpe: float | None) -> tuple[float, float]:
    """Return the e1RM of a set and the upper end of its band, in kg.

    Above 12 repetitions, where no e1RM is stated, they continue with the widest band: it compares
    two points of the same lifter's curve, and widening a range past 12 repetitions could otherwise
    never make a step possible.
    """
    estimate = estimated_max(load_kg, reps, rpe)
    if estimate is not None:
        return estimate.kg, estimate.high_kg
    middle = epley_max(load_kg, effective_reps(reps, rpe))
    return middle, middle * (1 + E1RM_BAND_11_12.value / 100)
