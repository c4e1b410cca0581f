"""Rules of a built week whose violation is reported as a compromise."""

from collections.abc import Iterator

from coach_agent.programmes.balance import imbalances
from coach_agent.programmes.model import LEVELS
from coach_agent.programmes.numbers import MINIMUM_MINUTES, MOST_EXERCISES
from coach_agent.programmes.request import MOST_DAYS, Finding, ProgrammeRequest
from coach_agent.programmes.volume import (
    HINGES,
    PULLS,
    PUSHES,
    SQUATS,
    Week,
    needed_groups,
)

MAIN_PATTERNS = {
    "push": ("h_push", "v_push"),
    "pull": ("h_pull", "v_pull"),
    "squat": ("squat", "lunge"),
    "hinge": ("hinge", "hip_ext"),
}
_GROUP_NAMES = {SQUATS | HINGES: "squat or hinge", PUSHES: "push", PULLS: "pull"}
_MAJOR = ("chest", "back", "shoulders", "quadriceps", "hamstrings", "glutes")
_SIZE = (*_MAJOR, "biceps", "triceps")
_IMBALANCE = {
    "pull_push": "There are fewer sets of pulls than of pushes.",
    "row_share": "Less than half of the pulls are rows.",
    "hinge_squat": "Hinges and squats are not balanced.",
}
LIMB_DAYS = 3
"""Days a week from which trunk and single legs have an exercise."""


def most_exercises(request: ProgrammeRequest) -> int:
    """Return the most exercises of a session."""
    return MOST_EXERCISES.value[LEVELS.index(request.level)]


def goal_muscles(request: ProgrammeRequest) -> tuple[str, ...]:
    """Return the muscles that need work for the goal."""
    return _SIZE if request.goal in {"hypertrophy", "both"} else _MAJOR


def missing_wishes(week: Week, request: ProgrammeRequest, low: int) -> list[Finding]:
    """Return the rules that a week cannot fulfil within its limits: its compromises."""
    return list(_missing(week, request, low))


def _missing(week: Week, request: ProgrammeRequest, low: int) -> Iterator[Finding]:
    if request.days > MOST_DAYS:
        text = f"{MOST_DAYS} training days instead of {request.days}: one day is for rest."
        yield Finding(rule="days", subject="week", text=text)
    yield from (
        Finding(rule="exercises", subject=day.title, text=f"Nothing is left for {day.title}.")
        for day, entries in zip(week.days, week.entries, strict=True)
        if not entries
    )
    for name, patterns in MAIN_PATTERNS.items():
        if not week.pattern_sets(patterns):
            yield Finding(rule="pattern", subject=name, text=f"There is no {name} in the week.")
    if request.minutes >= MINIMUM_MINUTES.value:
        yield from _short_sessions(week)
    muscles = week.muscles()
    for muscle in goal_muscles(request):
        sets = muscles.get(muscle, 0.0)
        least = float(low) if muscle in _MAJOR else 1.0
        if sets < least:
            text = f"{muscle}: {sets:g} hard sets a week; {least:g} are the least for the goal."
            yield Finding(rule="least_volume", subject=muscle, text=text)
    for rule in imbalances(week):
        if rule == "pull_push":
            yield Finding(rule="pull_push", subject="pull", text=_IMBALANCE[rule])
        elif rule == "row_share":
            yield Finding(rule="row_share", subject="h_pull", text=_IMBALANCE[rule])
        else:
            yield Finding(rule="hinge_squat", subject="hinge", text=_IMBALANCE[rule])
    yield from _missing_kinds(week)


def _short_sessions(week: Week) -> Iterator[Finding]:
    """Yield the sessions that miss a movement of the week that they have a place for."""
    for day, entries in zip(week.days, week.entries, strict=True):
        present = {entry.choice.pattern for entry in entries}
        for group in needed_groups(day) if entries else ():
            if not present & group and week.pattern_sets(group):
                text = f"{day.title} has no {_GROUP_NAMES[group]}."
                yield Finding(rule="session", subject=day.title, text=text)


def has_single_leg(week: Week) -> bool:
    """Return whether the week has an exercise for one leg after the other."""
    legs = {"lunge", "hinge", "hip_ext", "squat"}
    return any(
        each.choice.tags.is_unilateral and each.choice.pattern in legs
        for each in week.all_entries()
    )


def _missing_kinds(week: Week) -> Iterator[Finding]:
    if len(week.days) < LIMB_DAYS:
        return
    if not has_single_leg(week) and any(week.entries):
        yield Finding(rule="unilateral", subject="legs", text="No exercise is for one leg.")
    if not week.pattern_sets({"anti_ext", "anti_rot", "carry", "trunk_flex"}):
        yield Finding(rule="trunk", subject="trunk", text="No exercise is for the trunk.")
