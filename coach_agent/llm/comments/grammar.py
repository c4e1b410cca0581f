"""The closed grammar of comments: the clauses of a language, and their claims.

A grammar file has macros and, by claim, patterns of clauses. In a pattern a word matches itself,
`(a|b)` one of several, `(a)*` any number of them, `[a]` an optional part, `<name>` a macro, and
`<name:role>` a macro with its text captured under that role. A sentence that does not parse
completely into such clauses has no reading.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import count

from coach_agent.llm.comments.free import FreeWords, fillers, free_claim, read_free_words
from coach_agent.llm.comments.sentences import LETTERS, Number, NumberKind, Tokens, Vocabulary
from coach_agent.llm.comments.statement import (
    Lexicon,
    Phrase,
    Stated,
    phrases,
    read_lexicon,
    stated,
    without_inner_names,
)

_PIECE = re.compile(r"\)\*|[()\[\]|]|<\w+(?::\w+)?>|[a-z']+|[,;:!?.]")
_WORD = re.compile(r"[a-z']+")
_EDGES = re.compile(r"^(?:[,;:] )+|(?<!\S)(?:[,;:] )+$")
_QUANTITIES = frozenset({"each", "every", "all", "set", "sets", "rep", "reps", "whole"})
_BREAKS = frozenset({",", ";", ":"})
_ADJUNCTS = ("anywhere", "with_exercise", "leads")
_FREE = frozenset({"none", "cue"})
_BUILT_IN = {name: rf"{letter}\d+ " for name, letter in LETTERS.items()} | {"mention": r"@\d+ "}


class GrammarError(ValueError):
    """An invalid grammar file; the message names the pattern."""


@dataclass(frozen=True)
class Clause:
    """A parsed part of a sentence: its claim, its exercises and its numbers."""

    claim: str
    text: str
    mentions: tuple[tuple[int, ...], ...]
    numbers: Mapping[str, tuple[Number, ...]]
    stated: Stated | None = None
    is_past: bool = False
    is_attached: bool = False

    def in_the_past(self) -> "Clause":
        """Return the clause after one about the last time: "with 12 reps" is then about it as
        well.
        """
        if not self.is_attached:
            return self
        stated = self.stated and replace(self.stated, is_past=True)
        claim = "last" if self.claim == "planned" else self.claim
        return replace(self, claim=claim, stated=stated, is_past=True)


Reading = tuple[tuple[Clause, ...], ...]
"""Clauses of a sentence in order, each with all of its readings."""


@dataclass(frozen=True)
class Adjuncts:
    """Parts of a clause without a claim. `leads` are those at its beginning."""

    anywhere: re.Pattern[str]
    with_exercise: re.Pattern[str]
    leads: re.Pattern[str]

    def without(self, text: str, *, exercises: bool) -> str:
        """Remove adjuncts from the text; with `exercises` also those that name one."""
        bare = self.leads.sub("", text, count=1)
        if exercises:
            bare = self.with_exercise.sub("", bare)
        return _EDGES.sub("", self.anywhere.sub("", bare))


@dataclass(frozen=True)
class Grammar:
    """The clauses of a language. `words` are all words of its patterns and tokens."""

    language: str
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    joints: re.Pattern[str]
    vocabulary: Vocabulary
    exercise_words: frozenset[str]
    exercise_heads: frozenset[str]
    short_names: Mapping[str, tuple[str, ...]]
    ordinals: Mapping[str, int]
    words: frozenset[str]
    lexicon: Lexicon
    free: FreeWords
    past_words: frozenset[str]
    done_words: frozenset[str]
    openers: frozenset[str]
    adjuncts: Adjuncts

    def unknown_words(self, found: Tokens) -> tuple[str, ...]:
        """Return the words that no sentence of the language can have."""
        return tuple(
            each for each in found.text.split() if _WORD.fullmatch(each) and each not in self.words
        )

    def readings(self, found: Tokens) -> Iterator[Reading]:
        """Yield each parse of the sentence into clauses, the fewest clauses first."""
        parts = found.text.split()
        cuts = [
            place
            for place, part in enumerate(parts)
            if place == 0
            or part in _BREAKS
            or part in self.openers
            or self.joints.match(_text(parts[place:]))
        ]
        starts = sorted({0, *cuts, *(place + 1 for place in cuts if parts[place] in _BREAKS)})
        ends = [*starts[1:], len(parts)]
        clauses = {
            (start, end): read
            for start in starts
            for end in ends
            if end > start and (read := self._clauses(parts[start:end], found))
        }
        yield from _covers(clauses, parts)

    def _clauses(self, parts: Sequence[str], found: Tokens) -> tuple[Clause, ...]:
        text = _text(parts)
        read = []
        for rest in self._without_joints(text):
            for claim, pattern in self.patterns:
                match = pattern.fullmatch(rest)
                clause = match and _clause(claim, match, found, self.ordinals)
                is_dated = self._is_dated(claim, rest.split())
                if clause and is_dated and _has_all_numbers(clause):
                    read.append(clause)
            read += self._statements(rest, found)
        read = read or list(self._bare_clauses(text, found))
        if all(map(_is_general, read)):
            read += self._free_clauses(text, found)
        is_past = not self.past_words.isdisjoint(parts)
        first = self.lexicon.get(tuple(parts[:1]))
        is_attached = first is not None and first.kind == "at"
        return tuple(replace(each, is_past=is_past, is_attached=is_attached) for each in read)

    def _is_dated(self, claim: str, words: Sequence[str]) -> bool:
        """Return whether a clause has the tense of its claim."""
        if claim == "planned":
            return self.done_words.isdisjoint(words)
        return claim != "last" or not self.past_words.isdisjoint(words)

    def _statements(self, text: str, found: Tokens) -> Iterator[Clause]:
        text = _EDGES.sub("", text)
        bare = self.adjuncts.without(text, exercises=False)
        for core in dict.fromkeys((text, bare)):
            if _quantities(core) != _quantities(text):
                return
            meaning = stated(core.split(), found, self.lexicon)
            if meaning is not None:
                mentions = _mentions(text, found)
                yield Clause("statement", text, mentions, meaning.numbers, meaning)
                return

    def _bare_clauses(self, text: str, found: Tokens) -> Iterator[Clause]:
        """Yield cues, and clauses without a claim that have further parts without one."""
        for rest in self._without_joints(text):
            for exercises in (False, True):
                core = self.adjuncts.without(rest, exercises=exercises)
                if any(
                    not core or (claim in _FREE and pattern.fullmatch(core))
                    for claim, pattern in self.patterns
                ) and not re.search(r"(?<!\S)[a-z]\d+ ", core):
                    yield Clause("cue", rest, _mentions(rest, found), {})
                    return

    def _free_clauses(self, text: str, found: Tokens) -> Iterator[Clause]:
        """A clause of the closed vocabulary of words without an instruction or a quantity."""
        for rest in self._without_joints(text):
            rest = _EDGES.sub("", rest)
            if re.search(r"(?<!\S)[a-z]\d+ ", f"{rest} "):
                return
            for core in dict.fromkeys((rest, self.adjuncts.without(rest, exercises=False))):
                claim = free_claim(without_inner_names(core.split()), self.free)
                if claim is not None:
                    yield Clause(claim, rest, _mentions(rest, found), {})
                    return

    def _without_joints(self, text: str) -> Iterator[str]:
        """Yield the text, and the text without one, two and three leading joining words."""
        yield text
        for _ in range(3):
            match = self.joints.match(text)
            if match is None or match.end() == len(text):
                return
            text = text[match.end() :]
            yield text


@cache
def grammar(language: str) -> Grammar | None:
    """Load the grammar of a language; None if there is no file for it.

    Raises:
        GrammarError: the file is invalid.
    """
    path = files(__package__) / f"{language}.toml"
    if not path.is_file():
        return None
    return read_grammar(language, path.read_text(encoding="utf-8"))


@cache
def grammar_sha256(language: str) -> str:
    """Return the hash of a language's grammar file; empty without one."""
    path = files(__package__) / f"{language}.toml"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def read_grammar(language: str, text: str) -> Grammar:
    """Parse a grammar file.

    Raises:
        GrammarError: a pattern is malformed, or uses a macro that is not defined before it.
    """
    data = tomllib.loads(text)
    macros = dict(_BUILT_IN)
    for name, pattern in data["macros"].items():
        macros[name] = _compile(pattern, macros)
    patterns = tuple(
        (claim, re.compile(_with_single_names(_compile(pattern, macros))))
        for claim, of_claim in data["clauses"].items()
        for pattern in of_claim
    )
    vocabulary = Vocabulary(
        units={word: _unit(value) for word, value in data["units"].items()},
        number_words=data["number_words"],
        contractions=data["contractions"],
        synonyms=data["synonyms"],
        count_verbs=frozenset(data["count_verbs"]),
        rewrites=tuple((re.compile(form), given) for form, given in data["rewrites"].items()),
    )
    joints = _compile(data["joints"], macros)
    adjunct_patterns = [
        _compile(pattern, macros) for name in _ADJUNCTS for pattern in data["adjuncts"][name]
    ]
    free = read_free_words(data["free"])
    lexicon = {
        **{tuple(each.split()): Phrase("filler") for each in fillers(free)},
        **read_lexicon(data["statement"]),
    }
    known = {
        word
        for pattern in (joints, *adjunct_patterns, *(each.pattern for _, each in patterns))
        for word in _WORD.findall(re.sub(r"\\d|\?P<\w+>|\\", " ", pattern))
    }
    return Grammar(
        language=language,
        patterns=patterns,
        joints=re.compile(joints),
        vocabulary=vocabulary,
        exercise_words=frozenset(data["exercises"]["words"]) | set(data["exercises"]["heads"]),
        exercise_heads=frozenset(data["exercises"]["heads"]),
        short_names={name: tuple(given) for name, given in data["exercises"]["short"].items()},
        ordinals=data["ordinals"],
        words=frozenset(known) | set(phrases(lexicon)) | free.words,
        lexicon=lexicon,
        free=free,
        past_words=frozenset(data["past_words"]),
        done_words=frozenset(data["done_words"]),
        openers=frozenset(data["openers"]),
        adjuncts=Adjuncts(
            **{name: _any_of(data["adjuncts"][name], macros, name) for name in _ADJUNCTS}
        ),
    )


def _any_of(patterns: Sequence[str], macros: Mapping[str, str], name: str) -> re.Pattern[str]:
    whole = "|".join(_compile(pattern, macros) for pattern in patterns) or "(?!)"
    start = "^" if name == "leads" else r"(?<!\S)"
    return re.compile(_with_single_names(f"{start}(?:{whole})"))


def _with_single_names(pattern: str) -> str:
    """Number the names of the expression's groups, because a role may be in several
    alternatives.
    """
    numbers = count()
    return re.sub(r"\(\?P<(\w+)>", lambda found: f"(?P<{found[1]}_{next(numbers)}>", pattern)


def _is_general(clause: Clause) -> bool:
    """Return whether a statement names no exercise, no number and no unchanged load."""
    stated = clause.stated
    if stated is None or clause.mentions or stated.has_numbers or stated.condition is not None:
        return False
    return all(sign == 1 and measure == "any" for measure, sign in stated.changes)


def _text(parts: Sequence[str]) -> str:
    return "".join(f"{part} " for part in parts)


def _quantities(text: str) -> list[str]:
    return [word for word in text.split() if word in _QUANTITIES]


def _unit(value: str) -> tuple[NumberKind, str]:
    word, _, name = value.partition(" ")
    kind = next((each for each in LETTERS if each == word), None)
    if kind is None:
        raise GrammarError(f"{word} is no kind of number")
    return kind, name


def _compile(pattern: str, macros: Mapping[str, str]) -> str:
    """Build the regular expression of a pattern; each of its tokens ends with a blank."""
    found: list[str] = []
    opened: list[int] = []
    position = 0
    for match in _PIECE.finditer(pattern):
        if pattern[position : match.start()].strip():
            raise GrammarError(f"no pattern: {pattern}")
        position, piece = match.end(), match[0]
        if piece in {"(", "["}:
            opened.append(len(found))
            found.append("(?:")
        elif piece in {")", "]", ")*"}:
            if not opened:
                raise GrammarError(f"no pattern: {pattern}")
            start = opened.pop()
            if piece == ")*":
                # Atomic: a word in two alternatives would double the number of paths with each
                # word.
                found[start] = "(?:(?>"
            found.append({")": ")", "]": ")?", ")*": "))*"}[piece])
        elif piece == "|":
            found.append("|")
        elif piece.startswith("<"):
            name, _, role = piece[1:-1].partition(":")
            if name not in macros:
                raise GrammarError(f"{name} is not defined before: {pattern}")
            found.append(f"(?P<{role}>{macros[name]})" if role else f"(?:{macros[name]})")
        else:
            found.append(re.escape(piece) + " ")
    if opened or pattern[position:].strip():
        raise GrammarError(f"no pattern: {pattern}")
    return f"(?:{''.join(found)})"


def _stated(part: str, found: Tokens, ordinals: Mapping[str, int]) -> Number | None:
    if re.fullmatch(r"[a-z]\d+", part):
        return found.numbers[int(part[1:])]
    return Number("bare", ordinals[part], "") if part in ordinals else None


def _clause(claim: str, match: re.Match[str], found: Tokens, ordinals: Mapping[str, int]) -> Clause:
    numbers: dict[str, tuple[Number, ...]] = {}
    for name, text in match.groupdict().items():
        if text is not None:
            role = name.rpartition("_")[0]
            stated = (_stated(part, found, ordinals) for part in text.split())
            numbers[role] = tuple(each for each in stated if each is not None)
    return Clause(claim, match[0], _mentions(match[0], found), numbers)


def _mentions(text: str, found: Tokens) -> tuple[tuple[int, ...], ...]:
    return tuple(found.mentions[int(part[1:])] for part in text.split() if part.startswith("@"))


def _has_all_numbers(clause: Clause) -> bool:
    """Return whether each number of the clause has a role, so that none is shown unchecked."""
    stated = sum(bool(re.fullmatch(r"[a-z]\d+", part)) for part in clause.text.split())
    with_role = sum(len(each) for role, each in clause.numbers.items() if role != "place")
    return stated == with_role


def _covers(
    clauses: Mapping[tuple[int, int], tuple[Clause, ...]], parts: Sequence[str]
) -> Iterator[Reading]:
    """Yield each path from the first part to the end, the longest clauses first."""
    end = len(parts)
    alive = {end}
    for place in range(end - 1, -1, -1):
        is_break = parts[place] in _BREAKS and place + 1 in alive
        if is_break or any(start == place and stop in alive for start, stop in clauses):
            alive.add(place)

    def covers(start: int) -> Iterator[Reading]:
        while start < end and parts[start] in _BREAKS:
            start += 1
        if start == end:
            yield ()
            return
        for key in sorted((key for key in clauses if key[0] == start), reverse=True):
            if key[1] in alive:
                for rest in covers(key[1]):
                    yield (clauses[key], *rest)

    return covers(0)
