"""What was asked of the simulated service, and how it ended."""

import threading
from collections import Counter
from typing import Any, NamedTuple


class ReceivedRequest(NamedTuple):
    """A request to the API as it comes in.

    `body` is the JSON that was sent, text where it was no JSON, None where there was none.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any


class LoggedRequest(NamedTuple):
    """A request to the API and how it ended.

    `status` is None where no answer was sent, and `fault` the rule that struck, if one did.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any
    status: int | None
    fault: str | None = None


class RequestLog:
    """All requests to the API in the order in which they were answered; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[LoggedRequest] = []

    def add(self, request: LoggedRequest) -> None:
        """Note one request."""
        with self._lock:
            self._requests.append(request)

    def entries(self) -> list[LoggedRequest]:
        """All requests so far, oldest first."""
        with self._lock:
            return list(self._requests)

    def summary(self) -> dict[str, Any]:
        """The log as JSON: `total`, `by_method` and the `requests` themselves."""
        entries = self.entries()
        return {
            "total": len(entries),
            "by_method": dict(Counter(entry.method for entry in entries)),
            "requests": [entry._asdict() for entry in entries],
        }
