"""Names of sets in reasons."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from coach_agent.domain.units import Unit, load_text
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.language.messages import join_words, phrase

BODY_ALONE = "bw"


@dataclass(frozen=True)
class SetNames:
    """The names of a block's sets: `numbers` in the exercise's `total` working sets, from 1."""

    numbers: tuple[int, ...]
    total: int

    @property
    def whole(self) -> str:
        """The block: `The set`, `Both sets`, `All 3 sets`, `Set 1`, `Sets 2-4`."""
        if len(self.numbers) == self.total:
            return phrase("sets-all", count=self.total)
        if len(self.numbers) == 1:
            return phrase("sets-single", number=self.numbers[0])
        return phrase("sets-range", first=self.numbers[0], last=self.numbers[-1])

    def some(self, places: Sequence[int]) -> str:
        """Return sets by their place in the block, from 0: `set 2`, `sets 2 and 3`."""
        if self.total == 1:
            return phrase("sets-only")
        numbers = [self.numbers[place] for place in places]
        return phrase("sets-some", count=len(numbers), numbers=join_words(numbers))


def format_set_load(weight_kg: float, exercise_type: str | None, unit: Unit) -> str:
    """Format the load of a set for its exercise: `100 kg`, `bw+10 kg`, `20 kg of assistance`."""
    if not weight_kg and exercise_type in {ASSISTED, WEIGHTED}:
        return BODY_ALONE
    if exercise_type == WEIGHTED:
        return f"{BODY_ALONE}+{load_text(weight_kg, unit)}"
    load = load_text(weight_kg, unit)
    return phrase("load-assistance", load=load) if exercise_type == ASSISTED else load


def count_reps(count: float) -> str:
    """`1 rep`, `5 reps`; nobody counts 1.5, so it is `1 to 2 reps`."""
    low, high = floor(count), ceil(count)
    if low == high:
        return phrase("reps", count=low)
    return phrase("reps-between", low=low, high=high)
