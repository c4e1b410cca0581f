"""Sentences of a text, and their tokens: words, numbers with a kind, exercises."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

NumberKind = Literal["load", "bare", "reps", "sets", "seconds", "percent", "minutes", "count"]

LONGEST_SENTENCE = 260
"""Characters; a longer sentence is not parsed."""

_MARKS = re.compile(r"^\s*(?:[#>*•–-]+\s+)+|[*_`]+(?=\S)|(?<=\S)[*_`]+")  # noqa: RUF001
_STAR_TIMES = re.compile(r"(?<=\d)\s*\*\s*(?=\d)")
_AT = re.compile(r"(?<=[\w)])\s*@\s*(?=\d)")
_END = re.compile(r"(?<=[.!?])[\"')]*\s+|\s*\n+\s*")
_ALLOWED = re.compile(r"[A-Za-z0-9 .,;:!?'\"()%×+–—-]*")  # noqa: RUF001 - dashes of prose
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2026": "."})
_TOKEN = re.compile(
    r"(?P<lift>@\d+@)|(?P<number>\d+(?:\.\d+)?)(?P<unit>kgs?|lbs?|kilos?|s|%)?(?!\w)"
    r"|(?P<word>[a-z]+(?:'[a-z]+)?)|(?P<mark>[.,;:!?%×+()\"–—-])"  # noqa: RUF001
)

# "1,000" and "2,5" are different numbers in different countries.
_UNCLEAR = re.compile(r"(?<![\d,])\d+,\d+(?![\d,])|,\d{3}(?!\d)")
_AFTER_COUNT = frozenset({".", ",", ";", "on", "than", "in", "for", "each"})
_FORMS = (
    (re.compile(r"(?<=[a-z])-(?=[a-z])"), " "),
    (re.compile(r"(?<=\d),(?=\d)"), ", "),
    (re.compile(r"(?<=\d)\s*[x×]\s*(?=\d)"), " x "),
    (re.compile(r"(?<=\d)\s*[–—-]\s*(?=\d)"), " to "),  # noqa: RUF001
)


@dataclass(frozen=True)
class Number:
    """A number of a text; `decimals` is its number of decimal digits."""

    kind: NumberKind
    value: float
    unit: str
    decimals: int = 0


@dataclass(frozen=True)
class Tokens:
    """A sentence as text for patterns: each token ends with a blank.

    `<letter><n>` is the number n of `numbers`, `@<n>` the mention n of `mentions`, which holds
    indexes of exercises.
    """

    text: str
    numbers: tuple[Number, ...]
    mentions: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Vocabulary:
    """Words of a language that the tokeniser parses itself."""

    units: Mapping[str, tuple[NumberKind, str]]
    number_words: Mapping[str, float]
    contractions: Mapping[str, str]
    synonyms: Mapping[str, str]
    count_verbs: frozenset[str] = frozenset()
    rewrites: tuple[tuple[re.Pattern[str], str], ...] = ()


LETTERS: Mapping[NumberKind, str] = {
    "load": "k",
    "bare": "n",
    "reps": "r",
    "sets": "s",
    "seconds": "t",
    "percent": "p",
    "minutes": "m",
    "count": "c",
}


def plain(text: str) -> str:
    """Normalize the text to its visible form: no invisible characters, one line."""
    text = unicodedata.normalize("NFKC", text)
    return re.sub(r"\s+", " ", "".join(map(_visible, text))).strip()


def sentences(text: str) -> list[str]:
    """Split a text into sentences in visible form, without Markdown emphasis."""
    lines = [
        plain(_AT.sub(" at ", _MARKS.sub("", _STAR_TIMES.sub("×", line))))
        for line in text.translate(_QUOTES).splitlines()
    ]
    return [part.strip() for part in _END.split("\n".join(lines)) if part.strip()]


def has_only_plain_characters(sentence: str) -> bool:
    """Return whether a sentence has only English letters, digits and marks of prose."""
    return bool(_ALLOWED.fullmatch(sentence))


def tokens(
    sentence: str, names: Sequence[tuple[str, tuple[int, ...]]], words: Vocabulary
) -> Tokens | None:
    """Tokenise a sentence; None if a part of it is no token.

    `names` are lower-case names of exercises, each with its possible indexes, longest first.
    """
    text = sentence.lower()
    for short, full in words.contractions.items():
        text = re.sub(rf"\b{re.escape(short)}\b", full, text)
    for form, plain_form in words.rewrites:
        text = form.sub(plain_form, text)
    if _UNCLEAR.search(text):
        return None
    for pattern, plain_form in _FORMS:
        text = pattern.sub(plain_form, text)
    mentions: list[tuple[int, ...]] = []
    for name, indexes in names:
        found = re.compile(rf"(?<![\w@]){re.escape(name)}(?![\w@])")
        while match := found.search(text):
            text = f"{text[: match.start()]} @{len(mentions)}@ {text[match.end() :]}"
            mentions.append(indexes)
    numbers: list[Number] = []
    parts: list[str] = []
    end = 0
    raw = list(_raw(text))
    if sum(len(each[0]) for each in raw) != len(re.sub(r"\s+", "", text)):
        return None
    while end < len(raw):
        step = _number(raw, end, words)
        if _continues_count(raw, end, numbers, words):
            value = words.number_words[raw[end][0]]
            step = Number("count", value, "lift"), end + 1
        if step is not None:
            number, end = step
            parts.append(f"{LETTERS[number.kind]}{len(numbers)}")
            numbers.append(number)
            continue
        piece = raw[end][0]
        end += 1
        if piece.startswith("@"):
            parts.append(piece.rstrip("@"))
        elif piece in "()–—-":  # noqa: RUF001
            parts.append(",")
        elif piece == "×":
            parts.append("x")
        elif piece != '"':
            parts.append(words.synonyms.get(piece, piece))
    while parts and parts[-1] in {".", "!", "?", ","}:
        parts.pop()
    return Tokens("".join(f"{part} " for part in parts), tuple(numbers), tuple(mentions))


def _raw(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = _TOKEN.match(text, position)
        if match is None:
            return
        yield match[0], match
        position = match.end()


def _number(
    raw: Sequence[tuple[str, re.Match[str]]], at: int, words: Vocabulary
) -> tuple[Number, int] | None:
    """Parse the number with its unit at a token; returns it with the next index, or None."""
    piece, match = raw[at]
    glued = None
    if match["number"]:
        value, decimals = float(match["number"]), len(match["number"].partition(".")[2])
        glued = match["unit"]
        after = at + 1
    elif piece in words.number_words:
        value, decimals, after = words.number_words[piece], 0, at + 1
        if value >= 20 and after < len(raw):
            ones = words.number_words.get(raw[after][0], 0.0)
            if 0 < ones < 10 and value < 100:
                value, after = value + ones, after + 1
    else:
        return None
    unit = glued or (raw[after][0] if after < len(raw) else "")
    if not glued and unit == "-" and after + 1 < len(raw) and raw[after + 1][0] in words.units:
        after, unit = after + 1, raw[after + 1][0]
    kind, name = words.units.get(unit, ("bare", ""))
    if kind == "bare" and piece == "one" and not _counts_more(raw, after, words):
        return None
    if kind != "bare" and not glued:
        after += 1
    return Number(kind, value, name, decimals), after


def _continues_count(
    raw: Sequence[tuple[str, re.Match[str]]],
    at: int,
    numbers: Sequence[Number],
    words: Vocabulary,
) -> bool:
    """Return whether a number counts exercises as one before it does: "two go up, one stays"."""
    return (
        raw[at][0] in words.number_words
        and any(each.unit == "lift" for each in numbers)
        and at + 1 < len(raw)
        and raw[at + 1][0] in words.count_verbs
        and raw[at - 1][0] in {",", ";", "and"}
    )


def _counts_more(raw: Sequence[tuple[str, re.Match[str]]], at: int, words: Vocabulary) -> bool:
    """Return whether "more reps" or the like follows, so that "one" is a number."""
    following = [piece for piece, _ in raw[at : at + 2]]
    if not following or following[0] not in {"more", "extra", "fewer", "less", "additional"}:
        return False
    return len(following) == 1 or following[1] in words.units or following[1] in _AFTER_COUNT


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Cf", "Me", "Co", "Cn", "Cs"} or 0xFE00 <= ord(char) <= 0xFE0F:
        return ""
    return " " if category.startswith(("C", "Z")) else char
