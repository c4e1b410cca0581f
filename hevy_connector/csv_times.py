"""The times of an export: words in the app's language, minutes, the zone of the phone untold."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

_TIME = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?:\s?(?P<half>[ap]m))?"
_FORMS = (
    re.compile(rf"(?P<day>[0-9]{{1,2}}) (?P<month>[^0-9]+) (?P<year>[0-9]{{4}}), {_TIME}", re.I),
    re.compile(rf"(?P<month>[^0-9]+) (?P<day>[0-9]{{1,2}}), (?P<year>[0-9]{{4}}), {_TIME}", re.I),
)
_MONTHS = {
    word: number
    for number, word in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}


def parse_local_time(text: str) -> datetime:
    """The naive local time of `4 Mar 2026, 18:02` or `Mar 4, 2026, 6:02 PM`.

    Raises:
        ValueError: no such form, a month word that is not known, or a time that does not exist;
            the message says which.
    """
    match = next(filter(None, (form.fullmatch(text.strip()) for form in _FORMS)), None)
    if match is None:
        raise ValueError("it is not written like '4 Mar 2026, 18:02'")
    month = _MONTHS.get(match["month"].lower())
    if month is None:
        raise ValueError(f"the month {match['month'][:40]!r} is not known")
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("with AM or PM the hour must be in 1..12")
        hour = hour % 12 + (12 if match["half"].lower() == "pm" else 0)
    # Naive on purpose: which passing of an hour is meant shows only beside the other time.
    return datetime(  # noqa: DTZ001
        int(match["year"]), month, int(match["day"]), hour, int(match["minute"])
    )


def utc_span(start: datetime, end: datetime, timezone: ZoneInfo) -> tuple[datetime, datetime]:
    """Start and end of a workout in UTC, from naive times in `timezone`.

    A time that the autumn change makes occur twice is its first passing, unless the end would lie
    before the start. A time that the spring change skips is moved on by the change.

    Raises:
        ValueError: the end lies before the start, or a time is out of the calendar.
    """
    # The last reading is for a start in the skipped hour, which a wrong zone can give: moved on,
    # it may pass the end, so there it is moved back.
    for start_fold, end_fold in ((0, 0), (0, 1), (1, 0)):
        try:
            start_at = start.replace(tzinfo=timezone, fold=start_fold).astimezone(UTC)
            end_at = end.replace(tzinfo=timezone, fold=end_fold).astimezone(UTC)
        except OverflowError as error:
            raise ValueError("a time is out of the calendar") from error
        if start_at <= end_at:
            return start_at, end_at
    raise ValueError("the end lies before the start")
