"""Compare the first sync of a long history with the limit by latency."""

import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from hevy_connector.client.client import HevyClient
from hevy_connector.fetching.fetch import fetch_workouts
from hevy_connector.http.limits import RateLimit
from hevy_connector.raw.sync import land_fetched
from hevy_connector.simulator import SIMULATOR_KEY
from orchestration.storage.warehouse import open_warehouse
from tests.bench.payloads import NOW

IN_FLIGHT = RateLimit.in_flight
PAGE_SIZE = 10


@contextlib.contextmanager
def simulator(workouts: int, latency_ms: int) -> Iterator[str]:
    """Start a simulator in its own process and yield its URL."""
    command = [sys.executable, "-m", "orchestration.cli.app", "simulator", "--port", "0"]
    command += ["--workouts", str(workouts), "--latency", str(latency_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+?(?=[,;]?\s)", process.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            process.terminate()


def first_sync_seconds(url: str, warehouse: Path) -> float:
    """Measure the sync of every workout, from the first request to the commit."""
    warehouse.unlink(missing_ok=True)
    with open_warehouse(warehouse) as con:
        started = time.perf_counter()
        limit = RateLimit(per_second=None)
        with HevyClient(SIMULATOR_KEY, base_url=url, limit=limit) as client:
            fetched = fetch_workouts(client, None)
            land_fetched(con, "a", fetched, now=NOW, run_id="bench")
        return time.perf_counter() - started


def ideal_seconds(workouts: int, latency_ms: int) -> float:
    """Return pages times latency divided by concurrent requests."""
    return -(-workouts // PAGE_SIZE) * latency_ms / 1000 / IN_FLIGHT
