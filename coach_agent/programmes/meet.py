"""A week of training for a meet: squat, bench press and deadlift first, and few other lifts.

Squat and bench press are trained at least twice, the deadlift once (Androulakis-Korakakis 2021).
"""

from collections.abc import Collection

from coach_agent.programmes.catalogue import Pattern
from coach_agent.programmes.numbers import ACCESSORY_SHARE, LEAST_SETS
from coach_agent.programmes.split import Day, Role, Slot
from coach_agent.programmes.volume import PULLS, PUSHES, ROLES, Week, fits

MOST_MEET_DAYS = 5
_TRUNK_PATTERNS = frozenset({"anti_ext", "trunk_flex", "anti_rot"})


def _slots(*places: tuple[Role, tuple[Pattern, ...]]) -> tuple[Slot, ...]:
    return tuple(Slot(patterns, role) for role, patterns in places)


_SQUAT: tuple[Role, tuple[Pattern, ...]] = ("main", ("squat", "lunge"))
_BENCH: tuple[Role, tuple[Pattern, ...]] = ("main", ("h_push",))
_DEADLIFT: tuple[Role, tuple[Pattern, ...]] = ("main", ("hinge", "hip_ext"))
_ROW: tuple[Role, tuple[Pattern, ...]] = ("second", ("h_pull",))
_PULL: tuple[Role, tuple[Pattern, ...]] = ("second", ("v_pull",))
_PRESS: tuple[Role, tuple[Pattern, ...]] = ("second", ("v_push",))
_LIGHT_SQUAT: tuple[Role, tuple[Pattern, ...]] = ("second", ("squat", "lunge"))
_LIGHT_BENCH: tuple[Role, tuple[Pattern, ...]] = ("second", ("h_push",))
_TRUNK: tuple[Role, tuple[Pattern, ...]] = ("single", ("anti_ext", "trunk_flex", "anti_rot"))
_ARMS: tuple[Role, tuple[Pattern, ...]] = ("single", ("elbow_ext",))
_REAR: tuple[Role, tuple[Pattern, ...]] = ("single", ("rear_delt",))
_HAMSTRINGS: tuple[Role, tuple[Pattern, ...]] = ("single", ("knee_flex",))

_WEEKS = {
    1: (Day("Full body", 0, _slots(_SQUAT, _BENCH, _DEADLIFT, _ROW)),),
    2: (
        Day("Full body A", 0, _slots(_SQUAT, _BENCH, _ROW, _TRUNK)),
        Day("Full body B", 3, _slots(_DEADLIFT, _LIGHT_BENCH, _LIGHT_SQUAT, _PULL)),
    ),
    3: (
        Day("Full body A", 0, _slots(_SQUAT, _BENCH, _ROW, _TRUNK)),
        Day("Full body B", 2, _slots(_DEADLIFT, _LIGHT_BENCH, _PULL, _REAR)),
        Day("Full body C", 4, _slots(_BENCH, _LIGHT_SQUAT, _ROW, _ARMS)),
    ),
    4: (
        Day("Upper A", 0, _slots(_BENCH, _ROW, _PRESS, _ARMS)),
        Day("Lower A", 1, _slots(_SQUAT, _HAMSTRINGS, _TRUNK)),
        Day("Upper B", 3, _slots(_LIGHT_BENCH, _PULL, _ROW, _REAR)),
        Day("Lower B", 4, _slots(_DEADLIFT, _LIGHT_SQUAT, _TRUNK)),
    ),
    5: (
        Day("Bench A", 0, _slots(_BENCH, _ROW, _ARMS)),
        Day("Squat", 1, _slots(_SQUAT, _HAMSTRINGS, _TRUNK)),
        Day("Bench B", 3, _slots(_LIGHT_BENCH, _PULL, _REAR)),
        Day("Deadlift", 4, _slots(_DEADLIFT, _LIGHT_SQUAT, _TRUNK)),
        Day("Bench C", 5, _slots(_LIGHT_BENCH, _ROW, _PRESS)),
    ),
}


def meet_split(days: int) -> tuple[Day, ...]:
    """Return the days of a week before a meet; six and seven days become five."""
    return _WEEKS[min(days, MOST_MEET_DAYS)]


def fill_meet_week(week: Week, own: Collection[str], minutes: int, high: int) -> Week:
    """Return the week with most sets of its `own` lifts, and others up to their share of all sets.

    Pulls grow to as many sets as pushes where that fits.
    """
    week = _within_share(_with_most_sets(week, minutes, high, own), own)
    while (pulls := week.pattern_sets(PULLS)) < week.pattern_sets(PUSHES):
        grown = _with_a_pull(week, minutes, high)
        if grown is None or (grown := _within_share(grown, own)).pattern_sets(PULLS) <= pulls:
            return week
        week = grown
    return week


def _with_a_pull(week: Week, minutes: int, high: int) -> Week | None:
    """Return the week with one more set of the pull with fewest; None if none fits."""
    pulls = sorted(
        (entry.sets, day, place)
        for day, entries in enumerate(week.entries)
        for place, entry in enumerate(entries)
        if entry.choice.pattern in PULLS and entry.sets < entry.most_sets
    )
    grown = ((week.changed(day, place, sets + 1), day) for sets, day, place in pulls)
    return next((each for each, day in grown if fits(each, day, minutes, high)), None)


def _within_share(week: Week, own: Collection[str]) -> Week:
    while _other_share(week, own) > ACCESSORY_SHARE.value:
        week = _without_a_set(week, own)
    return week


def _with_most_sets(week: Week, minutes: int, high: int, own: Collection[str]) -> Week:
    """Return the week with as many sets of these lifts as fit, the fewest first."""
    blocked: set[tuple[int, int]] = set()
    while True:
        open_places = [
            (entry.sets, ROLES.index(entry.role), day, place)
            for day, entries in enumerate(week.entries)
            for place, entry in enumerate(entries)
            if entry.choice.title in own
            and entry.sets < entry.most_sets
            and (day, place) not in blocked
        ]
        if not open_places:
            return week
        sets, _, day, place = min(open_places)
        grown = week.changed(day, place, sets + 1)
        if fits(grown, day, minutes, high):
            week = grown
        else:
            blocked.add((day, place))


def _other_share(week: Week, own: Collection[str]) -> float:
    """Return the share of the sets that other lifts have; 0 without any of these."""
    sets = sum(entry.sets for entry in week.all_entries())
    counted = sum(entry.sets for entry in week.all_entries() if entry.choice.title in own)
    return 0.0 if counted == 0 else 1 - counted / sets


def _without_a_set(week: Week, own: Collection[str]) -> Week:
    """Return the week without a set of the least important other lift, or without that lift.

    Pulls come first among these, then the trunk.
    """
    *_, day, place = max(
        (
            *(entry.choice.pattern not in kept for kept in (PULLS, _TRUNK_PATTERNS)),
            *(ROLES.index(entry.role), entry.slot, day, place),
        )
        for day, entries in enumerate(week.entries)
        for place, entry in enumerate(entries)
        if entry.choice.title not in own
    )
    fewer = week.entries[day][place].sets - 1
    return week.changed(day, place, fewer if fewer >= LEAST_SETS.value else 0)
