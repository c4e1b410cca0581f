"""Parse times in requests."""

import re
from datetime import UTC, datetime
from typing import Any

_ISO_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)


def utc_time(value: Any) -> datetime:
    """Parse an ISO 8601 time (or day) in UTC, the default for a time without an offset.

    Raises:
        ValueError: not such a time, or outside the years 1 to 9999.
    """
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, str) and _ISO_TIME.fullmatch(value):
        moment = datetime.fromisoformat(value.upper())
    else:
        raise ValueError("no ISO 8601 time")
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("a time outside the calendar") from None
