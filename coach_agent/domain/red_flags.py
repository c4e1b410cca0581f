"""Red flags: signs on which an athlete stops training and seeks medical advice.

The table `red_flags.toml` maps phrases and typed parts of the body to red flags, each with its
source. Recognition prefers a false alarm, which one command clears, to a missed sign.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

from coach_agent.domain.values import Value
from coach_agent.language.messages import DEFAULT, current_language, join_words, name_of, phrase

Urgency = Literal["emergency", "doctor", "rest"]

LIMITS = (
    "Spotter is a training tool, not a doctor. It cannot examine you, diagnose or treat anything. "
    "Before hard training answer the PAR-Q+ (eparmedx.com). Stop at chest pain, fainting or "
    "unusual breathlessness and call your emergency number."
)
"""General text on the limits of the coach."""

_TABLE = Path(__file__).with_suffix(".toml")
_URGENCIES: tuple[Urgency, ...] = ("emergency", "doctor", "rest")
# Words from the first to the last element of a pattern, at most.
_SPAN = 10
# Shorter words differ from too many others by one letter.
_LEAST_TYPO_LETTERS = 5
_TOKENS = re.compile(r"[^\W_]+|[,.;:!?/\n]")
_ENDS = frozenset(".;!\n")


class RedFlag(Value):
    """A kind of sign; `code` is its key in the table, `title` its name for the athlete."""

    code: str
    title: str
    urgency: Urgency
    source: str


@dataclass(frozen=True)
class _Match:
    """The words of a sentence that a pattern has matched."""

    code: str
    words: frozenset[int]

    @property
    def first(self) -> int:
        return min(self.words)

    @property
    def last(self) -> int:
        return max(self.words)


_Phrase = tuple[str, ...]
_Pattern = tuple[tuple[_Phrase, ...], ...]


@dataclass(frozen=True)
class _Table:
    flags: Mapping[str, RedFlag]
    patterns: Mapping[str, tuple[_Pattern, ...]]
    harmless: tuple[_Pattern, ...]
    context: Mapping[str, tuple[_Phrase, ...]]
    vocabulary: frozenset[str]
    words: frozenset[str]

    def matches(self, name: str, tokens: Sequence[str], at: int) -> bool:
        """Return True if a phrase of this context begins at the word."""
        return any(_length(phrase, tokens, at) for phrase in self.context[name])


def all_red_flags() -> tuple[RedFlag, ...]:
    """Return the table of red flags, in its order."""
    return tuple(_table().flags.values())


def red_flags(codes: Iterable[str]) -> tuple[RedFlag, ...]:
    """Return the red flags of these codes, the most urgent first; codes of older versions are
    kept.
    """
    known = _table().flags
    found = [
        known.get(code, RedFlag(code=code, title=code, urgency="doctor", source=""))
        for code in dict.fromkeys(codes)
    ]
    return tuple(sorted(found, key=lambda flag: _URGENCIES.index(flag.urgency)))


def red_flags_in(text: str) -> tuple[str, ...]:
    """Return codes of the red flags in free text or a typed `part:level`, in the order of the
    table.
    """
    table, found = _table(), set()
    for sentence in _sentences(text):
        tokens = _without_harmless(sentence, table)
        taken_back: _Match | None = None
        for match in sorted(_matches(tokens, table), key=lambda each: (each.first, each.last)):
            if _is_taken_back(match, tokens, table, taken_back):
                taken_back = match
            else:
                found.add(match.code)
    return tuple(code for code in table.flags if code in found)


def stop_text(codes: Iterable[str]) -> str:
    """Return instructions for the athlete: the red flags, to stop, and the medical help to seek."""
    found = red_flags(codes)
    if not found:
        return ""
    titles = [_title(flag) for flag in found]
    reported = phrase("red-flag-reported", signs=join_words(titles))
    advice = phrase(f"red-flag-advice-{found[0].urgency}")
    return f"{reported} {advice} {phrase('red-flag-skip')}"


def how_to_clear() -> str:
    """Return instructions to continue after a red flag."""
    return phrase("red-flag-clear")


def _title(flag: RedFlag) -> str:
    is_english = current_language() == DEFAULT
    return flag.title if is_english else name_of("red-flag-sign", flag.code)


@cache
def _table() -> _Table:
    raw = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    groups = {**raw["groups"], "gym": raw["harmless"]["gym"]}
    patterns = {
        code: tuple(_pattern(each, groups) for each in flag["patterns"])
        for code, flag in raw["flags"].items()
    }
    harmless = [_pattern(each, groups) for each in raw["harmless"]["phrases"]]
    words = {_fold(word) for word in raw["harmless"]["words"]}
    words |= {word for each in _words(harmless) for word in each}
    vocabulary = {word for each in patterns.values() for own in _words(each) for word in own}
    return _Table(
        flags={
            code: RedFlag(
                code=code, title=flag["title"], urgency=flag["urgency"], source=flag["source"]
            )
            for code, flag in raw["flags"].items()
        },
        patterns=patterns,
        harmless=tuple(harmless),
        context={
            name: tuple(_phrase(each) for each in phrases)
            for name, phrases in raw["context"].items()
        },
        vocabulary=frozenset(vocabulary),
        words=frozenset(words),
    )


def _pattern(text: str, groups: Mapping[str, Any]) -> _Pattern:
    return tuple(
        tuple(
            _phrase(word)
            for alternative in element.split("|")
            for word in (groups[alternative[1:]] if alternative[0] == "@" else [alternative])
        )
        for element in text.split()
    )


def _phrase(text: str) -> _Phrase:
    return tuple(_fold(word) for word in text.split("_"))


def _words(patterns: Iterable[_Pattern]) -> Iterator[_Phrase]:
    for pattern in patterns:
        for element in pattern:
            yield from element


def _fold(text: str) -> str:
    """Normalize to lower case without accents; umlauts and their two-letter spellings are equal."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(each for each in plain if not unicodedata.combining(each))
    return plain.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def _sentences(text: str) -> Iterator[list[str]]:
    """Yield the words and commas of each sentence; "don't" and "dont" are equal."""
    unquoted = re.sub(r"['`´‘’]", "", text)  # noqa: RUF001 - apostrophes of phones
    tokens: list[str] = []
    for token in _TOKENS.findall(_fold(re.sub(r"(?<=\d)[.,](?=\d)", "", unquoted))):
        if token in _ENDS:
            yield tokens
            tokens = []
        else:
            tokens.append(token)
    yield tokens


def _without_harmless(tokens: Sequence[str], table: _Table) -> list[str]:
    kept = list(tokens)
    for first, *rest in table.harmless:
        for at in range(len(kept)):
            for words in first:
                end = at + _length(words, kept, at)
                following = [_length(each, kept, end) for each in (rest[0] if rest else [()])]
                if end > at and (not rest or any(following)):
                    length = end - at + max(following)
                    kept[at : at + length] = ["_"] * length
    return kept


def _matches(tokens: Sequence[str], table: _Table) -> Iterator[_Match]:
    meanings = [_meanings(token) for token in tokens]
    heard = frozenset().union(*meanings)
    for code, patterns in table.patterns.items():
        for pattern in patterns:
            there = [[each for each in element if heard.issuperset(each)] for element in pattern]
            if not all(there):
                continue
            for combination in product(*(list(_places(element, meanings)) for element in there)):
                words = frozenset().union(*combination)
                is_apart = len(words) == sum(map(len, combination))
                if is_apart and max(words) - min(words) < _SPAN:
                    yield _Match(code, words)


def _places(element: Sequence[_Phrase], meanings: Sequence[frozenset[str]]) -> Iterator[range]:
    for words in element:
        for at in range(len(meanings) - len(words) + 1):
            if all(word in meanings[at + n] for n, word in enumerate(words)):
                yield range(at, at + len(words))


@lru_cache(maxsize=10_000)
def _meanings(token: str) -> frozenset[str]:
    """Return the matching words and stems of the patterns, typing errors included."""
    table = _table()
    found = {word for word in table.vocabulary if _is_word(token, word)}
    if token not in table.words and not found:
        found = {
            word
            for word in table.vocabulary
            if min(len(token), len(word)) >= _LEAST_TYPO_LETTERS and _is_one_edit(token, word)
        }
    return frozenset(found)


def _length(phrase: _Phrase, tokens: Sequence[str], at: int) -> int:
    """Return the number of words of a phrase that begins at this word; 0 without a match."""
    there = tokens[at : at + len(phrase)]
    is_there = len(there) == len(phrase) and all(map(_is_word, there, phrase))
    return len(phrase) if is_there else 0


def _is_word(token: str, word: str) -> bool:
    return token.startswith(word[:-1]) if word[-1] == "*" else token == word


def _is_one_edit(one: str, other: str) -> bool:
    """Return True for one letter more, less, other or exchanged; the first letter is right."""
    if one[0] != other[0] or abs(len(one) - len(other)) > 1:
        return False
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None:
        return True
    rest, other_rest = one[same:], other[same:]
    is_exchanged = rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:]
    return is_exchanged or other_rest[1:] in {rest, rest[1:]} or rest[1:] == other_rest


def _is_taken_back(
    match: _Match, tokens: Sequence[str], table: _Table, taken_back: _Match | None
) -> bool:
    """Return whether the sentence denies the sign, or is about another person."""
    after = match.last + 1
    near = range(after, min(after + 4, len(tokens)))
    if any(table.matches("kept_after", tokens, at) for at in near):
        return False
    inside = set(range(match.first, match.last + 1)) - match.words
    if any(table.matches("negations", tokens, at) for at in inside):
        return True
    if _is_denied_before(match, tokens, table):
        return True
    if taken_back is not None and taken_back.first <= match.first:
        between = range(taken_back.last + 1, match.first)
        if all(
            table.matches("connectors", tokens, at) or table.matches("fillers", tokens, at)
            for at in between
        ) and not any(tokens[at] == "but" for at in between):
            return True
    skipped = [at for at in near if tokens[at] not in {"is", "was", ":", ",", "?", "today", "now"}]
    if skipped and table.matches("taken_back_after", tokens, skipped[0]):
        return True
    if skipped and skipped[0] == len(tokens) - 1:
        return table.matches("taken_back_last", tokens, skipped[0])
    return False


def _is_denied_before(match: _Match, tokens: Sequence[str], table: _Table) -> bool:
    for at in range(match.first - 1, max(-1, match.first - 8), -1):
        if table.matches("negations", tokens, at) or table.matches("others", tokens, at):
            return True
        if table.matches("breaks", tokens, at) or not table.matches("fillers", tokens, at):
            return False
    return False
