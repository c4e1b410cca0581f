"""Completion of a week: the minimum of a session, wishes, and gaps that minutes are left for."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from coach_agent.domain.titles import normalize_title
from coach_agent.programmes.balance import imbalances
from coach_agent.programmes.checks import LIMB_DAYS, has_single_leg, most_exercises
from coach_agent.programmes.numbers import LEAST_SETS, MINIMUM_MINUTES
from coach_agent.programmes.request import ProgrammeRequest
from coach_agent.programmes.selection import Choice, select
from coach_agent.programmes.split import TRUNK, Day, Role, Slot
from coach_agent.programmes.volume import (
    HINGES,
    LIMITED_MUSCLES,
    MAJOR_MUSCLES,
    PULLS,
    PUSHES,
    SESSION_GROUPS,
    SQUATS,
    Entry,
    Week,
    accessory_limit,
    fits,
    most_sets,
    needed_groups,
    session_minutes,
)

_LEGS = frozenset({"squat", "lunge", "hinge", "hip_ext", "knee_flex", "knee_ext", "plantar"})
_MOST_SKILL = 3
_SIDES = (SQUATS, HINGES, PUSHES, PULLS)
_COMPOUNDS = frozenset[str]().union(*SESSION_GROUPS)


def new_entry(choice: Choice, role: Role, number: int, request: ProgrammeRequest) -> Entry:
    """Return an exercise with the fewest sets; one that needs care is no main lift."""
    most = most_sets(choice, request.goal, request.level)
    careful: Role = "second" if choice.is_careful and role == "main" else role
    return Entry(choice, careful, LEAST_SETS.value, number, most)


def is_second_careful_press(week: Week, choice: Choice) -> bool:
    """Return True for an overhead press that needs care, if the week has one already."""
    return choice.is_careful and choice.pattern == "v_push" and week.pattern_sets({"v_push"}) > 0


def with_minimum(
    week: Week, request: ProgrammeRequest, choices: Sequence[Choice], high: int
) -> Week:
    """Return the week with a squat or hinge, a push and a pull in each session that has a place
    for them, as one for the whole body has.

    Sets of others make room, accessories first. Sessions that are too short stay as they are, and
    so do movements without an exercise.
    """
    if request.minutes < MINIMUM_MINUTES.value:
        return week
    for index, day in enumerate(week.days):
        for group in needed_groups(day):
            present = {entry.choice.pattern for entry in week.entries[index]}
            if present & group:
                continue
            slot = next(each for each in day.slots if set(each.patterns) & group)
            week = _with_room(week, index, slot, request, choices, high, group) or week
    return week


def _with_room(
    week: Week,
    day: int,
    slot: Slot,
    request: ProgrammeRequest,
    choices: Sequence[Choice],
    high: int,
    group: frozenset[str],
) -> Week | None:
    """Return the week with an exercise of a group on a day; None if no room can be made."""
    used = {entry.choice.title for entry in week.all_entries()}
    today = {entry.choice.title for entry in week.entries[day]}
    own = [
        each
        for each in choices
        if each.pattern in group and not is_second_careful_press(week, each)
    ]
    patterns = tuple(dict.fromkeys((*slot.patterns, *(each.pattern for each in own))))
    choice = select(Slot(patterns, slot.role), own, request, used, today)
    if choice is None:
        return None
    number = week.days[day].slots.index(slot)
    entry = new_entry(choice, slot.role, number, request)
    while True:
        grown = week.added(day, entry)
        is_few = len(grown.entries[day]) <= most_exercises(request)
        if is_few and fits(grown, day, request.minutes, high):
            return grown
        muscles = {muscle for muscle, _ in choice.credits}
        full = {each for each in muscles & LIMITED_MUSCLES if grown.muscles()[each] > high}
        smaller = (
            _smaller(week, day, muscles)
            or _swapped(week, request, choices, full)
            or _without_second(week, day)
        )
        if smaller is None:
            return None
        week = smaller


def _smaller(week: Week, day: int, muscles: Collection[str]) -> Week | None:
    """Return a week with less on a day, or for these muscles on others; None if that is least."""
    found = [
        (entry.role != "single", index != day, -entry.sets, index, place)
        for index, entries in enumerate(week.entries)
        for place, entry in enumerate(entries)
        if index == day or any(muscle in muscles for muscle, _ in entry.choice.credits)
        if entry.role == "single" or entry.sets > LEAST_SETS.value
    ]
    if not found:
        return None
    is_compound, _, negative_sets, index, place = min(found)
    return week.changed(index, place, -negative_sets - 1 if is_compound else 0)


def _without_second(week: Week, day: int) -> Week | None:
    """Return a week without the last exercise of a day that has another one of its movement."""
    entries = week.entries[day]
    for place in range(len(entries) - 1, -1, -1):
        others = {each.choice.pattern for each in (*entries[:place], *entries[place + 1 :])}
        pattern = entries[place].choice.pattern
        if any(pattern in group and others & group for group in SESSION_GROUPS):
            return week.changed(day, place, 0)
    return None


def _swapped(
    week: Week, request: ProgrammeRequest, choices: Sequence[Choice], muscles: Collection[str]
) -> Week | None:
    """Return a week with another exercise for one that trains a full muscle on the side."""
    for day, entries in enumerate(week.entries):
        for place, entry in enumerate(entries):
            on_the_side = [m for m, credit in entry.choice.credits if m in muscles and credit < 1]
            slots = week.days[day].slots
            if not on_the_side or entry.slot >= len(slots):
                continue
            others = [
                each
                for each in choices
                if not any(muscle in muscles for muscle, _ in each.credits)
                and any(each.pattern in group and entry.choice.pattern in group for group in _SIDES)
            ]
            today = {each.choice.title for each in entries}
            used = {each.choice.title for each in week.all_entries()}
            choice = select(slots[entry.slot], others, request, used, today)
            if choice is not None:
                new = replace(
                    new_entry(choice, slots[entry.slot].role, entry.slot, request), sets=entry.sets
                )
                return week.replaced(day, place, new)
    return None


def with_wishes(
    week: Week, request: ProgrammeRequest, choices: Sequence[Choice], high: int
) -> Week:
    """Return the week with the preferred exercises that no place has chosen, where they fit.

    Lifts for explosive strength are no accessories, so they have no place.
    """
    by_title = {normalize_title(each.title): each for each in choices}
    for title in request.prefer:
        choice = by_title.get(normalize_title(title))
        placed = {entry.choice.title for entry in week.all_entries()}
        if choice is None or choice.title in placed:
            continue
        if choice.pattern == "ballistic" and choice.tags.skill == _MOST_SKILL:
            continue
        role: Role = "second" if choice.pattern in _COMPOUNDS else "single"
        for day in _days_for(week, choice):
            number = 1 + max((each.slot for each in week.entries[day]), default=0)
            number = max(number, len(week.days[day].slots))
            grown = week.added(day, new_entry(choice, role, number, request))
            is_few = len(grown.entries[day]) <= most_exercises(request)
            if is_few and fits(grown, day, request.minutes, high):
                week = grown
                break
    return week


def _days_for(week: Week, choice: Choice) -> list[int]:
    """Return the days, those for the same half of the body and the shortest first."""

    def is_other_half(day: Day) -> bool:
        is_leg = choice.pattern in _LEGS
        return not any((set(each.patterns) <= _LEGS) == is_leg for each in day.slots)

    return sorted(
        range(len(week.days)),
        key=lambda day: (is_other_half(week.days[day]), len(week.entries[day]), day),
    )


def fill_gaps(
    week: Week, request: ProgrammeRequest, choices: Sequence[Choice], limits: tuple[int, int]
) -> Week:
    """Return the week with exercises for what is missing, where minutes are left.

    Missing are large muscles below their range and, from three days on, an exercise for the trunk
    and one for a single leg. The balance stays.
    """
    low, high = limits
    while True:
        grown = next(
            (
                grown
                for day in _shortest_first(week, request)
                for slot, number in _free_slots(week, day)
                if (grown := _filled(week, day, slot, number, request, choices, low, high))
            ),
            None,
        )
        if grown is None:
            return week
        week = grown


def _shortest_first(week: Week, request: ProgrammeRequest) -> list[int]:
    minutes = [session_minutes(each, week.goal, request.minutes) for each in week.entries]
    return sorted(range(len(minutes)), key=lambda day: (minutes[day], day))


def _free_slots(week: Week, day: int) -> list[tuple[Slot, int]]:
    taken = {entry.slot for entry in week.entries[day]}
    slots = (*week.days[day].slots, TRUNK)
    return [(slot, number) for number, slot in enumerate(slots) if number not in taken]


def _filled(
    week: Week,
    day: int,
    slot: Slot,
    number: int,
    request: ProgrammeRequest,
    choices: Sequence[Choice],
    low: int,
    high: int,
) -> Week | None:
    today = {entry.choice.title for entry in week.entries[day]}
    used = {entry.choice.title for entry in week.all_entries()}
    choice = select(slot, choices, request, used, today)
    if choice is None or not week.entries[day] or not _is_missing(week, choice, low):
        return None
    if is_second_careful_press(week, choice):
        return None
    grown = week.added(day, new_entry(choice, slot.role, number, request))
    is_few = len(grown.entries[day]) <= most_exercises(request)
    if not is_few or not fits(grown, day, request.minutes, high):
        return None
    return None if set(imbalances(grown)) - set(imbalances(week)) else grown


def _is_missing(week: Week, choice: Choice, low: int) -> bool:
    muscles = week.muscles()
    if any(
        credit == 1 and muscle in MAJOR_MUSCLES and muscles.get(muscle, 0.0) < low
        for muscle, credit in choice.credits
    ):
        return True
    if len(week.days) < LIMB_DAYS:
        return False
    if choice.pattern in TRUNK.patterns:
        return not week.pattern_sets(TRUNK.patterns)
    is_leg = choice.pattern in _LEGS and choice.tags.is_unilateral
    return is_leg and not has_single_leg(week)


def trim_accessories(week: Week) -> Week:
    """Return the week without sets by which an accessory exceeds the main lifts of its day."""
    for day, entries in enumerate(week.entries):
        most = accessory_limit(entries)
        for place, entry in enumerate(entries):
            if most is not None and entry.role == "single" and entry.sets > most:
                week = week.changed(day, place, most)
    return week
