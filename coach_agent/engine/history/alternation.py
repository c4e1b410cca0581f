"""Heavy and light days at one place of a routine, which take turns and progress apart."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from coach_agent.domain.constants.history import ALTERNATION_GAP, ALTERNATION_LEAST

DayKind = Literal["heavy", "light"]


def count_alternating(loads: Sequence[float]) -> int:
    """Return the number of newest workouts in which heavy and light loads took turns; 0 if none.

    `loads` are total loads (kg, body included), newest first. Each heavy one is above each light
    one by `alternation.gap` and by more than the loads of one kind differ, and each kind occurred
    `alternation.least` times.
    """
    count = 0
    for end in range(2 * ALTERNATION_LEAST.value, len(loads) + 1):
        if not _take_turns(loads[:end]):
            break
        count = end
    return count


def next_day(loads: Sequence[float]) -> DayKind:
    """Return the kind of the next workout, after loads that take turns, newest first."""
    newest, before = loads[0], loads[1]
    return "heavy" if newest < before else "light"


def _take_turns(loads: Sequence[float]) -> bool:
    rises = [after > before for before, after in pairwise(loads)]
    if any(one is other for one, other in pairwise(rises)):
        return False
    light, heavy = sorted((loads[::2], loads[1::2]), key=max)
    gap = min(heavy) - max(light)
    spread = max(max(each) - min(each) for each in (light, heavy))
    return gap > spread and gap >= max(light) * ALTERNATION_GAP.value / 100
