"""One part of a night of many athletes, in its own process, for a separate peak of memory.

`python -m tests.bench.scale_part land 1-of-2` runs on the home of the environment, for a partition
of its athletes, or for all without one, and prints the cost as JSON.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

import dagster as dg
import duckdb
import httpx

from coach_agent.profile.model import AthleteProfile
from hevy_connector.client.client import HevyClient
from hevy_connector.http.limits import RateLimit
from hevy_connector.raw.transactions import conflict_count
from orchestration.config.athletes import configured_athletes
from orchestration.config.settings import Settings, load_settings
from orchestration.dbt.checks import failures
from orchestration.dbt.runner import build, parsed_project
from orchestration.defs.coaching.assets import next_workout
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.runs.partitions import Partition, all_partitions
from orchestration.runs.provenance import provenance_of
from orchestration.runs.tags import COACH
from orchestration.services.ingestion.ingest import WORKOUTS, ingest_all
from orchestration.services.releases.release import release_marts
from orchestration.storage.warehouse import open_warehouse
from tests.bench.step import peak_bytes

NEXT_WORKOUTS = "next_workouts.parquet"
"""The file in the home with workouts that the accounts have and the warehouse lacks."""


@dataclass(frozen=True)
class PartCost:
    """Cost of a part; of several workers `seconds` are those of the slowest.

    `cpu_seconds` are those of all processes together, `peak_bytes` those of the largest of them.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    conflicts: int

    @classmethod
    def of_all(cls, costs: Sequence[Self]) -> Self:
        """Combine the costs of concurrent workers."""
        return cls(
            seconds=max(each.seconds for each in costs),
            cpu_seconds=sum(each.cpu_seconds for each in costs),
            peak_bytes=max(each.peak_bytes for each in costs),
            conflicts=sum(each.conflicts for each in costs),
        )


def measure(part: str, environment: Mapping[str, str], workers: int = 1) -> PartCost:
    """Run one of `PARTS` in new processes with only this environment.

    Each of the concurrent workers has a partition, if the part is one of `IN_PARTITIONS`.

    Raises:
        subprocess.CalledProcessError: one of them failed.
    """
    is_shared = workers > 1 and part in IN_PARTITIONS
    partitions = [[str(partition)] for partition in all_partitions(workers)] if is_shared else [[]]

    def cost(partition: list[str]) -> PartCost:
        done = subprocess.run(
            [sys.executable, "-m", __name__, part, *partition],
            env={**environment, "SPOTTER_PARTITIONS": str(len(partitions))},
            stdout=subprocess.PIPE,
            check=True,
        )
        return PartCost(**json.loads(done.stdout.splitlines()[-1]))

    with ThreadPoolExecutor(len(partitions)) as pool:
        return PartCost.of_all(list(pool.map(cost, partitions)))


def main(part: str, partition: str | None = None) -> None:
    settings = load_settings()
    if part == "build":
        parsed_project()
    of_partition = None if partition is None else Partition.from_key(partition)
    started, cpu = time.perf_counter(), _cpu_seconds()
    PARTS[part](settings, of_partition)
    cost = PartCost(
        seconds=time.perf_counter() - started,
        cpu_seconds=_cpu_seconds() - cpu,
        peak_bytes=peak_bytes(),
        conflicts=conflict_count(),
    )
    print(json.dumps(vars(cost)))


def _cpu_seconds() -> float:
    """Return the CPU seconds of this process and its finished children."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def land_next(settings: Settings, partition: Partition | None = None) -> None:
    """Land the workouts that the accounts have and the warehouse lacks, as the sync does.

    The accounts answer in this process, at once.
    """
    accounts = _accounts(settings)

    def make_client(athlete: AthleteProfile) -> HevyClient:
        transport = httpx.MockTransport(accounts[athlete.id])
        return HevyClient("key", limit=RateLimit(per_second=None), transport=transport)

    athletes = [each for each in _athletes(settings, partition) if each.id in accounts]
    connect = WarehouseResource(path=_path(settings)).connect
    loaded = ingest_all(WORKOUTS, athletes, make_client, connect, "night")
    if loaded.failures:
        sys.exit(f"not landed: {loaded.failures}")
    if missing := sum(landed.missing for landed in loaded.landed.values()):
        sys.exit(f"{missing} workouts were not landed")


def _athletes(settings: Settings, partition: Partition | None) -> list[AthleteProfile]:
    return [
        each
        for each in configured_athletes(settings)
        if partition is None or partition.has(each.id)
    ]


def _build(settings: Settings, _: Partition | None) -> None:
    if broken := failures(build(settings.warehouse, settings.dbt_target)):
        sys.exit("dbt build failed: " + "; ".join(broken))


def _plan(settings: Settings, partition: Partition | None) -> None:
    """Run the plan step of a night and check that each athlete has a plan."""
    job = dg.Definitions(
        assets=[next_workout],
        jobs=[dg.define_asset_job(COACH, selection=[next_workout])],
        resources={
            "athletes": AthletesResource(),
            "warehouse": WarehouseResource(path=_path(settings)),
        },
    ).resolve_job_def(COACH)
    with dg.DagsterInstance.ephemeral() as instance:
        job.execute_in_process(
            instance=instance,
            partition_key=None if partition is None else partition.key,
            run_config={"loggers": {"console": {"config": {"log_level": "ERROR"}}}},
        )
    with open_warehouse(settings.warehouse, read_only=True) as con:
        rows: list[tuple[str]] = con.execute(
            "select athlete_id from coach.current_plans"
        ).fetchall()
    planless = {each.id for each in _athletes(settings, partition)} - {name for (name,) in rows}
    if planless:
        sys.exit(f"no plan stands for {len(planless)} athletes, as {min(planless)}")


def _release(settings: Settings, _: Partition | None) -> None:
    release_marts(
        settings.warehouse, settings.release_folder, provenance_of("bench"), datetime.now(UTC)
    )


Account = Callable[[httpx.Request], httpx.Response]


def _accounts(settings: Settings) -> dict[str, Account]:
    """Return a simulated account for each athlete with new workouts."""
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


PARTS: Mapping[str, Callable[[Settings, Partition | None], None]] = {
    "land": land_next,
    "build": _build,
    "plan": _plan,
    "release": _release,
}
IN_PARTITIONS = frozenset({"land", "plan"})


if __name__ == "__main__":
    main(*sys.argv[1:])
