"""Sets of a week: added where muscles need them, in balance."""

from collections.abc import Mapping

from coach_agent.programmes.model import Aim
from coach_agent.programmes.numbers import HINGE_TO_SQUAT, LEAST_SETS, ROW_SHARE
from coach_agent.programmes.volume import (
    HINGES,
    MAJOR_MUSCLES,
    PULLS,
    PUSHES,
    ROLES,
    SQUATS,
    Entry,
    Week,
    fits,
    needed_groups,
)

_SIDES = (
    ("pull_push", PULLS, PUSHES),
    ("row_share", frozenset({"h_pull"}), frozenset({"v_pull"})),
    ("hinge_squat", HINGES, SQUATS),
    ("hinge_squat", SQUATS, HINGES),
)


def add_sets(
    week: Week, minutes: int, limits: tuple[int, int], wanted: Mapping[str, float]
) -> Week:
    """Add sets where a muscle has fewest of its range, until nothing fits.

    Muscles below the lower end come first, then those in `wanted` rise to these weekly sets. A set
    that breaks the balance comes with one of the weaker side. Limits only get tighter, so an
    exercise that does not fit once is not tried again.
    """
    _, high = limits
    blocked: set[tuple[int, int]] = set()
    while True:
        muscles = week.muscles()
        ranked = sorted(
            (_need(entry, muscles, limits, wanted, week.goal), day, place)
            for day, entries in enumerate(week.entries)
            for place, entry in enumerate(entries)
            if entry.sets < entry.most_sets and (day, place) not in blocked
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
    entry: Entry,
    muscles: Mapping[str, float],
    limits: tuple[int, int],
    wanted: Mapping[str, float],
    goal: Aim,
) -> tuple[float, int, int]:
    """Rank of one more set, the lowest first; the first number is below 0 while it is useful."""
    low, high = limits
    useful = 0.0
    for muscle, credit in entry.choice.credits:
        if muscle in wanted:
            missing = wanted[muscle] - muscles[muscle]
            weight = 1.0 if muscle in MAJOR_MUSCLES else 0.5
            first = high if muscles[muscle] < low and muscle in MAJOR_MUSCLES else 0
            useful = max(useful, (missing + first) * credit * weight if missing > 0 else 0.0)
    if goal == "strength" and entry.role == "main" and useful > 0:
        useful += 1.0
    return (-useful, entry.sets, ROLES.index(entry.role))


def remove_sets(week: Week, wanted: Mapping[str, float], low: int) -> Week:
    """Remove sets of muscles that have more than in `wanted`, of their largest exercise first.

    The balance stays, exercises keep their least sets, and no muscle falls below the lower end.
    """
    for muscle, most in wanted.items():
        while (smaller := _smaller(week, muscle, low)) is not None:
            if smaller.muscles()[muscle] < most:
                break
            week = smaller
    return week


def _smaller(week: Week, muscle: str, low: int) -> Week | None:
    """Return a week with a set less of the largest direct exercise of a muscle; None if none may
    lose one.
    """
    known, before = set(imbalances(week)), week.muscles()
    found = sorted(
        (-entry.sets, -ROLES.index(entry.role), day, place)
        for day, entries in enumerate(week.entries)
        for place, entry in enumerate(entries)
        if entry.sets > LEAST_SETS.value and (muscle, 1.0) in entry.choice.credits
    )
    for negative_sets, _, day, place in found:
        smaller = week.changed(day, place, -negative_sets - 1)
        is_enough = all(
            sets >= min(low, before[each])
            for each, sets in smaller.muscles().items()
            if each in MAJOR_MUSCLES
        )
        if is_enough and not set(imbalances(smaller)) - known:
            return smaller
    return None


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
            if entry.choice.pattern in patterns and entry.sets < entry.most_sets:
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
        smaller = week.changed(day, place, 0)
        left = {each.choice.pattern for each in smaller.entries[day]}
        is_needed = any(
            entry.choice.pattern in group and not left & group
            for group in needed_groups(week.days[day])
        )
        if week.pattern_sets({entry.choice.pattern}) > entry.sets and not is_needed:
            return smaller
    return None
