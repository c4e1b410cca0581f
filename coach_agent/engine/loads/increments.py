"""Increment of a load: the athlete's repeated one, by default a prior by equipment."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from coach_agent.domain.constants.loads import (
    INCREMENT_BARBELL_LOWER,
    INCREMENT_BARBELL_UPPER,
    INCREMENT_CABLE,
    INCREMENT_CABLE_ISOLATION,
    INCREMENT_DUMBBELL,
    INCREMENT_LB_BARBELL,
    INCREMENT_LB_SMALL,
    INCREMENT_LEARN_MIN_USES,
    INCREMENT_TIMED,
    INCREMENT_TIMED_SHARE,
    LOAD_TOLERANCE,
)
from coach_agent.domain.context import Slot
from coach_agent.domain.plan import Place, SlotPrescription
from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.profile.equipment import Equipment
from hevy_connector.exercise_templates import built_in_title

ASSISTED, WEIGHTED = "bodyweight_assisted", "bodyweight_weighted"
REPS_ONLY = "reps_only"

_LOWER_BODY = frozenset(
    {"quadriceps", "hamstrings", "glutes", "calves", "abductors", "adductors", "lower_back"}
)
# Hevy does not mark exercises of one joint; their muscles and titles identify them.
_ONE_JOINT_MUSCLES = frozenset(
    {"biceps", "triceps", "forearms", "calves", "abductors", "adductors", "neck"}
)
_ONE_JOINT_WORDS = (
    *("fly", "raise", "curl", "extension", "kickback", "crossover", "pullover"),
    *("pushdown", "pressdown"),
)


def learned_increment_kg(loads_kg: Sequence[float]) -> float | None:
    """Return the smallest rise of the working load that occurred often enough; None without one.

    `loads_kg` has the load of each exposure, oldest first, assistance negative. Rises that are
    equal to a tenth of a kilogram are one, because converted pounds differ by grams.
    """
    rises: dict[float, list[float]] = defaultdict(list)
    for before, after in pairwise(loads_kg):
        if after - before > LOAD_TOLERANCE.value:
            rises[round(round(after - before, 2), 1)].append(after - before)
    used = [size for size in sorted(rises) if len(rises[size]) >= INCREMENT_LEARN_MIN_USES.value]
    return median(rises[used[0]]) if used else None


def prior_increment_kg(slot: Slot, gym: Equipment) -> float:
    """Return the default step of an exercise by its equipment, in kg or lb marks."""
    if slot.exercise_type == ASSISTED:
        return gym.machine_step_kg
    is_barbell = slot.equipment == "barbell" and slot.exercise_type != WEIGHTED
    is_stack = slot.equipment == "machine" and not is_cable(slot)
    if gym.unit == "lb":
        pounds = INCREMENT_LB_BARBELL if is_barbell or is_stack else INCREMENT_LB_SMALL
        return pounds.value * KILOGRAMS_PER_POUND
    if is_barbell and is_lower_body(slot):
        return INCREMENT_BARBELL_LOWER.value
    if is_barbell or slot.exercise_type == WEIGHTED or slot.equipment == "plate":
        return INCREMENT_BARBELL_UPPER.value
    if is_stack:
        return gym.machine_step_kg
    if is_cable(slot):
        step = INCREMENT_CABLE_ISOLATION if _is_of_one_joint(slot) else INCREMENT_CABLE
        return max(step.value, gym.cable_step_kg)
    return INCREMENT_DUMBBELL.value


def timed_step_s(seconds: int) -> int:
    """Return the step of a time in seconds, smaller for a short hold."""
    return max(1, min(INCREMENT_TIMED.value, int(seconds * INCREMENT_TIMED_SHARE.value)))


def customary_kg(step_kg: float, gym: Equipment) -> float:
    """Return a round step in kg in the gym's unit: marked in pounds, 5 lb replace 2.5 kg."""
    return step_kg if gym.unit == "kg" else 2 * step_kg * KILOGRAMS_PER_POUND


def is_lower_body(slot: Slot) -> bool:
    """Return whether the exercise is mainly for the legs, the hips or the lower back."""
    return slot.primary_muscle_group in _LOWER_BODY


def is_cable(slot: Slot) -> bool:
    """Return whether it is a cable: Hevy counts them among machines, the title identifies them."""
    return slot.equipment == "machine" and "cable" in _english_words(slot)


def has_one_joint_title(slot: Place | SlotPrescription) -> bool:
    """Return whether words of the title name an exercise of one joint."""
    words = _english_words(slot)
    return any(word in words for word in _ONE_JOINT_WORDS)


def _english_words(slot: Place | SlotPrescription) -> str:
    """Return the title of the catalogue in lower case: files may have it in another language."""
    return (built_in_title(slot.exercise_template_id) or slot.exercise_title).lower()


def _is_of_one_joint(slot: Slot) -> bool:
    return slot.primary_muscle_group in _ONE_JOINT_MUSCLES or has_one_joint_title(slot)
