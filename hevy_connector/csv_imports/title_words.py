"""Exercise titles in other languages, in the words of Hevy's English titles."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from hevy_connector.body_load import folded
from hevy_connector.csv_imports.title_reading import EQUIPMENT

_COMPOUND_LETTERS = 5
"""From this length on a word is also found in a compound, like "Langhantelkniebeuge"."""

_MODIFIERS = "modifiers"
_NO_EXERCISE = frozenset({*EQUIPMENT, "single", "arm"})


def languages_of(titles: Iterable[str]) -> tuple[str, ...]:
    """Return the languages in which titles name exercises: those of the most, and of half as many.

    Words for equipment are no evidence: "halter" is a dumbbell in Portuguese, a barbell in Turkish.
    """
    plain = [folded(title) for title in titles]
    counts = {
        language: sum(any(words[found[1]] for found in pattern.finditer(title)) for title in plain)
        for language, (words, pattern) in _exercise_words().items()
    }
    least = max(counts.values(), default=0) / 2
    return tuple(language for language, count in counts.items() if count and count >= least)


def in_english(title: str, language: str) -> str:
    """Return the title with the known words of a language in English, in lower case.

    A title without any stays as it is, except for case and accents.
    """
    table, pattern = _tables()[language]
    return pattern.sub(lambda found: f" {table[found[1]]} ", folded(title))


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    text = files(__package__).joinpath("title_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _languages() -> dict[str, Mapping[str, str]]:
    return {language: words for language, words in _words().items() if language != _MODIFIERS}


@cache
def _tables() -> dict[str, tuple[dict[str, str], re.Pattern[str]]]:
    """Return the words of each language with the modifiers, and a pattern of them."""
    modifiers = _words()[_MODIFIERS]
    return {language: _table({**modifiers, **words}) for language, words in _languages().items()}


@cache
def _exercise_words() -> dict[str, tuple[dict[str, bool], re.Pattern[str]]]:
    """Return for each word of a language whether it names an exercise, and a pattern of them."""
    found = {}
    for language, words in _languages().items():
        table, pattern = _table(words)
        names_exercise = {
            written: not set(english.split()) <= _NO_EXERCISE for written, english in table.items()
        }
        found[language] = (names_exercise, pattern)
    return found


def _table(words: Mapping[str, str]) -> tuple[dict[str, str], re.Pattern[str]]:
    table = {folded(written): english for written, english in words.items()}
    longest_first = sorted(table, key=lambda written: (-len(written), written))
    alternatives = "|".join(map(_alternative, longest_first))
    # A plural ends in one of these.
    return table, re.compile(rf"({alternatives})(?:(?:en|n|e|s)\b)?")


def _alternative(words: str) -> str:
    pattern = re.escape(words)
    return pattern if len(words) >= _COMPOUND_LETTERS else rf"\b{pattern}\b"
