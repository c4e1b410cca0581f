"""A fake Dagster GraphQL server with responses of the test."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Answer = Callable[[str, dict[str, Any]], dict[str, Any] | None]
"""Returns the response to a query with its variables; None closes the connection."""


@contextmanager
def fake_dagster(answer: Answer) -> Iterator[str]:
    """Start the server and yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = answer(asked["query"], asked.get("variables") or {})
            if data is None:
                self.close_connection = True
                return
            body = json.dumps({"data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing: tests check the effects."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def a_failed_night(_query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """Return Dagster's response about its runs after a failed one, with none in progress."""
    if "filter" in variables:
        return {"runsOrError": {"results": []}}
    run = {"jobName": "nightly", "status": "FAILURE", "startTime": 1_795_440_000.0}
    return {"runsOrError": {"results": [run]}}
