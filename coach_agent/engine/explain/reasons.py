"""Names of sets in reasons."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coach_agent.domain.units import Unit, load_text
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED


@dataclass(frozen=True)
class SetNames:
    """The names of a block's sets: `numbers` in the exercise's `total` working sets, from 1."""

    numbers: tuple[int, ...]
    total: int

    @property
    def whole(self) -> str:
        """The block: `The set`, `Both sets`, `All 3 sets`, `Set 1`, `Sets 2-4`."""
        if len(self.numbers) == self.total:
            return {1: "The set", 2: "Both sets"}.get(self.total, f"All {self.total} sets")
        if len(self.numbers) == 1:
            return f"Set {self.numbers[0]}"
        return f"Sets {self.numbers[0]}-{self.numbers[-1]}"

    def some(self, places: Sequence[int]) -> str:
        """Return sets by their place in the block, from 0: `set 2`, `sets 2 and 3`."""
        if self.total == 1:
            return "the set"
        numbers = [self.numbers[place] for place in places]
        return f"{'set' if len(numbers) == 1 else 'sets'} {join_words(numbers)}"


def join_words(items: Iterable[object]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    words = [str(item) for item in items]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def format_set_load(weight_kg: float, exercise_type: str | None, unit: Unit) -> str:
    """Format the load of a set for its exercise: `100 kg`, `bw+10 kg`, `20 kg of assistance`."""
    if not weight_kg and exercise_type in {ASSISTED, WEIGHTED}:
        return "bw"
    if exercise_type == WEIGHTED:
        return f"bw+{load_text(weight_kg, unit)}"
    help_ = " of assistance" if exercise_type == ASSISTED else ""
    return f"{load_text(weight_kg, unit)}{help_}"


def count_reps(count: int) -> str:
    """`1 rep`, `5 reps`."""
    return f"{count} rep" if count == 1 else f"{count} reps"


def capitalise(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]
