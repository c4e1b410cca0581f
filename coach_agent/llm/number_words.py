"""Numbers that are written as words, and the nouns that say what a number counts."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

Kind = str
"""What a number is of: a table of `[nouns]`, or "bare", "ordinal" and "ordinal <noun>"."""


@cache
def _tables() -> dict[str, Any]:
    text = (files("coach_agent.llm") / "number_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def kinds() -> Mapping[str, Kind]:
    """By the noun after a number, what it counts; "unknown" is what no data of the coach has."""
    return {word: kind for kind, words in _tables()["nouns"].items() for word in words}


@cache
def cardinals(language: str) -> Mapping[str, int]:
    """The numbers by word that a text in this language may hold.

    Its own and the English ones, as a model may slip into these; in English and German texts also
    those of all other languages that are no words of theirs.
    """
    found: dict[str, dict[str, int]] = _tables()["cardinals"]
    ordinary = set(_tables()["ordinary"].get(language, ()))
    others = {
        word: value
        for words in found.values()
        for word, value in words.items()
        if language in _tables()["ordinary"] and word not in ordinary
    }
    return {**others, **found["en"], **found.get(language, {})}


@cache
def ordinals(language: str) -> Mapping[str, int]:
    """The places from the second on by word, of the same languages."""
    found = _tables()["ordinals"]
    places = {word: at for at, word in enumerate(found["en"], start=2)}
    for at, word in enumerate(found.get(language, ()) if language != "en" else (), start=2):
        places |= {f"{word}{ending}": at for ending in ("", "n", "r", "s", "m")}
    return places


@cache
def ones() -> frozenset[str]:
    """Words that are the number one before what is counted, and articles elsewhere."""
    return frozenset(_tables()["one"]["words"])


@cache
def is_compound(word: str) -> bool:
    """Whether a word is a number that was not read: a German one in one word, or a multiple."""
    is_multiple = word in _tables()["multiples"]["words"]
    return is_multiple or any(part in word for part in _tables()["compounds"]["parts"])
