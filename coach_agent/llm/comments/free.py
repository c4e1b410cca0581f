"""Clauses of a closed vocabulary, in any order of words: encouragement, praise and cues.

Each word has a class. Words that can be an instruction, a quantity or a change of a load are in no
class, so a clause with one of them is not free. A fault of technique ("swing") needs a negation
before it, and a negation needs a fault, so that neither can turn the meaning of the rest. A part
of the body or of the equipment allows only the actions and positions of its list.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Claim = Literal[
    "none",
    "went_well",
    "progress",
    "praised",
    "mentioned",
    "improved",
    "all_hit",
    "all_up",
    "mostly_up",
]

_LONGEST_PHRASE = 5  # words
_FAULT_WITHIN = 4  # words after its negation, or after another fault


@dataclass(frozen=True)
class FreeWords:
    """Phrases by class. `parts` has the phrases that each part of body or equipment allows.

    `judging` and `progress` are claims about the training as a whole, or about the exercise that
    the clause names. `plain` are the others that need no part.
    """

    plain: frozenset[str]
    linking: frozenset[str]
    judging: frozenset[str]
    progress: frozenset[str]
    negations: frozenset[str]
    faults: frozenset[str]
    parts: Mapping[str, frozenset[str]]

    @cached_property
    def positions(self) -> frozenset[str]:
        """All phrases that need a part which allows them, or are plain."""
        return frozenset().union(*self.parts.values())

    @cached_property
    def phrases(self) -> frozenset[str]:
        """All phrases of all classes."""
        classes = (self.plain, self.linking, self.judging, self.progress, self.negations)
        return frozenset().union(*classes, self.faults, self.parts, self.positions)

    @cached_property
    def words(self) -> frozenset[str]:
        """Each single word."""
        return frozenset(word for phrase in self.phrases for word in phrase.split())


def read_free_words(data: Mapping[str, Mapping[str, str]]) -> FreeWords:
    """The vocabulary of a grammar file: words with blanks between, "_" within a phrase.

    A part "a|b" has two names.
    """
    classes = {name: _phrases(data["words"][name]) for name in _CLASSES}
    parts = {
        name.replace("_", " "): _phrases(allowed)
        for names, allowed in data["parts"].items()
        for name in names.split("|")
    }
    return FreeWords(**classes, parts=parts)


_CLASSES = ("plain", "linking", "judging", "progress", "negations", "faults")


def free_claim(parts: Sequence[str], words: FreeWords) -> Claim | None:
    """Return the claim of a clause of only this vocabulary; None for any other clause."""
    if _NEXT_SUBJECT.search(" ".join(parts)):
        return None  # the beginning of another clause: "keep it tight, and the row"
    read = _read(parts, words)
    if read is None or not _has_matching_faults(read, words):
        return None
    named = [each for each in read if each in words.parts]
    for each in read:
        is_position = each in words.positions and each not in words.linking
        if is_position and named and not all(each in words.parts[part] for part in named):
            return None
        if is_position and not named and each not in words.plain:
            return None
    judging = words.judging | words.progress | _ASSESSING
    judges = any(each in judging for each in read)
    has_rule = any(each in words.positions or each in words.faults for each in read)
    if named and (judges or not has_rule):
        return None  # about a body, or a part without anything to do with it
    content = [each for each in read if each not in words.linking and each != ","]
    if not all(_has_content(part, words) for part in _between_commas(read)):
        return None  # a part of another clause
    has_name = any(each.startswith("@") for each in read)
    name = next((at for at, each in enumerate(read) if each.startswith("@")), len(read))
    if any(each in _CHANGES for each in read[name:]):
        return None  # about the exercise: "the row stays"
    is_of_each = not {"each", "every"}.isdisjoint(read)
    if has_name and not is_of_each and not _OF_ORDER.isdisjoint(read):
        return None
    if len(content) < 1 + has_name or len(read) < _FEWEST:
        return None
    is_of_all = not _OF_ALL.isdisjoint(read)
    if any(each in words.progress for each in read):
        if has_name:
            return "improved"
        is_of_most = any(each.startswith("most ") for each in read)
        return "all_up" if is_of_all else "mostly_up" if is_of_most else "progress"
    if any(each in words.judging for each in read):
        return "praised" if has_name else "all_hit" if is_of_all else "went_well"
    return "mentioned" if has_name else "none"


_FEWEST = 2
_JOINT = "(?:and|but|so|then|or|plus|while|because|as)"
_NEXT_SUBJECT = re.compile(
    rf"\S (?:{_JOINT}|,) (?:(?:both|all|the|your|our) )*@\d|\S , {_JOINT}(?: |$)"
)
_OF_ALL = frozenset({"all", "every", "each", "both", "any", "everything", "everyone"})
_OF_ORDER = frozenset(
    {
        *("start", "starts", "starting", "begin", "begins", "beginning", "fresh"),
        *("finish", "finishes", "finishing", "opening", "closing", "opener", "finisher"),
        *("lead", "leads", "leading", "main lift", "then", "before", "after"),
    }
)
_CHANGES = frozenset(
    {
        *("stay", "stays", "staying", "remain", "remains", "keep", "keeps", "keeping", "move"),
        *("continue", "continues", "continuing", "maintain", "maintains", "maintaining", "moving"),
        *("develop", "develops", "builds", "build", "building", "advances", "follows", "works"),
    }
)
_ASSESSING = frozenset(
    [
        "normal",
        "common",
        "natural",
        "expected",
        "typical",
        "fine",
        "okay",
        "usual",
        "understandable",
        "acceptable",
        "likely",
        "part",
        "result",
        "sign",
        "signal",
        "reaction",
        "response",
        "adaptation",
        "needed",
        "necessary",
        "valid",
        "simply",
        "just",
    ]
)
_NO_FILLERS = frozenset(
    {
        "make",
        "makes",
        "making",
        "bottom of",
        "top of",
        "any",
        "some",
        "everything",
        "everyone",
        "and",
        "then",
    }
)


def fillers(words: FreeWords) -> frozenset[str]:
    """Return the phrases without a meaning in a statement."""
    return (words.plain | words.linking) - words.positions - _NO_FILLERS


def _between_commas(read: Sequence[str]) -> Iterator[Sequence[str]]:
    start = 0
    for at, each in enumerate([*read, ","]):
        if each == ",":
            yield read[start:at]
            start = at + 1


def _has_content(read: Sequence[str], words: FreeWords) -> bool:
    return any(each not in words.linking for each in read)


def _read(parts: Sequence[str], words: FreeWords) -> list[str] | None:
    """The phrases of a clause, the longest ones first; None where a word is in none."""
    phrases = words.phrases
    found: list[str] = []
    at = 0
    while at < len(parts):
        if parts[at] == "," or re.fullmatch(r"@\d+", parts[at]):
            found.append(parts[at])
            at += 1
            continue
        for size in range(min(_LONGEST_PHRASE, len(parts) - at), 0, -1):
            phrase = " ".join(parts[at : at + size])
            if phrase in phrases:
                found.append(phrase)
                at += size
                break
        else:
            return None
    return found


def _has_matching_faults(read: Sequence[str], words: FreeWords) -> bool:
    """Return whether each fault follows a negation and each negation has a fault."""
    reach = 0
    is_open = False
    for each in read:
        if each in words.negations:
            if is_open:
                return False
            reach, is_open = _FAULT_WITHIN, True
        elif each in words.faults:
            if reach <= 0:
                return False
            reach, is_open = _FAULT_WITHIN, False
        else:
            reach -= 1
    return not is_open


def _phrases(text: str) -> frozenset[str]:
    return frozenset(each.replace("_", " ") for each in text.split())
