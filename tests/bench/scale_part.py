"""One part of a night of many athletes, in a process of its own: only there is the peak its own.

`python -m tests.bench.scale_part land` works on the home that the environment tells, as a night
does, and prints what it took as JSON.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import dagster as dg
import duckdb
import httpx

from coach_agent.profile import AthleteProfile
from hevy_connector.client import HevyClient
from hevy_connector.transactions import conflict_count
from hevy_connector.transport import RateLimit
from orchestration.defs.coaching.assets import next_workout
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.lib.athletes import configured_athletes
from orchestration.lib.dbt import build, parsed_project
from orchestration.lib.dbt_events import failures
from orchestration.lib.ingestion import WORKOUTS, load_for_all
from orchestration.lib.lake import Lake
from orchestration.lib.provenance import provenance_of
from orchestration.lib.release import release_marts
from orchestration.lib.settings import Settings, load_settings
from orchestration.lib.warehouse import open_warehouse
from tests.bench.step import peak_bytes

NEXT_WORKOUTS = "next_workouts.parquet"
"""The file in the home that tells what the accounts have and the warehouse has not."""


@dataclass(frozen=True)
class PartCost:
    """What one part took; `commits` are the new snapshots of a lake, None of a file.

    `cpu_seconds` are those of its processes together, `peak_bytes` those of the largest of them.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    commits: int | None
    conflicts: int


def measure(part: str, environment: Mapping[str, str]) -> PartCost:
    """Run one of `PARTS` in a new process that sees `environment` alone."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, part],
        env=dict(environment),
        stdout=subprocess.PIPE,
        check=True,
    )
    return PartCost(**json.loads(done.stdout.splitlines()[-1]))


def main(part: str) -> None:
    settings = load_settings()
    if part == "build":
        parsed_project()
    before = _snapshots(settings)
    started, cpu = time.perf_counter(), _cpu_seconds()
    PARTS[part](settings)
    cost = PartCost(
        seconds=time.perf_counter() - started,
        cpu_seconds=_cpu_seconds() - cpu,
        peak_bytes=peak_bytes(),
        commits=None if before is None else (_snapshots(settings) or 0) - before,
        conflicts=conflict_count(),
    )
    print(json.dumps(vars(cost)))


def _cpu_seconds() -> float:
    """What this process used, and those that it began and that ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def land_next(settings: Settings) -> None:
    """Land what the accounts have and the warehouse has not, as the sync does.

    The accounts answer in this process, at once.
    """
    accounts = _accounts(settings)

    def make_client(athlete: AthleteProfile) -> HevyClient:
        transport = httpx.MockTransport(accounts[athlete.id])
        return HevyClient("key", limit=RateLimit(per_second=None), transport=transport)

    athletes = [each for each in configured_athletes(settings) if each.id in accounts]
    connect = WarehouseResource(path=_path(settings)).connect
    loaded = load_for_all(WORKOUTS, athletes, make_client, connect, "night")
    if loaded.failures:
        sys.exit(f"not landed: {loaded.failures}")
    if missing := sum(landed.missing for landed in loaded.landed.values()):
        sys.exit(f"{missing} workouts were not landed")


def _build(settings: Settings) -> None:
    if broken := failures(build(settings.warehouse, settings.dbt_target)):
        sys.exit("dbt build failed: " + "; ".join(broken))


def _plan(settings: Settings) -> None:
    """The step of a night that decides, all of it; a plan stands for everybody afterwards."""
    with dg.DagsterInstance.ephemeral() as instance:
        dg.materialize(
            [next_workout],
            resources={
                "athletes": AthletesResource(),
                "warehouse": WarehouseResource(path=_path(settings)),
            },
            instance=instance,
            run_config={"loggers": {"console": {"config": {"log_level": "ERROR"}}}},
        )
    with open_warehouse(settings.warehouse, read_only=True) as con:
        [(plans,)] = con.execute("select count(*) from coach.current_plans").fetchall()
    if plans != (athletes := len(configured_athletes(settings))):
        sys.exit(f"{plans} plans stand for {athletes} athletes")


def _release(settings: Settings) -> None:
    release_marts(
        settings.warehouse, settings.release_folder, provenance_of("bench"), datetime.now(UTC)
    )


Account = Callable[[httpx.Request], httpx.Response]


def _accounts(settings: Settings) -> dict[str, Account]:
    """By athlete, of those who trained, who answers in the place of Hevy."""
    with open_warehouse(settings.warehouse, read_only=True) as con:
        known: dict[str, int] = dict(
            con.execute(
                "select athlete_id, record_count from raw.sync_state where entity = 'hevy_workouts'"
            ).fetchall()
        )
    file = str(settings.home / NEXT_WORKOUTS)
    with duckdb.connect() as con:
        trained: list[tuple[str, list[str]]] = con.execute(
            "select athlete_id, list(payload) from read_parquet($1) group by all order by all",
            [file],
        ).fetchall()
    return {
        athlete_id: _account(payloads, known[athlete_id] + len(payloads))
        for athlete_id, payloads in trained
    }


def _account(payloads: list[str], count: int) -> Account:
    events = ", ".join(f'{{"type": "updated", "workout": {payload}}}' for payload in payloads)
    feed = f'{{"page": 1, "page_count": 1, "events": [{events}]}}'

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/count"):
            return httpx.Response(200, json={"workout_count": count})
        return httpx.Response(200, content=feed, headers={"content-type": "application/json"})

    return answer


def _path(settings: Settings) -> str:
    return str(settings.warehouse_path)


def _snapshots(settings: Settings) -> int | None:
    """How often a lake was committed to."""
    if not isinstance(settings.warehouse, Lake):
        return None
    with open_warehouse(settings.warehouse, read_only=True) as con:
        [(count,)] = con.execute("select count(*) from ducklake_snapshots('warehouse')").fetchall()
    return int(count)


PARTS: Mapping[str, Callable[[Settings], None]] = {
    "land": land_next,
    "build": _build,
    "plan": _plan,
    "release": _release,
}


if __name__ == "__main__":
    main(sys.argv[1])
