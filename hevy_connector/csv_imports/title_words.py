"""Exercise titles in other languages, in the words of Hevy's English titles."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from hevy_connector.body_load import folded

_COMPOUND_LETTERS = 5
"""From this length on a word is also found in a compound, like "Langhantelkniebeuge"."""


def in_english(title: str) -> str:
    """Return the title with the known words of other languages in English, in lower case.

    A title without any stays as it is, except for case and accents.
    """
    table, pattern = _table()
    return pattern.sub(lambda found: f" {table[found[1]]} ", folded(title))


@cache
def _table() -> tuple[dict[str, str], re.Pattern[str]]:
    text = files(__package__).joinpath("title_words.toml").read_text(encoding="utf-8")
    table = {
        folded(words): english
        for of_language in tomllib.loads(text).values()
        for words, english in of_language.items()
    }
    longest_first = sorted(table, key=lambda words: (-len(words), words))
    alternatives = "|".join(map(_alternative, longest_first))
    # A plural ends in one of these.
    return table, re.compile(rf"({alternatives})(?:(?:en|n|e|s)\b)?")


def _alternative(words: str) -> str:
    pattern = re.escape(words)
    return pattern if len(words) >= _COMPOUND_LETTERS else rf"\b{pattern}\b"
