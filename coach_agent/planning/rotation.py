"""Selection of the next routine, and validation of the routines in the profile."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import get_args

from coach_agent.domain.constants.planning import ROTATION_PATTERN, ROTATION_WINDOW
from coach_agent.domain.context import RoutineContext, TrainedRoutine
from coach_agent.domain.days import local_date
from coach_agent.domain.titles import nearest_title, normalize_title
from coach_agent.profile.model import AthleteProfile, ProfileError, Weekday

# Two weeks reach the training day before a missed one, even if there is one day a week.
_WEEKDAY_REACH = timedelta(days=14)

# Above the similarity of titles that differ by their equipment, such as dumbbell and barbell.
_MISSPELT = 0.95


def next_routine(
    routines: Sequence[RoutineContext],
    profile: AthleteProfile,
    trained: Sequence[TrainedRoutine],
    today: date,
    due: Sequence[str] = (),
) -> RoutineContext | None:
    """Return the managed routine to train next; None without one.

    `trained` has the latest workouts, oldest first, `today` is the athlete's. With an order in the
    profile, the routine after the last trained, or the first. With weekdays, see `due_on`. Then the
    first routine of `due`, the ids of a followed programme's sessions. By default the order of the
    latest workouts, see `predict_next_routine`. The fallback is one never trained (by title), then
    the one not trained for longest among those that the athlete still trains, then among the rest.

    Raises:
        ProfileError: the profile names a routine that does not exist, or exists twice.
    """
    if not routines:
        return None
    mine = managed_routines(routines, profile)
    by_title = {routine.title: routine for routine in mine}
    if profile.routines:
        _require(profile, "routines", profile.routines, routines)
        return _next_in_order([by_title[title] for title in profile.routines])
    if profile.weekdays:
        _require(profile, "weekdays", profile.weekdays, routines)
        schedule = {day: title for title, days in profile.weekdays.items() for day in days}
        titles = {routine.routine_id: routine.title for routine in mine}
        done = [
            (titles[each.routine_id], local_date(each.started_at, profile.timezone))
            for each in trained
            if each.routine_id in titles
        ]
        return by_title[due_on(today, schedule, done)]
    by_id = {routine.routine_id: routine for routine in mine}
    if session := next(filter(by_id.__contains__, due), None):
        return by_id[session]
    order = [each.routine_id for each in trained if each.routine_id in by_id]
    expected = predict_next_routine(order)
    return _longest_not_trained(mine, order) if expected is None else by_id[expected]


def managed_routines(
    routines: Sequence[RoutineContext], profile: AthleteProfile
) -> tuple[RoutineContext, ...]:
    """Return the routines that the coach may manage.

    Raises:
        ProfileError: the profile names one that does not exist, or exists twice.
    """
    if not profile.coach.routines:
        return tuple(routines)
    _require(profile, "coach.routines", profile.coach.routines, routines)
    return tuple(each for each in routines if each.title in profile.coach.routines)


def predict_next_routine(order: Sequence[str]) -> str | None:
    """Predict the next routine from the order of the latest workouts: after A, B, C, A, B comes C.

    It is the most frequent follower of the last two in this order, the later one of two equally
    frequent; if they are new, the follower of the last one. None if it is the first of its kind.
    `order` is oldest first; entries older than `rotation.window` are ignored.
    """
    recent = tuple(order[-ROTATION_WINDOW.value :])
    for length in range(min(ROTATION_PATTERN.value, len(recent) - 1), 0, -1):
        starts = range(len(recent) - length)
        followers = [
            recent[start + length]
            for start in starts
            if recent[start : start + length] == recent[-length:]
        ]
        if followers:
            counts = Counter(followers)
            latest = {follower: place for place, follower in enumerate(followers)}
            return max(counts, key=lambda follower: (counts[follower], latest[follower]))
    return None


def predict_rotation(order: Sequence[str]) -> tuple[str, ...]:
    """Return the expected next routines, until one of them repeats."""
    coming: list[str] = []
    while (following := predict_next_routine((*order, *coming))) is not None:
        if following in coming:
            break
        coming.append(following)
    return tuple(coming)


def due_on(today: date, schedule: Mapping[Weekday, str], done: Collection[tuple[str, date]]) -> str:
    """Return the next routine by weekdays; `schedule` has at least one day.

    A missed day can be made up until the next training day begins, then that day's own routine
    counts. A workout done ahead counts for the next training day. Other workouts change nothing,
    nor do those with a future date.
    """
    names = get_args(Weekday)
    reach = (today - _WEEKDAY_REACH + timedelta(days=n) for n in range(2 * _WEEKDAY_REACH.days + 1))
    days = [day for day in reach if names[day.weekday()] in schedule]
    titles = [schedule[names[day.weekday()]] for day in days]
    filled: set[int] = set()
    past = [each for each in done if each[1] <= today]
    for title, day in sorted(past, key=lambda each: each[1]):
        current = bisect_right(days, day) - 1
        for place in (current, current + 1):
            if 0 <= place < len(days) and titles[place] == title and place not in filled:
                filled.add(place)
                break
    first = bisect_right(days, today) - 1
    return next(
        title for place, title in enumerate(titles) if place >= first and place not in filled
    )


def unknown_rules(
    profile: AthleteProfile, routines: Sequence[RoutineContext], exercises: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return a warning for each unknown exercise in the profile.

    No error: an exercise may be out of all routines for a while, and its rule waits. An exercise in
    `avoid` or `swap` need not be in any, so only probable spelling errors of these are reported,
    and those missing in all `exercises`; empty: they are not known.
    """
    known = sorted({slot.exercise_title for routine in routines for slot in routine.slots})
    swap = profile.preferences.swap
    avoided = {normalize_title(title): title for title in profile.avoid}
    for title in known:  # avoidance needs no exact spelling
        avoided.pop(normalize_title(title), None)
    problems = [
        *(("exercises", title, _rule_problem(title, known)) for title in sorted(profile.exercises)),
        *(
            ("avoid", title, _wish_problem(title, known, exercises))
            for title in sorted(avoided.values())
        ),
        *(
            ("preferences.swap", title, _wish_problem(title, known, exercises))
            for title in sorted({*swap, *(each for titles in swap.values() for each in titles)})
        ),
    ]
    return tuple(
        f"{profile.id}: {key}: {problem}"
        for key, title, problem in problems
        if problem and title not in known
    )


def _rule_problem(title: str, known: Sequence[str]) -> str:
    nearest = nearest_title(title, known)
    hint = f"did you mean '{nearest}'?" if nearest else "its rule has no effect"
    return f"no routine has '{title}'; {hint}"


def _wish_problem(title: str, known: Sequence[str], exercises: Sequence[str]) -> str | None:
    """Describe the problem of a title that need not be in a routine; None if it is plausible."""
    if title in exercises:
        return None
    if nearest := nearest_title(title, known, _MISSPELT):
        return f"no routine has '{title}'; did you mean '{nearest}'?"
    if not exercises or normalize_title(title) in map(normalize_title, exercises):
        return None
    nearest = nearest_title(title, exercises)
    hint = f"did you mean '{nearest}'?" if nearest else "it has no effect"
    return f"there is no exercise '{title}'; {hint}"


def _next_in_order(ordered: Sequence[RoutineContext]) -> RoutineContext:
    trained = [
        (routine.last_trained_at, position)
        for position, routine in enumerate(ordered)
        if routine.last_trained_at is not None
    ]
    if not trained:
        return ordered[0]
    _, last = max(trained)
    return ordered[(last + 1) % len(ordered)]


def _longest_not_trained(
    routines: Sequence[RoutineContext], order: Sequence[str]
) -> RoutineContext:
    """Return the routine not trained for longest; one not trained lately was given up and comes
    last.
    """
    current = set(order[-ROTATION_WINDOW.value :])
    return min(
        routines,
        key=lambda routine: (
            routine.last_trained_at is not None and routine.routine_id not in current,
            routine.last_trained_at is not None,
            routine.last_trained_at.timestamp() if routine.last_trained_at else 0.0,
            routine.title,
            routine.routine_id,
        ),
    )


def _require(
    profile: AthleteProfile,
    key: str,
    required: Collection[str],
    routines: Sequence[RoutineContext],
) -> None:
    """Check that each title in a key of the profile is that of one routine."""
    titles = Counter(routine.title for routine in routines)
    wrong = [_problem(title, titles) for title in required if titles[title] != 1]
    if wrong:
        raise ProfileError("\n".join(f"{profile.id}: {key}: {problem}" for problem in wrong))


def _problem(title: str, titles: Counter[str]) -> str:
    if titles[title] > 1:
        return f"there are {titles[title]} routines called '{title}'; give them different titles"
    if nearest := nearest_title(title, titles):
        return f"there is no routine '{title}'; did you mean '{nearest}'?"
    known = ", ".join(f"'{known}'" for known in sorted(titles))
    return f"there is no routine '{title}'; known are {known}"
