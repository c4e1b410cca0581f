"""One step of a night, in its own process, for a separate peak of memory.

`python -m tests.bench.step build warehouse.duckdb` prints the cost as JSON. The step itself is
timed after dbt is imported and the project parsed; the process's own seconds include both.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orchestration.dbt.checks import failures
from orchestration.dbt.runner import build, parsed_project
from orchestration.runs.provenance import provenance_of
from orchestration.services.releases.release import release_marts
from orchestration.services.releases.release_contents import DATABASE_FILE
from tests.bench.plain import build_plain, copy_plain

Nodes = Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """Cost of a step; `nodes` are dbt's models and tests with the seconds of each.

    `cpu_seconds` are those of all its threads: if they are far below `seconds`, it waited.
    """

    seconds: float
    cpu_seconds: float
    process_seconds: float
    peak_bytes: int
    nodes: Nodes


def measure(step: str, warehouse: Path) -> Measured:
    """Run one of `STEPS` on the warehouse in a new process."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", __name__, step, warehouse], stdout=subprocess.PIPE, check=True
    )
    process_seconds = time.perf_counter() - started
    return Measured(process_seconds=process_seconds, **json.loads(done.stdout))


def main(step: str, warehouse: Path) -> None:
    if step == "build":
        parsed_project()
    started, cpu = time.perf_counter(), time.process_time()
    nodes = STEPS[step](warehouse)
    seconds = time.perf_counter() - started
    cost = {"cpu_seconds": time.process_time() - cpu, "peak_bytes": peak_bytes()}
    print(json.dumps({"seconds": seconds, **cost, "nodes": nodes}))


def peak_bytes() -> int:
    """Return the peak memory of this process.

    On Linux `getrusage` inherits the peak of the parent process, which may be larger, so there the
    kernel's status file is read.
    """
    book = Path("/proc/self/status")
    if book.exists():
        peak = next(line for line in book.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS


def _build(warehouse: Path) -> Nodes:
    outcomes = build(warehouse, warehouse.with_name("dbt"))
    if broken := failures(outcomes):
        sys.exit("dbt build failed: " + "; ".join(broken))
    return {outcome.unique_id: outcome.seconds for outcome in outcomes}


def _release(warehouse: Path) -> Nodes:
    folder = released(warehouse).parent
    release_marts(warehouse, folder, provenance_of("bench"), datetime.now(UTC))
    return {}


def released(warehouse: Path) -> Path:
    """Return the database that the step `release` writes."""
    return warehouse.with_name("release") / DATABASE_FILE


def copied(warehouse: Path) -> Path:
    """Return the file that the step `copy` writes."""
    return warehouse.with_name("copy.duckdb")


def _plain(warehouse: Path) -> Nodes:
    build_plain(warehouse, warehouse.parent.with_name("dbt") / "compiled")
    return {}


def _copy(warehouse: Path) -> Nodes:
    copy_plain(released(warehouse), copied(warehouse))
    return {}


STEPS: Mapping[str, Callable[[Path], Nodes]] = {
    "build": _build,
    "plain": _plain,
    "release": _release,
    "copy": _copy,
}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
