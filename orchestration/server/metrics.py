"""Metrics of nightly runs for Prometheus, from Dagster's history at each scrape."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock, Thread
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily

from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.part_metrics import PartMetrics, count_new_rows, read_part_metrics

_LABELS = ("part", "partition")


def families(parts: Iterable[PartMetrics]) -> list[GaugeMetricFamily]:
    """Return the metric families of these measurements; unknown values have no sample."""
    values = {
        "spotter_part_seconds": "Wall clock of the latest ended run, in seconds.",
        "spotter_part_rows": "New rows of raw tables and plans in the latest ended run.",
        "spotter_part_conflicts": "Commits of the latest ended run that a conflict made retry.",
        "spotter_part_retries": "Lost runs that the latest run retries.",
        "spotter_part_lag_seconds": "Seconds since the last success.",
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
        with self._lock, dagster_instance(self._settings) as instance:

            def count_rows(run_id: str) -> int:
                if run_id not in self._rows:
                    self._rows[run_id] = count_new_rows(instance, run_id)
                return self._rows[run_id]

            now = datetime.now(UTC)
            parts = read_part_metrics(instance, self._settings.partitions, now, count_rows)
        return families(parts)


@contextmanager
def running_metrics(settings: Settings, *, host: str, port: int) -> Iterator[tuple[str, Thread]]:
    """Serve the metrics; yield their URL and the thread of the server.

    Raises:
        SettingsError: the address cannot be used.
    """
    registry = CollectorRegistry()
    collector: Any = PartCollector(settings)  # a subclass could not be checked without the extra
    registry.register(collector)
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise SettingsError(f"Metrics cannot be served at {host}:{port}: {error}.") from error
    try:
        yield f"http://{host}:{server.server_port}/metrics", thread
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
