"""Propose one exercise for each title that is not in the catalogue."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from rapidfuzz.fuzz import ratio

from hevy_connector.csv_imports.title_reading import (
    EQUIPMENT,
    TitleReading,
    optional,
    read_title,
    usual,
    vague,
)
from hevy_connector.csv_imports.title_words import in_english, languages_of

# Similarity of two words, 0 to 100, from which they are the same with a typing error.
_LEAST_ALIKE = 78.0
# A word that begins with the other, such as "ext" for "extension".
_ABBREVIATED, _LEAST_LETTERS = 85.0, 3
# Score, 0 to 100, from which an exercise is proposed, and from which it is sure.
_LEAST_SCORE, _LEAST_SURE = 75.0, 88.0
# A sure proposal is ahead of any other exercise by this.
_LEAST_LEAD = 4.0
_MUSCLE_BONUS = 5.0
# Equipment that the title names and the exercise does not, or has otherwise.
_UNNAMED_EQUIPMENT, _OTHER_BAR, _OTHER_EQUIPMENT = 4.0, 5.0, 30.0
_OTHER_HELP = 40.0
# The title has a word that only some exercises have.
_OPTIONAL = 4.0
# Sets have loads and the exercise none, or the other way round.
_NO_LOAD, _LOAD = 20.0, 6.0
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
    """An exercise of the catalogue; `median_kg` is the athlete's own, None without loads.

    `equipment` is in Hevy's words, empty if unknown.
    """

    title: str
    muscles: tuple[str, ...]
    has_load: bool
    median_kg: float | None = None
    equipment: str = ""


@dataclass(frozen=True)
class AliasProposal:
    """The exercise proposed for a title, or None if none is similar; `score` from 0 to 100.

    A proposal is sure if the exercise has all words of the title, the equipment is named or the
    usual one, and no other exercise is as similar.
    """

    title: str
    set_count: int
    exercise: str | None
    score: float
    is_sure: bool

    @property
    def text(self) -> str:
        """Return the proposal in words."""
        if self.exercise is None:
            return "no similar exercise"
        return f'"{self.exercise}"' if self.is_sure else f'perhaps "{self.exercise}"'


@dataclass(frozen=True)
class _Candidate:
    score: float
    exercise: CatalogueExercise
    words: frozenset[str]
    names_equipment: bool
    has_all_words: bool
    is_vague: bool

    @property
    def preference(self) -> tuple[float, bool, bool, int, int]:
        """Return what decides: of equal scores the athlete's own exercise, then the usual one."""
        places = [EQUIPMENT.index(word) for word in self.words if word in EQUIPMENT]
        return (
            round(self.score, 1),
            self.exercise.median_kg is not None,
            self.exercise.title in usual(),
            -min(places, default=0),
            -len(self.exercise.title),
        )


def propose_aliases(
    uses: Sequence[TitleUse], catalogue: Sequence[CatalogueExercise]
) -> tuple[AliasProposal, ...]:
    """Return one proposal per title, most sets first.

    The score is the similarity of the words, as written or in English: a rare word counts more than
    a frequent one. It is higher if the title names a muscle of the exercise, lower if equipment,
    help or loads do not fit.
    """
    known = _Catalogue(catalogue)
    languages = languages_of(use.title for use in uses)
    return tuple(
        _proposal(use, languages, known)
        for use in sorted(uses, key=lambda use: (-use.set_count, use.title))
    )


class _Catalogue:
    """Exercises by the words of their movement, and the information of each word."""

    def __init__(self, catalogue: Iterable[CatalogueExercise]) -> None:
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._exercises = [(one, read_title(one.title)) for one in catalogue]
        for place, (_, reading) in enumerate(self._exercises):
            for word in reading.movement:
                self._by_word[word].append(place)

    def similar(self, reading: TitleReading) -> Iterator[tuple[CatalogueExercise, TitleReading]]:
        """Return the exercises with a word like one of the title's."""
        places = {
            place
            for word in reading.movement
            for other, those in self._by_word.items()
            if _alike(word, other)
            for place in those
        }
        return (self._exercises[place] for place in sorted(places))

    def weight(self, word: str) -> float:
        """Return the information of a word, by the number of titles that have it."""
        return log(1 + len(self._exercises) / max(len(self._by_word.get(word, ())), 1))


def _proposal(use: TitleUse, languages: Sequence[str], catalogue: _Catalogue) -> AliasProposal:
    scored: dict[str, _Candidate] = {}
    known = {*languages, *languages_of([use.title])}
    written = {use.title, *(in_english(use.title, language) for language in known)}
    for reading in {read_title(title) for title in written}:
        for exercise, other in catalogue.similar(reading):
            found = _candidate(use, reading, exercise, other, catalogue)
            best_so_far = scored.setdefault(exercise.title, found)
            if found.score > best_so_far.score:
                scored[exercise.title] = found
    candidates = sorted(scored.values(), key=lambda one: one.preference, reverse=True)
    if not candidates or candidates[0].score < _LEAST_SCORE:
        return AliasProposal(use.title, use.set_count, None, 0.0, is_sure=False)
    best, *others = candidates
    return AliasProposal(
        use.title, use.set_count, best.exercise.title, round(best.score, 1), _is_sure(best, others)
    )


def _is_sure(best: _Candidate, others: Sequence[_Candidate]) -> bool:
    if best.is_vague:
        return False
    is_own = best.exercise.median_kg is not None
    rivals = [one for one in others if one.score > best.score - _LEAST_LEAD]
    if not best.names_equipment and best.exercise.title in usual():
        # Exercises that differ in equipment only: the usual one is meant.
        movement = best.words - set(EQUIPMENT)
        rivals = [one for one in rivals if one.words - set(EQUIPMENT) != movement]
    if is_own:
        rivals = [one for one in rivals if one.exercise.median_kg is not None]
    return best.score >= _LEAST_SURE and best.has_all_words and not rivals


def _candidate(
    use: TitleUse,
    reading: TitleReading,
    exercise: CatalogueExercise,
    other: TitleReading,
    catalogue: _Catalogue,
) -> _Candidate:
    words, others = reading.movement, other.movement
    if use.median_kg is not None and "weighted" in others - words:
        others -= {"weighted"}
    required = words - (optional() - others)
    score = (_coverage(required, others, catalogue) + _coverage(others, words, catalogue)) / 2
    score -= _OPTIONAL if words & (optional() - others) else 0.0
    if words & set(exercise.muscles):
        score += _MUSCLE_BONUS
    score -= _equipment_penalty(reading.equipment, other.equipment, exercise.equipment)
    score -= _OTHER_HELP if reading.is_assisted != other.is_assisted else 0.0
    score -= _load_penalty(use, reading, exercise)
    return _Candidate(
        score=min(score, 100.0),
        exercise=exercise,
        words=other.words,
        names_equipment=bool(reading.equipment),
        is_vague=reading.words <= vague(),
        has_all_words=all(any(_alike(word, one) for one in others) for word in required),
    )


def _equipment_penalty(named: frozenset[str], its: frozenset[str], catalogue: str) -> float:
    if not named or named & its:
        return 0.0
    # The catalogue has no word for cables, and an EZ bar is a barbell.
    known = its or {"machine": {"machine", "cable"}}.get(
        catalogue, {catalogue.removesuffix("_band")}
    )
    if "ez" in named and "barbell" in known:
        return _OTHER_BAR
    if named & known or (not its and catalogue in {"", "other"}):
        return _UNNAMED_EQUIPMENT
    return _OTHER_EQUIPMENT


def _load_penalty(use: TitleUse, reading: TitleReading, exercise: CatalogueExercise) -> float:
    if use.median_kg is None:
        return _LOAD if exercise.has_load and not reading.equipment else 0.0
    if not exercise.has_load:
        return _NO_LOAD
    if exercise.median_kg is None:
        return 0.0
    low, high = sorted((use.median_kg, exercise.median_kg))
    return _LOAD_PENALTY if high > low * _LOAD_RATIO else 0.0


def _coverage(words: frozenset[str], others: frozenset[str], catalogue: _Catalogue) -> float:
    """Return the share of the words' information that equal or similar others have, 0 to 100."""
    if not words or not others:
        return 0.0
    weights = {word: catalogue.weight(word) for word in words}
    covered = sum(
        max(_alike(word, one) for one in others) * weight for word, weight in weights.items()
    )
    return covered / sum(weights.values())


@lru_cache(100_000)
def _alike(word: str, other: str) -> float:
    """Return the similarity of two words, 0 to 100; 0 if they are different words."""
    if word == other:
        return 100.0
    if min(len(word), len(other)) >= _LEAST_LETTERS and (
        word.startswith(other) or other.startswith(word)
    ):
        return _ABBREVIATED
    found = ratio(word, other)
    return found if found >= _LEAST_ALIKE else 0.0
