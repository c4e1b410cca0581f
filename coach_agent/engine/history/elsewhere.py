"""Work with an exercise outside its place in a routine."""

from collections.abc import Iterable, Sequence
from itertools import islice
from statistics import fmean

from coach_agent.domain.constants.history import CONTEXT_ALIKE_REPS
from coach_agent.domain.context import Exposure, RoutineContext
from coach_agent.engine.history.attempts import WORKING_TYPES, done_sets

# As many as a place has of its own.
_MOST = 6


def work_by_exercise(routines: Iterable[RoutineContext]) -> dict[str, tuple[Exposure, ...]]:
    """Return the exposures of each exercise in all routines by template, newest first, one for each
    workout.
    """
    found: dict[str, dict[str, Exposure]] = {}
    for routine in routines:
        for slot in (*routine.slots, *routine.left_out):
            known = found.setdefault(slot.exercise_template_id, {})
            for each in slot.exposures:
                known.setdefault(each.workout_id, each)
    return {
        template: tuple(sorted(known.values(), key=lambda each: each.started_at, reverse=True))
        for template, known in found.items()
    }


def other_work(own: Sequence[Exposure], work: Iterable[Exposure]) -> tuple[Exposure, ...]:
    """Return the latest workouts of an exercise at other places than its `own`, newest first.

    `work` has those at all places, newest first. Only those of similar repetitions as the latest
    own one: others are other work.
    """
    if not own:
        return ()
    known = {each.workout_id for each in own}
    usual = mean_reps(own[0])
    others = (
        each
        for each in work
        if each.workout_id not in known and is_similar_work(usual, mean_reps(each))
    )
    return tuple(islice(others, _MOST))


def is_similar_work(one: float, other: float) -> bool:
    """Return whether two numbers of repetitions are similar; 0 for unknown ones, which are."""
    reach = CONTEXT_ALIKE_REPS.value
    return not one or not other or max(one, other) <= reach * min(one, other)


def mean_reps(exposure: Exposure) -> float:
    """Return the mean repetitions of the working sets; 0 without any."""
    done = [each.reps for each in done_sets(exposure, WORKING_TYPES) if each.reps]
    return fmean(done) if done else 0.0
