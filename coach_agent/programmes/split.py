"""Split planner: the days of a week, and the movements that each of them trains."""

from dataclasses import dataclass
from typing import Literal

from coach_agent.programmes.catalogue import Pattern
from coach_agent.programmes.request import MOST_DAYS

Role = Literal["main", "second", "single"]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Slot:
    """A place for an exercise: any of the patterns, the first one first."""

    patterns: tuple[Pattern, ...]
    role: Role


@dataclass(frozen=True)
class Day:
    """A day of the week, counted from Monday as 0, with its slots in order of importance."""

    title: str
    weekday: int
    slots: tuple[Slot, ...]


def _main(*patterns: Pattern) -> Slot:
    return Slot(patterns, "main")


def _second(*patterns: Pattern) -> Slot:
    return Slot(patterns, "second")


def _single(*patterns: Pattern) -> Slot:
    return Slot(patterns, "single")


TRUNK = _single("anti_ext", "trunk_flex", "anti_rot")
"""The place of an exercise for the trunk."""
_FULL_A = (
    *(_main("squat", "lunge"), _main("h_pull"), _main("h_push"), _second("hip_ext", "hinge")),
    *(_second("lunge"), _single("knee_flex"), _single("elbow_flex"), TRUNK),
)
_FULL_B = (
    *(_main("hinge", "hip_ext"), _main("v_pull"), _main("v_push"), _second("lunge", "squat")),
    *(_second("h_pull"), _single("shoulder_abd"), _single("elbow_ext"), _single("plantar")),
)
_FULL_C = (
    *(_second("lunge", "squat"), _second("h_pull"), _second("h_push"), _second("hip_ext", "hinge")),
    *(_single("rear_delt"), TRUNK, _single("knee_flex", "knee_ext")),
)
# Few lifts, repeated through the week, as in published programmes for novices.
_NOVICE_A = (
    *(_main("squat", "lunge"), _main("h_pull"), _main("h_push"), _second("hip_ext", "hinge")),
)
_NOVICE_B = (
    *(_main("hinge", "hip_ext"), _main("v_pull"), _main("v_push"), _second("lunge", "squat")),
    _second("h_push"),
)
_NOVICE_C = (*_NOVICE_A, _single("shoulder_abd"))
# Bench press, row and squat twice in the same range, so that their loads may rise twice a week.
_NOVICE_UPPER_A = (
    *(_main("h_pull"), _main("h_push"), _second("v_push"), _single("shoulder_abd")),
    *(_single("elbow_flex"), _single("elbow_ext")),
)
_NOVICE_UPPER_B = (
    *(_main("h_pull"), _main("h_push"), _second("v_pull"), _single("chest_fly")),
    *(_single("shoulder_abd"), _single("elbow_flex"), _single("elbow_ext")),
)
_NOVICE_LOWER_A = (
    *(_main("squat", "lunge"), _second("hip_ext", "hinge"), _second("lunge")),
    *(_single("knee_flex"), _single("plantar"), TRUNK),
)
_NOVICE_LOWER_B = (
    *(_main("hinge", "hip_ext"), _main("squat", "lunge"), _single("plantar")),
    _single("trunk_flex", "anti_rot"),
)
# The other day presses overhead: with both on both days the chest has half of the back's sets.
_UPPER_A = (
    *(_main("h_pull"), _main("h_push"), _second("v_pull"), _second("h_push")),
    *(_single("shoulder_abd"), _single("elbow_flex"), _single("elbow_ext")),
)
_UPPER_B = (
    *(_main("v_pull"), _main("v_push"), _second("h_pull"), _second("h_push")),
    *(_single("rear_delt"), _single("chest_fly"), _single("elbow_flex"), _single("elbow_ext")),
)
_LOWER_A = (
    *(_main("squat", "lunge"), _second("hinge", "hip_ext"), _second("lunge")),
    *(_single("knee_flex"), _single("plantar"), TRUNK),
)
_LOWER_B = (
    *(_main("hinge", "hip_ext"), _second("squat", "lunge"), _second("hip_ext")),
    *(_single("knee_ext", "knee_flex"), _single("plantar"), _single("trunk_flex", "anti_rot")),
)
_PUSH = (
    *(_main("h_push"), _main("v_push"), _second("h_push"), _single("shoulder_abd")),
    *(_single("elbow_ext"), _single("chest_fly")),
)
_PULL = (
    *(_main("h_pull"), _main("v_pull"), _second("h_pull"), _single("rear_delt")),
    *(_single("elbow_flex"), _single("shrug")),
)


def plan_split(days: int, *, is_repeated: bool) -> tuple[Day, ...]:
    """Return the days of a week.

    Full body on one to three days, if lifts are repeated with few movements; upper and lower body
    on four, both with push, pull and legs on five, push, pull and legs twice on six. Seven days
    become six. Days with the same muscles are at least two days apart.

    Source: days by level, ACSM position stand (2009); the splits are practitioners' defaults.
    """
    novice = {
        2: (Day("Full body A", 0, _NOVICE_A), Day("Full body B", 3, _NOVICE_B)),
        3: (
            Day("Full body A", 0, (*_NOVICE_A, TRUNK)),
            Day("Full body B", 2, _NOVICE_B),
            Day("Full body C", 4, _NOVICE_C),
        ),
        4: (
            Day("Upper A", 0, _NOVICE_UPPER_A),
            Day("Lower A", 1, _NOVICE_LOWER_A),
            Day("Upper B", 3, _NOVICE_UPPER_B),
            Day("Lower B", 4, _NOVICE_LOWER_B),
        ),
    }
    if is_repeated and days in novice:
        return novice[days]
    weeks: dict[int, tuple[Day, ...]] = {
        1: (Day("Full body", 0, (*_FULL_A[:3], _FULL_B[0], *_FULL_B[1:3], *_FULL_A[4:])),),
        2: (Day("Full body A", 0, _FULL_A), Day("Full body B", 3, _FULL_B)),
        3: (
            Day("Full body A", 0, _FULL_A),
            Day("Full body B", 2, _FULL_B),
            Day("Full body C", 4, _FULL_C),
        ),
        4: (
            Day("Upper A", 0, _UPPER_A),
            Day("Lower A", 1, _LOWER_A),
            Day("Upper B", 3, _UPPER_B),
            Day("Lower B", 4, _LOWER_B),
        ),
        5: (
            Day("Upper", 0, _UPPER_A),
            Day("Lower", 1, _LOWER_A),
            Day("Push", 3, _PUSH),
            Day("Pull", 4, _PULL),
            Day("Legs", 5, _LOWER_B),
        ),
        6: (
            Day("Push A", 0, _PUSH),
            Day("Pull A", 1, _PULL),
            Day("Legs A", 2, _LOWER_A),
            Day("Push B", 3, (_PUSH[1], _PUSH[0], *_PUSH[3:])),
            Day("Pull B", 4, (_PULL[1], _PULL[0], *_PULL[3:])),
            Day("Legs B", 5, _LOWER_B),
        ),
    }
    return weeks[min(days, MOST_DAYS)]
