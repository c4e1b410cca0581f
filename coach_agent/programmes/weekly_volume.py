"""Weekly hard sets of a programme by muscle, next to the range for its goal and level."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from coach_agent.domain.muscle_sets import set_credits
from coach_agent.domain.titles import normalize_title
from coach_agent.domain.values import Value
from coach_agent.programmes.catalogue import Catalogue, Exercise
from coach_agent.programmes.first_weeks import PlannedExercise, PlannedGroup, Session, first_weeks
from coach_agent.programmes.model import LEVELS, Aim, Level, Programme
from coach_agent.programmes.numbers import HARD_SHARE, SETS_HEALTH, SETS_HYPERTROPHY

_ANY_NUMBER_KG = 100.0
_BACK = frozenset({"lats", "upper_back"})
_NO_MUSCLES = frozenset({"full_body", "cardio", "other"})


class MuscleSets(Value):
    """Weekly hard sets of a muscle, and the range for goal and level.

    A set counts 1 for its primary muscle and 0.5 for each secondary one; lats and upper back are
    one muscle, the back.
    """

    muscle: str
    sets: float
    low: int
    high: int


def landmarks(goal: Aim, level: Level) -> tuple[int, int]:
    """Return the range of weekly hard sets of a muscle.

    Strength has no range of its own by muscle: it is from the least for health to the most for
    size.
    """
    place = LEVELS.index(level)
    health, size = SETS_HEALTH.value[place], SETS_HYPERTROPHY.value[place]
    if goal == "health":
        return health
    return (health[0], size[1]) if goal == "strength" else size


def credits_of(exercise: Exercise) -> dict[str, float]:
    """Return what a hard set of an exercise counts, by muscle."""
    found: dict[str, float] = {}
    groups = set_credits(exercise.primary_muscle_group, exercise.secondary_muscle_groups)
    for group, credit in groups:
        if group not in _NO_MUSCLES:
            muscle = "back" if group in _BACK else group
            found[muscle] = max(credit, found.get(muscle, 0.0))
    return found


def sets_by_muscle(counted: Iterable[tuple[Exercise, int]]) -> dict[str, float]:
    """Return the hard sets by muscle of exercises with their numbers of sets."""
    found: dict[str, float] = defaultdict(float)
    for exercise, sets in counted:
        for muscle, credit in credits_of(exercise).items():
            found[muscle] += credit * sets
    return dict(found)


def weekly_hard_sets(
    programme: Programme, catalogue: Catalogue, weeks: int = 4
) -> list[MuscleSets]:
    """Return the mean weekly hard sets over the first weeks, most first.

    Exercises that the catalogue lacks are left out.
    """
    numbers = {
        name: 1.0 if lift.progression.kind == "ladder" else _ANY_NUMBER_KG
        for name, lift in programme.lifts.items()
    }
    sessions = first_weeks(programme, numbers, weeks)
    totals = sets_by_muscle(_counted(sessions, catalogue))
    low, high = landmarks(programme.goal, programme.level)
    found = [
        MuscleSets(muscle=muscle, sets=round(total / weeks, 1), low=low, high=high)
        for muscle, total in totals.items()
    ]
    return sorted(found, key=lambda each: (-each.sets, each.muscle))


def _counted(sessions: Sequence[Session], catalogue: Catalogue) -> list[tuple[Exercise, int]]:
    return [
        (known, hard_sets(exercise))
        for session in sessions
        for exercise in session.exercises
        if (known := catalogue.get(normalize_title(exercise.exercise))) is not None
    ]


def hard_sets(exercise: PlannedExercise) -> int:
    """Return the number of hard sets: those near the hardest one by Epley's estimated maximum.

    Sets without a load are all hard; drop sets are part of the set before them.
    """
    hardest = max(map(_estimate, exercise.groups), default=0.0)
    return sum(
        each.count
        for each in exercise.groups
        if not each.is_drop
        and (each.weight_kg is None or _estimate(each) >= HARD_SHARE.value * hardest)
    )


def _estimate(group: PlannedGroup) -> float:
    return (group.weight_kg or 0.0) * (1 + (group.reps or 0) / 30)
