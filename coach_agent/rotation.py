"""Which routine comes next, and what the profile says about routines that are not there."""

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

from coach_agent.context import RoutineContext
from coach_agent.profile import AthleteProfile, ProfileError


def next_routine(
    routines: Sequence[RoutineContext], profile: AthleteProfile
) -> RoutineContext | None:
    """The routine to train next; None if the athlete has none.

    With an order in the profile, the one after the last trained, or the first. Without, one never
    trained (by title), else the one not trained for longest.

    Raises:
        ProfileError: the profile names a routine that is not there, or that is there twice.
    """
    if not routines:
        return None
    if profile.routines:
        return _next_in_order(routines, profile)
    return min(
        routines,
        key=lambda routine: (
            routine.last_trained_at is not None,
            routine.last_trained_at.timestamp() if routine.last_trained_at else 0.0,
            routine.title,
            routine.routine_id,
        ),
    )


def unknown_rules(profile: AthleteProfile, routines: Sequence[RoutineContext]) -> tuple[str, ...]:
    """A line for each exercise with a rule that is in no routine, by title; for a warning.

    No error: an exercise may be out of all routines for a while, and its rule waits.
    """
    known = sorted({slot.exercise_title for routine in routines for slot in routine.slots})
    lines = []
    for title in sorted(set(profile.exercises).difference(known)):
        nearest = get_close_matches(title, known, n=1)
        hint = f"did you mean '{nearest[0]}'?" if nearest else "its rule has no effect"
        lines.append(f"{profile.id}: exercises: no routine has '{title}'; {hint}")
    return tuple(lines)


def _next_in_order(routines: Sequence[RoutineContext], profile: AthleteProfile) -> RoutineContext:
    titles = Counter(routine.title for routine in routines)
    wrong = [_problem(title, titles) for title in profile.routines if titles[title] != 1]
    if wrong:
        raise ProfileError("\n".join(f"{profile.id}: routines: {problem}" for problem in wrong))
    by_title = {routine.title: routine for routine in routines}
    ordered = [by_title[title] for title in profile.routines]
    trained = [
        (routine.last_trained_at, position)
        for position, routine in enumerate(ordered)
        if routine.last_trained_at is not None
    ]
    if not trained:
        return ordered[0]
    _, last = max(trained)
    return ordered[(last + 1) % len(ordered)]


def _problem(title: str, titles: Counter[str]) -> str:
    if titles[title] > 1:
        return f"there are {titles[title]} routines called '{title}'; give them different titles"
    nearest = get_close_matches(title, titles, n=1)
    if nearest:
        return f"there is no routine '{title}'; did you mean '{nearest[0]}'?"
    known = ", ".join(f"'{known}'" for known in sorted(titles))
    return f"there is no routine '{title}'; known are {known}"
