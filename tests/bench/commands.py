"""Measure what a user waits for: a command's start, an import with its plan, a workout's way."""

import csv
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import httpx
import orjson

from hevy_connector.simulator import RunningSimulator
from tests.bench.night import PlannedHome, train
from tests.bench.payloads import NOW, workout_payloads
from tests.bench.service import SPOTTER, environment_of, run_command, running, wait_until_loaded
from tests.end_to_end.world import put_count
from tests.ports import free_port

IMPORTED = 773
_TOKEN = "token-of-the-bench"  # noqa: S105 - of a service in this process
_COLUMNS = (
    *("title", "start_time", "end_time", "description", "exercise_title", "superset_id"),
    *("exercise_notes", "set_index", "set_type", "weight_kg", "reps", "distance_km"),
    *("duration_seconds", "rpe"),
)
_LONGEST_WAY_S = 300


def seconds_to_hevy(home: PlannedHome, workouts: int) -> list[float]:
    """Return for each new workout the seconds from Hevy's webhook to the routine in Hevy."""
    ui, webhook = free_port(), free_port()
    command = [str(SPOTTER), "dev", "--port", str(ui)]
    command += ["--webhook", "--webhook-port", str(webhook)]
    environment = {**home.environment, "HEVY_WEBHOOK_TOKEN": _TOKEN}
    seconds = []
    with (
        running(command, environment, home.folder),
        httpx.Client(timeout=60, headers={"Authorization": _TOKEN}) as client,
    ):
        wait_until_loaded(client, f"http://127.0.0.1:{ui}/graphql")
        for number in range(workouts):
            train(home.simulator.url, 1, number)
            before = put_count(home.simulator)
            started = time.perf_counter()
            delivery = {"workoutId": f"workout-{number}"}
            client.post(f"http://127.0.0.1:{webhook}/hevy", json=delivery).raise_for_status()
            _wait_until_sent(home.simulator, before)
            seconds.append(time.perf_counter() - started)
    return seconds


def bare_seconds() -> float:
    """Return the seconds of a process that imports what every command needs, and ends."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import typer, duckdb, pydantic"], check=True)
    return time.perf_counter() - started


def import_seconds(folder: Path, source: Path) -> tuple[float, float]:
    """Return the seconds of the import of a file into a new home, and of the run to its plan."""
    environment = environment_of(folder, "http://127.0.0.1:9")
    (folder / "athletes" / "demo.toml").unlink()
    imported = run_command(["import-csv", str(source), "--athlete", "me"], environment)
    return imported, run_command(["run"], environment)


def write_export(path: Path) -> Path:
    """Write workouts of the simulated athlete, one in two days, as Hevy exports them."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, _COLUMNS, restval="", quoting=csv.QUOTE_ALL)
        writer.writeheader()
        for number, payload in enumerate(workout_payloads(IMPORTED)):
            workout = orjson.loads(payload)
            start = NOW - timedelta(days=2 * number)
            head = {
                "title": workout["title"],
                "start_time": f"{start:%d %b %Y, %H:%M}",
                "end_time": f"{start + timedelta(hours=1):%d %b %Y, %H:%M}",
            }
            for exercise in workout["exercises"]:
                for one in exercise["sets"]:
                    writer.writerow(
                        {
                            **head,
                            "exercise_title": exercise["title"],
                            "set_index": one["index"],
                            "set_type": one["type"],
                            "weight_kg": one["weight_kg"],
                            "reps": one["reps"],
                            "duration_seconds": one["duration_seconds"],
                            "rpe": one["rpe"],
                        }
                    )
    return path


def _wait_until_sent(simulator: RunningSimulator, before: int) -> None:
    give_up_at = time.monotonic() + _LONGEST_WAY_S
    pause = threading.Event()
    while put_count(simulator) == before:
        if time.monotonic() > give_up_at:
            raise TimeoutError(f"No routine came within {_LONGEST_WAY_S} s.")
        pause.wait(0.05)
