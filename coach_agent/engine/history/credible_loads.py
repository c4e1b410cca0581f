"""The highest load of an exercise that its other days make credible."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from statistics import median_high

from coach_agent.domain.constants.history import TYPO_MIN_OTHERS, TYPO_TENFOLD
from coach_agent.domain.context import SameHistory, Slot
from coach_agent.engine.history.attempts import recorded_loads
from coach_agent.engine.history.far_off import LoadKind, is_far_above

# The places of a few routines; each is kept with its exposures.
_REMEMBERED = 256


def highest_credible(slot: Slot, at: datetime | None, loads: LoadKind) -> float | None:
    """Return the highest load of an exercise that the other days make credible; None if unknown.

    That is the highest one not far above the daily maxima, by their upper median. With enough
    days, sets doubted by the marts count for the median as well: together they are the usual level.
    Without other days it is the highest that is not tenfold of what most sets of the day have, if
    some are.
    """
    return credible_loads(slot, loads)(at)


def credible_loads(slot: Slot, loads: LoadKind) -> Callable[[datetime | None], float | None]:
    """Return `highest_credible` as a function of the day: the exposures are read once for all."""
    return _credible_loads(SameHistory(slot), loads)


@lru_cache(maxsize=_REMEMBERED)
def _credible_loads(
    history: SameHistory, loads: LoadKind
) -> Callable[[datetime | None], float | None]:
    slot = history.slot
    recorded = [recorded_loads(each, slot.exercise_type) for each in slot.exposures]
    days = [each.started_at for each in slot.exposures]
    known = sorted({load for found in recorded for load in found}, reverse=True)
    tops = [
        (
            each.started_at,
            bool(found),
            _top(found, loads),
            _top(recorded_loads(each, slot.exercise_type, False), loads),
        )
        for each, found in zip(slot.exposures, recorded, strict=True)
        if not each.is_easy
    ]

    def highest(at: datetime | None) -> float | None:
        others = [(is_any, top, sure) for day, is_any, top, sure in tops if day != at]
        has_enough = sum(is_any for is_any, _, _ in others) >= TYPO_MIN_OTHERS.value
        most = [top if has_enough else sure for _, top, sure in others]
        daily_maxima = [each for each in most if each is not None]
        if not daily_maxima:
            own = next((found for day, found in zip(days, recorded, strict=True) if day == at), ())
            return _led_up_to(own) if loads == "whole" else None
        usual = median_high(daily_maxima)
        return next((load for load in known if not is_far_above(load, usual, loads)), usual)

    return highest


def _led_up_to(found: Sequence[float]) -> float | None:
    """Return the heaviest load below those that at most half of a day's sets have, and that are
    tenfold; None without such loads.
    """
    ordered = sorted(load for load in found if load > 0)
    for count, (lighter, heavier) in enumerate(pairwise(ordered), start=1):
        if heavier >= TYPO_TENFOLD.value * lighter and 2 * count > len(ordered):
            return lighter
    return None


def _top(found: Sequence[float], loads: LoadKind) -> float | None:
    """Return the highest load of a day; a zero load was not logged."""
    return max((load for load in found if loads == "part" or load > 0), default=None)
