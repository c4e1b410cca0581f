"""Effort of a set: easy and hard sets as the macros of `effort.sql` define them for the marts.

Simulations and past days have no marts. Tests compare these functions with the macros.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from coach_agent.domain.e1rm import HIGHEST_RPE, estimated_max

# The variables of `dbt_project.yml` with the names of the comments.
HARD_SET_MIN_RPE = 7  # rpe.hard_set_min
EASY_RESERVE_MIN = 4  # effort.easy_reserve_min
WARM_UP_RESERVE_MIN = 10  # effort.warm_up_reserve_min
MAXIMUM_DAYS = 120  # effort.maximum_days

EasyReason = Literal["rated", "deload", "warm_up"]


class OwnMaxima:
    """The estimated maxima of an exercise, for the lifter's own one of the latest days."""

    def __init__(self) -> None:
        # In the order of time.
        self._days: list[datetime] = []
        self._maxima_kg: list[float] = []

    def add(self, at: datetime, load_kg: float, reps: int, rpe: float | None) -> None:
        """Add a set that is not doubted; an easy one tells little of a maximum."""
        shown = estimated_max(load_kg, reps, rpe)
        if shown is None or "low_confidence" in shown.tags:
            return
        if rpe is None or HIGHEST_RPE - rpe < EASY_RESERVE_MIN:
            place = bisect_right(self._days, at)
            self._days.insert(place, at)
            self._maxima_kg.insert(place, shown.kg)

    def on(self, at: datetime) -> float | None:
        """Return the highest one in kg of the days up to a time; None without any."""
        first = bisect_left(self._days, at - timedelta(days=MAXIMUM_DAYS))
        return max(self._maxima_kg[first : bisect_right(self._days, at)], default=None)


def reserve_of_maximum(
    load_kg: float | None, reps: int | None, rpe: float | None, own_max_kg: float | None
) -> float | None:
    """Return the repetitions that a set leaves in reserve by the lifter's own maximum.

    None without a maximum, or for a set that gives no estimate of one. Source: Epley's formula.
    """
    if not load_kg or not reps or own_max_kg is None or estimated_max(load_kg, reps, rpe) is None:
        return None
    return 30 * (own_max_kg / load_kg - 1) - reps


def easy_reason(
    set_type: str, rpe: float | None, *, is_eased: bool, reserve: float | None
) -> EasyReason | None:
    """Return the reason for which a working set is easy; an RPE decides alone."""
    if rpe is not None:
        return "rated" if HIGHEST_RPE - rpe >= EASY_RESERVE_MIN else None
    if is_eased:
        return "deload"
    is_light = reserve is not None and reserve >= WARM_UP_RESERVE_MIN
    return "warm_up" if is_light and set_type != "failure" else None


def is_hard_set(
    load_kg: float | None,
    reps: int | None,
    exercise_type: str | None,
    rpe: float | None,
    reason: EasyReason | None,
) -> bool:
    """Return whether a working set is hard: done, with a load if it needs one, and not easy."""
    needs_a_load = (
        exercise_type is None
        or exercise_type.startswith("weight_")
        or exercise_type == "short_distance_weight"
    )
    is_done = reps is None or reps > 0
    is_rated_hard = rpe is None or rpe >= HARD_SET_MIN_RPE
    return is_done and not (load_kg == 0 and needs_a_load) and reason is None and is_rated_hard


def count_hard_sets(
    sets: Sequence[tuple[str, float | None, int | None, float | None]],
    exercise_type: str | None,
    own_max_kg: float | None,
    *,
    is_eased: bool,
) -> int:
    """Count the hard ones of working sets, each as type, load in kg, repetitions and RPE."""
    return sum(
        is_hard_set(
            *(load_kg, reps, exercise_type, rpe),
            easy_reason(
                set_type,
                rpe,
                is_eased=is_eased,
                reserve=reserve_of_maximum(load_kg, reps, rpe, own_max_kg),
            ),
        )
        for set_type, load_kg, reps, rpe in sets
    )
