"""A lifter's changes to a routine in the app before training."""

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple

from hevy_connector.simulator.athletes.habits import Target, step_load
from hevy_connector.simulator.athletes.physiology import load_for

EditKind = Literal["load", "sets", "exercise", "order"]
Plan = Sequence[tuple[str, Sequence[Target]]]
"""The working sets of a day, by exercise in order."""

# Probability of each kind of change; a choice, as are the others here.
_SHARES: Mapping[EditKind, float] = {"load": 0.4, "sets": 0.25, "exercise": 0.2, "order": 0.15}
_MOST_SETS = 5
# Error of a guessed load for an exercise, and the repetitions that it leaves in reserve.
_GUESS_SD, _SPARED_REPS = 0.05, 2


class EditedExercise(NamedTuple):
    """An exercise of an edited routine.

    `place` is its index before the change, or that of the exercise it replaced. `sets` are pairs of
    the old index of a working set and its load in kg. With `has_own_load` the lifter chose that
    load, not the plan.
    """

    place: int
    template_id: str
    sets: tuple[tuple[int, float], ...]
    has_own_load: bool = False


class KnownLift(NamedTuple):
    """A lifter's knowledge of an exercise: maximum in kg, endurance, available loads."""

    strength_kg: float
    endurance: float
    loads: Sequence[float]


Edit = Sequence[EditedExercise]
"""All exercises of a routine after a change, in their new order."""


def draw_edit(share: float, rng: Random) -> EditKind | None:
    """Draw the kind of change before a session; `share` of the sessions have one."""
    kind = rng.choices(list(_SHARES), list(_SHARES.values()))[0]
    return kind if rng.random() < share else None


def apply_edit(
    plan: Plan,
    kind: EditKind,
    similar: Mapping[str, str],
    known: Callable[[str], KnownLift],
    rng: Random,
) -> Edit | None:
    """Change one exercise of a plan; None if no change is possible.

    `load` takes the adjacent available load for all sets, `sets` repeats or drops the last one,
    `exercise` replaces it by a `similar` one with a guessed load, and `order` swaps two neighbours.
    `known` returns the lifter's knowledge of an exercise by template.
    """
    exercises = [
        EditedExercise(place, name, tuple((at, each.load_kg) for at, each in enumerate(targets)))
        for place, (name, targets) in enumerate(plan)
    ]
    candidates = [
        each
        for each in exercises
        if each.sets and (kind != "exercise" or each.template_id in similar)
    ]
    if not candidates or (kind == "order" and len(exercises) < 2):
        return None
    if kind == "order":
        at = rng.randrange(len(exercises) - 1)
        exercises[at : at + 2] = reversed(exercises[at : at + 2])
        return exercises
    chosen = rng.choice(candidates)
    if kind == "load":
        changed = _with_other_load(chosen, known(chosen.template_id).loads, rng)
    elif kind == "sets":
        changed = _with_other_sets(chosen, rng)
    else:
        changed = _with_other_exercise(chosen, similar, known, plan[chosen.place][1][0], rng)
    exercises[chosen.place] = changed
    return exercises


def _with_other_load(
    exercise: EditedExercise, loads: Sequence[float], rng: Random
) -> EditedExercise:
    is_lightest = exercise.sets[0][1] <= loads[0]
    steps = rng.choice((-1, 1))
    moved = (
        (index, step_load(load_kg, loads, 1 if is_lightest else steps))
        for index, load_kg in exercise.sets
    )
    return exercise._replace(sets=tuple(moved), has_own_load=True)


def _with_other_sets(exercise: EditedExercise, rng: Random) -> EditedExercise:
    sets = exercise.sets
    is_more = len(sets) == 1 or (rng.random() < 0.5 and len(sets) < _MOST_SETS)
    return exercise._replace(sets=(*sets, sets[-1]) if is_more else sets[:-1])


def _with_other_exercise(
    exercise: EditedExercise,
    similar: Mapping[str, str],
    known: Callable[[str], KnownLift],
    target: Target,
    rng: Random,
) -> EditedExercise:
    other = similar[exercise.template_id]
    strength_kg, endurance, loads = known(other)
    reps = (target.low + target.high) / 2 + _SPARED_REPS
    guess = load_for(strength_kg, reps, endurance) * math.exp(rng.gauss(0, _GUESS_SD))
    load_kg = step_load(guess, loads, 0)
    sets = tuple((index, load_kg) for index, _ in exercise.sets)
    return exercise._replace(template_id=other, sets=sets, has_own_load=True)
