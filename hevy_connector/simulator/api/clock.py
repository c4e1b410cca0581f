"""The clock that stamps what is written to a simulated account."""

from datetime import UTC, datetime, timedelta


class SimulatedClock:
    """Real UTC time, or a time of its own that only writes move.

    With `now` (aware) the clock stands still there and each write takes one second, so that what
    an account holds depends on what was written to it and on nothing else.
    """

    def __init__(self, now: datetime | None = None) -> None:
        if now is not None and now.tzinfo is None:
            raise ValueError("the clock needs an aware time, for example 2026-03-04T04:00:00+00:00")
        self._is_frozen = now is not None
        self._latest_write = (
            datetime.min.replace(tzinfo=UTC) if now is None else now.astimezone(UTC)
        )

    def now(self) -> datetime:
        """The time of a read."""
        return self._latest_write if self._is_frozen else datetime.now(UTC)

    def tick(self) -> datetime:
        """The time of a write, later than every write before it."""
        if self._is_frozen:
            self._latest_write += timedelta(seconds=1)
        else:
            # Answers carry milliseconds: two writes within one must still differ.
            after_latest = self._latest_write + timedelta(milliseconds=1)
            self._latest_write = max(datetime.now(UTC), after_latest)
        return self._latest_write

    def pass_by(self, moment: datetime) -> None:
        """Later writes come after `moment` (aware), and a frozen clock does not stand before it."""
        self._latest_write = max(self._latest_write, moment.astimezone(UTC))
