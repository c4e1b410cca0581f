"""Which numbers a text states, and of what: digits, words, ranges, sets by repetitions, dates."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from coach_agent.llm.number_words import (
    Kind,
    cardinals,
    is_compound,
    kinds,
    ones,
    ordinals,
)


@dataclass(frozen=True)
class Stated:
    """A number in a text; `decimals` are the digits after the point that it was given with.

    `text` is how it was written. A number that may be read in two ways ("1.000") has both values.
    """

    kind: Kind
    values: tuple[float, ...]
    decimals: int
    text: str


@dataclass(frozen=True)
class Scheme:
    """Sets by repetitions, or a load by repetitions: "3x8", "3 × 8-10", "60 x 8"."""

    first: Stated
    low: Stated
    high: Stated
    text: str


@dataclass(frozen=True)
class StatedDate:
    """A day in a text; the year is None where none was said, a day has all its readings."""

    days: tuple[tuple[int | None, int, int], ...]
    text: str


Found = Stated | Scheme | StatedDate

_NUMBER = r"\d+(?:[.,'\u2019]\d+)*"
_DASH = r"[-\u2010-\u2015\u2212~]"
_TIMES = r"[x×*\u2715\u2716\u2a2f]"
_MONTHS = (
    ("january", "jan", "januar", "jänner"),
    ("february", "feb", "februar"),
    ("march", "mar", "märz", "maerz"),
    ("april", "apr"),
    ("may", "mai"),
    ("june", "jun", "juni"),
    ("july", "jul", "juli"),
    ("august", "aug"),
    ("september", "sep", "sept"),
    ("october", "oct", "oktober", "okt"),
    ("november", "nov"),
    ("december", "dec", "dezember", "dez"),
)
_MONTH = {word: at for at, words in enumerate(_MONTHS, start=1) for word in words}
_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_DATES = re.compile(
    rf"(?P<y1>\d{{4}})-(?P<m1>\d{{1,2}})-(?P<d1>\d{{1,2}})(?!\d)"
    rf"|(?<![\d.])(?P<d2>\d{{1,2}})\.(?P<m2>\d{{1,2}})\.(?P<y2>\d{{4}}|\d{{2}}(?!\d))?"
    rf"|(?<![\d/])(?P<a3>\d{{1,2}})/(?P<b3>\d{{1,2}})/(?P<y3>\d{{4}}|\d{{2}}(?!\d))"
    rf"|(?<![\d.,])(?P<d4>\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?:of\s+)?(?P<n4>{_NAMES})\b\.?"
    rf"(?:,?\s+(?P<y4>\d{{4}}))?"
    rf"|\b(?P<n5>{_NAMES})\.?\s+(?P<d5>\d{{1,2}})(?:st|nd|rd|th)?(?![\d.,]*\d)(?:,?\s+(?P<y5>\d{{4}}))?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_SCHEME = re.compile(
    rf"(?P<a>{_NUMBER})\s*(?P<ua>kg|lbs?|sets?|sätze)?\s*{_TIMES}\s*(?P<b>{_NUMBER})"
    rf"(?:\s*{_DASH}\s*(?P<c>{_NUMBER}))?\+?(?:\s*(?P<ub>kg|lbs?|kilos?|pounds?)\b)?",
    re.IGNORECASE,
)
_UNREAD = "999999"  # a number that was not read is none of the data
_SPACED = re.compile(r"(?<![\d.,])\d(?: \d)+(?![\d.,]*\d)(?!\s*[x×])")
# What may stand right after a digit: a unit, or the ending of an ordinal.
_ENDINGS = frozenset({"", "x", "er", "ers", "te", "ten", "ter", "e", "s", "mal", "ish"})
_SIGNS = re.compile("(?:\0[^\0]*\0){2,}")
_COUNTED = frozenset({"weeks", "sets", "exercises", "workouts"})
_TERMS = re.compile(r"\be?1\s?rm\b", re.IGNORECASE)
_CLOCK = re.compile(r"\d{1,2}:\d{2}")
_PLAIN = re.compile(
    rf"(?P<pre>\b(?:rpe|rir)\s*|@\s*)?(?P<glued>[^\W\d_]+)?(?P<n>{_NUMBER})(?P<ord>(?:st|nd|rd|th)\b)?"
    rf"(?:\s*(?:{_DASH}|to|bis|und|and|or|oder|à|a|y|e|o|ou)\s*(?P<m>{_NUMBER}))?"
    rf"(?P<dot>\.(?=\s+[a-zäöüß]|\s+(?:satz|übung|woche|einheit|set)))?"
    rf"(?P<gap>\s*-?\s*)(?P<unit>%|[^\W\d_][\w]*)?",
    re.IGNORECASE,
)


def stated_numbers(text: str, language: str) -> tuple[Found, ...]:
    """All numbers of a text, in whatever form; English and the athlete's language are read."""
    rest = with_digits(_TERMS.sub(" ", text), language)
    rest = _SPACED.sub(f" {_UNREAD} ", rest)
    found: list[Found] = []
    for pattern, read in ((_DATES, _date), (_SCHEME, _scheme), (_CLOCK, _clock), (_PLAIN, _plain)):
        kept, end = [], 0
        for match in pattern.finditer(rest):
            if (each := read(match)) is not None:
                found += each
                kept.append(rest[end : match.start()])
                end = match.end()
        rest = " \N{SYMBOL FOR NULL} ".join([*kept, rest[end:]])
    return tuple(found)


def with_digits(text: str, language: str) -> str:
    """The text with numbers as ASCII digits that were words, or digits of another script."""
    plain = "".join(_as_digit(char) for char in unicodedata.normalize("NFKC", text))
    plain = _SIGNS.sub(f" {_UNREAD} ", plain).replace("\0", " ")
    counted, places = cardinals(language), ordinals(language)
    parts: list[str] = []
    end = 0
    for word in _WORD.finditer(plain):
        digits = _word_as_digits(word[0].lower(), plain[word.end() :], counted, places)
        if digits is not None:
            parts += [plain[end : word.start()], digits]
            end = word.end()
    return _joined("".join((*parts, plain[end:])), set(counted.values()))


def _joined(text: str, words: set[int]) -> str:
    """The text with numbers as one that were said in several words: "2 100" is 200.

    A hundred and more multiplies what stands before it; a ten takes the one that follows.
    """
    scales = "|".join(str(each) for each in sorted(words, reverse=True) if each >= 100)
    while True:
        told = re.sub(rf"\b(\d{{1,3}})[ -]+({scales})\b(?![.,:/]\d)", _product, text)
        told = re.sub(r"\b([2-9]0)[ -]([1-9])\b(?![.,:/x×]?\d)", _sum, told)
        if told == text:
            return text
        text = told


def _product(match: re.Match[str]) -> str:
    return str(int(match[1]) * int(match[2]))


def _sum(match: re.Match[str]) -> str:
    return str(int(match[1]) + int(match[2]))


def _as_digit(char: str) -> str:
    if char.isascii():
        return char
    decimal = unicodedata.decimal(char, None)
    if decimal is not None:
        return str(decimal)
    value = unicodedata.numeric(char, None)
    # The sign for one is in half of all words where numbers are written so.
    return char if value is None or value == 1 else f"\0{value:g}\0"


def _word_as_digits(
    word: str, after: str, counted: Mapping[str, int], places: Mapping[str, int]
) -> str | None:
    if word in counted:
        return str(counted[word])
    if word in places:
        noun = _WORD.match(after.lstrip(" -"))
        is_time = word == "second" and after[:1] == "s"
        return None if is_time else f"{places[word]}th" + (" " if noun else "")
    if word in ones():
        noun = _WORD.match(after.lstrip(" -"))
        return "1" if noun and noun[0].lower() in kinds() else None
    if is_compound(word):
        return _UNREAD
    return None


def _date(match: re.Match[str]) -> list[Found] | None:
    groups = match.groupdict()
    year = next((groups[key] for key in ("y1", "y2", "y3", "y4", "y5") if groups[key]), None)
    if groups["a3"]:
        one, other = int(groups["a3"]), int(groups["b3"])
        pairs = [(one, other), (other, one)]
    else:
        day = next(groups[key] for key in ("d1", "d2", "d4", "d5") if groups[key])
        name = groups["n4"] or groups["n5"]
        month = _MONTH[name.lower()] if name else int(groups["m1"] or groups["m2"])
        pairs = [(month, int(day))]
    full = None if year is None else int(year) + (2000 if len(year) == 2 else 0)
    days = tuple((full, month, day) for month, day in pairs if _is_day(full, month, day))
    is_decimal = not days and groups["d2"] is not None and full is None  # "62.5."
    return None if is_decimal else [StatedDate(days, match[0])]


def _is_day(year: int | None, month: int, day: int) -> bool:
    try:
        date(year or 2024, month, day)
    except ValueError:
        return False
    return True


def _scheme(match: re.Match[str]) -> list[Found]:
    unit = kinds().get((match["ua"] or "").lower(), "bare")
    first = _stated(match["a"], unit)
    if match["ub"]:
        # Repetitions by a load: "8 x 60 kg".
        return [_stated(match["a"], "bare"), _stated(match["b"], kinds()[match["ub"].lower()])]
    low = _stated(match["b"], "reps")
    high = _stated(match["c"] or match["b"], "reps")
    return [Scheme(first, low, high, match[0])]


def _clock(match: re.Match[str]) -> list[Found]:
    return [Stated("unknown", (), 0, match[0])]


def _plain(match: re.Match[str]) -> list[Found]:
    unit = (match["unit"] or "").lower()
    kind = kinds().get(unit, "bare")
    before = (match["pre"] or "").strip().lower()
    if before == "@":
        kind = kind if kind in {"kg", "lb", "percent"} else "bare"
    elif before:
        kind = before
    is_glued = not match["gap"] and not match["m"] and unit not in _ENDINGS
    if match["glued"] or (kind == "bare" and is_glued):
        kind = "unknown"  # "2OO", "l00", "v2": letters that look like digits, or names
    if match["ord"] or (match["dot"] and match["m"] is None):
        kind = (
            f"ordinal {kind}" if kind in {"weeks", "sets", "exercises", "workouts"} else "ordinal"
        )
    return [_stated(each, kind) for each in (match["n"], match["m"]) if each]


@lru_cache(maxsize=4096)
def _stated(number: str, kind: Kind) -> Stated:
    """A number as it was written: with decimal comma or point, or thousands set apart."""
    digits = re.sub(r"['\u2019]", ",", number)
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits):
        whole = float(re.sub(r"[.,]", "", digits))
        as_decimal = re.fullmatch(r"(\d+)[.,](\d+)", digits)
        readings = (float(f"{as_decimal[1]}.{as_decimal[2]}"),) if as_decimal else ()
        return Stated(kind, (whole, *readings), 3 if as_decimal else 0, number)
    simple = re.fullmatch(r"(\d+)(?:[.,](\d+))?", digits)
    if simple is None:
        return Stated("unknown", (), 0, number)
    decimals = len(simple[2] or "")
    return Stated(kind, (float(f"{simple[1]}.{simple[2] or 0}"),), decimals, number)


def all_parts(found: Found) -> Iterator[Stated]:
    """The single numbers of what was found; a date has none."""
    if isinstance(found, Scheme):
        yield from (found.first, found.low, found.high)
    elif isinstance(found, Stated):
        yield found
