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
    """The numbers by word, English and the athlete's language: a model may slip into the first."""
    found = _tables()["cardinals"]
    return {**found["en"], **found.get(language, {})}


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


def is_compound(word: str) -> bool:
    """Whether a word has a number in it that was not read, as German ones have."""
    return any(part in word for part in _tables()["compounds"]["parts"])
