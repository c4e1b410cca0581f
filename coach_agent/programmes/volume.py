"""The exercises and sets of a week, and its upper limits: minutes, ranges, session, recovery."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from coach_agent.domain.constants.session import DURATION_SEC_PER_REP
from coach_agent.engine.limits.rest import rest_s
from coach_agent.programmes.model import Aim, Level
from coach_agent.programmes.numbers import (
    CAREFUL_REPS,
    CAREFUL_SETS,
    CHANGE_MINUTES,
    HARD_DAY_GAP,
    HARD_DAY_SETS,
    HOLD_SECONDS,
    HOLD_SETS,
    MOST_HINGE_SETS,
    MOST_SETS,
    REPS_BOTH,
    REPS_HEALTH,
    REPS_HYPERTROPHY,
    REPS_STRENGTH,
    SESSION_MUSCLE_SETS,
    SHORT_SESSION_MINUTES,
    SHORT_SESSION_REST,
    WARMUP_MINUTES,
)
from coach_agent.programmes.selection import Choice
from coach_agent.programmes.split import Day, Role

PUSHES = frozenset({"h_push", "v_push"})
PULLS = frozenset({"h_pull", "v_pull"})
SQUATS = frozenset({"squat", "lunge"})
HINGES = frozenset({"hinge", "hip_ext"})
SESSION_GROUPS = (SQUATS | HINGES, PUSHES, PULLS)
"""Movements of which each session has one: all of them on a day for the whole body."""
LIMITED_MUSCLES = frozenset(
    {
        *("chest", "back", "shoulders", "quadriceps", "hamstrings", "glutes"),
        *("biceps", "triceps", "calves", "abdominals"),
    }
)
"""Muscles whose weekly sets stay below the upper end of the range."""

MAJOR_MUSCLES = frozenset({"chest", "back", "shoulders", "quadriceps", "hamstrings", "glutes"})

_REPS = {
    "strength": REPS_STRENGTH,
    "both": REPS_BOTH,
    "hypertrophy": REPS_HYPERTROPHY,
    "health": REPS_HEALTH,
}
ROLES: tuple[Role, ...] = ("main", "second", "single")
_WEEK = 7
_MOST_FATIGUE = 3


@dataclass(frozen=True)
class Entry:
    """An exercise of a day with its sets, the number of its slot, and its most sets."""

    choice: Choice
    role: Role
    sets: int
    slot: int = 0
    most_sets: int = MOST_SETS.value


@dataclass
class Week:
    """The exercises of a week, by day; changed while it is built."""

    days: Sequence[Day]
    goal: Aim
    entries: list[list[Entry]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.entries = self.entries or [[] for _ in self.days]

    def all_entries(self) -> Iterable[Entry]:
        """Return the exercises of all days."""
        return (entry for day in self.entries for entry in day)

    def changed(self, day: int, place: int, sets: int) -> "Week":
        """Return a week in which an exercise has other sets; 0 removes it."""
        entries = [list(each) for each in self.entries]
        if sets:
            entries[day][place] = replace(entries[day][place], sets=sets)
        else:
            del entries[day][place]
        return Week(self.days, self.goal, entries)

    def replaced(self, day: int, place: int, entry: Entry) -> "Week":
        """Return a week with another exercise in a place."""
        entries = [list(each) for each in self.entries]
        entries[day][place] = entry
        return Week(self.days, self.goal, entries)

    def added(self, day: int, entry: Entry) -> "Week":
        """Return a week with one more exercise."""
        entries = [list(each) for each in self.entries]
        entries[day].append(entry)
        return Week(self.days, self.goal, entries)

    def muscles(self) -> dict[str, float]:
        """Return the weekly hard sets by muscle."""
        return muscle_sets(self.all_entries())

    def pattern_sets(self, patterns: Iterable[str]) -> int:
        """Return the weekly sets of movements."""
        return sum(entry.sets for entry in self.all_entries() if entry.choice.pattern in patterns)


def most_sets(choice: Choice, goal: Aim, level: Level) -> int:
    """Return the most sets of an exercise in a session."""
    if is_timed(choice):
        return HOLD_SETS.value
    if choice.is_careful:
        return CAREFUL_SETS.value
    is_exhausting = choice.pattern == "hinge" and choice.tags.fatigue == _MOST_FATIGUE
    if not is_exhausting or level == "novice":
        return MOST_SETS.value
    for_strength, otherwise = MOST_HINGE_SETS.value
    return for_strength if goal == "strength" else otherwise


def reps_of(entry: Entry, goal: Aim) -> tuple[int, int]:
    """Return the range of repetitions, or of seconds for an exercise held for a time."""
    if is_timed(entry.choice):
        return HOLD_SECONDS.value
    low, high = _REPS[goal].value[ROLES.index(entry.role)]
    if entry.choice.is_careful and low < CAREFUL_REPS.value:
        return CAREFUL_REPS.value, max(high, CAREFUL_REPS.value + 4)
    return low, high


def is_timed(choice: Choice) -> bool:
    """Return whether an exercise is held for a time."""
    return choice.exercise.exercise_type == "duration"


def rest_of(entry: Entry, goal: Aim, most_minutes: int) -> int:
    """Return the rest after a set in seconds; `most_minutes` are those of the longest session."""
    usual = rest_s(entry.choice.kind, reps_of(entry, goal)[1])
    is_short = most_minutes < SHORT_SESSION_MINUTES.value
    return min(usual, SHORT_SESSION_REST.value) if is_short else usual


def session_minutes(entries: Sequence[Entry], goal: Aim, most_minutes: int) -> float:
    """Return the minutes of a session: warm-up, sets at the upper end of their range, rests.

    `most_minutes` are those of the longest session.

    The seconds are choices of this project, in `numbers`.
    """
    minutes = WARMUP_MINUTES.value + CHANGE_MINUTES.value * len(entries)
    for entry in entries:
        high = reps_of(entry, goal)[1]
        sides = 2 if entry.choice.tags.is_unilateral else 1
        work = high if is_timed(entry.choice) else high * DURATION_SEC_PER_REP.value
        minutes += entry.sets * (sides * work + rest_of(entry, goal, most_minutes)) / 60
    return minutes


def muscle_sets(entries: Iterable[Entry]) -> dict[str, float]:
    """Return the hard sets by muscle."""
    found: dict[str, float] = defaultdict(float)
    for entry in entries:
        for muscle, credit in entry.choice.credits:
            found[muscle] += credit * entry.sets
    return dict(found)


def direct_sets(entries: Iterable[Entry]) -> dict[str, int]:
    """Return the sets by muscle that count in full."""
    found: dict[str, int] = defaultdict(int)
    for entry in entries:
        for muscle, credit in entry.choice.credits:
            if credit == 1:
                found[muscle] += entry.sets
    return dict(found)


def crowded_muscles(week: Week) -> list[str]:
    """Return the muscles with two hard days too close together, Sunday before Monday included."""
    hard: dict[str, list[int]] = defaultdict(list)
    for day, entries in zip(week.days, week.entries, strict=True):
        for muscle, sets in direct_sets(entries).items():
            if sets >= HARD_DAY_SETS.value:
                hard[muscle].append(day.weekday)
    return sorted(muscle for muscle, days in hard.items() if _least_gap(days) < HARD_DAY_GAP.value)


def _least_gap(weekdays: Sequence[int]) -> int:
    days = sorted(weekdays)
    following = (*days[1:], days[0] + _WEEK)
    return min((after - day for day, after in zip(days, following, strict=True)), default=_WEEK)


def needed_groups(day: Day) -> tuple[frozenset[str], ...]:
    """Return the movements that a day must have: of a squat or hinge, a push and a pull those that
    it has a place for, all of them on a day for the whole body.
    """
    patterns = {pattern for slot in day.slots if slot.role != "single" for pattern in slot.patterns}
    return tuple(group for group in SESSION_GROUPS if patterns & group)


def accessory_limit(entries: Sequence[Entry]) -> int | None:
    """Return the most sets of a single-joint exercise: those of the day's smallest main lift.

    Without a main lift those of the smallest second lift count; None without one.
    """
    for role in ROLES[:-1]:
        if sets := [entry.sets for entry in entries if entry.role == role]:
            return min(sets)
    return None


def fits(week: Week, day: int, minutes: int, high: int) -> bool:
    """Return whether a changed day keeps all upper limits: minutes, ranges, session, recovery, and
    the sets of accessories.
    """
    entries = week.entries[day]
    most = accessory_limit(entries)
    if most is not None and any(each.role == "single" and each.sets > most for each in entries):
        return False
    if session_minutes(entries, week.goal, minutes) > minutes:
        return False
    if any(sets > SESSION_MUSCLE_SETS.value for sets in muscle_sets(entries).values()):
        return False
    muscles = week.muscles()
    if any(muscles.get(muscle, 0.0) > high for muscle in LIMITED_MUSCLES):
        return False
    return not crowded_muscles(week)
