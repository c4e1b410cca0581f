"""`make bench-scale`: a night of many athletes, part by part, and its cost per athlete.

The athletes are generated deterministically, and differ in exercises, loads and hours. Each size
has its own warehouse, built once before the night. In the night 3 % new workouts come in, the marts
are built and tested, all athletes get a plan, and the marts are released.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from orchestration.config.lake import Lake
from orchestration.config.settings import load_settings
from orchestration.services.operations.freshness import size_of
from orchestration.storage.local_postgres import LocalPostgres, running_postgres
from orchestration.storage.warehouse import Warehouse, open_warehouse
from tests.bench.history import TIME_ZONES, Years, create_history, write_next_workouts
from tests.bench.machine import this_machine
from tests.bench.scale_part import NEXT_WORKOUTS, PARTS, PartCost, measure

SIZES = [100, 1_000, 10_000]
NEW_RATIO = 0.03
GB = 1e9
NOT_INCLUDED = (
    "Not included: Hevy's own network and limits (accounts answer at once, in the process, and are "
    "asked for workouts alone), language models, and publishing."
)


class Target(StrEnum):
    """Target of the warehouse."""

    EMBEDDED = "embedded"
    LAKE = "lake"


GOAL_MINUTES = {Target.EMBEDDED: 5, Target.LAKE: 8}


@dataclass(frozen=True)
class NightCost:
    """Cost of each part of one night; `made_s` and `first_build_s` came before it.

    `commits` are the new snapshots of a lake by part, None of a file. The bytes are those of the
    files after it, before any maintenance; PostgreSQL's storage is not included.
    """

    athletes: int
    workouts: int
    new_workouts: int
    made_s: float
    first_build_s: float
    parts: dict[str, PartCost]
    commits: dict[str, int | None]
    warehouse_bytes: int
    release_bytes: int

    @property
    def whole(self) -> PartCost:
        """Return the sum of all parts."""
        parts = list(self.parts.values())
        return replace(PartCost.of_all(parts), seconds=sum(part.seconds for part in parts))

    @property
    def all_commits(self) -> int | None:
        """Return the number of new snapshots of the whole night."""
        counted = [each for each in self.commits.values() if each is not None]
        return sum(counted) if counted else None


def main(
    athletes: Annotated[
        list[int], typer.Option(min=1, help="Athletes of a night; repeatable.")
    ] = SIZES,
    workouts: Annotated[int, typer.Option(min=4, help="Workouts of each before the night.")] = 100,
    target: Annotated[Target, typer.Option(help="Where the warehouse is.")] = Target.EMBEDDED,
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that share landing and planning, on a lake.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Measure nights of these numbers of athletes, one after the other."""
    if workers > 1 and target == Target.EMBEDDED:
        raise typer.BadParameter("a file has one writer: add --target lake", param_hint="--workers")
    costs: list[NightCost] = []
    machine = this_machine()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        postgres = stack.enter_context(running_postgres()) if target == Target.LAKE else None
        progress = stack.enter_context(Progress(console=Console(stderr=as_json)))
        for size in sorted(set(athletes)):
            task = progress.add_task(f"{size:,} athletes", total=len(PARTS) + 2)
            home = folder / str(size)
            costs.append(
                night_cost(
                    home,
                    environment_of(home, size, postgres),
                    size,
                    workouts,
                    workers,
                    lambda task=task: progress.advance(task),  # type: ignore[misc]
                )
            )
            shutil.rmtree(home)
    if as_json:
        nights = [{**asdict(cost), "seconds": cost.whole.seconds} for cost in costs]
        told = {"target": target, "workers": workers, "not_included": NOT_INCLUDED}
        print(json.dumps({"machine": asdict(machine), **told, "nights": nights}, default=str))
        return
    Console().print(machine)
    Console().print(_table(costs, target, workers))


def night_cost(
    home: Path,
    environment: Mapping[str, str],
    athletes: int,
    workouts: int,
    workers: int,
    advance: Callable[[], None],
) -> NightCost:
    """Measure a night of athletes with a number of workouts each, in a new home."""
    started = time.perf_counter()
    settings = load_settings(environment)
    warehouse = settings.warehouse
    new_workouts = round(athletes * workouts * NEW_RATIO)
    make_home(home, warehouse, athletes, workouts, new_workouts)
    made_s = time.perf_counter() - started
    advance()
    first_build_s = measure("build", environment).seconds
    advance()
    parts: dict[str, PartCost] = {}
    commits: dict[str, int | None] = {}
    for part in PARTS:
        before = _snapshots(warehouse)
        parts[part] = measure(part, environment, workers)
        after = _snapshots(warehouse)
        commits[part] = None if before is None or after is None else after - before
        advance()
    return NightCost(
        athletes=athletes,
        workouts=athletes * workouts,
        new_workouts=new_workouts,
        made_s=made_s,
        first_build_s=first_build_s,
        parts=parts,
        commits=commits,
        warehouse_bytes=size_of(
            Path(warehouse.data) if isinstance(warehouse, Lake) else settings.warehouse_path
        ),
        release_bytes=size_of(settings.release_folder),
    )


def environment_of(home: Path, athletes: int, postgres: LocalPostgres | None) -> dict[str, str]:
    """Return the complete environment of a part: its own home, and no key."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "SPOTTER_HOME": str(home),
        "SPOTTER_ATHLETES_DIR": str(home / "athletes"),
        "SPOTTER_TARGET": Target.EMBEDDED,
        "HEVY_API_URL": "http://127.0.0.1:9",
        **dict.fromkeys(("GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"), ""),
    }
    if postgres is None:
        return environment
    return environment | {
        "SPOTTER_TARGET": Target.LAKE,
        "SPOTTER_LAKE_CATALOG": postgres.new_database(f"lake{athletes}"),
        "SPOTTER_LAKE_DATA": str(home / "lake"),
        "PGPASSWORD": postgres.password,
    }


def make_home(
    home: Path, warehouse: Warehouse, athletes: int, workouts: int, new_workouts: int
) -> None:
    """Build a home with training until last week, and a file of the last week's workouts."""
    profiles = home / "athletes"
    profiles.mkdir(parents=True)
    for number in range(athletes):
        name, timezone = f"{number:04}-lifter", TIME_ZONES[number % len(TIME_ZONES)]
        (profiles / f"{name}.toml").write_text(f'id = "{name}"\ntimezone = "{timezone}"\n')
    today = datetime.now(UTC).date()
    years = Years(workouts, ends_at=today - timedelta(days=today.weekday(), weeks=1))
    create_history(warehouse, athletes * workouts, years)
    with open_warehouse(warehouse) as con:
        con.execute(
            """
            insert into raw.sync_state by name
            select
                athlete_id, 'hevy_workouts' as entity, $1 as cursor_at, $1 as last_complete_at,
                count(*) as record_count
            from raw.hevy_workouts
            group by athlete_id
            """,
            [years.first_sync],
        )
    write_next_workouts(warehouse, new_workouts, years, home / NEXT_WORKOUTS)


def _snapshots(warehouse: Warehouse) -> int | None:
    """Return the number of snapshots of a lake."""
    if not isinstance(warehouse, Lake):
        return None
    with open_warehouse(warehouse, read_only=True) as con:
        [(count,)] = con.execute("select count(*) from ducklake_snapshots('warehouse')").fetchall()
    return int(count)


def _table(costs: Sequence[NightCost], target: Target, workers: int) -> Table:
    stored = "; ".join(
        f"{cost.athletes:,} athletes: warehouse {cost.warehouse_bytes / GB:.2f} GB, "
        f"release {cost.release_bytes / GB:.2f} GB"
        for cost in costs
    )
    table = Table(
        *("athletes", "new workouts", "part", "seconds", "ms an athlete", "CPU, s"),
        *("peak, GB", "commits", "conflicts"),
        title=f"nights on the target {target}, workers: {workers}",
        caption=f"goal: a night of 10,000 under {GOAL_MINUTES[target]} minutes, and the cost of an "
        f"athlete no higher with more of them. Stored: {stored}. {NOT_INCLUDED}",
        caption_justify="left",
    )
    for cost in costs:
        for part, took in cost.parts.items():
            table.add_row(*_cells(cost, part, took, cost.commits[part]))
        whole = _cells(cost, "night", cost.whole, cost.all_commits)
        table.add_row(*whole, end_section=True)
    return table


def _cells(cost: NightCost, part: str, took: PartCost, commits: int | None) -> list[str]:
    return [
        f"{cost.athletes:,}",
        f"{cost.new_workouts:,}",
        part,
        f"{took.seconds:.1f}",
        f"{took.seconds / cost.athletes * 1000:.1f}",
        f"{took.cpu_seconds:.1f}",
        f"{took.peak_bytes / GB:.2f}",
        "" if commits is None else f"{commits:,}",
        "" if commits is None else f"{took.conflicts:,}",
    ]


if __name__ == "__main__":
    sys.exit(typer.run(main))
