"""One training session from one source, beside those of the lifting app."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Literal

from health_connector.days import ImpossibleValue, Number, check_values, is_measure, is_number

SessionMetric = Literal[
    "duration_minutes", "distance_m", "average_hr", "max_hr", "session_rpe", "vendor_load"
]

SESSION_LIMITS: Mapping[SessionMetric, tuple[float, float]] = {
    "duration_minutes": (0.1, 48 * 60),
    "distance_m": (0, 2_000_000),
    "average_hr": (25, 240),  # beats per minute
    "max_hr": (25, 250),
    "session_rpe": (0, 10),  # CR10
    "vendor_load": (0, 3000),  # points of the vendor
}
"""The least and the greatest value; others are errors of a device or of typing."""

_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class Session:
    """Values of a session, and those that are impossible.

    `started_at` is aware. `local_date` is the athlete's day where the source has it. Without it the
    marts use the time zone of the profile. `sport` is the source's name in lower case.
    """

    source: str
    session_id: str
    started_at: datetime
    sport: str
    values: Mapping[SessionMetric, Number]
    local_date: date | None = None
    impossible: tuple[ImpossibleValue, ...] = field(default=())

    @property
    def record_id(self) -> str:
        """Return the id of the session among the athlete's records."""
        return f"{self.source}/{self.session_id}"

    @property
    def payload(self) -> dict[str, Any]:
        """Return the content of the session for JSON."""
        day = {} if self.local_date is None else {"local_date": self.local_date.isoformat()}
        values: dict[str, Number] = {name: value for name, value in self.values.items()}
        return {
            "source": self.source,
            "session_id": self.session_id,
            "started_at": self.started_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "sport": self.sport,
            **day,
            **values,
        }


def session_of(
    source: str,
    session_id: str,
    started_at: datetime,
    sport: object,
    found: Mapping[SessionMetric, Any],
    local_date: date | None = None,
) -> Session:
    """Build a session from the values that were read; a value of 0 is often a missing one.

    A heart rate, an RPE and a load of 0 are dropped: devices and services write them for nothing.
    """
    read = {
        name: value
        for name, value in found.items()
        if not (name in _ABSENT_IF_ZERO and is_number(value) and value == 0)
    }
    values, impossible = check_values(read, SESSION_LIMITS)
    return Session(
        source, session_id, started_at, sport_name(sport), values, local_date, impossible
    )


_ABSENT_IF_ZERO = frozenset({"average_hr", "max_hr", "session_rpe", "vendor_load"})


def sport_name(text: object) -> str:
    """Return the name of a sport in lower case with _, for example weight_training."""
    words = _WORDS.findall(text if isinstance(text, str) else "")
    return "_".join(word.lower() for word in words)[:60] or "unknown"


def minutes(seconds: object) -> object:
    """Return seconds as minutes with one decimal; anything but a number as it is."""
    return round(float(seconds) / 60, 1) if is_measure(seconds) else seconds
