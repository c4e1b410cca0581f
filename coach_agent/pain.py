"""Pain: which exercises load a part of the body that hurts, and how much it hurts there."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Literal

from coach_agent.values import Value

Level = Literal["mild", "moderate", "severe"]
SEVERE_ADVICE = "Have it looked at before you train it again."
LEVELS: tuple[Level, ...] = ("mild", "moderate", "severe")

_SIDES = frozenset({"left", "right", "both", "my", "the"})

# Muscle groups in Hevy's words whose exercises load the part. Wide on purpose: a lift too many
# that waits costs a week, one too few may cost more.
_LOADED_BY: Mapping[str, frozenset[str]] = {
    "neck": frozenset({"neck", "traps"}),
    "shoulder": frozenset({"shoulders", "chest", "lats", "upper_back", "traps", "triceps"}),
    "chest": frozenset({"chest"}),
    "upper back": frozenset({"upper_back", "traps", "lats", "lower_back"}),
    "lower back": frozenset({"lower_back", "hamstrings", "glutes", "upper_back", "shoulders"}),
    "upper arm": frozenset({"biceps", "triceps"}),
    "biceps": frozenset({"biceps", "lats", "upper_back"}),
    "triceps": frozenset({"triceps", "chest", "shoulders"}),
    "elbow": frozenset({"biceps", "triceps", "forearms"}),
    "forearm": frozenset({"forearms", "biceps", "lats", "upper_back", "lower_back"}),
    "wrist": frozenset(
        {"forearms", "biceps", "triceps", "chest", "shoulders", "lats", "upper_back", "lower_back"}
    ),
    "hand": frozenset({"forearms", "biceps", "lats", "upper_back", "lower_back"}),
    "abdomen": frozenset({"abdominals"}),
    "hip": frozenset({"glutes", "quadriceps", "adductors", "abductors", "hamstrings"}),
    "groin": frozenset({"adductors", "quadriceps"}),
    "glute": frozenset({"glutes", "hamstrings"}),
    "thigh": frozenset({"quadriceps", "hamstrings", "adductors"}),
    "quadriceps": frozenset({"quadriceps"}),
    "hamstring": frozenset({"hamstrings", "glutes", "lower_back"}),
    "knee": frozenset({"quadriceps", "hamstrings"}),
    "calf": frozenset({"calves"}),
    "ankle": frozenset({"calves", "quadriceps"}),
    "foot": frozenset({"calves"}),
}
PARTS: tuple[str, ...] = tuple(_LOADED_BY)
"""The parts of the body that are known, each to be told with or without its side."""

# Exercises of the whole body load every part.
_EVERYTHING = frozenset({"full_body"})
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


class PainError(ValueError):
    """What hurts, or how much, was not understood; the text says what is allowed."""


class Pain(Value):
    """A part of the body that hurts; `part` as the athlete calls it, sides included."""

    part: str
    level: Level

    def is_at_least(self, level: str) -> bool:
        """Whether it is as bad as this level, or worse."""
        words: tuple[str, ...] = LEVELS
        return words.index(self.level) >= words.index(level)


def parse_pain(text: str) -> Pain:
    """`right shoulder:moderate` as a value.

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
        return Pain(part=checked_part(part), level=found)
    except PainError as error:
        raise PainError(f"'{text}': {error}") from error


def checked_part(text: str) -> str:
    """The part in small letters.

    Raises:
        PainError: it is none that can be matched to muscles.
    """
    part = " ".join(text.lower().split())
    name = _plain(part)
    if name not in _LOADED_BY:
        nearest = get_close_matches(name, (*_LOADED_BY, *_OTHER_NAMES), n=1)
        hint = f"; did you mean '{nearest[0]}'?" if nearest else ""
        known = ", ".join(_LOADED_BY)
        raise PainError(f"must be a part of the body, such as 'right shoulder', of {known}{hint}")
    return part


def worst_pain(pains: Iterable[Pain], muscle_groups: Iterable[str]) -> Pain | None:
    """The worst pain in a part that exercises of these muscle groups load; None without any.

    Of equally bad ones the first by name, so that the same pains always tell the same.
    """
    groups = frozenset(muscle_groups)
    hurting = [pain for pain in pains if (_LOADED_BY[_plain(pain.part)] | _EVERYTHING) & groups]
    return min(hurting, key=lambda pain: (-LEVELS.index(pain.level), pain.part), default=None)


def _plain(part: str) -> str:
    """The part without its side, under the name that stands in the table."""
    name = " ".join(word for word in part.split() if word not in _SIDES)
    return _OTHER_NAMES.get(name, name)
