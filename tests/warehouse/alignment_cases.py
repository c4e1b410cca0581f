"""Many short exercises, for a check of alignments against all possible ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

Set = tuple[float | None, int]  # load (kg) and repetitions

_PLANNED: Sequence[Set] = ((100, 5), (80, 8))
_DONE: Sequence[Set] = ((100, 5), (80, 10), (None, 8))
_LENGTHS = ((2, 2), (2, 3), (1, 3), (3, 2), (4, 2))


@dataclass(frozen=True)
class AlignmentCase:
    """One exercise as planned and as done, in sets."""

    plan: tuple[Set, ...]
    done: tuple[Set, ...]

    @property
    def routine_id(self) -> str:
        return str(self.plan)

    @property
    def workout_id(self) -> str:
        return f"{self.plan} {self.done}"


ALIGNMENT_CASES = tuple(
    AlignmentCase(plan, done)
    for planned_count, done_count in _LENGTHS
    for plan in product(_PLANNED, repeat=planned_count)
    for done in product(_DONE, repeat=done_count)
)
