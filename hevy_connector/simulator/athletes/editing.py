"""What a lifter changes of a routine in the app before training it."""

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple

from hevy_connector.simulator.athletes.habits import Target, beside
from hevy_connector.simulator.athletes.physiology import load_for

EditKind = Literal["load", "sets", "exercise", "order"]
Plan = Sequence[tuple[str, Sequence[Target]]]
"""The working sets of a day, by exercise in order."""

# How often each is what is changed; a choice, as are the others here.
_SHARES: Mapping[EditKind, float] = {"load": 0.4, "sets": 0.25, "exercise": 0.2, "order": 0.15}
_MOST_SETS = 5
# How far a guess for an exercise is off, and how many repetitions it spares.
_GUESS_SD, _SPARED_REPS = 0.05, 2


class EditedExercise(NamedTuple):
    """An exercise of a routine that was edited.

    `place` is where it stood, or what it came in place of. Each of `sets` is the working set with
    this index there, with its load in kg. `has_own_load`: that is the lifter's, not the plan's.
    """

    place: int
    template_id: str
    sets: tuple[tuple[int, float], ...]
    has_own_load: bool = False


class Known(NamedTuple):
    """What a lifter knows of an exercise: maximum in kg, endurance, and the loads there are."""

    strength_kg: float
    endurance: float
    loads: Sequence[float]


Edit = Sequence[EditedExercise]
"""All exercises of a routine after a change, in their new order."""


def drawn_edit(share: float, rng: Random) -> EditKind | None:
    """What is changed before a session, in this share of them."""
    kind = rng.choices(list(_SHARES), list(_SHARES.values()))[0]
    return kind if rng.random() < share else None


def edited(
    plan: Plan,
    kind: EditKind,
    similar: Mapping[str, str],
    known: Callable[[str], Known],
    rng: Random,
) -> Edit | None:
    """A plan after a change of one of its exercises; None where there is none to make.

    `load` takes the next existing load for all sets, `sets` does the last one again or leaves it
    out, `exercise` takes a `similar` one instead with a load by guess, and `order` lets two
    neighbours change places. `known` tells of an exercise by its template.
    """
    exercises = [
        EditedExercise(place, name, tuple((at, each.load_kg) for at, each in enumerate(targets)))
        for place, (name, targets) in enumerate(plan)
    ]
    able = [
        each
        for each in exercises
        if each.sets and (kind != "exercise" or each.template_id in similar)
    ]
    if not able or (kind == "order" and len(exercises) < 2):
        return None
    if kind == "order":
        at = rng.randrange(len(exercises) - 1)
        exercises[at : at + 2] = reversed(exercises[at : at + 2])
        return exercises
    chosen = rng.choice(able)
    if kind == "load":
        changed = _with_other_load(chosen, known(chosen.template_id).loads, rng)
    elif kind == "sets":
        changed = _with_other_sets(chosen, rng)
    else:
        changed = _exchanged(chosen, similar, known, plan[chosen.place][1][0], rng)
    exercises[chosen.place] = changed
    return exercises


def _with_other_load(
    exercise: EditedExercise, loads: Sequence[float], rng: Random
) -> EditedExercise:
    is_lightest = exercise.sets[0][1] <= loads[0]
    steps = rng.choice((-1, 1))
    moved = (
        (index, beside(load_kg, loads, 1 if is_lightest else steps))
        for index, load_kg in exercise.sets
    )
    return exercise._replace(sets=tuple(moved), has_own_load=True)


def _with_other_sets(exercise: EditedExercise, rng: Random) -> EditedExercise:
    sets = exercise.sets
    is_more = len(sets) == 1 or (rng.random() < 0.5 and len(sets) < _MOST_SETS)
    return exercise._replace(sets=(*sets, sets[-1]) if is_more else sets[:-1])


def _exchanged(
    exercise: EditedExercise,
    similar: Mapping[str, str],
    known: Callable[[str], Known],
    target: Target,
    rng: Random,
) -> EditedExercise:
    other = similar[exercise.template_id]
    strength_kg, endurance, loads = known(other)
    reps = (target.low + target.high) / 2 + _SPARED_REPS
    guess = load_for(strength_kg, reps, endurance) * math.exp(rng.gauss(0, _GUESS_SD))
    load_kg = beside(guess, loads, 0)
    sets = tuple((index, load_kg) for index, _ in exercise.sets)
    return exercise._replace(template_id=other, sets=sets, has_own_load=True)
