"""Heavy and light days at one place of a routine, which take turns and progress apart.

Two kinds take turns, or three in a fixed order: heavy, light and medium ones.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from coach_agent.domain.constants.history import (
    ALTERNATION_GAP,
    ALTERNATION_LEAST,
    ALTERNATION_MEDIUM_GAP,
    TYPO_TENFOLD,
)

DayKind = Literal["heavy", "medium", "light"]
_NAMES: dict[int, tuple[DayKind, ...]] = {2: ("light", "heavy"), 3: ("light", "medium", "heavy")}


def kinds_of(loads: Sequence[float]) -> tuple[DayKind | None, ...]:
    """Return the kind of each of the newest workouts in which days took turns; empty if none did.

    `loads` are total loads (kg, body included), newest first. Each heavy one is above each light
    one by `alternation.gap` and by more than the loads of one kind differ, and each kind occurred
    `alternation.least` times. Of two kinds one heavy day may have been held back to the load of the
    light ones, by pain or fatigue: it is None. Loads that are tenfold apart are typing errors.
    """
    least = ALTERNATION_LEAST.value
    if len(loads) < 2 * least or max(loads) < min(loads) * (1 + ALTERNATION_GAP.value / 100):
        return ()
    for period, names in _NAMES.items():
        for count in range(len(loads), period * least - 1, -1):
            if kinds := _kinds(loads[:count], names):
                return kinds
    return ()


def period_of(kinds: Sequence[DayKind | None]) -> int:
    """Return after how many workouts a kind comes again, of days that take turns."""
    return 3 if "medium" in kinds else 2


def next_day(kinds: Sequence[DayKind | None]) -> DayKind:
    """Return the kind of the next workout, of days that take turns, newest first."""
    period = period_of(kinds)
    return next(kind for kind in kinds[period - 1 :: period] if kind is not None)


def _kinds(loads: Sequence[float], names: tuple[DayKind, ...]) -> tuple[DayKind | None, ...]:
    """Return the kinds of all these workouts, by their turn; empty if they took none."""
    period = len(names)
    turns = sorted(
        (range(turn, len(loads), period) for turn in range(period)),
        key=lambda places: max(loads[place] for place in places),
    )
    kinds: list[DayKind | None] = [None] * len(loads)
    levels: list[list[float]] = []
    for name, places in zip(names, turns, strict=True):
        below = max(levels[-1]) if levels else 0.0
        reached = [place for place in places if loads[place] > below]
        is_held = len(places) - len(reached)
        if len(reached) < ALTERNATION_LEAST.value or is_held > (period == 2):
            return ()
        levels.append([loads[place] for place in reached])
        for place in reached:
            kinds[place] = name
    spread = max(max(level) - min(level) for level in levels)
    gaps = [(max(low), min(high)) for low, high in pairwise(levels)]
    is_apart = all(
        high - low > spread and high > low * (1 + ALTERNATION_MEDIUM_GAP.value / 100)
        for low, high in gaps
    )
    lightest, heaviest = max(levels[0]), min(levels[-1])
    is_apart = is_apart and heaviest - lightest >= lightest * ALTERNATION_GAP.value / 100
    is_apart = is_apart and heaviest < TYPO_TENFOLD.value * lightest
    return tuple(kinds) if is_apart else ()
