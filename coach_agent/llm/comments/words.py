"""Words of a sentence with their meanings, in the language that fits it best.

`words.toml` has the words of each language by meaning: `*` stands for any ending, `_` joins the
words of a phrase. Meanings are explained there.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from coach_agent.llm.comments.names import LANGUAGES, Names, exercise_names
from coach_agent.llm.comments.sentences import fold

_LONGEST_PHRASE = 5
_LIKELY = 3  # languages with the most known words that are compared; the others are slow to exclude
_OF = frozenset({"x", "of", "de", "da", "di", "van", "von", "mit", "po", "a"})
"""Words between a number of sets and that of their repetitions, in all languages."""
_ARTICLES = frozenset({"de", "le", "les", "las", "los", "as", "die", "der", "the"})
_WORD = re.compile(r"[a-z]+")
_UNITS = ("load", "reps", "sets", "seconds", "minutes", "percent", "lifts", "workouts")
_CONTRACTIONS = ((re.compile(r"n't\b"), " not"), (re.compile(r"'(?:s|ve|ll|re|d|m)\b"), " "))
_DECIMAL_COMMA = re.compile(r"(?<![\d,.])(\d{1,3}),(\d{1,2})(?![\d,]|\.\d)")
_TOKEN = re.compile(
    r"(?P<name>\x00\d+\x00)|(?P<number>\d+(?:\.\d+)?)(?P<unit>[a-z%]*)|(?P<word>[a-z]+)|(?P<mark>\S)"
)


@dataclass(frozen=True)
class Number:
    """A number; `role` is "to", "by" or "from" if a word gives it, `kind` its unit or "bare"."""

    value: float
    kind: str = "bare"
    unit: str = ""
    role: str = ""
    decimals: int = 0


@dataclass(frozen=True)
class Token:
    """A word with its meanings, a number, a mention of exercises by index, or a mark.

    A mention without indexes is an exercise that is not in the facts.
    """

    text: str
    labels: frozenset[str] = frozenset()
    number: Number | None = None
    mention: tuple[int, ...] | None = None

    @property
    def is_unknown(self) -> bool:
        """True for a word without a meaning."""
        return self.text.isalpha() and not self.labels and self.mention is None


@dataclass(frozen=True)
class Words:
    """The words of a language by phrase: exact ones, and beginnings by number of words."""

    exact: Mapping[str, frozenset[str]]
    beginnings: Mapping[str, tuple[tuple[str, str], ...]]

    def labels(self, phrase: str) -> frozenset[str]:
        """Return the meanings of a phrase; empty if it has none."""
        if phrase in self.exact:
            return self.exact[phrase]
        count = phrase.count(" ")
        return frozenset(
            label
            for start, label in self.beginnings.get(phrase[:2], ())
            if phrase.startswith(start) and start.count(" ") == count
        )


def read_words(sentence: str, titles: tuple[str, ...], preferred: str) -> tuple[Token, ...]:
    """Return the tokens of a sentence in the language with the fewest unknown words."""
    text = _normalized(sentence)
    words = _WORD.findall(text)
    languages = sorted(LANGUAGES, key=lambda each: each != preferred)
    known = {each: sum(bool(words_of(each).labels(w)) for w in words) for each in languages}
    likely = sorted(languages, key=lambda each: -known[each])[:_LIKELY]
    found = [tuple(_tokens(text, words_of(each), exercise_names(titles, each))) for each in likely]
    return min(found, key=lambda tokens: sum(each.is_unknown for each in tokens))


@cache
def words_of(language: str) -> Words:
    """Load the words of a language."""
    data = tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))
    exact: dict[str, set[str]] = {}
    beginnings: dict[str, list[tuple[str, str]]] = {}
    for label, text in _labelled(data[language]):
        for each in text.split():
            phrase = fold(each).replace("_", " ")
            if phrase.endswith("*"):
                beginnings.setdefault(phrase[:2], []).append((phrase[:-1], label))
            else:
                exact.setdefault(phrase, set()).add(label)
    return Words(
        {phrase: frozenset(labels) for phrase, labels in exact.items()},
        {start: tuple(each) for start, each in beginnings.items()},
    )


def _labelled(data: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for label, value in data.items():
        if isinstance(value, dict):
            yield from _labelled(value, f"{label} ")
        else:
            yield f"{prefix}{label}", str(value)


def _normalized(sentence: str) -> str:
    text = fold(sentence)
    for form, plain_form in _CONTRACTIONS:
        text = form.sub(plain_form, text)
    text = text.replace("in a row", "consecutive")  # "row" is an exercise
    text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    text = re.sub(r"(?<=\d)\s*[x×]\s*(?=\d)", " x ", text)
    text = re.sub(r"(?<=\d)\s*(?:[–—-]|→)\s*(?=\d)", " - ", text)  # noqa: RUF001
    return re.sub(r"(?<=[a-z])-(?=[a-z])|'", " ", text)


def _tokens(text: str, words: Words, names: Names) -> Iterator[Token]:
    mentions: list[tuple[int, ...]] = []

    def keep(match: re.Match[str]) -> str:
        mentions.append(names.indexes[(match.lastindex or 1) - 1])
        return f" \x00{len(mentions) - 1}\x00 "

    raw = list(_TOKEN.finditer(names.pattern.sub(keep, text)))
    read: list[Token] = []
    at = 0
    while at < len(raw):
        match = raw[at]
        size = 1
        if match["name"]:
            index = int(match["name"].strip("\x00"))
            read.append(Token("", mention=mentions[index]))
        elif match["number"]:
            read.append(_number(match, words))
        elif match["word"]:
            token, size = _phrase(raw, at, words)
            read.append(token)
        else:
            read.append(Token(match["mark"], words.labels(match["mark"])))
        at += size
    return iter(_with_units(read))


def _number(match: re.Match[str], words: Words) -> Token:
    decimals = len(match["number"].partition(".")[2])
    number = Number(float(match["number"]), decimals=decimals)
    if not match["unit"]:
        return Token(match[0], number=number)
    kind = _kind(words.labels(match["unit"])) or ("reps" if match["unit"] in {"s", "x"} else "")
    if match["unit"] == "x":  # "3x" before "8" is split before; "3x" alone counts sets
        kind = "sets"
    return Token(match[0], number=replace(number, kind=kind or "unclear", unit=match["unit"]))


def _phrase(raw: Sequence[re.Match[str]], at: int, words: Words) -> tuple[Token, int]:
    longest = 1
    while longest < _LONGEST_PHRASE and at + longest < len(raw) and raw[at + longest]["word"]:
        longest += 1
    for size in range(longest, 0, -1):
        phrase = " ".join(each[0] for each in raw[at : at + size])
        if labels := words.labels(phrase):
            return Token(phrase, labels), size
    return Token(raw[at][0]), 1


def _kind(labels: frozenset[str]) -> str:
    return next((each for each in _UNITS if f"unit {each}" in labels), "")


def _with_units(read: Sequence[Token]) -> Sequence[Token]:
    """Give each number the unit that follows, and the role that a word beside it gives."""
    read = [_spelled(read, at) for at in range(len(read))]
    found: list[Token] = []
    for at, token in enumerate(read):
        number = token.number
        if number is None:
            found.append(token)
            continue
        after = at + 1
        while after < len(read) and (
            read[after].labels & {"more", "praise"} or read[after].mention is not None
        ):
            after += 1
        if after == at + 1 and after + 1 < len(read) and _is_adjective(read[after]):
            after += _kind(read[after + 1].labels) in {"sets", "reps", "workouts"}
        unit = _kind(read[after].labels) if after < len(read) else ""
        if number.kind == "bare" and unit:
            number = replace(number, kind=unit, unit=read[after].text)
        is_times = [each.text for each in read[at + 1 : at + 2]] == ["x"]
        if is_times and number.kind == "bare" and at + 2 < len(read) and read[at + 2].number:
            number = replace(number, kind="sets")
        is_repeated = number.kind == "workouts" and read[after + 1 : after + 2]
        if is_repeated and read[after + 1].number is not None:
            number = replace(number, kind="sets")  # "three times ten"
        if number.kind == "bare" and _counts_sets(found):
            number = replace(number, kind="reps")
        before = read[at - 1].labels if at else frozenset[str]()
        beyond = read[at + 1 : after + 2]
        role = next((each for each in ("to", "by", "from") if each in before), "")
        is_step = "step" in before or (
            at > 1 and "step" in read[at - 2].labels and "lead" in before
        )
        is_step = is_step or (at > 0 and read[at - 1].text in {"up", "down"})
        if not role and (is_step or any({"more", "by"} & each.labels for each in beyond)):
            role = "by"
        found.append(replace(token, number=replace(number, role=role)))
    return _with_kinds_of_lists(found)


def _is_adjective(token: Token) -> bool:
    """Return whether a word can stand between a number and its unit: "three neat sets"."""
    return (
        token.is_unknown
        or token.text in _ARTICLES
        or ("short" in token.labels and token.text.isalpha())
    )


def _counts_sets(before: Sequence[Token]) -> bool:
    """Return whether the number before is one of sets, with its unit or "x" alone between."""
    for at in range(len(before) - 1, max(len(before) - 5, -1), -1):
        number = before[at].number
        if number is not None:
            return number.kind == "sets"
        if before[at].text not in _OF and not before[at].labels & {"unit sets", "unit workouts"}:
            return False
    return False


def _spelled(read: Sequence[Token], at: int) -> Token:
    """Return the number of a spelled one; "one" is a number only beside "more" or "extra"."""
    token = read[at]
    label = next((each for each in token.labels if each.startswith("number ")), None)
    if label is None:
        return token
    value = float(label.removeprefix("number "))
    near = (*read[max(at - 1, 0) : at], *read[at + 1 : at + 3])
    is_count = at + 1 < len(read) and "unit lifts" in read[at + 1].labels
    if value == 1 and not is_count and not any({"more", "step"} & e.labels for e in near):
        return replace(token, labels=token.labels - {label} | {"filler"})
    return replace(token, number=Number(value))


def _with_kinds_of_lists(read: Sequence[Token]) -> Sequence[Token]:
    """Give "9" and "8" in "9, 8 and 8 reps" the unit of the last number, and ranges as well."""
    found = list(read)
    for at in range(len(found) - 1, -1, -1):
        number = found[at].number
        if number is None or number.kind != "bare":
            continue
        after = at + 1
        while after < len(found) and (
            found[after].labels & {"to", "and"} or found[after].text in {",", "-", "/"}
        ):
            after += 1
        other = found[after].number if after < len(found) else None
        if other is not None and after > at + 1 and other.kind in {"load", "reps", "seconds"}:
            found[at] = replace(found[at], number=replace(number, kind=other.kind, unit=other.unit))
    return found
