"""The loads of one exercise as a ladder: which rungs there are, and how far a step may go."""

from dataclasses import dataclass

from coach_agent.context import Slot
from coach_agent.equipment import Equipment
from coach_agent.exercise_rules import ExerciseRule
from coach_agent.profile import Rules
from coach_agent.progression.constants import (
    INCREMENT_BARBELL_LOWER,
    INCREMENT_BARBELL_UPPER,
    INCREMENT_DUMBBELL,
    LINEAR_RESET_FACTOR,
    LOAD_TOLERANCE,
)
from coach_agent.progression.loading import (
    Loads,
    assistance_loads,
    barbell_loads,
    listed_loads,
    plate_loads,
    stepped_loads,
)

ASSISTED, WEIGHTED = "bodyweight_assisted", "bodyweight_weighted"
_LOWER_BODY = frozenset(
    {"quadriceps", "hamstrings", "glutes", "calves", "abductors", "adductors", "lower_back"}
)


@dataclass(frozen=True)
class Ladder:
    """The loads that exist for an exercise, in kg, and the rules for moving between them.

    `is_whole_load`: the load is all that is moved; otherwise the body is part of it, and no
    maximum can be estimated from the load. Assistance counts as negative load, so that more load
    is more work for every exercise.
    """

    loads: Loads
    increment_kg: float
    jump_pct: float
    is_whole_load: bool
    is_assistance: bool

    def existing(self, load_kg: float) -> float:
        """The load itself where it exists, else the next one down.

        A load below the lightest one stays: the athlete has lifted it, heavier is no answer.
        """
        aligned = self._aligned(load_kg)
        floor = self.loads.floor(aligned)
        return aligned if floor is None else floor

    def up(self, load_kg: float) -> float | None:
        """One step up: the increment, on the nearest load that exists; None at the top.

        Where that is no step at all, or more than the jump cap, it is the smallest step there is.
        This one may exceed the cap: light lifts could otherwise never move.
        """
        base = self._aligned(load_kg)
        wished = self.loads.nearest(base + self.increment_kg)
        highest = base + abs(base) * self.jump_pct / 100
        return wished if base < wished <= highest else self.loads.next_above(base)

    def down(self, load_kg: float) -> float | None:
        """One step down; None at the bottom."""
        return self.loads.next_below(self._aligned(load_kg))

    def reset(self, load_kg: float) -> float | None:
        """Down to 90 %, rounded down; None at the bottom. Assistance grows by one step."""
        return self.reduced(load_kg, LINEAR_RESET_FACTOR.value)

    def reduced(self, load_kg: float, factor: float) -> float | None:
        """That share of the load, rounded down; None at the bottom. Assistance grows by a step."""
        if self.is_assistance:
            return self.down(load_kg)
        reduced = self.loads.floor(load_kg * factor)
        return self.loads.next_below(load_kg) if reduced is None else reduced

    def text(self, load_kg: float) -> str:
        """The load for people: `62.5 kg`, `20 kg of assistance`."""
        kilograms = f"{round(abs(load_kg), 2):g} kg"
        return f"{kilograms} of assistance" if self.is_assistance else kilograms

    def _aligned(self, load_kg: float) -> float:
        """The existing load that is meant: logged pounds and kilograms differ by grams."""
        nearest = self.loads.nearest(load_kg)
        return nearest if abs(nearest - load_kg) <= LOAD_TOLERANCE.value else load_kg


def load_of(exercise_type: str | None, weight_kg: float | None) -> float | None:
    """A recorded weight as load: assistance negative; None where nothing was loaded."""
    if weight_kg is None:
        return None
    if exercise_type == ASSISTED:
        return 0.0 - abs(weight_kg)
    return weight_kg if weight_kg > 0 else None


def ladder_for(slot: Slot, rules: Rules, through_kg: float) -> Ladder:
    """The ladder of an exercise; `through_kg` is a load on it, from which stacks are counted."""
    rule = rules.for_exercise(slot.exercise_title)
    is_assistance = slot.exercise_type == ASSISTED
    loads, increment_kg = _loads_and_increment(slot, rules.equipment, rule, through_kg)
    return Ladder(
        loads=loads,
        increment_kg=rule.increment_kg or increment_kg,
        jump_pct=rules.limits.jump_pct,
        is_whole_load=not is_assistance and slot.exercise_type != WEIGHTED,
        is_assistance=is_assistance,
    )


def bar_of(slot: Slot, rules: Rules) -> float | None:
    """The weight of the exercise's empty bar; None without a bar."""
    if slot.equipment != "barbell":
        return None
    return rules.for_exercise(slot.exercise_title).bar_kg or rules.equipment.bar_kg


def _loads_and_increment(
    slot: Slot, gym: Equipment, rule: ExerciseRule, through_kg: float
) -> tuple[Loads, float]:
    if slot.exercise_type == ASSISTED:
        return assistance_loads(gym.machine_step_kg, through_kg), gym.machine_step_kg
    if slot.exercise_type == WEIGHTED or slot.equipment == "plate":
        return plate_loads(gym.plate_pairs_kg), INCREMENT_BARBELL_UPPER.value
    if slot.equipment == "barbell":
        is_lower = slot.primary_muscle_group in _LOWER_BODY
        increment = INCREMENT_BARBELL_LOWER if is_lower else INCREMENT_BARBELL_UPPER
        return barbell_loads(rule.bar_kg or gym.bar_kg, gym.plate_pairs_kg), increment.value
    if slot.equipment == "dumbbell":
        return listed_loads(gym.dumbbells_kg), INCREMENT_DUMBBELL.value
    if slot.equipment == "kettlebell":
        return listed_loads(gym.kettlebells_kg), INCREMENT_DUMBBELL.value
    # Hevy counts cables among machines; its titles tell them apart.
    if slot.equipment == "machine":
        is_cable = "cable" in slot.exercise_title.lower()
        step_kg = gym.cable_step_kg if is_cable else gym.machine_step_kg
    else:
        # Balls, sleds, bands, the athlete's own: any load may exist, so steps are what is wished.
        step_kg = rule.increment_kg or INCREMENT_DUMBBELL.value
    up_to_kg = through_kg + 2 * max(step_kg, rule.increment_kg or 0.0)
    return stepped_loads(step_kg, through_kg, up_to_kg), step_kg
