"""Limit the number of connections and the duration of each request.

uvicorn limits neither the time of headers nor of a body, and its connection limit answers 503 to
every client: idle connections would lock out all others.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class LimitedConnection(H11Protocol):
    """A connection that is closed unless each request is received and answered in time.

    Above `most` connections the one that has waited longest for the rest of its request is closed;
    a completely received request is never aborted for others. The parser limits headers to
    `h11_max_incomplete_event_size`.
    """

    most = 128  # a proxy needs few; half of the open file limit of some systems
    request_s = 10.0  # Hevy waits 5 s for an answer

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register the connection, closing another one above the limit."""
        super().connection_made(transport)
        self._begin_request()
        held = [each for each in self._all() if not each.transport.is_closing()]
        if len(held) > self.most:
            waiting = [each for each in held if each is not self and each.is_waiting]
            min(waiting, key=LimitedConnection.ends_at, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Start the timeout of the next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._begin_request()

    @property
    def is_waiting(self) -> bool:
        """Return true if the rest of a request, or another request, is still to be received."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def ends_at(self) -> float:
        """Return the time of the event loop at which the connection is closed (s)."""
        return 0.0 if self._deadline is None else self._deadline.when()

    def _begin_request(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(self.request_s, self.transport.abort)

    def _all(self) -> list["LimitedConnection"]:
        return [each for each in self.connections if isinstance(each, LimitedConnection)]
