"""Log of the requests to the simulated service."""

import threading
from collections import Counter
from typing import Any, NamedTuple


class ReceivedRequest(NamedTuple):
    """An incoming request to the API.

    `body` is the parsed JSON, text if it was no JSON, None if there was none.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any


class LoggedRequest(NamedTuple):
    """A request to the API and its outcome.

    `status` is None if no response was sent, and `fault` the rule that applied, if any.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any
    status: int | None
    fault: str | None = None


class RequestLog:
    """All requests to the API in the order of their responses; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[LoggedRequest] = []

    def add(self, request: LoggedRequest) -> None:
        """Append one request."""
        with self._lock:
            self._requests.append(request)

    def entries(self) -> list[LoggedRequest]:
        """Return all requests so far, oldest first."""
        with self._lock:
            return list(self._requests)

    def summary(self) -> dict[str, Any]:
        """Return the log as JSON: `total`, `by_method` and the `requests` themselves."""
        entries = self.entries()
        return {
            "total": len(entries),
            "by_method": dict(Counter(entry.method for entry in entries)),
            "requests": [entry._asdict() for entry in entries],
        }
