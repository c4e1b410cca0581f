"""Builder of programmes: request → split → exercises → sets → programme, without chance."""

import math
import re

from coach_agent.domain.block import Phase
from coach_agent.domain.constants.recovery import DELOAD_LOAD_FACTOR, DELOAD_SETS_FACTOR
from coach_agent.programmes.balance import add_sets, balance
from coach_agent.programmes.catalogue import Catalogue
from coach_agent.programmes.checks import missing_wishes, most_exercises
from coach_agent.programmes.model import Block, Lift, Programme, Progression
from coach_agent.programmes.numbers import (
    BLOCK_WEEKS,
    LEAST_SETS,
    PEAK_WEEKS,
    REPS_PEAK,
    RESERVE_BY_WEEK,
    RESERVE_LEAST_NOVICE,
    TAPER_WEEKS,
)
from coach_agent.programmes.request import BuiltDay, BuiltProgramme, Finding, ProgrammeRequest
from coach_agent.programmes.selection import Choice, allowed_exercises, select
from coach_agent.programmes.split import WEEKDAYS, Day, Slot, plan_split
from coach_agent.programmes.volume import (
    HINGES,
    PULLS,
    PUSHES,
    SQUATS,
    Entry,
    Week,
    fits,
    is_timed,
    reps_of,
    rest_of,
    session_minutes,
)
from coach_agent.programmes.weekly_volume import MuscleSets, landmarks

_ROLE_TEXTS = {"main": "main lift", "second": "second lift", "single": "single joint"}


def build(request: ProgrammeRequest, catalogue: Catalogue) -> BuiltProgramme:
    """Build a programme; the same request gives the same programme.

    Upper limits always hold: minutes, ranges, recovery, and what equipment and pain forbid. Wishes
    that do not fit are compromises.
    """
    low, high = landmarks(request.goal, request.level)
    week = plan_week(request, catalogue)
    compromises = missing_wishes(week, request, low)
    compromises += _unknown_titles(request, catalogue)
    muscles = sorted(week.muscles().items(), key=lambda each: (-each[1], each[0]))
    return BuiltProgramme(
        request=request,
        programme=_programme(request, week),
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
    """Return the exercises and sets of a week."""
    low, high = landmarks(request.goal, request.level)
    choices = allowed_exercises(request, catalogue)
    week = _with_exercises(request, choices, high)
    week = balance(week, request.minutes, high)
    week = add_sets(week, request.minutes, low, high)
    return balance(week, request.minutes, high)


def _with_exercises(request: ProgrammeRequest, choices: list[Choice], high: int) -> Week:
    """Return a week with the fewest sets of each exercise that fits, the most important first.

    Places are filled in turn over the days, so that a short session costs accessories first.
    Movements of the week that are missing come before second exercises.
    """
    days = plan_split(request.days, is_repeated=request.repeats_lifts)
    week = Week(days, request.goal)
    used: set[str] = set()
    places = max(len(day.slots) for day in days)
    for number in range(places):
        for index, day in enumerate(days):
            if number >= len(day.slots) or len(week.entries[index]) >= most_exercises(request):
                continue
            slot = _needed_slot(week, day, number, choices)
            today = {entry.choice.title for entry in week.entries[index]}
            choice = select(slot, choices, request, used, today)
            if choice is None:
                continue
            grown = week.added(index, Entry(choice, slot.role, LEAST_SETS.value))
            if fits(grown, index, request.minutes, high):
                week = grown
                used.add(choice.title)
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


def _programme(request: ProgrammeRequest, week: Week) -> Programme:
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
        ),
        ends=True,
        lifts=lifts or {"rest": Lift(exercise="Walking")},
        blocks=_blocks(request, week, names),
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
        phases: tuple[Phase, ...] = (*[more] * (BLOCK_WEEKS.value - 1), "intensify")
        return Block(
            title="Build",
            weeks=weeks,
            phase=phases[-weeks:],
            reserve=reserve[-weeks:],
            days=days("build"),
        )

    def easy(title: str, weeks: int) -> Block:
        return Block(title=title, weeks=weeks, is_held=True, phase="deload", days=days("easy"))

    cycle = (build(BLOCK_WEEKS.value), easy("Easy", 1))
    left = request.weeks_to_event
    if left is None:
        return cycle * 2
    taper = min(TAPER_WEEKS.value, left)
    peak = min(PEAK_WEEKS.value, left - taper)
    build_weeks = left - taper - peak
    blocks: list[Block] = []
    while build_weeks > BLOCK_WEEKS.value:
        blocks += cycle
        build_weeks -= BLOCK_WEEKS.value + 1
    if build_weeks > 0:
        blocks.append(build(build_weeks))
    if peak:
        peaking = Block(
            title="Peak", weeks=peak, phase="peak", reserve=reserve[-1], days=days("peak")
        )
        blocks.append(peaking)
    return (*blocks, easy("Taper", taper))


def _reserve(request: ProgrammeRequest) -> tuple[int, ...]:
    """Return the repetitions in reserve by week of a block."""
    least = RESERVE_LEAST_NOVICE.value if request.level == "novice" else 0
    return tuple(max(each, least) for each in RESERVE_BY_WEEK.value)


def _sets(entry: Entry, request: ProgrammeRequest, kind: str) -> str:
    low, high = reps_of(entry, request.goal)
    if is_timed(entry.choice):
        sets = math.ceil(entry.sets * DELOAD_SETS_FACTOR.value) if kind == "easy" else entry.sets
        return f"{sets}x{low}-{high}s"
    if kind == "easy":
        share = f" @{DELOAD_LOAD_FACTOR.value * 100:g}%" if entry.choice.tags.step_kg else ""
        return f"{math.ceil(entry.sets * DELOAD_SETS_FACTOR.value)}x{low}{share}"
    is_peak = kind == "peak" and entry.role == "main" and request.goal in {"strength", "both"}
    if is_peak:
        low, high = REPS_PEAK.value
    return f"{entry.sets}x{low}-{high}"
