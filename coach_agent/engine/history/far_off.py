"""Bounds of numbers that are far off: the ratios of the typo section of the training science."""

from collections.abc import Sequence
from typing import Literal

from coach_agent.domain.constants.history import (
    TYPO_ALIKE,
    TYPO_COUNT_HI,
    TYPO_COUNT_LEAST,
    TYPO_HI,
    TYPO_LO,
    TYPO_PART_KG,
    TYPO_POUNDS,
    TYPO_REPEATED,
)
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.units import KILOGRAMS_PER_POUND

LoadKind = Literal["whole", "part"]
"""The load is all that is moved, or the body is a part of it and ratios of loads mean little."""


def is_far_above(load: float, usual: float, loads: LoadKind) -> bool:
    """Return whether a load, in kg with assistance negative, is too heavy for the usual one."""
    if loads == "whole":
        return load > TYPO_HI.value * usual
    far = load > TYPO_LO.value * usual if usual < 0 else load > TYPO_HI.value * usual
    return far and load - usual > TYPO_PART_KG.value


def is_far_below(load: float, usual: float, loads: LoadKind) -> bool:
    """Return whether a load, in kg with assistance negative, is too light for the usual one."""
    if loads == "whole":
        return load < TYPO_LO.value * usual
    far = load * TYPO_LO.value < usual if usual < 0 else load < TYPO_LO.value * usual
    return far and usual - load > TYPO_PART_KG.value


def is_repeated_level(loads: Sequence[float], usual: float) -> bool:
    """Return whether several sets have a load near the lightest, not too far above the usual
    one.
    """
    lightest, *others = loads
    is_repeated = any(0 < lightest <= each <= TYPO_ALIKE.value * lightest for each in others)
    return is_repeated and is_possible_level(lightest, usual)


def is_possible_level(load: float, usual: float) -> bool:
    """Return whether a load of several sets may be a new level: near enough, and not the usual one
    in pounds.
    """
    is_in_pounds = usual > 0 and is_near(load / usual, 1 / KILOGRAMS_PER_POUND)
    return load <= TYPO_REPEATED.value * usual and not is_in_pounds


def is_near(share: float, other: float) -> bool:
    """Return whether two ratios are as near as loads in pounds are to the usual ones."""
    return abs(share / other - 1) <= TYPO_POUNDS.value


def is_far_more(count: float, usual: float) -> bool:
    """Return whether repetitions, or seconds, are too many for the usual ones."""
    return count >= TYPO_COUNT_LEAST.value and count > TYPO_COUNT_HI.value * usual


def is_above_plan(load: float, planned: float | None) -> bool:
    """Return whether a load is above the plan, or the plan is unknown."""
    return planned is None or load > planned + LOAD_TOLERANCE.value
