"""The words of an exercise's title: the movement, its equipment, and whether it is assisted."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from hevy_connector.body_load import folded, names_assistance

EQUIPMENT = (
    "barbell",
    "dumbbell",
    "machine",
    "cable",
    "ez",
    "smith",
    "kettlebell",
    "bodyweight",
    "band",
    "plate",
    "suspension",
)
"""Words for equipment, the usual one first."""

# Repetitions, degrees and the like.
_COUNT = re.compile(r"\d+(x\d+)*(kg|lbs?|rm)?")
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class TitleReading:
    """The words of a title in the singular, without those that say nothing."""

    words: frozenset[str]
    is_assisted: bool

    @property
    def equipment(self) -> frozenset[str]:
        """Return the words for equipment."""
        return self.words & frozenset(EQUIPMENT)

    @property
    def movement(self) -> frozenset[str]:
        """Return all other words."""
        return self.words - frozenset(EQUIPMENT)


@cache
def read_title(title: str) -> TitleReading:
    """Return the words of a title, with abbreviations written out."""
    table, pattern, brands, noise, whole = _tables()
    plain = f" {_NO_WORD.sub(' ', folded(title)).strip()} "
    unbranded = brands.sub(" ", plain)
    written_out = pattern.sub(lambda found: table[found[1]], unbranded)
    words = {_singular(word) for word in written_out.split() if not _COUNT.fullmatch(word)} - noise
    if "smith" in words:
        words.discard("machine")
    if "ez" in words:
        words.discard("bar")
    if unbranded != plain and not words & set(EQUIPMENT):
        words.add("machine")
    is_assisted = names_assistance(title)
    words -= {"assisted"} if is_assisted else set()
    found = frozenset(words)
    return TitleReading(whole.get(found, found), is_assisted)


@cache
def usual() -> frozenset[str]:
    """Return the titles of the exercises that are meant if a title names no equipment."""
    return frozenset(_words()["usual"])


@cache
def vague() -> frozenset[str]:
    """Return the words that name no exercise alone."""
    return frozenset(_words()["vague"])


@cache
def optional() -> frozenset[str]:
    """Return the words of a title that an exercise may lack."""
    return frozenset(_words()["optional"])


def _singular(word: str) -> str:
    if word.endswith(("ches", "shes", "sses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _set(words: str) -> frozenset[str]:
    return frozenset(map(_singular, words.split()))


@cache
def _words() -> dict[str, Any]:
    text = files(__package__).joinpath("alias_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _tables() -> tuple[
    dict[str, str],
    re.Pattern[str],
    re.Pattern[str],
    frozenset[str],
    dict[frozenset[str], frozenset[str]],
]:
    words = _words()
    table: dict[str, str] = words["written_out"]
    longest_first = sorted(table, key=lambda written: (-len(written), written))
    brands = "|".join(map(re.escape, words["brands"]))
    return (
        table,
        re.compile(rf"\b({'|'.join(longest_first)})s?\b"),
        re.compile(rf"\b({brands})\b"),
        frozenset(words["noise"]) | {_singular(word) for word in words["noise"]},
        {_set(written): _set(meant) for written, meant in words["whole"].items()},
    )
