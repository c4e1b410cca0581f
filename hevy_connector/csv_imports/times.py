"""Parse the times of an export: words of its language, minutes, an implicit zone."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from hevy_connector.csv_imports.calendar_words import (
    CalendarWords,
    is_month_word,
    matching_languages,
    periods_before_clock,
    plain_words,
)
from hevy_connector.errors import CsvFormatError

_CLOCK = re.compile(
    r"(?<![0-9.:/-])(?P<hour>[0-9]{1,2})\s?(?:[.:]|h\s?)(?P<minute>[0-9]{2})"
    r"(?:[.:](?P<second>[0-9]{2})(?:\.[0-9]+)?)?(?![0-9.:/-])"
)
_ISO = re.compile(
    r"(?P<year>[0-9]{4})(?P<mark>[-/])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
    r"(?:(?:T|\s+)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?"
    r"\s?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?)?",
    re.IGNORECASE,
)
_YEAR_FIRST = re.compile(
    r"([0-9]{4})\s?[-/.\u5e74\ub144]\s?([0-9]{1,2})\s?[-/.\u6708\uc6d4]\s?"
    r"([0-9]{1,2})\s?[.\u65e5\uc77c]?"
)
_DOTTED = re.compile(r"([0-9]{1,2})\.\s?([0-9]{1,2})\.\s?([0-9]{4}|[0-9]{2})\.?")
_SLASHED = re.compile(r"([0-9]{1,2})([/-])([0-9]{1,2})\2([0-9]{4}|(?<=/)[0-9]{2})")
_NUMBER = re.compile(r"[0-9]+")
# Invisible marks around right-to-left texts.
_DIRECTION_MARKS = dict.fromkeys(map(ord, "\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2069"))

# Phones in Thai count the years of the Buddhist era by default.
_BUDDHIST_YEARS = 543
_FIRST_BUDDHIST_YEAR = 2400
_SHORT_DIGITS, _CENTURY = 2, 2000

ADVICE = (
    "Set the language of the app and of the phone to English, export the workouts again, and "
    "import that file. Nothing was imported."
)


@dataclass(frozen=True, eq=False)
class DateStyle:
    """Language and order of day and month of all dates in one file.

    `words` is None if no date has words, `is_day_first` if no date such as 4/3/2026 is open.
    """

    words: CalendarWords | None = None
    is_day_first: bool | None = None


class _Written(NamedTuple):
    """Parts of a written time. `month` is 0 if `word` names it.

    `is_open`: day and month may be exchanged. `is_short`: the year has two digits. `zone` is an
    offset from UTC, or empty.
    """

    year: int
    month: int
    day: int
    hour: int = 0
    minute: int = 0
    second: int = 0
    word: str = ""
    period: str = ""
    zone: str = ""
    is_open: bool = False
    is_short: bool = False


def detect_date_style(dates: Iterable[tuple[int, str]]) -> DateStyle:
    """Return the one style that fits all dates of a file, given with their lines.

    Unreadable dates are left to their rows, unless no date is readable. So is an unknown month of a
    single day.

    Raises:
        CsvFormatError: no date is readable, no single language has all words, languages disagree
            on a month, or day and month are ambiguous in all rows or contradict each other, or
            years of two digits come first.
    """
    lines: dict[str, int] = {}
    for line, text in dates:
        lines.setdefault(text, line)
    found: list[tuple[int, str, _Written]] = []
    first_fault = ""
    for text, line in lines.items():
        try:
            found.append((line, text, _split(text)))
        except ValueError as error:
            if text.strip() and not first_fault:
                first_fault = f"Line {line}: {text.strip()[:40]!r} is no date: {error}."
    if not found and first_fault:
        raise CsvFormatError(f"No date of the file can be read. {first_fault} {ADVICE}")
    _refuse_years_before_days(found)
    return DateStyle(_language(found), _order(found))


@lru_cache(maxsize=4096)
def parse_written_time(text: str, style: DateStyle) -> datetime:
    """Parse the time of a cell: naive if the file names no zone, as in `4 Mar 2026, 18:02`.

    Raises:
        ValueError: unknown form or month word, or a time that does not exist; the message gives
            the reason.
    """
    written = _split(text)
    year, month, day = written.year, written.month, written.day
    if written.word:
        month = (style.words.months.get(written.word) if style.words else None) or 0
        if not month:
            raise ValueError(f"the month {written.word[:40]!r} is not known")
    if written.is_open and style.is_day_first is not None and not style.is_day_first:
        day, month = month, day
    if style.words is not None and style.words.code == "th" and year >= _FIRST_BUDDHIST_YEAR:
        year -= _BUDDHIST_YEARS
    # Naive on purpose: an ambiguous hour can only be resolved with the other time.
    moment = datetime(year, month, day, _hour(written, style), written.minute, written.second)  # noqa: DTZ001
    if not written.zone:
        return moment
    return _in_utc(datetime.fromisoformat(f"{moment.isoformat()}{written.zone.upper()}"))


@lru_cache(maxsize=16384)
def is_written_time(text: str) -> bool:
    """Return whether a text is a time in some style, with a month of a common language."""
    try:
        written = _split(text)
    except ValueError:
        return False
    return not written.word or is_month_word(written.word)


@lru_cache(maxsize=4096)
def utc_span(start: datetime, end: datetime, timezone: ZoneInfo) -> tuple[datetime, datetime]:
    """Convert start and end of a workout to UTC; naive times are in `timezone`.

    A time that occurs twice in autumn is the first occurrence, unless the end would be before the
    start. A time that is skipped in spring is moved forward by the change.

    Raises:
        ValueError: the end is before the start, or a time is outside the calendar.
    """
    # The last case is a start in the skipped hour, from a wrong zone: moved forward it may pass the
    # end, so it is moved back.
    for start_fold, end_fold in ((0, 0), (0, 1), (1, 0)):
        start_at = _utc(start, timezone, start_fold)
        end_at = _utc(end, timezone, end_fold)
        if start_at <= end_at:
            return start_at, end_at
    raise ValueError("the end lies before the start")


@lru_cache(maxsize=4096)
def utc_from_start(
    start: datetime, duration_s: int | None, timezone: ZoneInfo
) -> tuple[datetime, datetime | None]:
    """Convert the start to UTC and compute the end from a duration, if there is one.

    Raises:
        ValueError: a time is outside the calendar.
    """
    start_at = _utc(start, timezone, fold=0)
    if duration_s is None:
        return start_at, None
    try:
        return start_at, start_at + timedelta(seconds=duration_s)
    except OverflowError as error:
        raise ValueError("a time is out of the calendar") from error


def with_clock(date: str) -> str:
    """Return a date with a word, such as "4 Mar 2026", at midnight; any other text unchanged."""
    return f"{date} 00:00" if any(map(str.isalpha, date)) and ":" not in date else date


def is_date_alone(start: datetime) -> bool:
    """Return true for midnight without a zone, the value of a date without a time."""
    return start.tzinfo is None and start.time() == time(0)


def at_noon(start: datetime) -> datetime:
    """Return noon of the day, without a zone: the same date in nearly every zone."""
    return start.replace(hour=12, minute=0, second=0, tzinfo=None)


def _utc(moment: datetime, timezone: ZoneInfo, fold: int) -> datetime:
    return _in_utc(moment if moment.tzinfo else moment.replace(tzinfo=timezone, fold=fold))


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time is out of the calendar") from error


def _hour(written: _Written, style: DateStyle) -> int:
    if not written.period:
        return written.hour
    hours = style.words.periods.get(written.period) if style.words else None
    if hours is None:
        hours = _ENGLISH_PERIODS.get(written.period)
    if hours is None:
        raise ValueError(f"the part of the day {written.period[:40]!r} is not known")
    if hours == _WHOLE_DAY:
        return written.hour
    if not 1 <= written.hour <= 12:
        raise ValueError("with AM or PM the hour must be in 1..12")
    fitting = hours & {written.hour % 12, written.hour % 12 + 12}
    if len(fitting) != 1:
        raise ValueError(f"{written.hour} o'clock is not clear with {written.period[:40]!r}")
    return min(fitting)


_ENGLISH_PERIODS = {"am": frozenset(range(12)), "pm": frozenset(range(12, 24))}
_WHOLE_DAY = frozenset(range(24))


def _language(found: Sequence[tuple[int, str, _Written]]) -> CalendarWords | None:
    """Return the language of the words, or None without words.

    Raises:
        CsvFormatError: there is none, or several that disagree on a month.
    """
    lines: dict[str, tuple[int, str]] = {}
    periods: set[str] = set()
    for line, text, written in found:
        if written.word:
            lines.setdefault(written.word, (line, text.strip()[:40]))
        if written.period and written.period not in _ENGLISH_PERIODS:
            periods.add(written.period)
    if not lines and not periods:
        return None
    languages = matching_languages(lines, periods)
    if not languages:
        readable = _without_damaged(found)
        if len(readable) < len(found):
            return _language(readable)
        for word, (line, text) in lines.items():
            if not matching_languages([word], ()):
                raise CsvFormatError(
                    f"Line {line}: the month of {text!r} is not known in any language. {ADVICE}"
                )
        (first, text), *_, (last, other) = [*lines.values(), *list(lines.values())[:1]][:2]
        raise CsvFormatError(
            "No single language has all months of the file: see "
            f"{text!r} in line {first} and {other!r} in line {last}. {ADVICE}"
        )
    for word, (line, text) in lines.items():
        months = {one.months[word]: one.language for one in reversed(languages)}
        if len(months) > 1:
            meanings = " and ".join(f"month {month} in {name}" for month, name in months.items())
            raise CsvFormatError(
                f"Line {line}: {text!r} is {meanings}, and no other row decides. {ADVICE}"
            )
    return languages[0]


def _without_damaged(
    found: Sequence[tuple[int, str, _Written]],
) -> Sequence[tuple[int, str, _Written]]:
    """Return the dates without damaged ones, which must be fewer: their words are in no language.

    A word on several days is no damage, but a month of an unknown language.
    """
    days: dict[str, set[tuple[int, int]]] = {}
    for _, _, written in found:
        days.setdefault(written.word, set()).add((written.year, written.day))
    unknown = {word for word in days if word and not matching_languages([word], ())}
    kept = [one for one in found if one[2].word not in unknown]
    is_damage = all(len(days[word]) == 1 for word in unknown)
    return kept if is_damage and len(unknown) < sum(map(len, days.values())) / 2 else found


def _order(found: Iterable[tuple[int, str, _Written]]) -> bool | None:
    """Return whether the day is first in dates such as 4/3/2026, from a day above 12.

    Raises:
        CsvFormatError: no such day is in the file, or both orders are.
    """
    day_first = month_first = unclear = None
    for line, text, written in found:
        if not written.is_open or written.day == written.month:
            continue
        place = f"{text.strip()[:40]!r} in line {line}"
        if written.day > 12:
            day_first = day_first or place
        elif written.month > 12:
            month_first = month_first or place
        else:
            unclear = unclear or place
    if day_first and month_first:
        raise CsvFormatError(
            f"The file writes the day first ({day_first}) and the month first ({month_first}). "
            "Import the export just as it came from the app. Nothing was imported."
        )
    if unclear and not (day_first or month_first):
        raise CsvFormatError(
            f"Day and month are ambiguous: {unclear}, and no other date has a day above 12. "
            "Import the export just as it came from the app. Nothing was imported."
        )
    return None if day_first == month_first else day_first is not None


def _refuse_years_before_days(found: Iterable[tuple[int, str, _Written]]) -> None:
    """Raise an error if the last numbers of dates such as 26/09/14 change more than the first."""
    short = [one for one in found if one[2].is_short]
    if len({written.year for _, _, written in short}) > len({each.day for _, _, each in short}):
        line, text, _ = short[0]
        raise CsvFormatError(
            f"The year is ambiguous: {text.strip()[:40]!r} in line {line}. Write years with four "
            "digits. Nothing was imported."
        )


@lru_cache(maxsize=4096)
def _split(text: str) -> _Written:
    """Split a time into its parts, without regard to the language.

    Raises:
        ValueError: the text has no such parts.
    """
    plain = plain_digits(unicodedata.normalize("NFKC", text).translate(_DIRECTION_MARKS)).strip()
    if match := _ISO.fullmatch(plain):
        part = match.groupdict()
        year, month, day, hour, minute, second = (int(part[name] or 0) for name in _ISO_NUMBERS)
        return _Written(year, month, day, hour, minute, second, zone=part["zone"] or "")
    clocks = () if _DOTTED.fullmatch(plain) else _CLOCK.finditer(plain)
    clock = max(clocks, key=re.Match.start, default=None)
    if clock is None:
        before, after, times = plain, "", (0, 0, 0)
    else:
        before, after = plain[: clock.start()].strip(" ,"), plain[clock.end() :].strip(" ,")
        times = (int(clock["hour"]), int(clock["minute"]), int(clock["second"] or 0))
        if not any(map(str.isdecimal, before)):
            # Vietnamese writes the time first.
            before, after = after, before
    period = plain_words(after)
    for known in periods_before_clock() if before and not before[-1].isascii() else ():
        if before.endswith(known) and not period:
            before, period = before.removesuffix(known).strip(" ,"), plain_words(known)
    period = period.replace("a m", "am").replace("p m", "pm") if period in _SPACED else period
    if match := _YEAR_FIRST.fullmatch(before):
        year, month, day = map(int, match.groups())
        return _Written(year, month, day, *times, period=period)
    if match := _DOTTED.fullmatch(before):
        day, month = int(match[1]), int(match[2])
        year, is_short = _whole_year(match[3])
        return _Written(year, month, day, *times, period=period, is_short=is_short)
    if match := _SLASHED.fullmatch(before):
        day, month = int(match[1]), int(match[3])
        year, is_short = _whole_year(match[4])
        return _Written(year, month, day, *times, period=period, is_open=True, is_short=is_short)
    if clock is None:
        raise ValueError(_EXAMPLES)
    year, day, word = _around_word(before)
    return _Written(year, 0, day, *times, word=word, period=period)


_ISO_NUMBERS = ("year", "month", "day", "hour", "minute", "second")
_SPACED = ("a m", "p m")
_EXAMPLES = "it is not written like '4 Mar 2026, 18:02' or '2026-03-04 18:02:00'"


def _whole_year(year: str) -> tuple[int, bool]:
    """Return a year, and whether two digits stand for one of this century."""
    is_short = len(year) == _SHORT_DIGITS
    return int(year) + (_CENTURY if is_short else 0), is_short


def _around_word(text: str) -> tuple[int, int, str]:
    """Return year, day and words of a date. The day is the first number below four digits."""
    numbers = list(_NUMBER.finditer(text))
    years = [one for one in numbers if len(one[0]) == 4]
    days = [one for one in numbers if len(one[0]) <= 2]
    if len(years) != 1 or not 1 <= len(days) <= 2 or len(numbers) != 1 + len(days):
        raise ValueError(_EXAMPLES)
    rest = text
    for one in sorted((years[0], days[0]), key=lambda one: one.start(), reverse=True):
        rest = f"{rest[: one.start()]} {rest[one.end() :]}"
    word = plain_words(rest)
    if not any(map(str.isalpha, word)):
        raise ValueError(_EXAMPLES)
    return int(years[0][0]), int(days[0][0]), word


def plain_digits(text: str) -> str:
    """Return the text with the digits of every script as ASCII."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(one)) if unicodedata.decimal(one, None) is not None else one
        for one in text
    )
