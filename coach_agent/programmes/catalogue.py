"""Exercises as programmes need them: Hevy's facts, and our own tags of common ones."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from coach_agent.domain.titles import normalize_title

Pattern = Literal[
    "squat",
    "hinge",
    "lunge",
    "hip_ext",
    "h_push",
    "v_push",
    "h_pull",
    "v_pull",
    "elbow_flex",
    "elbow_ext",
    "shoulder_abd",
    "rear_delt",
    "chest_fly",
    "knee_flex",
    "knee_ext",
    "plantar",
    "hip_abd",
    "hip_add",
    "trunk_flex",
    "anti_ext",
    "anti_rot",
    "carry",
    "shrug",
    "ballistic",
]

PATTERN_NAMES: Mapping[Pattern, str] = {
    "squat": "squat",
    "hinge": "hinge",
    "lunge": "one leg",
    "hip_ext": "hips",
    "h_push": "press",
    "v_push": "overhead press",
    "h_pull": "row",
    "v_pull": "pull-up or pulldown",
    "elbow_flex": "biceps",
    "elbow_ext": "triceps",
    "shoulder_abd": "side delts",
    "rear_delt": "rear delts",
    "chest_fly": "chest",
    "knee_flex": "hamstrings",
    "knee_ext": "quads",
    "plantar": "calves",
    "hip_abd": "outer hips",
    "hip_add": "inner thighs",
    "trunk_flex": "abs",
    "anti_ext": "trunk",
    "anti_rot": "trunk",
    "carry": "carry",
    "shrug": "traps",
    "ballistic": "power",
}
"""Movements in the words of the gym."""

_PATTERN: TypeAdapter[Pattern] = TypeAdapter(Pattern)
_TAGS = Path(__file__).with_name("exercise_tags.csv")


@dataclass(frozen=True)
class Exercise:
    """An exercise of Hevy's catalogue, in the catalogue's words."""

    exercise_title: str
    template_id: str
    exercise_type: str
    equipment: str
    primary_muscle_group: str | None
    secondary_muscle_groups: tuple[str, ...]


@dataclass(frozen=True)
class Tags:
    """Our judgement of an exercise.

    `skill` and `fatigue` of the whole body are 1 to 3, `axial` is the compression of the spine from
    0 to 3, `stretch` the tension at long muscle length from 0 to 2. `step_kg` is the smallest usual
    step; null for body weight. Usual exercises are the first choice of their movement. `setup` is
    equipment that Hevy's catalogue does not name, or names differently.
    """

    pattern: Pattern
    is_unilateral: bool
    skill: int
    axial: int
    fatigue: int
    stretch: int
    step_kg: float | None
    is_usual: bool
    setup: frozenset[str]


Catalogue = Mapping[str, Exercise]
"""Exercises by normalized title."""


def catalogue_of(templates: Iterable[Mapping[str, Any]]) -> dict[str, Exercise]:
    """Return the catalogue of exercise templates in the form of Hevy's API."""
    return {
        normalize_title(each["title"]): Exercise(
            exercise_title=each["title"],
            template_id=each["id"],
            exercise_type=each["type"],
            equipment=each["equipment"],
            primary_muscle_group=each["primary_muscle_group"],
            secondary_muscle_groups=tuple(each["secondary_muscle_groups"]),
        )
        for each in templates
    }


@cache
def exercise_tags() -> dict[str, Tags]:
    """Return the tags of common exercises by title, in alphabetical order.

    Source: judgement of this project; the titles are those of Hevy's catalogue.
    """
    with _TAGS.open(encoding="utf-8", newline="") as lines:
        return {
            row["title"]: Tags(
                pattern=_PATTERN.validate_python(row["pattern"]),
                is_unilateral=row["sides"] == "U",
                skill=int(row["skill"]),
                axial=int(row["axial"]),
                fatigue=int(row["fatigue"]),
                stretch=int(row["stretch"]),
                step_kg=float(row["step_kg"]) if row["step_kg"] else None,
                is_usual=row["usual"] == "1",
                setup=frozenset(filter(None, row["setup"].split(";"))),
            )
            for row in csv.DictReader(lines)
        }
