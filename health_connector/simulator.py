"""A simulated Intervals.icu on loopback: wellness days of one account, with faults on request."""

import base64
import json
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

Fault = Literal["busy", "error", "page", "truncate", "reset"]
"""429, 500, an HTML page with status 200, JSON that breaks off, a closed connection."""

SIMULATED_KEY = "simulated-intervals-key"


@dataclass
class SimulatedIntervals:
    """State of the account: wellness objects by day, and the faults of the next requests."""

    wellness: dict[date, dict[str, Any]] = field(default_factory=dict)
    faults: deque[Fault] = field(default_factory=deque)
    api_key: str = SIMULATED_KEY
    url: str = ""
    requests: list[str] = field(default_factory=list)


@contextmanager
def running_intervals(state: SimulatedIntervals) -> Iterator[SimulatedIntervals]:
    """Serve the account on a free port of loopback; sets its `url`."""

    class Handler(_Handler):
        account = state

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    account: SimulatedIntervals

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.account.requests.append(self.path)
        fault = self.account.faults.popleft() if self.account.faults else None
        if fault == "reset":
            self.close_connection = True
            return
        if fault in ("busy", "error"):
            self._send(429 if fault == "busy" else 500, b'{"error": "later"}')
            return
        if fault == "page":
            self._send(200, b"<html>maintenance</html>", "text/html")
            return
        known = base64.b64encode(f"API_KEY:{self.account.api_key}".encode()).decode()
        if self.headers.get("authorization") != f"Basic {known}":
            self._send(401, b'{"status": 401, "error": "Unauthorized"}')
            return
        answer = self._answer(parts.path, parse_qs(parts.query))
        if answer is None:
            missing = {"status": 404, "error": "Not Found", "path": parts.path}
            self._send(404, json.dumps(missing).encode())
            return
        content = json.dumps(answer).encode()
        self._send(200, content[: len(content) // 2] if fault == "truncate" else content)

    def _answer(self, path: str, query: dict[str, list[str]]) -> Any:
        if path == "/api/v1/athlete/0":
            return {"id": "i1", "name": "Simulated Athlete"}
        if path != "/api/v1/athlete/0/wellness":
            return None
        oldest, newest = (date.fromisoformat(query[name][0]) for name in ("oldest", "newest"))
        return [
            {"id": day.isoformat(), "ctl": 40.5, "atl": 38.0, **values}
            for day, values in sorted(self.account.wellness.items())
            if oldest <= day <= newest
        ]

    def _send(self, status: int, content: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: requests are in `SimulatedIntervals.requests`."""
