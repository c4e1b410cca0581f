"""Metrics of nightly runs for Prometheus, from Dagster's history at each scrape."""

import socket
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from socketserver import ThreadingMixIn
from threading import Lock, Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import GaugeMetricFamily

from hevy_connector.request_guard import Incoming, Refusal, refusal
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.part_metrics import PartMetrics, count_new_rows, read_part_metrics

_LABELS = ("part", "partition")
_PATH = "/metrics"
_ADDRESS = "spotter.server_address"
"""Key of the local address of the connection, in a WSGI environment."""


def families(parts: Iterable[PartMetrics]) -> list[GaugeMetricFamily]:
    """Return the metric families of these measurements; unknown values have no sample."""
    values = {
        "spotter_part_seconds": "Wall clock of the latest ended run, in seconds.",
        "spotter_part_rows": "New rows of raw tables and plans in the latest ended run.",
        "spotter_part_conflicts": "Commits of the latest ended run that a conflict made retry.",
        "spotter_part_retries": "Lost runs that the latest run retries.",
        "spotter_part_lag_seconds": "Longest time since the last success of an athlete.",
        "spotter_part_athletes_left_out": "Athletes that the latest run left out.",
    }
    found = {name: GaugeMetricFamily(name, text, labels=_LABELS) for name, text in values.items()}
    state = GaugeMetricFamily(
        "spotter_part_state", "State of the latest run, 1.", labels=(*_LABELS, "state")
    )
    for each in parts:
        samples = {
            "spotter_part_seconds": each.seconds,
            "spotter_part_rows": each.rows,
            "spotter_part_conflicts": each.conflicts,
            "spotter_part_retries": each.retries,
            "spotter_part_lag_seconds": each.lag_s,
            "spotter_part_athletes_left_out": each.left_out,
        }
        for name, value in samples.items():
            if value is not None:
                found[name].add_metric((each.part, each.partition), value)
        state.add_metric((each.part, each.partition, each.state), 1)
    return [*found.values(), state]


class PartCollector:
    """Reads Dagster's history of a home at each scrape; the events of an ended run once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._rows: dict[str, int] = {}

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Return the families without samples: registration reads nothing."""
        return families(())

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the current families."""
        read: dict[str, int] = {}
        history = dagster_instance(self._settings, keeps_configuration=True)
        with self._lock, history as instance:

            def count_rows(run_id: str) -> int:
                known = self._rows.get(run_id)
                read[run_id] = count_new_rows(instance, run_id) if known is None else known
                return read[run_id]

            now = datetime.now(UTC)
            parts = read_part_metrics(instance, self._settings.partitions, now, count_rows)
            self._rows = read
        return families(parts)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _ServerV6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    """Passes on the address of the connection, and logs no request."""

    def get_environ(self) -> dict[str, Any]:
        return {**super().get_environ(), _ADDRESS: self.connection.getsockname()[0]}

    def log_message(self, format: str, *args: Any) -> None:
        return


def guarded_app(app: Callable[..., Any], allowed: Collection[str]) -> Callable[..., Any]:
    """Return a WSGI app that answers only GET /metrics, for its own host names."""

    def guarded(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        refused = _metrics_refusal(environ, allowed)
        if refused is None:
            answer: Iterable[bytes] = app(environ, start_response)
            return answer
        status = f"{refused.status} {HTTPStatus(refused.status).phrase}"
        start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
        return [refused.reason.encode()]

    return guarded


def _metrics_refusal(environ: dict[str, Any], allowed: Collection[str]) -> Refusal | None:
    def header(name: str) -> tuple[str, ...]:
        return (environ[name],) if name in environ else ()

    incoming = Incoming(
        method=environ["REQUEST_METHOD"],
        path=environ["PATH_INFO"],
        query=environ.get("QUERY_STRING", ""),
        hosts=header("HTTP_HOST"),
        origins=header("HTTP_ORIGIN"),
        content_type=environ.get("CONTENT_TYPE", ""),
        fetch_site=environ.get("HTTP_SEC_FETCH_SITE", ""),
        fetch_mode=environ.get("HTTP_SEC_FETCH_MODE", ""),
        fetch_dest=environ.get("HTTP_SEC_FETCH_DEST", ""),
        server_address=environ.get(_ADDRESS, ""),
        is_websocket=False,
    )
    refused = refusal(incoming, allowed, only_json=False)
    if refused is not None:
        return refused
    if incoming.path != _PATH:
        return Refusal(404, f"Only {_PATH} is served here.")
    return None if incoming.method == "GET" else Refusal(405, "Only GET is served here.")


@contextmanager
def running_metrics(settings: Settings, *, host: str, port: int) -> Iterator[tuple[str, Thread]]:
    """Serve the metrics; yield their URL and the thread of the server.

    Raises:
        SettingsError: the address cannot be used.
    """
    registry = CollectorRegistry()
    collector: Any = PartCollector(settings)  # a subclass could not be checked without the extra
    registry.register(collector)
    app = guarded_app(make_wsgi_app(registry), (*settings.allowed_hosts, host))
    kind = _ServerV6 if ":" in host else _Server
    try:
        server = make_server(host, port, app, kind, handler_class=_Handler)
    except OSError as error:
        raise SettingsError(f"Metrics cannot be served at {host}:{port}: {error}.") from error
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_port}{_PATH}", thread
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
