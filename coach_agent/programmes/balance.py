"""Sets of a week: added where muscles need them, in balance."""

from coach_agent.programmes.model import Aim
from coach_agent.programmes.numbers import HINGE_TO_SQUAT, LEAST_SETS, MOST_SETS, ROW_SHARE
from coach_agent.programmes.volume import (
    HINGES,
    LIMITED_MUSCLES,
    MAJOR_MUSCLES,
    PULLS,
    PUSHES,
    ROLES,
    SQUATS,
    Entry,
    Week,
    fits,
)

_SIDES = (
    ("pull_push", PULLS, PUSHES),
    ("row_share", frozenset({"h_pull"}), frozenset({"v_pull"})),
    ("hinge_squat", HINGES, SQUATS),
    ("hinge_squat", SQUATS, HINGES),
)


def add_sets(week: Week, minutes: int, low: int, high: int, *, is_least: bool = False) -> Week:
    """Add sets where a muscle has fewest of its range, until nothing fits.

    Muscles below the lower end come first, then all rise to the middle of the range; `is_least`
    only raises major muscles to the lower end. A set that breaks the balance comes with one of the
    weaker side. Limits only get tighter, so an exercise that does not fit once is not tried again.
    """
    blocked: set[tuple[int, int]] = set()
    while True:
        muscles = week.muscles()
        ranked = sorted(
            (_need(entry, muscles, low, high, week.goal, is_least), day, place)
            for day, entries in enumerate(week.entries)
            for place, entry in enumerate(entries)
            if entry.sets < MOST_SETS.value and (day, place) not in blocked
        )
        for need, day, place in ranked:
            if need[0] >= 0:
                return week
            grown = week.changed(day, place, week.entries[day][place].sets + 1)
            fitting = fits(grown, day, minutes, high)
            balanced = _with_partner(week, grown, minutes, high) if fitting else None
            if balanced is not None:
                week = balanced
                break
            blocked.add((day, place))
        else:
            return week


def _need(
    entry: Entry, muscles: dict[str, float], low: int, high: int, goal: Aim, is_least: bool
) -> tuple[float, int, int]:
    """Rank of one more set, the lowest first; the first number is below 0 while it is useful."""
    target, counted = (low, MAJOR_MUSCLES) if is_least else ((low + high) / 2, LIMITED_MUSCLES)
    useful = 0.0
    for muscle, credit in entry.choice.credits:
        if muscle in counted:
            missing = target - muscles[muscle]
            weight = 1.0 if muscle in MAJOR_MUSCLES else 0.5
            first = high if muscles[muscle] < low and muscle in MAJOR_MUSCLES else 0
            useful = max(useful, (missing + first) * credit * weight if missing > 0 else 0.0)
    if goal == "strength" and entry.role == "main" and useful > 0:
        useful += 1.0
    return (-useful, entry.sets, ROLES.index(entry.role))


def _with_partner(before: Week, after: Week, minutes: int, high: int) -> Week | None:
    """Return the changed week, if needed with a set of the weaker side; None if that is not
    possible.
    """
    known = set(imbalances(before))
    for rule, weaker, _ in _SIDES:
        if rule in set(imbalances(after)) - known:
            grown = _grown(after, weaker, minutes, high)
            if grown is None:
                return None
            if not set(imbalances(grown)) - known:
                return grown
    return None if set(imbalances(after)) - known else after


def imbalances(week: Week) -> list[str]:
    """Return the rules of balance that a week does not fulfil.

    Pulls are at least as many sets as pushes, rows at least half of the pulls, and hinges are near
    squats.
    """
    push, pull = week.pattern_sets(PUSHES), week.pattern_sets(PULLS)
    squat, hinge = week.pattern_sets(SQUATS), week.pattern_sets(HINGES)
    least, most = HINGE_TO_SQUAT.value
    found = []
    if pull < push:
        found.append("pull_push")
    if week.pattern_sets({"h_pull"}) < ROW_SHARE.value * pull:
        found.append("row_share")
    if not least * squat <= hinge <= most * squat:
        found.append("hinge_squat")
    return found


def balance(week: Week, minutes: int, high: int) -> Week:
    """Fix the balance: more sets on the weaker side, or else fewer on the stronger one."""
    for rule, weaker, stronger in _SIDES:
        if not week.pattern_sets(weaker):
            continue  # nothing of that side is possible
        while rule in imbalances(week) and week.pattern_sets(weaker) < week.pattern_sets(stronger):
            changed = _grown(week, weaker, minutes, high) or _shrunk(week, stronger)
            if changed is None:
                break
            week = changed
    return week


def _grown(week: Week, patterns: frozenset[str], minutes: int, high: int) -> Week | None:
    for day, entries in enumerate(week.entries):
        for place, entry in enumerate(entries):
            if entry.choice.pattern in patterns and entry.sets < MOST_SETS.value:
                grown = week.changed(day, place, entry.sets + 1)
                if fits(grown, day, minutes, high):
                    return grown
    return None


def _shrunk(week: Week, patterns: frozenset[str]) -> Week | None:
    """Return a week with a set less of the largest exercise; an exercise of two sets is left out
    if another one has the movement.
    """
    found = [
        (-entry.sets, -ROLES.index(entry.role), -day, -place)
        for day, entries in enumerate(week.entries)
        for place, entry in enumerate(entries)
        if entry.choice.pattern in patterns
    ]
    for _, _, negative_day, negative_place in sorted(found):
        day, place = -negative_day, -negative_place
        entry = week.entries[day][place]
        if entry.sets > LEAST_SETS.value:
            return week.changed(day, place, entry.sets - 1)
        if week.pattern_sets({entry.choice.pattern}) > entry.sets:
            return week.changed(day, place, 0)
    return None
