"""Available loads: exact sums of plates, lists of dumbbells, steps of a stack. Loads are kg."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil, floor

from coach_agent.domain.constants.loads import LOAD_TOLERANCE

# Loads are compared to the gram: sums of floats differ far below it, plates far above.
_GRAM_KG = 0.001
_TIE_KG = 0.01
_MOST_STEPS = 2000
_MOST_PAIRS = 20


@dataclass(frozen=True)
class Loads:
    """The available loads, ascending and at least one. Assistance counts as negative load."""

    loads_kg: tuple[float, ...]

    @property
    def lightest(self) -> float:
        """The lightest load, for example the empty bar."""
        return self.loads_kg[0]

    def has(self, load_kg: float) -> bool:
        """Return whether the load exists."""
        return abs(self.nearest(load_kg) - load_kg) < _GRAM_KG

    def nearest(self, load_kg: float) -> float:
        """Return the closest available load; the lower one of two equally close.

        Pounds in kilograms differ by grams, which are ignored.
        """
        count = bisect_left(self.loads_kg, load_kg)
        around = self.loads_kg[max(0, count - 1) : count + 1]
        low, high = around[0], around[-1]
        return high if high - load_kg < load_kg - low - _TIE_KG else low

    def floor(self, load_kg: float) -> float | None:
        """Return the heaviest load that is not above `load_kg`."""
        count = bisect_right(self.loads_kg, load_kg + _GRAM_KG)
        return self.loads_kg[count - 1] if count else None

    def next_above(self, load_kg: float) -> float | None:
        """Return the lightest load above `load_kg`."""
        index = bisect_right(self.loads_kg, load_kg + _GRAM_KG)
        return self.loads_kg[index] if index < len(self.loads_kg) else None

    def step_of(self, at_least_kg: float) -> float:
        """Return the smallest possible growth of the lightest load that is at least
        `at_least_kg`.
        """
        above = self.next_above(self.lightest + at_least_kg - 2 * _GRAM_KG)
        return at_least_kg if above is None else above - self.lightest

    def next_below(self, load_kg: float) -> float | None:
        """Return the heaviest load below `load_kg`."""
        count = bisect_left(self.loads_kg, load_kg - _GRAM_KG)
        return self.loads_kg[count - 1] if count else None


@cache
def barbell_loads(bar_kg: float, plate_pairs_kg: tuple[float, ...]) -> Loads:
    """Build the loads of a bar with any of the pairs; `plate_pairs_kg` has one entry per pair.

    All subsets are formed. A greedy fill from the heaviest plate would miss loads: with the pairs
    15, 10 and 10 it takes the 15 first and finds no 40 kg for a bar.
    """
    return Loads(tuple(bar_kg + 2 * side for side in _subset_sums(plate_pairs_kg)))


def with_more_pairs(plate_pairs_kg: tuple[float, ...], on_bar_kg: float) -> tuple[float, ...]:
    """Return the pairs with as many more of the heaviest as a bar with this load of plates needs.

    A gym whose plates nobody described has more of them than the usual set.
    """
    heaviest = max(plate_pairs_kg)
    missing = max(0, ceil((on_bar_kg / 2 - sum(plate_pairs_kg)) / heaviest))
    return (heaviest,) * min(missing, _MOST_PAIRS) + plate_pairs_kg


@cache
def plate_loads(plate_pairs_kg: tuple[float, ...]) -> Loads:
    """Build the loads of single plates, held or hung from a belt: each pair is two of them."""
    return Loads(_subset_sums(plate_pairs_kg * 2)[1:])


@cache
def listed_loads(loads_kg: tuple[float, ...]) -> Loads:
    """Build exactly these loads, for example the dumbbells on a rack."""
    return Loads(tuple(sorted(set(loads_kg))))


@lru_cache(maxsize=1024)
def stepped_loads(step_kg: float, through_kg: float, up_to_kg: float) -> Loads:
    """Build a stack in equal steps from one known load of it, `through_kg`.

    Stacks start anywhere, so a done load is better evidence than a grid from zero. Less than a
    hundredth of a step is no load: pounds in kilograms are no round numbers. The number of steps is
    limited to that of real stacks, even for absurd logged numbers.
    """
    below = min(_MOST_STEPS, max(0, ceil(through_kg / step_kg - 0.01) - 1))
    above = min(_MOST_STEPS, max(0, floor((up_to_kg - through_kg) / step_kg) + 1))
    return Loads(
        tuple(round(through_kg + count * step_kg, 6) for count in range(-below, above + 1))
    )


@lru_cache(maxsize=1024)
def assistance_loads(step_kg: float, through_kg: float, body_kg: float) -> Loads:
    """Build assistance in equal steps as negative loads, up to none.

    From twice that of `through_kg` on, or from half of the body: the stack of a lifter without help
    has more than a step, too.
    """
    most = min(_MOST_STEPS, ceil(max(2 * -through_kg, body_kg / 2) / step_kg) + 1)
    steps = (round(through_kg + count * step_kg, 6) for count in range(-most, most + 1))
    # Rounded pounds leave a few grams: 2.3 kg less a step of 2.25 kg is none.
    helping = sorted(load for load in steps if load < -LOAD_TOLERANCE.value)
    return Loads((*helping, 0.0))


def _subset_sums(plates_kg: tuple[float, ...]) -> tuple[float, ...]:
    """Return all sums of subsets, ascending from 0.

    Computed in tenths of a microgram, where sums are exact, including those of quarter pounds.
    """
    sums = {0}
    for plate_kg in plates_kg:
        plate = round(plate_kg * 10**10)
        sums |= {total + plate for total in sums}
    return tuple(total / 10**10 for total in sorted(sums))
