"""Connections that cannot be held: few at a time, each request within seconds.

uvicorn limits neither the time of the headers nor that of a body, and its limit of connections
answers 503 to everybody: idle connections would lock out all others.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class LimitedConnection(H11Protocol):
    """A connection that ends unless each request is sent and answered in time.

    Above `most` connections the one that has waited longest for the rest of its request gives way;
    a request that has arrived whole is never cut off for others. The parser
    limits headers to `h11_max_incomplete_event_size`.
    """

    most = 128  # a proxy holds a few; half of the files that some systems let a process open
    request_s = 10.0  # Hevy waits 5 s for its answer

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place among the connections, if need be another's."""
        super().connection_made(transport)
        self._begin_request()
        held = [each for each in self._all() if not each.transport.is_closing()]
        if len(held) > self.most:
            waiting = [each for each in held if each is not self and each.is_waiting]
            min(waiting, key=LimitedConnection.ends_at, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Start the clock of the next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._begin_request()

    @property
    def is_waiting(self) -> bool:
        """Return whether the rest of a request, or another request, is still to be received."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def ends_at(self) -> float:
        """The time of the event loop at which the connection is closed (s)."""
        return 0.0 if self._deadline is None else self._deadline.when()

    def _begin_request(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(self.request_s, self.transport.abort)

    def _all(self) -> list["LimitedConnection"]:
        return [each for each in self.connections if isinstance(each, LimitedConnection)]
