"""Pain: exercises that load a painful part of the body, and by how much.

The table `pain.toml` lists for regions of the body the exercises that load them and the usual
alternatives. For other exercises it maps parts of the body to joints and muscles, and movements to
the joints that they load. Only limits of a plan, substitutes and next sets read it.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import ConfigDict

from coach_agent.domain.titles import normalize_title
from coach_agent.domain.values import Value
from coach_agent.language.messages import DEFAULT, current_language, name_of, phrase

Level = Literal["mild", "moderate", "severe"]
LEVELS: tuple[Level, ...] = ("mild", "moderate", "severe")

_SIDES = ("left", "right")
_NO_NAMES = frozenset({*_SIDES, "both", "my", "the"})

_TABLE = Path(__file__).with_suffix(".toml")
# Exercises of the whole body load every part, at least somewhat.
_EVERYTHING = "full_body"
# Groups in which Hevy names no muscle: those of the movement count.
_NO_MUSCLE = frozenset({None, "cardio", "other"})
_OTHER_NAMES = {
    "back": "lower back",
    "pec": "chest",
    "pecs": "chest",
    "bicep": "biceps",
    "tricep": "triceps",
    "arm": "upper arm",
    "forearms": "forearm",
    "glutes": "glute",
    "thighs": "thigh",
    "quad": "quadriceps",
    "quads": "quadriceps",
    "hamstrings": "hamstring",
    "calves": "calf",
    "shin": "calf",
    "toes": "foot",
    "shoulders": "shoulder",
    "elbows": "elbow",
    "wrists": "wrist",
    "hands": "hand",
    "fingers": "hand",
    "hips": "hip",
    "knees": "knee",
    "ankles": "ankle",
    "feet": "foot",
    "abs": "abdomen",
    "stomach": "abdomen",
}


SOMEWHAT, A_LOT = 1, 2
# An alternative for a painful part: its joints count, but not for more than somewhat.
_ALTERNATIVE = 0
_REGION_LISTS = {"a_lot": A_LOT, "somewhat": SOMEWHAT, "alternatives": _ALTERNATIVE}


class Loading(Protocol):
    """The facts of an exercise that determine its joint load; empty muscle groups are unknown."""

    @property
    def exercise_title(self) -> str:
        """Hevy's title, or the athlete's own."""

    @property
    def primary_muscle_group(self) -> str | None:
        """Hevy's word for the muscle group that does most of the work."""

    @property
    def secondary_muscle_groups(self) -> tuple[str, ...]:
        """Hevy's words for the other muscle groups."""


@dataclass(frozen=True)
class Titled:
    """An exercise of which only the title is known."""

    exercise_title: str
    primary_muscle_group: str | None = None
    secondary_muscle_groups: tuple[str, ...] = ()


class PainError(ValueError):
    """A body part or level that cannot be parsed; the message lists the allowed values."""


class Pain(Value):
    """A part of the body that hurts; `part` in the athlete's words, sides included."""

    model_config = ConfigDict(hide_input_in_errors=True)

    part: str
    level: Level

    def is_at_least(self, level: str) -> bool:
        """Return whether the pain has at least this level."""
        words: tuple[str, ...] = LEVELS
        return words.index(self.level) >= words.index(level)


def parse_pain(text: str) -> Pain:
    """Parse `right shoulder:moderate`.

    Raises:
        PainError: another form, an unknown part or level.
    """
    part, colon, level = text.rpartition(":")
    if not colon:
        raise PainError(f"'{text}': write the part and how bad it is, as 'right shoulder:moderate'")
    word = level.strip().lower()
    found = next((each for each in LEVELS if each == word), None)
    if found is None:
        raise PainError(f"'{text}': the level must be one of {', '.join(LEVELS)}")
    try:
        return Pain(part=parse_part(part), level=found)
    except PainError as error:
        raise PainError(f"'{text}': {error}") from error


def parse_part(text: str) -> str:
    """Return the part in lower case.

    Raises:
        PainError: the part cannot be matched to muscles.
    """
    part = " ".join(text.lower().split())
    name = _plain(part)
    if name not in _table().parts:
        nearest = get_close_matches(name, (*_table().parts, *_OTHER_NAMES), n=1)
        hint = f"; did you mean '{nearest[0]}'?" if nearest else ""
        known = ", ".join(_table().parts)
        raise PainError(f"must be a part of the body, such as 'right shoulder', of {known}{hint}")
    return part


def is_known_part(text: str) -> bool:
    """Return whether the part can be matched to muscles."""
    return _plain(" ".join(text.lower().split())) in _table().parts


def part_name(part: str) -> str:
    """Return a part in the current language: `right shoulder`, `Schulter (rechts)`.

    A part that the table does not have stays in the athlete's words.
    """
    found = part_with_side(part)
    side = next((each for each in _SIDES if found.startswith(f"{each} ")), "")
    name = found.removeprefix(f"{side} ")
    if current_language() == DEFAULT or name not in _table().parts:
        return part
    named = name_of("part", name)
    return phrase(f"side-{side}", part=named) if side else named


def part_with_side(text: str) -> str:
    """Return the part under its name in the table, after its side if it names just one.

    `my knees` and `both knees` are `knee`, `left knees` is `left knee`. A part that the table does
    not have keeps its name.
    """
    words = text.lower().split()
    sides = [side for side in _SIDES if side in words]
    name = _plain(" ".join(words))
    return f"{sides[0]} {name}" if len(sides) == 1 else name


def known_parts() -> tuple[str, ...]:
    """Return the known parts of the body, each with or without its side."""
    return tuple(_table().parts)


def worst_pain(pains: Iterable[Pain], exercise: Loading) -> Pain | None:
    """Return the worst pain in a part that the exercise loads; None without any.

    Ties resolve to the first name, so that the same pains always give the same answer.
    """
    hurting = [pain for pain in pains if load_on(pain.part, exercise)]
    return min(hurting, key=lambda pain: (-LEVELS.index(pain.level), pain.part), default=None)


def may_replace(pains: Iterable[Pain], exercise: Loading) -> bool:
    """Return True if the exercise may replace another one despite these pains.

    It must not load a part with severe pain, nor load one with moderate pain a lot.

    Source: judgement of this project; `pain.toml` has those of the loads.
    """
    most = {"mild": A_LOT, "moderate": SOMEWHAT, "severe": 0}
    return all(load_on(pain.part, exercise) <= most[pain.level] for pain in pains)


def load_on(part: str, exercise: Loading) -> int:
    """Return the load of an exercise on a part of the body: 0, `SOMEWHAT` or `A_LOT`."""
    return _load_on(
        _plain(part),
        normalize_title(exercise.exercise_title),
        exercise.primary_muscle_group,
        exercise.secondary_muscle_groups,
    )


def trainable(pains: Iterable[Pain], limit: int = 3) -> tuple[str, ...]:
    """Return common exercises of different movements that load none of the painful parts."""
    parts = [_plain(pain.part) for pain in pains]
    return tuple(
        title
        for title in _table().common
        if not any(_load_on(part, normalize_title(title), None, ()) for part in parts)
    )[:limit]


@lru_cache(maxsize=4096)
def _load_on(part: str, title: str, primary: str | None, secondary: tuple[str, ...]) -> int:
    table = _table()
    known = table.parts[part]
    joints, muscles = table.loads_of(title)
    by_region = table.load_of_region(part, title)
    if by_region in {SOMEWHAT, A_LOT}:
        return by_region
    if primary in _NO_MUSCLE and not secondary:
        primary, secondary = next(iter(muscles), None), muscles[1:]
    by_joint = 0 if known.joint is None or joints is None else joints.get(known.joint, 0)
    if by_region is not None:
        return min(by_joint, SOMEWHAT)
    by_muscle = SOMEWHAT if known.muscles & set(secondary) else 0
    if primary in known.muscles:
        by_muscle = A_LOT
    groups = {primary, *secondary}
    if _EVERYTHING in groups or (joints is None and known.wide & groups):
        by_muscle = max(by_muscle, SOMEWHAT)
    return max(by_joint, by_muscle)


def _plain(part: str) -> str:
    """Return the part without its side, under its name in the table."""
    name = " ".join(word for word in part.split() if word not in _NO_NAMES)
    return _OTHER_NAMES.get(name, name)


@dataclass(frozen=True)
class _Part:
    joint: str | None
    muscles: frozenset[str]
    wide: frozenset[str]


@dataclass(frozen=True)
class _Movement:
    titles: re.Pattern[str]
    loads: Mapping[str, int]
    muscles: tuple[str, ...]


@dataclass(frozen=True)
class _Table:
    parts: Mapping[str, _Part]
    movements: tuple[_Movement, ...]
    exercises: Mapping[str, Mapping[str, int]]
    common: tuple[str, ...]
    regions: Mapping[str, tuple[tuple[re.Pattern[str], int], ...]]

    def load_of_region(self, part: str, title: str) -> int | None:
        """Return the listed load of a title on a part, `_ALTERNATIVE` for an alternative; None for
        an unlisted one.

        The longest words decide, of equally long ones the heavier load.
        """
        found = [
            (len(match[0]), load)
            for words, load in self.regions.get(part, ())
            if (match := words.search(title))
        ]
        return max(found)[1] if found else None

    def loads_of(self, title: str) -> tuple[Mapping[str, int] | None, tuple[str, ...]]:
        """Return the load by joint (None for an unknown movement) and the movement's usual
        muscles.
        """
        movement = next((each for each in self.movements if each.titles.search(title)), None)
        own = self.exercises.get(title)
        if movement is None:
            return own, ()
        return own or movement.loads, movement.muscles


@cache
def _table() -> _Table:
    raw: dict[str, Any] = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return _Table(
        parts={
            name: _Part(part.get("joint"), frozenset(part["muscles"]), frozenset(part["wide"]))
            for name, part in raw["parts"].items()
        },
        movements=tuple(
            _Movement(
                _words(movement["titles"]),
                _joints(movement["loads"]),
                tuple(movement["muscles"]),
            )
            for movement in raw["movements"]
        ),
        exercises={
            normalize_title(title): _joints(text) for title, text in raw["exercises"].items()
        },
        common=tuple(raw["common"]["titles"]),
        regions={
            part: tuple(
                (_words([each]), load)
                for name, load in _REGION_LISTS.items()
                for each in region[name]
            )
            for part, region in raw["regions"].items()
        },
    )


def _words(phrases: Iterable[str]) -> re.Pattern[str]:
    """Compile a pattern of titles with any of these words."""
    return re.compile("|".join(rf"\b{re.escape(each)}" for each in phrases))


def _joints(text: str) -> dict[str, int]:
    """Load by joint of `knee, hip; ankle`."""
    a_lot, _, somewhat = text.partition(";")
    return {
        joint.strip(): load
        for names, load in ((a_lot, A_LOT), (somewhat, SOMEWHAT))
        for joint in names.split(",")
        if joint.strip()
    }
