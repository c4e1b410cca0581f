"""`make bench`: what the connector costs beside what there is to compare it with.

Everything is measured in this one run, the rivals in turn, and told as a ratio of medians: seconds
depend on the machine, ratios hardly.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tests.bench.first_sync import first_sync_seconds, ideal_seconds, simulator
from tests.bench.landing import landing_seconds, read_json_seconds, sync_seconds
from tests.bench.payloads import workout_payloads

DLT_PYTHON = Path(".venv-bench/dlt/bin/python")
LATENCY_MS = 50
SYNCED = 2_000
FOR_DLT = 2_000

Candidates = Mapping[str, Callable[[], float]]


def main(
    workouts: Annotated[int, typer.Option(min=1, help="Payloads to land.")] = 100_000,
    rounds: Annotated[int, typer.Option(min=1, help="Runs of each; medians are told.")] = 3,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Measure landing and the first sync."""
    console = Console(stderr=as_json)
    with tempfile.TemporaryDirectory() as folder, Progress(console=console) as progress:
        results = [
            *_landing(Path(folder), workouts, rounds, progress),
            *_beside_dlt(Path(folder), rounds, progress),
            *_first_sync(Path(folder), rounds, progress),
        ]
    if as_json:
        print(json.dumps(results, indent=2))
        return
    table = Table("what", "beside", "seconds", "beside, s", "ratio", "goal", title_justify="left")
    for row in results:
        table.add_row(*(str(value) for value in row.values()))
    Console().print(table)


def _landing(folder: Path, count: int, rounds: int, progress: Progress) -> list[dict[str, object]]:
    source = _written(folder / "payloads.json", count)
    warehouse = folder / "landing.duckdb"
    times = _medians(
        {
            "read_json": lambda: read_json_seconds(source, warehouse),
            "landing": lambda: landing_seconds(source, warehouse),
            "validated": lambda: sync_seconds(source, warehouse),
        },
        rounds,
        progress,
        f"landing {count:,}",
    )
    beside = f"read_json, {count:,} workouts"
    return [
        _row("records to rows", beside, times["landing"], times["read_json"], "at most 1.5"),
        _row(
            "answers to rows, validated",
            beside,
            times["validated"],
            times["read_json"],
            "at most 3",
        ),
    ]


def _beside_dlt(folder: Path, rounds: int, progress: Progress) -> list[dict[str, object]]:
    if not DLT_PYTHON.exists():
        progress.console.print("dlt is not installed (make bench does that): left out")
        return []
    source = _written(folder / "for_dlt.json", FOR_DLT)
    warehouse = folder / "landing.duckdb"
    times = _medians(
        {
            "landing": lambda: sync_seconds(source, warehouse),
            "dlt": lambda: _dlt_seconds(source, folder),
        },
        rounds,
        progress,
        f"landing {FOR_DLT:,} beside dlt",
    )
    return [
        _row(
            "dlt, nested load",
            f"answers to rows, {FOR_DLT:,} workouts",
            times["dlt"],
            times["landing"],
            "at least 10",
        )
    ]


def _dlt_seconds(source: Path, folder: Path) -> float:
    with tempfile.TemporaryDirectory(dir=folder) as own:
        loader = Path(__file__).with_name("load_with_dlt.py")
        done = subprocess.run(
            [DLT_PYTHON, loader, source, own],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "RUNTIME__DLTHUB_TELEMETRY": "false", "DLT_DATA_DIR": own},
        )
    return float(done.stdout.splitlines()[-1])


def _first_sync(folder: Path, rounds: int, progress: Progress) -> list[dict[str, object]]:
    with simulator(SYNCED, LATENCY_MS) as url:
        times = _medians(
            {"sync": lambda: first_sync_seconds(url, folder / "sync.duckdb")},
            rounds,
            progress,
            f"first sync of {SYNCED:,}",
        )
    ideal = ideal_seconds(SYNCED, LATENCY_MS)
    beside = f"pages × {LATENCY_MS} ms ÷ in flight"
    return [_row(f"first sync, {SYNCED:,} workouts", beside, times["sync"], ideal, "under 1.3")]


def _written(path: Path, count: int) -> Path:
    with path.open("wb") as file:
        for payload in workout_payloads(count):
            file.write(payload + b"\n")
    return path


def _medians(
    candidates: Candidates, rounds: int, progress: Progress, title: str
) -> dict[str, float]:
    """The median seconds of each; they take turns, so that all meet the same machine."""
    task = progress.add_task(title, total=rounds * len(candidates))
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, measure in candidates.items():
            seconds[name].append(measure())
            progress.advance(task)
    return {name: median(measured) for name, measured in seconds.items()}


def _row(what: str, beside: str, ours: float, theirs: float, goal: str) -> dict[str, object]:
    return {
        "what": what,
        "beside": beside,
        "seconds": round(ours, 3),
        "beside_seconds": round(theirs, 3),
        "ratio": round(ours / theirs, 2),
        "goal": goal,
    }


if __name__ == "__main__":
    sys.exit(typer.run(main))
