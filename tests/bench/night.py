"""Compare a night with the bare `dbt build` in it: ten new workouts, each on the same data."""

import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    running_simulator,
)
from tests.bench.service import ROOT, environment_of, run_command

NEW_WORKOUTS = 10
_ROUTINES = 4
DBT = Path(sys.executable).with_name("dbt")


@dataclass(frozen=True)
class PlannedHome:
    """The home of the demo athlete after a first night, and its account."""

    folder: Path
    simulator: RunningSimulator
    environment: Mapping[str, str]


@contextmanager
def planned_home(folder: Path) -> Iterator[PlannedHome]:
    """Build a home with a plan, with its service."""
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        environment = environment_of(folder, simulator.url)
        run_command(["run"], environment)
        yield PlannedHome(folder, simulator, environment)


class Nights:
    """Nights of a home, each with new training in its account."""

    def __init__(self, home: PlannedHome) -> None:
        self._home = home
        self._trained = 0

    def seconds(self) -> tuple[float, float, float]:
        """Return seconds of `spotter run` with ten new workouts, and of `dbt build` on them, with
        the CPU seconds of this.
        """
        train(self._home.simulator.url, NEW_WORKOUTS, self._trained)
        self._trained += NEW_WORKOUTS
        apart = self._home.folder / "apart"
        shutil.rmtree(apart, ignore_errors=True)
        shutil.copytree(self._home.folder / "home", apart)
        run_command(["sync"], {**self._home.environment, "SPOTTER_HOME": str(apart)})
        build, cpu = self._dbt_seconds(apart)
        return run_command(["run"], self._home.environment), build, cpu

    def _dbt_seconds(self, home: Path) -> tuple[float, float]:
        command = [str(DBT), "--quiet", "build", "--exclude-resource-type", "unit_test"]
        command += ["--project-dir", "dbt_project", "--profiles-dir", "dbt_project"]
        command += ["--target-path", str(home / "dbt")]
        environment = {
            **self._home.environment,
            "SPOTTER_WAREHOUSE": str(home / "warehouse.duckdb"),
        }
        started, cpu = time.perf_counter(), _children_cpu_seconds()
        subprocess.run(command, env=environment, cwd=ROOT, check=True)
        return time.perf_counter() - started, _children_cpu_seconds() - cpu


def _children_cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def train(url: str, count: int, trained: int) -> None:
    """Log more workouts in the account: copies of those whose routines are next.

    `trained` is the number of workouts that were logged by it before.
    """
    with httpx.Client(base_url=f"{url}/v1", headers={"api-key": SIMULATOR_KEY}) as client:
        latest = client.get("/workouts", params={"page": 1, "pageSize": max(count, _ROUTINES)})
        for number, workout in enumerate(latest.json()["workouts"][-count:], trained + 1):
            start = datetime.now(UTC) - timedelta(hours=2) + timedelta(minutes=number)
            body = {
                "title": workout["title"],
                "start_time": start.isoformat(),
                "end_time": (start + timedelta(hours=1)).isoformat(),
                "exercises": [
                    {
                        "exercise_template_id": exercise["exercise_template_id"],
                        "sets": [
                            {name: each[name] for name in ("type", "weight_kg", "reps", "rpe")}
                            for each in exercise["sets"]
                        ],
                    }
                    for exercise in workout["exercises"]
                ],
            }
            client.post("/workouts", json={"workout": body}).raise_for_status()
