"""Check of a model's claims against the lines that they cite. Nothing here is shown.

A line is text of the rules with numbers from rows. A claim that does not agree with its lines is
rejected with them, since the model has misread them.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from coach_agent.asking.exercises import expanded, stem
from coach_agent.asking.vocabulary import vocabulary, words_of
from coach_agent.domain.red_flags import red_flags_in
from coach_agent.domain.units import KILOGRAMS_PER_POUND, in_unit

Problem = Literal["number", "exercise", "characters", "red_flag"]

_NUMBER = re.compile(
    r"(?P<iso>\d{4}-\d{2}-\d{2})|(?P<number>\d+(?:[.,]\d+)*)\s*(?P<unit>kgs?|lbs?|%)?", re.I
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
# "may" and "mar" are months only next to a day, a year or a preposition of time.
_MONTH = re.compile(
    rf"(?:\d(?:st|nd|rd|th)?\s+(?:of\s+)?|\b(?:in|since|of|last|this|until|by)\s+){_NAMES}"
    rf"|\b{_NAMES}\s+\d",
    re.I,
)
_DAY = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(_MONTHS)})[a-z]* (\d{{4}})\b", re.I)
_SMALL = words_of(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_TENS = words_of("thirty forty fifty sixty seventy eighty ninety")
_WORDS = {
    **{word: float(value) for value, word in enumerate(_SMALL)},
    **{word: float(10 * value) for value, word in enumerate(_TENS, start=3)},
    **{"hundred": 100.0, "thousand": 1000.0, "dozen": 12.0, "half": 0.5, "quarter": 0.25},
    **{"double": 2.0, "twice": 2.0, "triple": 3.0, "once": 1.0},
}
# Roman and other numerals, links, markup: no plain sentence about training needs them.
_STRANGE = re.compile(r"[^\x20-\x7e\u00a0-\u024f\u2010-\u2019\u00d7]|https?:|www\.|[<>{}\[\]|`]")
_TOLERANCE = 1e-6
# Rounding of a load that is shown in the other unit.
_CONVERTED = 0.06
_GENERAL = frozenset(
    words_of(
        "up down on to in of the and with over out one low high back body weight single side set "
        "lying max machine bar"
    )
)


@dataclass(frozen=True)
class _Number:
    value: float
    unit: str


def claim_problem(says: str, cited: str, titles: Collection[str]) -> Problem | None:
    """Return the reason why a claim does not agree with the cited text; None if it does.

    Each number of the claim occurs in the text, loads in kg or lb; each month and each word that is
    a part of one of the titles of exercises or a muscle does, too.
    """
    if _STRANGE.search(says):
        return "characters"
    if red_flags_in(says):
        return "red_flag"
    if not _are_numbers_of(says, cited):
        return "number"
    named = frozenset(expanded(words_of(says))) & _distinctive(tuple(sorted(titles)))
    return None if named <= frozenset(expanded(words_of(cited))) else "exercise"


def _are_numbers_of(says: str, cited: str) -> bool:
    known, days = list(_numbers(cited)), _days(cited)
    if not _months(says) <= _months(cited) or not _days(says) <= days:
        return False
    return all(any(_is_same(each, other) for other in known) for each in _numbers(says))


def _numbers(text: str) -> Iterator[_Number]:
    for found in _NUMBER.finditer(text):
        if found["iso"]:
            continue
        value, unit = found["number"].rstrip(".,"), (found["unit"] or "").lower().rstrip("s")
        # 1,025 is a thousand; 82,5 is a decimal.
        is_grouped = re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", value)
        value = value.replace(",", "" if is_grouped else ".")
        if value.count(".") > 1:
            yield _Number(float("nan"), unit)
        else:
            yield _Number(float(value), unit)
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in _WORDS:
            yield _Number(_WORDS[word], "")


def _months(text: str) -> set[str]:
    named = {(found[1] or found[2]).lower()[:3] for found in _MONTH.finditer(text)}
    return named | {_MONTHS[month - 1] for _, month, _ in _days(text)}


def _days(text: str) -> set[tuple[int, int, int]]:
    """Return the dates of a text as year, month and day."""
    found = {
        (int(year), _MONTHS.index(month.lower()[:3]) + 1, int(day))
        for day, month, year in _DAY.findall(text)
    }
    isos = (each["iso"] for each in _NUMBER.finditer(text) if each["iso"])
    return found | {(int(iso[:4]), int(iso[5:7]), int(iso[8:])) for iso in isos}


def _is_same(claimed: _Number, known: _Number) -> bool:
    """Return whether a claimed number is a known one; without a unit any unit fits."""
    if not claimed.unit or claimed.unit == known.unit:
        return abs(claimed.value - known.value) <= _TOLERANCE
    if {claimed.unit, known.unit} != {"kg", "lb"}:
        return False
    load_kg = known.value * (1 if known.unit == "kg" else KILOGRAMS_PER_POUND)
    exact = load_kg / (1 if claimed.unit == "kg" else KILOGRAMS_PER_POUND)
    marked = in_unit(load_kg, "kg" if claimed.unit == "kg" else "lb")
    return min(abs(claimed.value - exact), abs(claimed.value - marked)) <= _CONVERTED


@cache
def _distinctive(titles: tuple[str, ...]) -> frozenset[str]:
    """Return the stems that name an exercise or a muscle."""
    table = vocabulary()
    of_titles = {word for title in titles for word in expanded(words_of(title))}
    of_muscles = {stem(phrase[0]) for phrase in table.muscles if len(phrase) == 1}
    return frozenset((of_titles | of_muscles) - _GENERAL - table.fillers)
