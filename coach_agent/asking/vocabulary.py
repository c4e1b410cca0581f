"""The words of questions: intents, muscles, exercises, times and declined topics."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

Intent = Literal[
    "next_workout",
    "why",
    "progress",
    "records",
    "strength",
    "volume",
    "last_time",
    "consistency",
    "body_weight",
    "doubts",
    "published",
    "memories",
    "search",
]
Subject = Literal["exercise", "muscle", "week", "day", "reps", "load"]
Topic = Literal["medical", "diet", "opinion"]
Phrase = tuple[str, ...]

_TABLE = Path(__file__).with_suffix(".toml")
_WORDS = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True)
class IntentWords:
    """The phrases of an intent; see the table for the other fields."""

    phrases: tuple[Phrase, ...]
    with_exercise: tuple[Phrase, ...]
    with_reps: tuple[Phrase, ...]
    extra: frozenset[str]
    subjects: frozenset[Subject]
    needs: frozenset[Subject]
    beats: frozenset[Intent]


@dataclass(frozen=True)
class Vocabulary:
    """The table as values. `muscles` and `exercises` are by the words of the gym."""

    intents: Mapping[Intent, IntentWords]
    searches: tuple[Phrase, ...]
    fillers: frozenset[str]
    filler_phrases: tuple[Phrase, ...]
    weeks: Mapping[Literal["this", "last"], tuple[Phrase, ...]]
    days: tuple[Phrase, ...]
    muscles: Mapping[Phrase, tuple[str, ...]]
    exercises: Mapping[Phrase, Phrase]
    declined: Mapping[Topic, tuple[Phrase, ...]]


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text: lower case, without accents, apostrophes and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(each for each in plain if not unicodedata.combining(each))
    plain = re.sub(r"['`´‘’]", "", plain)  # noqa: RUF001 - apostrophes of phones
    # "5rm", "5x" and "100kg" are a number and a word, "1rm" and "e1rm" are words.
    plain = re.sub(r"\b(?!1rm\b)(\d+(?:\.\d+)?)(rm|x|kg|lbs?|reps?)\b", r"\1 \2", plain)
    return tuple(_WORDS.findall(plain))


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary of the package."""
    raw = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return Vocabulary(
        intents={name: _intent(each) for name, each in raw["intents"].items()},
        searches=_longest_first(raw["searches"]["phrases"]),
        fillers=frozenset(raw["fillers"]["words"]),
        filler_phrases=_longest_first(raw["fillers"]["phrases"]),
        weeks={name: _longest_first(each) for name, each in raw["weeks"].items()},
        days=_longest_first(raw["days"]["phrases"]),
        muscles={tuple(name.split()): tuple(each) for name, each in raw["muscles"].items()},
        exercises={
            tuple(name.split()): tuple(each.split()) for name, each in raw["exercises"].items()
        },
        declined={
            name: tuple(tuple(word.split("_")) for word in each["words"])
            for name, each in raw["declined"].items()
        },
    )


def _intent(raw: Mapping[str, Any]) -> IntentWords:
    return IntentWords(
        phrases=_longest_first(raw["phrases"]),
        with_exercise=_longest_first(raw.get("with_exercise", ())),
        with_reps=_longest_first(raw.get("with_reps", ())),
        extra=frozenset(raw.get("extra", ())),
        subjects=frozenset(raw["subjects"]),
        needs=frozenset(raw.get("needs", ())),
        beats=frozenset(raw["beats"]),
    )


def _longest_first(phrases: Sequence[str]) -> tuple[Phrase, ...]:
    expanded = {each for phrase in phrases for each in _choices(phrase)}
    return tuple(sorted(expanded, key=lambda each: (-len(each), each)))


def _choices(phrase: str) -> Iterator[Phrase]:
    """Yield the phrases of all choices: `do|did it` is `do it` and `did it`."""
    yield from product(*(word.split("|") for word in phrase.split()))
