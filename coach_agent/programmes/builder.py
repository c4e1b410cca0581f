"""Builder of programmes: request → split → exercises → sets → programme, without chance."""

import math
import re
from collections.abc import Collection, Mapping, Sequence

from coach_agent.domain.block import Phase
from coach_agent.domain.constants.recovery import DELOAD_LOAD_FACTOR, DELOAD_SETS_FACTOR
from coach_agent.programmes.balance import add_sets, balance, remove_sets
from coach_agent.programmes.catalogue import Catalogue
from coach_agent.programmes.checks import missing_wishes, most_exercises
from coach_agent.programmes.model import LEVELS, Block, Lift, Programme, Progression
from coach_agent.programmes.numbers import (
    BLOCK_WEEKS,
    CAREFUL_RESERVE,
    LEAST_SETS,
    PEAK_WEEKS,
    REPS_PEAK,
    RESERVE_BY_WEEK,
    RESERVE_LEAST_NOVICE,
    TAPER_WEEKS,
    USUAL_SETS,
)
from coach_agent.programmes.painful_parts import pain_findings, professional_notes
from coach_agent.programmes.request import BuiltDay, BuiltProgramme, Finding, ProgrammeRequest
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
    most_sets,
    reps_of,
    rest_of,
    session_minutes,
)
from coach_agent.programmes.weekly_volume import MuscleSets, landmarks

_ROLE_TEXTS = {"main": "main lift", "second": "second lift", "single": "single joint"}


def build(request: ProgrammeRequest, catalogue: Catalogue) -> BuiltProgramme:
    """Build a programme; the same request gives the same programme.

    Upper limits always hold: minutes, ranges, recovery, and what equipment and pain forbid. Wishes
    that do not fit are compromises. Responses to volume that changed the sets of a week are notes.
    """
    low, high = landmarks(request.goal, request.level)
    week = plan_week(request, catalogue)
    compromises = missing_wishes(week, request, low)
    compromises += _unknown_titles(request, catalogue)
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
                minutes=math.ceil(session_minutes(entries, week.goal)),
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
    week = _with_exercises(request, choices, limits, more)
    week = balance(week, request.minutes, high)
    week = remove_sets(week, fewer, low)
    wanted = {**dict.fromkeys(LIMITED_MUSCLES, middle), **known}
    week = add_sets(week, request.minutes, limits, wanted)
    return balance(week, request.minutes, high)


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
        return _with_places(week, request, choices, used, high, ROLES)
    for role in ROLES[:-1]:
        week = _with_places(week, request, choices, used, high, (role,))
        week = _with_usual_sets(week, request.minutes, high)
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
            most = most_sets(choice, request.goal, request.level)
            role: Role = "second" if choice.is_careful and slot.role == "main" else slot.role
            grown = week.added(index, Entry(choice, role, LEAST_SETS.value, number, most))
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
    pattern = entry.choice.pattern.replace("_", " ")
    return f"{entry.choice.title}: {_ROLE_TEXTS[entry.role]}, {pattern}"


def _unknown_titles(request: ProgrammeRequest, catalogue: Catalogue) -> list[Finding]:
    """Return preferred exercises that were not possible."""
    if not request.prefer:
        return []
    allowed = {choice.title for choice in allowed_exercises(request, catalogue)}
    return [
        Finding(rule="forbidden", subject=title, text=f"{title} is not possible here.")
        for title in request.prefer
        if title not in allowed
    ]


def _programme(request: ProgrammeRequest, week: Week, notes: Sequence[str]) -> Programme:
    names = _names(week)
    lifts = {
        name: Lift(
            exercise=entry.choice.title,
            step_kg=entry.choice.tags.step_kg or 0.0,
            rest_s=rest_of(entry, week.goal),
            progression=Progression(kind="none" if is_timed(entry.choice) else "double", misses=2),
        )
        for name, entry in names.values()
    }
    split = plan_split(request.days, is_repeated=request.repeats_lifts)
    kinds = ", ".join(day.title.lower() for day in split)
    reserve = ", ".join(map(str, _reserve(request)))
    return Programme(
        name=f"built-{request.goal}-{len(split)}-days",
        title=f"{request.goal.capitalize()}, {len(split)} days",
        summary=f"Built for your week: {kinds}.",
        level=request.level,
        goal=request.goal,
        days_per_week=sum(1 for entries in week.entries if entries) or 1,
        minutes=request.minutes,
        sources=("Built by Spotter from docs/programmes.md",),
        notes=(
            f"Repetitions in reserve by week of a block: {reserve}; then an easy week.",
            "First loads: work up in the first session to sets with 3 repetitions in reserve.",
            *_one_day_notes(request),
            *notes,
            *professional_notes(request.pain),
        ),
        ends=True,
        lifts=lifts or {"rest": Lift(exercise="Walking")},
        blocks=_blocks(request, week, names),
    )


def _one_day_notes(request: ProgrammeRequest) -> list[str]:
    """Return that one day keeps what there is."""
    if request.days > 1:
        return []
    return ["One day a week maintains strength and size; two or more build them."]


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


def _blocks(
    request: ProgrammeRequest, week: Week, names: dict[tuple[int, int], tuple[str, Entry]]
) -> tuple[Block, ...]:
    """Return blocks of training and easy weeks; before an event heavier weeks and a taper."""

    def days(kind: str) -> dict[str, dict[str, str | tuple[str, ...]]]:
        found: dict[str, dict[str, str | tuple[str, ...]]] = {}
        for (day, _), (name, entry) in names.items():
            title = week.days[day].title
            found.setdefault(title, {})[name] = _sets(entry, request, kind)
        return found or {"Rest": {"rest": "1x600s"}}

    reserve = _reserve(request)

    def build(weeks: int) -> Block:
        more: Phase = "accumulate"
        phases: tuple[Phase, ...] = (*[more] * (len(reserve) - 1), "intensify")
        return Block(
            title="Build",
            weeks=weeks,
            phase=phases[-weeks:],
            reserve=reserve[-weeks:],
            days=days("build"),
        )

    def easy(title: str, weeks: int) -> Block:
        return Block(title=title, weeks=weeks, is_held=True, phase="deload", days=days("easy"))

    cycle = (build(len(reserve)), easy("Easy", 1))
    left = request.weeks_to_event
    if left is None:
        return cycle * 2
    taper = min(TAPER_WEEKS.value, left)
    peak = min(PEAK_WEEKS.value, left - taper)
    build_weeks = left - taper - peak
    blocks: list[Block] = []
    while build_weeks > len(reserve):
        blocks += cycle
        build_weeks -= len(reserve) + 1
    if build_weeks > 0:
        blocks.append(build(build_weeks))
    if peak:
        peaking = Block(
            title="Peak", weeks=peak, phase="peak", reserve=reserve[-1], days=days("peak")
        )
        blocks.append(peaking)
    return (*blocks, easy("Taper", taper))


def _reserve(request: ProgrammeRequest) -> tuple[int, ...]:
    """Return the repetitions in reserve by training week of a block, before its easy week.

    The second value is that of the weeks between the first and the last ones.
    """
    weeks = BLOCK_WEEKS.value[LEVELS.index(request.level)]
    first, *middle, last = RESERVE_BY_WEEK.value
    least = RESERVE_LEAST_NOVICE.value if request.level == "novice" else 0
    found = (first, *[middle[0]] * (weeks - 2), last)
    return tuple(max(each, least) for each in found)


def _sets(entry: Entry, request: ProgrammeRequest, kind: str) -> str:
    low, high = reps_of(entry, request.goal)
    if is_timed(entry.choice):
        sets = math.ceil(entry.sets * DELOAD_SETS_FACTOR.value) if kind == "easy" else entry.sets
        return f"{sets}x{low}-{high}s"
    if entry.choice.is_careful:
        sets = math.ceil(entry.sets * DELOAD_SETS_FACTOR.value) if kind == "easy" else entry.sets
        reps = f"{low}" if kind == "easy" else f"{low}-{high}"
        return f"{sets}x{reps} @RIR {CAREFUL_RESERVE.value}"
    if kind == "easy":
        share = f" @{DELOAD_LOAD_FACTOR.value * 100:g}%" if entry.choice.tags.step_kg else ""
        return f"{math.ceil(entry.sets * DELOAD_SETS_FACTOR.value)}x{low}{share}"
    is_peak = kind == "peak" and entry.role == "main" and request.goal in {"strength", "both"}
    if is_peak:
        low, high = REPS_PEAK.value
    return f"{entry.sets}x{low}-{high}"
