"""Three versions of a routine are merged: no edit of the athlete is lost."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from coach_agent.publishing.rebase import RebaseConflictError, has_arrived, rebase
from coach_agent.publishing.routine_changes import first_difference
from hevy_connector.schemas import RoutineExerciseWrite, RoutineSetWrite, RoutineWrite
from tests.profiles import examples

SETS = st.builds(
    RoutineSetWrite,
    type=st.sampled_from(["warmup", "normal", "dropset"]),
    weight_kg=st.sampled_from([20.0, 40.0, 100.0]),
    reps=st.sampled_from([5, 8]),
)
EXERCISES = st.builds(
    RoutineExerciseWrite,
    exercise_template_id=st.sampled_from("ABCD"),
    superset_id=st.none() | st.integers(0, 1),
    rest_seconds=st.none() | st.just(60),
    notes=st.none() | st.just("mine"),
    sets=st.lists(SETS, min_size=1, max_size=3),
)
ROUTINES = st.builds(
    RoutineWrite,
    title=st.just("Push"),
    notes=st.none(),
    exercises=st.lists(EXERCISES, min_size=1, max_size=4),
)
FRESH = RoutineExerciseWrite(
    exercise_template_id="Z", sets=[RoutineSetWrite(weight_kg=1.0, reps=1)]
)
OURS_KG = 0.5
"""What the plan adds to a load: no load of the athlete ends so."""


@st.composite
def changes(draw: st.DrawFn) -> tuple[RoutineWrite, RoutineWrite]:
    """A routine, and the same with heavier sets in some of its exercises."""
    base = draw(ROUTINES)
    exercises = []
    for exercise in base.exercises:
        planned = [
            each.model_copy(update={"weight_kg": (each.weight_kg or 0.0) + OURS_KG})
            if draw(st.booleans())
            else each
            for each in exercise.sets
        ]
        exercises.append(exercise.model_copy(update={"sets": planned}))
    return base, base.model_copy(update={"exercises": exercises})


@st.composite
def edits(draw: st.DrawFn, routine: RoutineWrite) -> RoutineWrite:
    """Random edits of a routine by the athlete in the app."""
    exercises = list(routine.exercises)
    fields: dict[str, Any] = {}
    for _ in range(draw(st.integers(0, 3))):
        kinds = [
            "title",
            "add",
            *(["remove", "move", "rest", "note", "set", "load"] * bool(exercises)),
        ]
        kind = draw(st.sampled_from(kinds))
        at = draw(st.integers(0, max(0, len(exercises) - 1)))
        if kind == "title":
            fields["title"] = "Mine"
        elif kind == "add":
            exercises.insert(at, FRESH)
        elif kind == "remove":
            exercises.pop(at)
        elif kind == "move":
            exercises.insert(draw(st.integers(0, len(exercises) - 1)), exercises.pop(at))
        elif kind == "rest":
            exercises[at] = exercises[at].model_copy(update={"rest_seconds": 77})
        elif kind == "note":
            exercises[at] = exercises[at].model_copy(update={"notes": "edited"})
        else:
            sets = list(exercises[at].sets)
            place = draw(st.integers(0, len(sets)))
            if kind == "load" and place < len(sets):
                sets[place] = sets[place].model_copy(update={"weight_kg": 33.0})
            elif kind == "set" and place < len(sets) and len(sets) > 1:
                sets.pop(place)
            else:
                sets.insert(place, RoutineSetWrite(weight_kg=7.0, reps=30))
            exercises[at] = exercises[at].model_copy(update={"sets": sets})
    return routine.model_copy(update={**fields, "exercises": exercises})


def as_theirs(routine: RoutineWrite) -> RoutineWrite:
    """The routine without what the plan added to its loads."""
    exercises = []
    for exercise in routine.exercises:
        sets = [
            each.model_copy(update={"weight_kg": (each.weight_kg or 0.0) // 1})
            for each in exercise.sets
        ]
        exercises.append(exercise.model_copy(update={"sets": sets}))
    return routine.model_copy(update={"exercises": exercises})


@examples(400)
@given(change=changes(), data=st.data())
def test_but_for_our_loads_it_is_what_the_athlete_made_of_it(
    change: tuple[RoutineWrite, RoutineWrite], data: st.DataObject
) -> None:
    base, ours = change
    theirs = data.draw(edits(base))
    try:
        result = rebase(base, theirs, ours)
    except RebaseConflictError:
        assert theirs != base != ours
        return
    assert first_difference(as_theirs(result), theirs) is None
    edited = {id(each) for exercise in base.exercises for each in exercise.sets}
    for exercise, kept in zip(result.exercises, theirs.exercises, strict=True):
        for each, own in zip(exercise.sets, kept.sets, strict=True):
            assert each.weight_kg == own.weight_kg or id(own) in edited


@examples(200)
@given(change=changes())
def test_where_only_one_side_changed_it_that_side_counts(
    change: tuple[RoutineWrite, RoutineWrite],
) -> None:
    base, ours = change
    assert rebase(base, base, ours) == ours
    assert rebase(base, ours, base) == ours
    assert rebase(base, ours, ours) == ours


@examples(300)
@given(change=changes(), data=st.data())
def test_whether_it_arrived_is_seen_through_what_was_edited_after_it(
    change: tuple[RoutineWrite, RoutineWrite], data: st.DataObject
) -> None:
    base, ours = change
    assert has_arrived(base, ours, ours)
    if base != ours:
        assert not has_arrived(base, data.draw(edits(base)), ours)
