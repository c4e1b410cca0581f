"""Rebase a change of a routine onto a version with concurrent edits (three-way merge).

There are three versions: `base`, for which the change was built; `ours`, the base with the change;
and `theirs`, the current routine. A value changed only by us becomes ours, a value changed only by
them stays theirs. If both changed the same value, the rebase fails: their edits are never
overwritten.

The targets of all sets of an exercise are merged as one value: our load with their repetitions
would be a set that neither side intended.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from coach_agent.domain.own_notes import own_texts, with_own
from coach_agent.publishing.routine_changes import first_difference, is_same_exercise, is_same_set
from hevy_connector.schemas import RoutineExerciseWrite, RoutineSetWrite, RoutineWrite

T = TypeVar("T")
Sets = Sequence[RoutineSetWrite]
Exercises = Sequence[RoutineExerciseWrite]

_EXERCISE_FIELDS = ("superset_id", "rest_seconds")


class RebaseConflictError(Exception):
    """Both sides changed the same value; the message names it for the athlete."""


def rebase(base: RoutineWrite, theirs: RoutineWrite, ours: RoutineWrite) -> RoutineWrite:
    """Return `theirs` with the changes from `base` to `ours`.

    Raises:
        RebaseConflictError: both changed the same value.
    """
    if base == theirs:
        return ours
    if first_difference(theirs, ours) is None:
        return theirs
    return RoutineWrite(
        title=_either(base.title, theirs.title, ours.title, "The title was"),
        notes=_notes(base.notes, theirs.notes, ours.notes, "The notes of the routine were"),
        exercises=_exercises(base.exercises, theirs.exercises, ours.exercises),
    )


def has_arrived(base: RoutineWrite, now: RoutineWrite, ours: RoutineWrite) -> bool:
    """Return whether the change from `base` to `ours` was written, regardless of later edits.

    A routine is replaced as a whole, so one value that only we changed is sufficient evidence.
    """
    if first_difference(now, ours) is None:
        return True
    if now.title == ours.title != base.title or now.notes == ours.notes != base.notes:
        return True
    old, new = (
        _pair_ours(base.exercises, ours.exercises),
        _pair_exercises(base.exercises, now.exercises),
    )
    for before, mine, other in zip(base.exercises, old, new, strict=True):
        if mine is None or other is None:
            continue
        if _has_change(before, ours.exercises[mine], now.exercises[other]):
            return True
    added = [each for at, each in enumerate(ours.exercises) if at not in old]
    found = [each for at, each in enumerate(now.exercises) if at not in new]
    if any(is_same_exercise(one, other) for one in added for other in found):
        return True
    removed = [at for at, place in enumerate(old) if place is None]
    if removed and all(new[at] is None for at in removed):
        return True
    order = [
        place for place, at in zip(old, new, strict=True) if place is not None and at is not None
    ]
    seen = [at for place, at in zip(old, new, strict=True) if place is not None and at is not None]
    return order != sorted(order) and _ranks(order) == _ranks(seen)


def _ranks(places: Sequence[int]) -> list[int]:
    return [sorted(places).index(place) for place in places]


def _has_change(
    before: RoutineExerciseWrite, ours: RoutineExerciseWrite, found: RoutineExerciseWrite
) -> bool:
    """Return whether a value of an exercise that we changed has our value."""
    if not _same_sets(before.sets, ours.sets) and _same_sets(found.sets, ours.sets):
        return True
    marks = own_texts(ours.notes) - own_texts(before.notes)
    return bool(marks & own_texts(found.notes))


def _either(base: T, theirs: T, ours: T, subject: str) -> T:
    """Return the side that changed it."""
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    raise RebaseConflictError(f"{subject} edited, and the plan changes the same.")


def _notes(base: str | None, theirs: str | None, ours: str | None, subject: str) -> str | None:
    """Merge their text with our mark: both can change at once."""
    if ours in (base, theirs) or theirs == base:
        return _either(base, theirs, ours, subject)
    before, after = own_texts(base), own_texts(ours)
    if with_own(base, None, before) != with_own(ours, None, after):
        raise RebaseConflictError(f"{subject} edited, and the plan changes the same.")
    return with_own(theirs, next(iter(after - before), None), before)


def _exercises(base: Exercises, theirs: Exercises, ours: Exercises) -> list[RoutineExerciseWrite]:
    """Merge the exercises, in their order if ours is unchanged, and in ours if theirs is."""
    our_place, their_place = _pair_ours(base, ours), _pair_exercises(base, theirs)
    _require_distinguishable(base, theirs, ours, our_place, their_place)
    kept: dict[int, RoutineExerciseWrite] = {}
    for at, before in enumerate(base):
        mine, other = our_place[at], their_place[at]
        if mine is not None and other is not None:
            kept[at] = _exercise(before, theirs[other], ours[mine], at)
        elif mine is None and other is not None and not is_same_exercise(before, theirs[other]):
            raise RebaseConflictError(
                f"Exercise {at + 1} was edited, and the plan leaves it out this time."
            )
    added_by_us = {place: exercise for place, exercise in enumerate(ours) if place not in our_place}
    added_by_them = {
        place: exercise for place, exercise in enumerate(theirs) if place not in their_place
    }
    _require_room(base, theirs, added_by_us, added_by_them)
    # Give every exercise a unique name: its place in `base`, or the side and place that added it.
    mine_order: list[Hashable] = [_name(our_place, place, "ours") for place in range(len(ours))]
    their_order: list[Hashable] = [
        _name(their_place, place, "theirs") for place in range(len(theirs))
    ]
    named: dict[Hashable, RoutineExerciseWrite] = dict(kept.items())
    named |= {("ours", place): exercise for place, exercise in added_by_us.items()}
    named |= {("theirs", place): exercise for place, exercise in added_by_them.items()}
    mine_order = [name for name in mine_order if name in named]
    their_order = [name for name in their_order if name in named]
    mine_kept = [name for name in mine_order if name in kept]
    their_kept = [name for name in their_order if name in kept]
    if mine_kept == their_kept or mine_kept == sorted(kept):
        order = _merge_order(their_order, mine_order)
    elif their_kept == sorted(kept):
        order = _merge_order(mine_order, their_order)
    else:
        raise RebaseConflictError("The order was edited, and the plan changes it, too.")
    return [named[name] for name in order]


def _name(places: Sequence[int | None], place: int, side: str) -> Hashable:
    return places.index(place) if place in places else (side, place)


def _merge_order(order: Sequence[Hashable], other: Sequence[Hashable]) -> list[Hashable]:
    """Insert the other order's additional items into the first, each after its predecessor
    there.
    """
    result = list(order)
    for at, name in enumerate(other):
        if name in result:
            continue
        before = [result.index(each) for each in other[:at] if each in result]
        result.insert(before[-1] + 1 if before else 0, name)
    return result


def _pair_ours(base: Exercises, ours: Exercises) -> list[int | None]:
    """Pair the exercises of our change: an exercise with an unchanged count keeps its place."""
    places = _pair_exercises(base, ours)
    for template in {each.exercise_template_id for each in base}:
        old = [at for at, each in enumerate(base) if each.exercise_template_id == template]
        new = [at for at, each in enumerate(ours) if each.exercise_template_id == template]
        if len(old) == len(new):
            for at, place in zip(old, new, strict=True):
                places[at] = place
    return places


def _pair_exercises(base: Exercises, other: Exercises) -> list[int | None]:
    """Return the place of each exercise of `base` in `other`; None if it was removed.

    The same exercise may occur several times. Pairs are built in this order: equal with the same
    occurrence, equal to no other one, then in sequence.
    """
    places: list[int | None] = [None] * len(base)
    free = list(range(len(other)))
    ways: Sequence[Callable[[int, int], bool]] = (
        lambda at, place: (
            is_same_exercise(base[at], other[place])
            and _earlier_count(base, at) == _earlier_count(other, place)
        ),
        lambda at, place: (
            is_same_exercise(base[at], other[place])
            and (_is_single(base, at) or _count(base, base[at]) != _count(other, base[at]))
        ),
        lambda at, place: _is_same_template(base[at], other[place]),
    )
    for is_pair in ways:
        for at, known in enumerate(places):
            if known is None:
                place = next((each for each in free if is_pair(at, each)), None)
                if place is not None:
                    places[at] = place
                    free.remove(place)
    return places


def _earlier_count(exercises: Exercises, at: int) -> int:
    """Return the number of earlier occurrences of the exercise."""
    return _count(exercises[:at], exercises[at])


def _count(exercises: Exercises, exercise: RoutineExerciseWrite) -> int:
    return sum(_is_same_template(each, exercise) for each in exercises)


def _is_single(exercises: Exercises, at: int) -> bool:
    """Return whether no other place of the exercise is equal to this one."""
    return not any(
        other != at and is_same_exercise(each, exercises[at])
        for other, each in enumerate(exercises)
    )


def _is_same_template(one: RoutineExerciseWrite, other: RoutineExerciseWrite) -> bool:
    return one.exercise_template_id == other.exercise_template_id


def _require_distinguishable(
    base: Exercises,
    theirs: Exercises,
    ours: Exercises,
    our_place: Sequence[int | None],
    their_place: Sequence[int | None],
) -> None:
    """Fail if several places of one exercise make it unclear which one was removed, and we change
    one.
    """
    for at, exercise in enumerate(base):
        if their_place[at] is not None:
            continue
        for other, place in enumerate(their_place):
            if other == at or place is None or not _is_same_template(base[other], exercise):
                continue
            mine = our_place[other]
            is_changed = mine is None or not is_same_exercise(base[other], ours[mine])
            is_certain = is_same_exercise(base[other], theirs[place]) and not is_same_exercise(
                base[other], exercise
            )
            if is_changed and not is_certain:
                raise RebaseConflictError(
                    f"Exercise {at + 1} was removed, and it cannot be distinguished from exercise "
                    f"{other + 1}."
                )


def _require_room(
    base: Exercises,
    theirs: Exercises,
    added_by_us: dict[int, RoutineExerciseWrite],
    added_by_them: dict[int, RoutineExerciseWrite],
) -> None:
    """Fail if our added exercise is there already or would enter a superset of theirs."""
    templates = {each.exercise_template_id for each in added_by_them.values()}
    for exercise in added_by_us.values():
        if exercise.exercise_template_id in templates:
            raise RebaseConflictError("An exercise that the plan brings back was added already.")
        group = exercise.superset_id
        if group is not None and _members(base, group) != _members(theirs, group):
            raise RebaseConflictError(
                "A superset was edited into which the plan brings an exercise back."
            )


def _members(exercises: Exercises, superset_id: int) -> list[str]:
    return sorted(
        each.exercise_template_id for each in exercises if each.superset_id == superset_id
    )


def _exercise(
    base: RoutineExerciseWrite,
    theirs: RoutineExerciseWrite,
    ours: RoutineExerciseWrite,
    at: int,
) -> RoutineExerciseWrite:
    subject = f"Of exercise {at + 1}"
    fields = {
        name: _either(
            getattr(base, name), getattr(theirs, name), getattr(ours, name), f"{subject} {name} was"
        )
        for name in _EXERCISE_FIELDS
    }
    return theirs.model_copy(
        update={
            **fields,
            "notes": _notes(base.notes, theirs.notes, ours.notes, f"{subject} the notes were"),
            "sets": _sets(base.sets, theirs.sets, ours.sets, subject),
        }
    )


def _sets(base: Sets, theirs: Sets, ours: Sets, subject: str) -> Sets:
    if _same_sets(base, ours) or _same_sets(theirs, ours):
        return theirs
    if _same_sets(base, theirs):
        return ours
    if [each.type for each in base] == [each.type for each in ours]:
        # Sets were only added, or only removed: the others are the old ones, in order.
        if (places := _within(base, theirs)) is not None:
            changed = list(theirs)
            for planned, place in zip(ours, places, strict=True):
                changed[place] = planned
            return changed
        if (places := _within(theirs, base)) is not None:
            return [ours[place] for place in places]
    raise RebaseConflictError(f"{subject} the sets were edited, and the plan changes them, too.")


def _within(few: Sets, many: Sets) -> list[int] | None:
    """Return the places of the few sets in the many, in order; None if one is missing."""
    places: list[int] = []
    for planned in few:
        start = places[-1] + 1 if places else 0
        place = next((at for at in range(start, len(many)) if is_same_set(planned, many[at])), None)
        if place is None:
            return None
        places.append(place)
    return places


def _same_sets(one: Sets, other: Sets) -> bool:
    return len(one) == len(other) and all(map(is_same_set, one, other))
