"""Which sets look like typing errors, as the oracle of the plan's compliance sees it."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from statistics import median

from tests.warehouse.compliance_histories import History, TrainingSet, Workout
from tests.warehouse.compliance_oracle_plans import exercise_key

HIGHEST, LOWEST = Fraction("1.6"), Fraction("0.4")  # times the median
EXPOSURES, LEAST_EXPOSURES = 7, 3
MOST_REPS = 12

Place = tuple[str, int, int]  # workout_id, and the places of the exercise and of the set in it


def doubted(history: History) -> set[Place]:
    """The sets far from the median of the best maxima of the exposures before.

    Only working sets make an exposure, and a drop set, light on purpose, is never too light.
    """
    found: set[Place] = set()
    best: dict[str, list[Fraction]] = {}
    for workout in sorted(history.workouts, key=lambda one: (one.started_at, one.workout_id)):
        for key, performed in _maxima(history, workout).items():
            told = [maximum for _, kind, maximum in performed if kind != "dropset"]
            before = best.setdefault(key, [])
            if told and len(before) >= LEAST_EXPOSURES:
                middle = median(before[-EXPOSURES:])
                found |= {place for place, *one in performed if _is_far(one[0], one[1], middle)}
            before += [max(told)] if told else []
    return found


def _is_far(kind: str, maximum: Fraction, middle: Fraction) -> bool:
    return maximum > HIGHEST * middle or (kind != "dropset" and maximum < LOWEST * middle)


def _maxima(history: History, workout: Workout) -> dict[str, Sequence[tuple[Place, str, Fraction]]]:
    """The sets of each exercise that tell a maximum, with their type and that maximum (kg)."""
    told: dict[str, list[tuple[Place, str, Fraction]]] = {}
    for index, exercise in enumerate(workout.exercises):
        key = exercise_key(history.catalogue, exercise)
        template = history.template(key)
        if template is not None and template.kind.startswith("bodyweight_"):
            continue
        for place, performed in enumerate(exercise.sets):
            maximum = _maximum(performed)
            if maximum is not None:
                row = ((workout.workout_id, index, place), performed.kind, maximum)
                told.setdefault(key, []).append(row)
    return told


def _maximum(performed: TrainingSet) -> Fraction | None:
    """Epley's estimate (kg) with the repetitions in reserve, up to twelve in all."""
    if performed.kind == "warmup" or not performed.weight_kg or performed.weight_kg < 0:
        return None
    if performed.reps is None or performed.reps < 1:
        return None
    reserve = Decimal(0) if performed.rpe is None else 10 - performed.rpe
    reps = performed.reps + reserve
    if reps > MOST_REPS:
        return None
    load = Fraction(performed.weight_kg)
    return load if reps == 1 else load * (1 + Fraction(reps) / 30)
