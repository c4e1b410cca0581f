"""Exercise titles in other languages, in the words of Hevy's English titles."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

from hevy_connector.body_load import folded
from hevy_connector.csv_imports.title_reading import EQUIPMENT

_COMPOUND_LETTERS = 5
"""From this length on a word is also found in a compound, like "Langhantelkniebeuge"."""

# Letters that folding leaves, as people write them without a keyboard of the language.
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "\u0131": "i", "æ": "ae"})
# Chinese, Japanese and Korean begin here.
_FIRST_WITHOUT_BLANKS = "\u2e80"
_MODIFIERS = "modifiers"
_REMEMBERED_TITLES = 4_096
_NO_EXERCISE = frozenset({*EQUIPMENT, "single", "arm"})


def languages_of(titles: Iterable[str]) -> tuple[str, ...]:
    """Return the languages in which titles name exercises: those of the most, and of half as many.

    Words for equipment are no evidence: "halter" is a dumbbell in Portuguese, a barbell in Turkish.
    """
    counts = Counter(language for title in titles for language in _naming(_plain(title)))
    least = max(counts.values(), default=0) / 2
    return tuple(language for language in _words_alone() if counts[language] >= max(least, 1))


@lru_cache(maxsize=_REMEMBERED_TITLES)
def _naming(title: str) -> frozenset[str]:
    """Return the languages in which a plain title has a word of an exercise."""
    return frozenset(
        language
        for language, words in _words_alone().items()
        if any(not set(english.split()) <= _NO_EXERCISE for english in words.found_in(title))
    )


def in_english(title: str, language: str) -> str:
    """Return the title with the known words of a language in English, in lower case.

    A title without any stays as it is, except for case and accents.
    """
    return _words_with_modifiers()[language].in_english(_plain(title))


class _Words:
    """Words of a language with their meanings in English, and a pattern of them."""

    def __init__(self, words: Mapping[str, str]) -> None:
        table = {_plain(written): english for written, english in words.items()}
        longest_first = sorted(table, key=lambda written: (-len(written), written))
        self._meanings: dict[int | None, str] = {
            group: table[written] for group, written in enumerate(longest_first, start=1)
        }
        alternatives = "|".join(f"({_alternative(written)})" for written in longest_first)
        # A plural ends in one of these.
        self._pattern = re.compile(rf"(?:{alternatives})(?:(?:en|n|e|s)\b)?")

    def found_in(self, title: str) -> Iterator[str]:
        """Return the meaning of each word that a plain title has."""
        return map(self._meaning, self._pattern.finditer(title))

    def in_english(self, title: str) -> str:
        """Return a plain title with the meanings of its words."""
        return self._pattern.sub(lambda found: f" {self._meaning(found)} ", title)

    def _meaning(self, found: re.Match[str]) -> str:
        return self._meanings[found.lastindex]


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    text = files(__package__).joinpath("title_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _languages() -> dict[str, Mapping[str, str]]:
    return {language: words for language, words in _words().items() if language != _MODIFIERS}


@cache
def _words_with_modifiers() -> dict[str, _Words]:
    modifiers = _words()[_MODIFIERS]
    return {language: _Words({**modifiers, **words}) for language, words in _languages().items()}


@cache
def _words_alone() -> dict[str, _Words]:
    return {language: _Words(words) for language, words in _languages().items()}


def _plain(title: str) -> str:
    return folded(title).translate(_LETTERS)


def _alternative(words: str) -> str:
    has_blanks = not any(map(_is_without_blanks, words))
    between = r"[\W_]+" if has_blanks else r"[\W_]*"
    pattern = between.join(re.escape(word).replace(r"\*", r"\w*") for word in words.split())
    if not has_blanks or (len(words) >= _COMPOUND_LETTERS and "*" not in words):
        return pattern
    return rf"\b{pattern}\b"


def _is_without_blanks(letter: str) -> bool:
    """Return whether a letter is of a script without blanks, or with optional ones: Korean."""
    return letter >= _FIRST_WITHOUT_BLANKS
