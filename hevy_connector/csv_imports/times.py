"""Parse the times of an export: words in the app's language, minutes, an implicit zone."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

_CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?"
    r"(?:\s?(?P<half>[ap])\.?\s?m\.?)?"
)
_YEAR = "(?P<year>[0-9]{4})"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<day>[0-9]{{1,2}})\.?\s(?P<word>[^0-9]+)\s{_YEAR},?\s{_CLOCK}",
        rf"(?P<word>[^0-9]+)\s(?P<day>[0-9]{{1,2}}),?\s{_YEAR},?\s{_CLOCK}",
        rf"{_YEAR}(?P<dash>[-/])(?P<month>[0-9]{{1,2}})(?P=dash)(?P<day>[0-9]{{1,2}})"
        rf"(?:(?:T|\s+){_CLOCK}\s?(?P<zone>Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)?",
        rf"(?P<day>[0-9]{{1,2}})\.(?P<month>[0-9]{{1,2}})\.{_YEAR}(?:,?\s+{_CLOCK})?",
        rf"(?P<left>[0-9]{{1,2}})/(?P<right>[0-9]{{1,2}})/{_YEAR}(?:,?\s+{_CLOCK})?",
    )
)
_SLASHED = re.compile(r"\s*([0-9]{1,2})/([0-9]{1,2})/[0-9]{4}\b")

# No word means two months, so one table serves every language. English, Spanish, Portuguese,
# Turkish, German, French.
_MONTH_WORDS = """
    jan ene oca janv
    feb fev şub févr
    mar mär märz mars
    apr abr nis avr
    may mai
    jun haz juni juin
    jul tem juli juil
    aug ago ağu août
    sep set eyl sept
    oct out eki okt
    nov kas
    dec dic dez ara déc
"""
_FILLERS = {"de", "of"}
# The dotless i, and the combining dot that lower-casing a dotted capital I leaves.
_ONE_I = str.maketrans({"\u0131": "i", "\u0307": None})

_DURATION = re.compile(
    r"(?:([0-9]{1,6})\s?(?:h|小时))?\s?(?:([0-9]{1,6})\s?(?:min|m|分钟))?\s?(?:([0-9]{1,6})\s?(?:s|秒))?"
)


@lru_cache(maxsize=4096)
def parse_written_time(text: str, is_day_first: bool | None = None) -> datetime:
    """Parse the time of a cell: naive if the file names no zone, as in `4 Mar 2026, 18:02`.

    `is_day_first` decides if `4/3/2026` is 4 March; None if the file does not show it.

    Raises:
        ValueError: unknown form or month word, ambiguous day and month, or a time that does not
            exist; the message gives the reason.
    """
    match = next(filter(None, (form.fullmatch(text.strip()) for form in _FORMS)), None)
    if match is None:
        raise ValueError("it is not written like '4 Mar 2026, 18:02' or '2026-03-04 18:02:00'")
    found = match.groupdict()
    day, month = _day_and_month(found, is_day_first)
    hour = int(found["hour"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("with AM or PM the hour must be in 1..12")
        hour = hour % 12 + (12 if found["half"].lower() == "p" else 0)
    # Naive on purpose: an ambiguous hour can only be resolved with the other time.
    moment = datetime(  # noqa: DTZ001
        int(found["year"]), month, day, hour, int(found["minute"] or 0), int(found["second"] or 0)
    )
    zone = found.get("zone")
    if not zone:
        return moment
    return _in_utc(datetime.fromisoformat(f"{moment.isoformat()}{zone.upper()}"))


def day_comes_first(texts: Iterable[str]) -> bool | None:
    """Return whether `4/3/2026` is 4 March, from a day above 12; None if there is none."""
    is_first, is_second = False, False
    for match in filter(None, map(_SLASHED.match, texts)):
        is_first |= int(match[1]) > 12
        is_second |= int(match[2]) > 12
    return None if is_first == is_second else is_first


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


def parse_duration(text: str) -> int:
    """Parse `1h 13m`, `38min`, `55s` or `1小时13分钟` into seconds.

    Raises:
        ValueError: the text is no such duration.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()):
        raise ValueError("it is not written like '1h 13m'")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds


def _utc(moment: datetime, timezone: ZoneInfo, fold: int) -> datetime:
    return _in_utc(moment if moment.tzinfo else moment.replace(tzinfo=timezone, fold=fold))


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time is out of the calendar") from error


def _day_and_month(found: dict[str, str | None], is_day_first: bool | None) -> tuple[int, int]:
    if word := found.get("word"):
        month = _MONTHS.get(_plain_month(word))
        if month is None:
            raise ValueError(f"the month {word[:40]!r} is not known")
        return int(found["day"] or 0), month
    if not found.get("left"):
        return int(found["day"] or 0), int(found["month"] or 0)
    left, right = int(found["left"] or 0), int(found["right"] or 0)
    if left > 12 or left == right:
        return left, right
    if right > 12:
        return right, left
    if is_day_first is None:
        raise ValueError("day and month are ambiguous, and no other date of the file helps")
    return (left, right) if is_day_first else (right, left)


def _plain_month(word: str) -> str:
    """Normalize a month word: case, dots and decomposed accents; "de set. de" becomes "set".

    Turkish has a dotted and a dotless i in both cases. No month words differ only in them, so all
    four are treated as one.
    """
    plain = (
        unicodedata.normalize("NFC", word).lower().replace("i\u0307", "i").replace("\u0131", "i")
    )
    return " ".join(part for part in re.split(r"[\s.]+", plain) if part and part not in _FILLERS)


_MONTHS = {
    _plain_month(word): number
    for number, words in enumerate(_MONTH_WORDS.split("\n")[1:-1], start=1)
    for word in words.split()
}
