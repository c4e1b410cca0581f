"""Clock for the timestamps of a simulated account."""

from datetime import UTC, datetime, timedelta


class SimulatedClock:
    """Real UTC time, or a frozen time that only writes advance.

    With `now` (aware) the clock is frozen and each write takes one second, so that the content of
    an account depends only on its writes.
    """

    def __init__(self, now: datetime | None = None) -> None:
        if now is not None and now.tzinfo is None:
            raise ValueError("the clock needs an aware time, for example 2026-03-04T04:00:00+00:00")
        self._is_frozen = now is not None
        self._latest_write = (
            datetime.min.replace(tzinfo=UTC) if now is None else now.astimezone(UTC)
        )

    def now(self) -> datetime:
        """Return the time of a read."""
        return self._latest_write if self._is_frozen else datetime.now(UTC)

    def tick(self) -> datetime:
        """Return the time of a write, later than every write before it."""
        if self._is_frozen:
            self._latest_write += timedelta(seconds=1)
        else:
            # Responses carry milliseconds: two writes within one must still differ.
            after_latest = self._latest_write + timedelta(milliseconds=1)
            self._latest_write = max(datetime.now(UTC), after_latest)
        return self._latest_write

    def advance_past(self, moment: datetime) -> None:
        """Advance a frozen clock at least to `moment` (aware); later writes come after it."""
        self._latest_write = max(self._latest_write, moment.astimezone(UTC))
