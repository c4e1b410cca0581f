"""Builder of programmes: request → split → exercises → sets → programme, without chance."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from coach_agent.programmes.balance import add_sets, balance, remove_sets
from coach_agent.programmes.blocks import (
    MEET_LIFTS,
    blocks_of,
    is_meet_lift,
    last_days,
    reserve_note,
)
from coach_agent.programmes.catalogue import PATTERN_NAMES, Catalogue
from coach_agent.programmes.checks import missing_wishes, most_exercises
from coach_agent.programmes.completion import (
    fill_gaps,
    is_second_careful_press,
    new_entry,
    trim_accessories,
    with_minimum,
    with_wishes,
)
from coach_agent.programmes.meet import MOST_MEET_DAYS, fill_meet_week, meet_split
from coach_agent.programmes.model import Aim, Lift, Programme, Progression
from coach_agent.programmes.numbers import USUAL_SETS
from coach_agent.programmes.painful_parts import pain_findings, professional_notes
from coach_agent.programmes.request import (
    BuiltDay,
    BuiltProgramme,
    Finding,
    ProgrammeRequest,
)
from coach_agent.programmes.responses import response_notes, target_sets
from coach_agent.programmes.selection import Choice, allowed_exercises, select
from coach_agent.programmes.split import WEEKDAYS, Day, Role, Slot, plan_split
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
    is_timed,
    rest_of,
    session_minutes,
)
from coach_agent.programmes.weekly_volume import MuscleSets, landmarks

_FIRST_LOADS = "First loads: work up in the first session to sets with 3 repetitions in reserve."
_GOAL_TITLES: dict[Aim, str] = {
    "strength": "Strength",
    "hypertrophy": "Hypertrophy",
    "health": "Health",
    "both": "Strength and size",
}
_ROLE_TEXTS = {"main": "main lift", "second": "second lift", "single": "single joint"}


def build(request: ProgrammeRequest, catalogue: Catalogue) -> BuiltProgramme:
    """Build a programme; the same request gives the same programme.

    Upper limits always hold: minutes, ranges, recovery, and what equipment and pain forbid. Wishes
    that do not fit are compromises. Responses to volume that changed the sets of a week are notes.
    """
    low, high = landmarks(request.goal, request.level)
    week = plan_week(request, catalogue)
    compromises = missing_wishes(week, request, low) if request.weeks_to_event != 1 else []
    choices = allowed_exercises(request, catalogue)
    if _is_for_meet(request, choices):
        compromises = _meet_findings(request, compromises)
    compromises += _missing_preferred(week, request, choices)
    compromises += pain_findings(week, request, catalogue)
    muscles = sorted(week.muscles().items(), key=lambda each: (-each[1], each[0]))
    notes: list[str] = []
    if request.responses:
        usual = plan_week(request.model_copy(update={"responses": ()}), catalogue)
        notes = response_notes(request.responses, week.muscles(), usual.muscles())
    return BuiltProgramme(
        request=request,
        programme=_programme(request, week, notes),
        week=tuple(
            BuiltDay(
                day=day.title,
                weekday=WEEKDAYS[day.weekday],
                minutes=math.ceil(session_minutes(entries, week.goal, request.minutes)),
                reasons=tuple(map(_reason, entries)),
            )
            for day, entries in zip(week.days, week.entries, strict=True)
            if entries
        ),
        weekly_hard_sets=tuple(
            MuscleSets(muscle=muscle, sets=sets, low=low, high=high) for muscle, sets in muscles
        ),
        compromises=tuple(compromises),
    )


def plan_week(request: ProgrammeRequest, catalogue: Catalogue) -> Week:
    """Return the exercises and sets of a week.

    Muscles rise to the middle of their range, those with a known response to volume to another
    number. One that gains with more sets comes before single-joint exercises of others.
    """
    low, high = limits = landmarks(request.goal, request.level)
    middle = (low + high) / 2
    known = target_sets(request.responses, low, high)
    more = {muscle: sets for muscle, sets in known.items() if sets > middle}
    fewer = {muscle: sets for muscle, sets in known.items() if sets < middle}
    choices = allowed_exercises(request, catalogue)
    if _is_for_meet(request, choices):
        return _last_week(trim_accessories(_meet_week(request, choices, limits)), request)
    week = _with_exercises(request, choices, limits, more)
    week = balance(week, request.minutes, high)
    week = remove_sets(week, fewer, low)
    wanted = {**dict.fromkeys(LIMITED_MUSCLES, middle), **known}
    week = add_sets(week, request.minutes, limits, wanted)
    week = balance(week, request.minutes, high)
    week = with_minimum(week, request, choices, high)
    week = fill_gaps(trim_accessories(week), request, choices, limits)
    week = add_sets(week, request.minutes, limits, dict.fromkeys(MAJOR_MUSCLES, low))
    return _last_week(trim_accessories(balance(week, request.minutes, high)), request)


def _is_for_meet(request: ProgrammeRequest, choices: Collection[Choice]) -> bool:
    """Return whether the week is for a meet: strength before an event, and one of its lifts."""
    is_wished = request.goal == "strength" and request.weeks_to_event is not None
    return is_wished and any(each.title in MEET_LIFTS and not each.is_careful for each in choices)


def _last_week(week: Week, request: ProgrammeRequest) -> Week:
    """Return the week; within a week of the event only what is left of it."""
    if request.weeks_to_event != 1:
        return week
    days = last_days(request, week)
    is_meet = any(is_meet_lift(entry, request) for entry in week.all_entries())
    entries = [
        [each for each in own if day in days and (is_meet_lift(each, request) or not is_meet)]
        for day, own in enumerate(week.entries)
    ]
    return Week(week.days, week.goal, entries)


def _meet_week(request: ProgrammeRequest, choices: list[Choice], limits: tuple[int, int]) -> Week:
    """Return a week for a meet: its lifts with most sets, then others up to their share."""
    _, high = limits
    hinge = "Sumo Deadlift" if "Sumo Deadlift" in request.prefer else "Deadlift (Barbell)"
    own = {"Squat (Barbell)", "Bench Press (Barbell)", hinge}
    others = tuple(title for title in request.prefer if title not in own)
    patterns = {each.pattern for each in choices if each.title in own and not each.is_careful}
    free = [each for each in choices if each.title in own or each.pattern not in patterns]
    wished = request.model_copy(update={"prefer": (*sorted(own), *others)})
    week, used = Week(meet_split(request.days), request.goal), set[str]()
    for role in ROLES:
        week = _with_places(week, wished, free, used, high, (role,))
        if role == "main":
            week = _with_usual_sets(week, request.minutes, high)
    return fill_meet_week(week, own, request.minutes, high)


def _meet_findings(request: ProgrammeRequest, found: Sequence[Finding]) -> list[Finding]:
    """Return the compromises of a week for a meet: its lifts decide what its legs and days are."""
    left = [each for each in found if each.rule not in {"days", "hinge_squat", "unilateral"}]
    if request.days > MOST_MEET_DAYS:
        text = f"{MOST_MEET_DAYS} training days instead of {request.days}: its lifts need rest."
        left.insert(0, Finding(rule="days", subject="week", text=text))
    return left


def _with_exercises(
    request: ProgrammeRequest,
    choices: list[Choice],
    limits: tuple[int, int],
    more: Mapping[str, float],
) -> Week:
    """Return a week of exercises that fits, the most important first.

    Places are filled in turn over the days with the fewest sets, so that a short session costs
    accessories first. Main and second lifts have their usual sets, the muscles in `more` these
    weekly sets, and major muscles the least of their range, before other single joints have any;
    for health alone variety comes first. Movements of the week that are missing come before second
    exercises.

    Source: Iversen et al. 2021, what a short session leaves out first.
    """
    days = plan_split(request.days, is_repeated=request.repeats_lifts)
    week = Week(days, request.goal)
    low, high = limits
    used: set[str] = set()
    if request.goal == "health":
        if request.prefer:
            week = _with_places(week, request, choices, used, high, ROLES[:-1])
            week = with_wishes(week, request, choices, high)
        return _with_places(week, request, choices, used, high, ROLES)
    for role in ROLES[:-1]:
        week = _with_places(week, request, choices, used, high, (role,))
        week = _with_usual_sets(week, request.minutes, high)
    week = with_wishes(week, request, choices, high)
    lacking = {muscle for muscle in MAJOR_MUSCLES if week.muscles().get(muscle, 0.0) < low}
    week = _with_places(week, request, choices, used, high, ROLES[-1:], lacking)
    week = add_sets(week, request.minutes, limits, more)
    week = add_sets(week, request.minutes, limits, dict.fromkeys(MAJOR_MUSCLES, low))
    return _with_places(week, request, choices, used, high, ROLES[-1:])


def _is_direct(choice: Choice, muscles: Collection[str]) -> bool:
    return any(credit == 1 and muscle in muscles for muscle, credit in choice.credits)


def _with_places(
    week: Week,
    request: ProgrammeRequest,
    choices: list[Choice],
    used: set[str],
    high: int,
    roles: Collection[Role],
    only: Collection[str] | None = None,
) -> Week:
    """Return the week with the best exercise in each place of these roles that is still free.

    `only` leaves out exercises for other muscles. The titles are added to `used`.
    """
    for number in range(max(len(day.slots) for day in week.days)):
        for index, day in enumerate(week.days):
            entries = week.entries[index]
            is_full = len(entries) >= most_exercises(request)
            if is_full or number >= len(day.slots) or day.slots[number].role not in roles:
                continue
            if any(entry.slot == number for entry in entries):
                continue
            slot = _needed_slot(week, day, number, choices)
            choice = select(slot, choices, request, used, {each.choice.title for each in entries})
            if choice is None or (only is not None and not _is_direct(choice, only)):
                continue
            if is_second_careful_press(week, choice):
                continue
            grown = week.added(index, new_entry(choice, slot.role, number, request))
            if fits(grown, index, request.minutes, high):
                week = grown
                used.add(choice.title)
    return week


def _with_usual_sets(week: Week, minutes: int, high: int) -> Week:
    """Return the week with the usual sets of each exercise where they fit, main lifts first."""
    places = sorted(
        (ROLES.index(entry.role), place, day)
        for day, entries in enumerate(week.entries)
        for place, entry in enumerate(entries)
    )
    for _, place, day in places:
        grown = week.changed(day, place, max(USUAL_SETS.value, week.entries[day][place].sets))
        if fits(grown, day, minutes, high):
            week = grown
    return week


def _needed_slot(week: Week, day: Day, number: int, choices: list[Choice]) -> Slot:
    """Return the slot with this number, or one for a movement that the week misses so far."""
    slot = day.slots[number]
    possible = {choice.pattern for choice in choices}
    for patterns in (PULLS, PUSHES, SQUATS, HINGES):
        own = next((each for each in day.slots if set(each.patterns) & patterns), None)
        is_missing = not week.pattern_sets(patterns) and bool(possible & patterns)
        if own is not None and is_missing and slot.role == "single":
            return own
    return slot


def _reason(entry: Entry) -> str:
    pattern = PATTERN_NAMES[entry.choice.pattern]
    return f"{entry.choice.title}: {_ROLE_TEXTS[entry.role]}, {pattern}"


def _missing_preferred(
    week: Week, request: ProgrammeRequest, choices: Collection[Choice]
) -> list[Finding]:
    """Return preferred exercises that are forbidden or have no place."""
    allowed = {choice.title for choice in choices}
    placed = {entry.choice.title for entry in week.all_entries()}
    return [
        Finding(rule="forbidden", subject=title, text=f"{title} is not possible here.")
        if title not in allowed
        else Finding(rule="wish", subject=title, text=f"{title} has no place in this week.")
        for title in request.prefer
        if title not in placed
    ]


def _programme(request: ProgrammeRequest, week: Week, notes: Sequence[str]) -> Programme:
    names = _names(week)
    lifts = {
        name: Lift(
            exercise=entry.choice.title,
            step_kg=entry.choice.tags.step_kg or 0.0,
            rest_s=rest_of(entry, week.goal, request.minutes),
            progression=Progression(kind="none" if is_timed(entry.choice) else "double", misses=2),
        )
        for name, entry in names.values()
    }
    kinds = ", ".join(day.title for day in week.days)
    blocks = blocks_of(request, week, names)
    return Programme(
        name=f"built-{request.goal}-{len(week.days)}-days",
        title=f"{_GOAL_TITLES[request.goal]}, {len(week.days)} days",
        summary=f"Built for your week: {kinds}.",
        level=request.level,
        goal=request.goal,
        days_per_week=sum(1 for entries in week.entries if entries) or 1,
        minutes=request.minutes,
        sources=("Built by Spotter from docs/programmes.md",),
        notes=(
            reserve_note(request, blocks),
            *([] if request.weeks_to_event == 1 else [_FIRST_LOADS]),
            *_one_day_notes(request),
            *_body_weight_notes(week),
            *_event_notes(request, week),
            *notes,
            *professional_notes(request.pain),
        ),
        ends=True,
        lifts=lifts or {"rest": Lift(exercise="Walking")},
        blocks=blocks,
    )


def _one_day_notes(request: ProgrammeRequest) -> list[str]:
    """Return the note on one training day a week, which builds little."""
    if request.days > 1:
        return []
    return ["One day a week maintains strength and size; two or more build them."]


def _body_weight_notes(week: Week) -> list[str]:
    """Return what comes after the upper end of a range where no load can be added in steps."""
    titles = {
        entry.choice.title
        for entry in week.all_entries()
        if entry.role != "single"
        and not (entry.choice.tags.step_kg or entry.choice.is_careful or is_timed(entry.choice))
    }
    if not titles:
        return []
    names = ", ".join(sorted(titles))
    return [f"With all sets at the top of the range, go on to a harder variant: {names}."]


def _event_notes(request: ProgrammeRequest, week: Week) -> Iterator[str]:
    """Yield what to do before an event, and the attempts of a meet."""
    if request.weeks_to_event is None:
        return
    if not any(week.entries):
        yield "The event is too near for training: rest."
        return
    yield "No training on the last two days before the event."
    if not any(is_meet_lift(entry, request) for entry in week.all_entries()):
        return
    yield (
        "Percentages of peak and taper are of the load of your usual sets. Plans follow the sets "
        "and effort of these weeks; change the repetitions in the routine yourself."
    )
    if request.goal == "strength":
        yield (
            "Attempts: open with about 91 % of your best expected single, a load that you can do "
            "for three; then about 96 and 100 %."
        )


def _names(week: Week) -> dict[tuple[int, int], tuple[str, Entry]]:
    """Return the name of each exercise's lift, by day and place; twice a week is two lifts."""
    found: dict[tuple[int, int], tuple[str, Entry]] = {}
    taken: set[str] = set()
    for day, entries in enumerate(week.entries):
        for place, entry in enumerate(entries):
            base = re.sub(r"[^a-z0-9]+", "_", entry.choice.title.lower()).strip("_")
            name = base if base not in taken else f"{base}_{week.days[day].title[-1].lower()}"
            taken.add(name)
            found[day, place] = (name, entry)
    return found
