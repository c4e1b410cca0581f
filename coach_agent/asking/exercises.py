"""Match the words of a question to titles of exercises, strictly."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from coach_agent.asking.vocabulary import Phrase, vocabulary, words_of

_PARENTHESES = re.compile(r"\([^)]*\)")


@dataclass(frozen=True)
class Match:
    """The titles that contain all words of a question; several if the words are ambiguous.

    `is_exact` if the words name the whole exercise, apart from its equipment.
    """

    titles: tuple[str, ...]
    is_exact: bool


class Titles:
    """Titles of exercises, by the stems of their words."""

    def __init__(self, titles: Iterable[str]) -> None:
        self._stems: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
            title: (_stems(_PARENTHESES.sub(" ", title)), _stems(title)) for title in titles
        }

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the stems of all words."""
        return frozenset(word for _, full in self._stems.values() for word in full)

    def matching(self, words: Sequence[str]) -> Match | None:
        """Return the titles that contain all words; None without one.

        A title with no other word outside its parentheses has precedence: "bench" is "Bench Press
        (Barbell)" before "Incline Bench Press (Barbell)".
        """
        wanted = frozenset(expanded(words))
        found = [title for title, (_, full) in self._stems.items() if wanted <= full]
        exact = [title for title in found if self._stems[title][0] <= wanted]
        if not wanted or not found:
            return None
        return Match(tuple(exact or found), bool(exact))


def expanded(words: Sequence[str]) -> tuple[str, ...]:
    """Return the stems of the words, with the gym's names in the words of titles."""
    names, found, at = vocabulary().exercises, list[str](), 0
    while at < len(words):
        name = _name_at(words, at, names)
        found += names[name] if name else words[at : at + 1]
        at += len(name) or 1
    return tuple(dict.fromkeys(stem(word) for word in found))


def stem(word: str) -> str:
    """Return the word without a plural ending: curls, presses, flies."""
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


def _name_at(words: Sequence[str], at: int, names: Mapping[Phrase, Phrase]) -> Phrase:
    for length in (2, 1):
        if (name := tuple(words[at : at + length])) in names:
            return name
    return ()


def _stems(title: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(title))
