"""Exercises that words mean in a programme: `no squats` is broad, `add dips` narrow."""

from collections.abc import Iterable, Mapping

from coach_agent.asking.exercises import expanded, stem
from coach_agent.asking.vocabulary import vocabulary, words_of
from coach_agent.programmes.catalogue import exercise_tags
from coach_agent.programmes.volume import PULLS, PUSHES

_TRUNK: frozenset[str] = frozenset({"trunk_flex", "anti_ext", "anti_rot"})
_THIGH: frozenset[str] = frozenset(
    {"squat", "lunge", "hinge", "hip_ext", "knee_flex", "knee_ext", "hip_abd", "hip_add"}
)
# Words that are part of many titles mean one kind of movement, unless another word says which.
_MEANT: Mapping[str, frozenset[str]] = {
    "curl": frozenset({"elbow_flex"}),
    "press": PUSHES,
    "fly": frozenset({"chest_fly"}),
    "dip": frozenset({"h_push", "elbow_ext"}),
    "row": PULLS,
}
_OVERHEAD = "overhead"
_MUSCLES: Mapping[str, frozenset[str]] = {
    "leg": _THIGH | {"plantar"},
    "lower body": _THIGH | {"plantar"},
    "quad": frozenset({"squat", "lunge", "knee_ext"}),
    "hamstring": frozenset({"hinge", "knee_flex"}),
    "glute": frozenset({"hip_ext", "hip_abd"}),
    "calf": frozenset({"plantar"}),
    "calve": frozenset({"plantar"}),
    "chest": frozenset({"h_push", "chest_fly"}),
    "back": PULLS,
    "shoulder": frozenset({"v_push", "shoulder_abd", "rear_delt"}),
    _OVERHEAD: frozenset({"v_push"}),
    "arm": frozenset({"elbow_flex", "elbow_ext"}),
    "bicep": frozenset({"elbow_flex"}),
    "tricep": frozenset({"elbow_ext"}),
    "core": _TRUNK,
    "ab": _TRUNK,
    "abdominal": _TRUNK,
    "trunk": _TRUNK,
}
_REGIONS: tuple[frozenset[str], ...] = (
    _THIGH | {"plantar"},
    PUSHES | {"chest_fly", "elbow_ext", "shoulder_abd"},
    PULLS | {"elbow_flex", "rear_delt", "shrug"},
    _TRUNK,
)
_NO_MEANING = frozenset({"exercise", "work", "training", "movement", "day", "stuff"})


def is_muscle(name: str) -> bool:
    """Return whether words name a muscle or a part of the body, not an exercise."""
    return _without_fillers(name) in _MUSCLES


def meant_to_avoid(name: str, titles: Iterable[str]) -> tuple[str, ...]:
    """Return all exercises that words can mean: every squat, or all that train a muscle.

    Empty if there is none.
    """
    plain = _without_fillers(name)
    if (patterns := _MUSCLES.get(plain)) is None:
        return _matching(name, titles)
    tags = exercise_tags()
    return tuple(
        title
        for title in titles
        if tags[title].pattern in patterns or (plain == _OVERHEAD and plain in _title_stems(title))
    )


def is_ambiguous(titles: Iterable[str]) -> bool:
    """Return whether exercises train several parts of the body, as those with "raise" do."""
    tags = exercise_tags()
    patterns = {tags[title].pattern for title in titles}
    return sum(not patterns.isdisjoint(region) for region in _REGIONS) > 1


def meant_to_prefer(name: str, titles: Iterable[str]) -> tuple[str, ...]:
    """Return the exercises that words name: the plain one before its variants."""
    found = _matching(name, titles)
    wanted = set(_stems(name))
    whole = tuple(title for title in found if _title_stems(title) == wanted)
    plain = tuple(title for title in found if _title_stems(title.partition("(")[0]) == wanted)
    return whole or plain or found


def named_exercise(name: str, titles: Iterable[str]) -> str | None:
    """Return the one exercise that a name in a table means: `Squat` is that with a barbell.

    Of several variants it is the only usual one, or the usual one with a barbell. None if there is
    none, or several.
    """
    tags = exercise_tags()
    found = meant_to_prefer(name, [title for title in titles if title in tags])
    usual = tuple(title for title in found if tags[title].is_usual)
    with_barbell = tuple(title for title in usual if "(Barbell)" in title)
    return next((each[0] for each in (found, usual, with_barbell) if len(each) == 1), None)


def _matching(name: str, titles: Iterable[str]) -> tuple[str, ...]:
    wanted = set(_stems(name))
    tags = exercise_tags()
    found = tuple(title for title in titles if wanted and wanted <= _title_stems(title))
    if len(wanted) == 1 and (meant := _MEANT.get(*wanted)) is not None:
        return tuple(title for title in found if tags[title].pattern in meant)
    return found


def _stems(text: str) -> tuple[str, ...]:
    return expanded([word for word in words_of(text) if word not in vocabulary().fillers])


def _title_stems(title: str) -> frozenset[str]:
    # Hevy writes it both ways.
    return frozenset(stem(word) for word in words_of(title.replace("Pushup", "Push Up")))


def _without_fillers(name: str) -> str:
    return " ".join(word for word in _stems(name) if word not in _NO_MEANING)
