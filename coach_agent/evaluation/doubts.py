"""Sets that the marts doubt, from the workouts known on a day: `int_typo_suspects` in Python."""

from collections.abc import Collection, Sequence
from statistics import median
from typing import NamedTuple

from coach_agent.domain.constants.history import (
    TYPO_ALIKE,
    TYPO_COUNT_HI,
    TYPO_COUNT_LEAST,
    TYPO_MIN_OTHERS,
    TYPO_RAMP,
    TYPO_WINDOW,
)

# As in the variables of dbt.
FAR, WITNESSES = 2.0, 3
ALONE_HIGH, ALONE_LOW = 3.0, 0.17
_ALIKE = TYPO_ALIKE.value


class RecordedSet(NamedTuple):
    """A set of an exercise with repetitions; no warm-up.

    `load_kg` is None if it is not all that is moved. `is_drop`: a drop set, light on purpose.
    """

    load_kg: float | None
    reps: int
    is_drop: bool


Recorded = Sequence[RecordedSet]
"""The sets of an exercise in one workout, in order."""


def doubted_places(days: Sequence[Recorded], at: int) -> frozenset[int]:
    """Return the places of the doubted sets of the workout at an index.

    `days` are all known workouts with the exercise, oldest first. Nearby ones on both sides count.
    """
    reach = TYPO_WINDOW.value
    around = [*days[max(0, at - reach) : at], *days[at + 1 : at + 1 + reach]]
    today = days[at]
    heaviest = [max(loads) for day in around if (loads := _loads(day))]
    lightest = [min(loads) for day in around if (loads := _loads(day, with_drops=False))]
    most = [max(each.reps for each in day) for day in around if day]
    return frozenset(
        place
        for place, each in enumerate(today)
        if _are_too_many(each, place, today, most)
        or (each.load_kg is not None and _is_too_heavy(each.load_kg, place, today, heaviest))
        or (
            each.load_kg is not None
            and not each.is_drop
            and _is_too_light(each.load_kg, place, today, lightest, len(heaviest))
        )
    )


def _loads(day: Recorded, *, with_drops: bool = True) -> list[float]:
    return [
        each.load_kg
        for each in day
        if each.load_kg is not None and (with_drops or not each.is_drop)
    ]


def _others(today: Recorded, place: int) -> list[RecordedSet]:
    return [each for at, each in enumerate(today) if at != place]


def _is_witnessed(near: Collection[bool], others: Collection[bool]) -> bool:
    """Return whether several workouts, or another set of the same, have a number like it."""
    return any(others) or sum(near) >= WITNESSES


def _are_too_many(each: RecordedSet, place: int, today: Recorded, most: Sequence[int]) -> bool:
    if each.reps < TYPO_COUNT_LEAST.value:
        return False
    others = [one.reps for one in _others(today, place)]
    if _is_witnessed(
        [one * _ALIKE >= each.reps for one in most], [one * _ALIKE >= each.reps for one in others]
    ):
        return False
    if len(most) >= TYPO_MIN_OTHERS.value:
        return each.reps > TYPO_COUNT_HI.value * median(most)
    return bool(others) and each.reps > TYPO_COUNT_HI.value * max(others)


def _is_too_heavy(load_kg: float, place: int, today: Recorded, heaviest: Sequence[float]) -> bool:
    others = _others(today, place)
    if _is_witnessed(
        [one * _ALIKE >= load_kg for one in heaviest],
        [one * _ALIKE >= load_kg for one in _loads(others)],
    ):
        return False
    if len(heaviest) >= TYPO_MIN_OTHERS.value:
        return load_kg > FAR * median(heaviest)
    working = _loads(others, with_drops=False)
    return bool(working) and load_kg > ALONE_HIGH * max(working)


def _is_too_light(
    load_kg: float,
    place: int,
    today: Recorded,
    lightest: Sequence[float],
    loaded_workouts: int,
) -> bool:
    own = _loads(_others(today, place))
    if _is_witnessed(
        [one <= _ALIKE * load_kg for one in lightest], [one <= _ALIKE * load_kg for one in own]
    ):
        return False
    if loaded_workouts < TYPO_MIN_OTHERS.value:
        return len(today) > 2 and bool(own) and load_kg < ALONE_LOW * min(own)
    if not lightest or load_kg * FAR >= median(lightest):
        return False
    return not _is_in_ramp(load_kg, place, today)


def _is_in_ramp(load_kg: float, place: int, today: Recorded) -> bool:
    """Return whether a light set leads up to the heaviest working set, or down from it."""
    working = _loads(_others(today, place), with_drops=False)
    if not working or load_kg < TYPO_RAMP.value * max(working):
        return False
    before, after = _loads(today[:place]), _loads(today[place + 1 :])
    return max(before, default=load_kg) <= load_kg or max(after, default=load_kg) <= load_kg
