"""Detect implausible workout starts: one wrong year would stretch every series."""

from datetime import UTC, datetime, timedelta

_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(days=1)  # a phone's clock or zone may be wrong by hours


def implausible_start(start_at: datetime, written_at: datetime) -> str | None:
    """Return the fault of a start (aware) before 1970 or over a day after it was written.

    None if it is plausible.
    """
    if start_at < _EARLIEST:
        return f"the workout starts in the year {start_at.year}, correct its date"
    if start_at > written_at + _AHEAD:
        return (
            f"the workout starts on {start_at:%Y-%m-%d}, which is in the future, correct its date"
        )
    return None
