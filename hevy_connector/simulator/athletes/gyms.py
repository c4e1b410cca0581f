"""Gyms of simulated lifters, and the loads that each has."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Equipment = Literal["barbell", "dumbbell", "machine"]


@dataclass(frozen=True)
class Gym:
    """The available loads of a gym, in kg."""

    bar_kg: float = 20.0
    plate_pairs_kg: tuple[float, ...] = (25, 25, 25, 25, 20, 15, 10, 5, 2.5, 1.25)
    dumbbells_kg: tuple[float, ...] = (*range(1, 10), *range(10, 52, 2))
    stack_step_kg: float = 5.0

    @cached_property
    def loads(self) -> dict[Equipment, tuple[float, ...]]:
        """Return all loads by kind of equipment, ascending."""
        sides = {0.0}
        for plate in self.plate_pairs_kg:
            sides |= {side + plate for side in sides}
        stack = self.stack_step_kg
        return {
            "barbell": tuple(sorted(self.bar_kg + 2 * side for side in sides)),
            "dumbbell": tuple(sorted(map(float, self.dumbbells_kg))),
            "machine": tuple(stack * count for count in range(1, int(600 / stack))),
        }

    def floor(self, equipment: Equipment, load_kg: float) -> float:
        """Return the heaviest load up to this one, or the lightest available."""
        loads = self.loads[equipment]
        return loads[max(0, bisect_right(loads, load_kg + 0.001) - 1)]


COARSE_GYM = Gym(
    plate_pairs_kg=(20, 20, 20, 20, 20, 10, 5),
    dumbbells_kg=tuple(range(10, 70, 10)),
    stack_step_kg=10.0,
)
"""Steps of 10 kg everywhere."""
GYMS = (
    Gym(),
    Gym(stack_step_kg=2.5, dumbbells_kg=tuple(2.5 * count for count in range(1, 21))),
    Gym(plate_pairs_kg=(20, 20, 20, 20, 10, 10, 5, 2.5), stack_step_kg=5.0),
    Gym(stack_step_kg=10.0, dumbbells_kg=tuple(range(2, 52, 2))),
)
"""The gyms that a cohort draws from."""
