"""Parse the durations of an export: of a workout, and of a set."""

import re

_SET_DURATION = re.compile(r"(?:(?:([0-9]{1,3}):)?([0-9]{1,3}):)?([0-9]{1,6})(?:[.,]0+)?")
_DURATION = re.compile(
    r"(?:([0-9]{1,6})\s?(?:h|小时))?\s?(?:([0-9]{1,6})\s?(?:min|m|分钟))?\s?(?:([0-9]{1,6})\s?(?:s|秒))?"
)


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


def parse_set_duration(text: str) -> int:
    """Parse the time of a set, `0:01:30`, `01:30`, `90` or `1m 30s`, into seconds.

    Raises:
        ValueError: the text is no such duration.
    """
    match = _SET_DURATION.fullmatch(text.strip())
    if match is None:
        return parse_duration(text)
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds
