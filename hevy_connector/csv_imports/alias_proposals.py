"""Propose one exercise for each title that is not in the catalogue."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from hevy_connector.csv_imports.title_words import in_english

_WORD = re.compile(r"[^\W_]+")
# A word for equipment says less than the word for the movement. The usual equipment is first.
_EQUIPMENT = (
    "barbell",
    "dumbbell",
    "dumbbells",
    "machine",
    "cable",
    "kettlebell",
    "smith",
    "band",
    "plate",
    "bodyweight",
)
_EQUIPMENT_WEIGHT = 0.5
# Usual abbreviations and other names, as the catalogue writes them.
_WRITTEN_OUT = {
    "db": "dumbbell",
    "bb": "barbell",
    "kb": "kettlebell",
    "ohp": "overhead press",
    "rdl": "romanian deadlift",
    "sldl": "stiff leg deadlift",
    "cgbp": "close grip bench press",
    "back squat": "squat",
    "conventional deadlift": "deadlift",
    "hamstring curl": "leg curl",
    "high bar": "barbell",
    "low bar": "barbell",
    "pull down": "pulldown",
    "push down": "pushdown",
    "pullup": "pull up",
    "pushup": "push up",
    "chinup": "chin up",
    "situp": "sit up",
    "benchpress": "bench press",
    "row erg": "rowing machine",
    "rower": "rowing machine",
}
_SHORT = re.compile(rf"\b({'|'.join(_WRITTEN_OUT)})(?=s?\b)")
# Similarity, 0 to 100, from which an exercise is proposed.
_LEAST_SCORE = 75.0
_MUSCLE_BONUS = 5.0
# Loads of one exercise stay within this ratio of each other; another lift usually does not.
_LOAD_RATIO = 3.0
_LOAD_PENALTY = 20.0


@dataclass(frozen=True)
class TitleUse:
    """A title in the athlete's workouts; `median_kg` is None if no set has a load."""

    title: str
    set_count: int
    median_kg: float | None


@dataclass(frozen=True)
class CatalogueExercise:
    """An exercise of the catalogue; `median_kg` is the athlete's own, None without loads."""

    title: str
    muscles: tuple[str, ...]
    has_load: bool
    median_kg: float | None = None


@dataclass(frozen=True)
class AliasProposal:
    """The exercise proposed for a title, or None if none is similar; `score` from 0 to 100."""

    title: str
    set_count: int
    exercise: str | None
    score: float


def propose_aliases(
    uses: Sequence[TitleUse], catalogue: Sequence[CatalogueExercise]
) -> tuple[AliasProposal, ...]:
    """Return one proposal per title, most sets first.

    The score is the similarity of the words, as written or in English, higher if the title names a
    muscle of the exercise, lower if the loads do not fit. Of equal exercises the athlete's own is
    first, then the one with the more usual equipment.
    """
    exercises = [(one, _words(one.title)) for one in catalogue]
    proposals = []
    for use in sorted(uses, key=lambda use: (-use.set_count, use.title)):
        readings = {tuple(_words(use.title)), tuple(_words(in_english(use.title)))}
        scored = [
            (score, _preference(exercise, other), exercise.title)
            for exercise, other in exercises
            if (score := max(_score(use, words, exercise, other) for words in readings))
            >= _LEAST_SCORE
        ]
        score, _, title = max(scored, key=lambda one: one[:2], default=(0.0, (), None))
        proposals.append(AliasProposal(use.title, use.set_count, title, round(score, 1)))
    return tuple(proposals)


def _score(
    use: TitleUse, words: Sequence[str], exercise: CatalogueExercise, other: Sequence[str]
) -> float:
    if not (set(words) & set(_EQUIPMENT) and set(other) & set(_EQUIPMENT)):
        # Equipment that only one of the two names is no difference.
        words, other = _without_equipment(words), _without_equipment(other)
    score = (2 * _coverage(words, other) + _coverage(other, words)) / 3
    if set(words) & set(exercise.muscles):
        score += _MUSCLE_BONUS
    if use.median_kg is not None and not exercise.has_load:
        score -= _LOAD_PENALTY
    elif use.median_kg is not None and exercise.median_kg is not None:
        low, high = sorted((use.median_kg, exercise.median_kg))
        score -= _LOAD_PENALTY if high > low * _LOAD_RATIO else 0.0
    return min(score, 100.0)


def _without_equipment(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _EQUIPMENT]


def _preference(exercise: CatalogueExercise, words: Sequence[str]) -> tuple[bool, int, int]:
    places = [_EQUIPMENT.index(word) for word in words if word in _EQUIPMENT]
    return exercise.median_kg is not None, -min(places, default=0), -len(exercise.title)


def _coverage(words: Sequence[str], others: Sequence[str]) -> float:
    """Return the share of the letters of `words` that similar words of the others cover."""
    weights = [len(word) * (_EQUIPMENT_WEIGHT if word in _EQUIPMENT else 1.0) for word in words]
    if not words or not others:
        return 0.0
    best = [max(ratio(word, other) for other in others) for word in words]
    return sum(map(float.__mul__, weights, best)) / sum(weights)


def _words(title: str) -> list[str]:
    written_out = _SHORT.sub(lambda short: _WRITTEN_OUT[short[0]], title.casefold())
    return _WORD.findall(written_out)
