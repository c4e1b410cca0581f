"""`make bench`: cost of connector, warehouse and engine compared with alternatives.

All measurements are made in one run, in turn, and reported as ratios of medians: seconds depend on
the machine, ratios hardly. A plan has no alternative, so its milliseconds are reported.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tests.bench.commands import (
    IMPORTED,
    bare_seconds,
    import_seconds,
    seconds_to_hevy,
    write_export,
)
from tests.bench.engine import MEDIAN_GOAL_MS, P99_GOAL_MS, PlanCost, plan_costs
from tests.bench.first_sync import first_sync_seconds, ideal_seconds, simulator
from tests.bench.landing import landing_seconds, read_json_seconds, sync_seconds
from tests.bench.machine import this_machine
from tests.bench.night import NEW_WORKOUTS, Nights, planned_home
from tests.bench.pages import (
    LONG_HISTORY,
    MANY_ATHLETES,
    Seen,
    dashboard,
    empty_app,
    long_history,
    many_athletes,
    seen,
)
from tests.bench.payloads import workout_payloads
from tests.bench.service import Served, load_seconds, run_command, serve_empty, serve_ours
from tests.bench.warehouse import (
    COPY,
    FIRST_RELEASE,
    FULL,
    NIGHT,
    PLAIN,
    RELEASE,
    StepCost,
    run_count,
    warehouse_costs,
)
from tests.end_to_end.browser import CHROMIUM, running_chromium

DLT_PYTHON = Path(".venv-bench/dlt/bin/python")
LATENCY_MS = 50
SYNCED = 2_000
FOR_DLT = 2_000
HISTORIES = [2_000, 100_000, 1_000_000]
GB = 1e9

Candidates = Mapping[str, Callable[[], float]]


class Part(StrEnum):
    """A separately measurable part."""

    CONNECTOR = "connector"
    WAREHOUSE = "warehouse"
    ENGINE = "engine"
    SERVICE = "service"
    COMMANDS = "commands"
    PAGES = "pages"


def main(
    part: Annotated[Part | None, typer.Option(help="Measure this part only.")] = None,
    workouts: Annotated[int, typer.Option(min=1, help="Payloads to land.")] = 100_000,
    rounds: Annotated[int, typer.Option(min=1, help="Runs of each; medians are told.")] = 3,
    history: Annotated[
        list[int], typer.Option(min=1, help="Workouts in the warehouse; repeatable.")
    ] = HISTORIES,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Measure landing, first sync, growing warehouses, plans, serving, commands and pages."""
    console = Console(stderr=as_json)
    machine = this_machine()
    ratios: list[dict[str, object]] = []
    costs: list[StepCost] = []
    plans: list[PlanCost] = []
    with tempfile.TemporaryDirectory() as folder, Progress(console=console) as progress:
        if part in {None, Part.CONNECTOR}:
            ratios += _landing(Path(folder), workouts, rounds, progress)
            ratios += _beside_dlt(Path(folder), rounds, progress)
            ratios += _first_sync(Path(folder), rounds, progress)
        if part in {None, Part.WAREHOUSE}:
            costs = _warehouse(Path(folder), sorted({0, *history}), rounds, progress)
            ratios += _growth(costs)
        if part in {None, Part.ENGINE}:
            progress.add_task("plans of past sessions", total=None)
            plans = plan_costs()
        if part in {None, Part.SERVICE}:
            ratios += _service(Path(folder), rounds, progress)
            ratios += _nights(Path(folder), rounds, progress)
        if part in {None, Part.COMMANDS}:
            ratios += _commands(Path(folder), rounds, progress)
        if part in {None, Part.PAGES}:
            ratios += _pages(Path(folder), rounds, progress)
    if as_json:
        report = {"warehouse": [asdict(cost) for cost in costs], "engine": [*map(asdict, plans)]}
        print(json.dumps({"machine": asdict(machine), "ratios": ratios, **report}, default=str))
        return
    Console().print(machine)
    if ratios:
        Console().print(_ratio_table(ratios))
    if costs:
        Console().print(_cost_table(costs))
    if plans:
        Console().print(_plan_table(plans))


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


def _service(folder: Path, rounds: int, progress: Progress) -> list[dict[str, object]]:
    loading = _medians(
        {
            "ours": lambda: load_seconds(folder, is_ours=True),
            "empty": lambda: load_seconds(folder, is_ours=False),
        },
        rounds,
        progress,
        "loading the code location",
    )
    task = progress.add_task("serving", total=2 * rounds)
    served: dict[str, list[Served]] = {"ours": [], "empty": []}
    for _ in range(rounds):
        for name, serve in (("ours", serve_ours), ("empty", serve_empty)):
            served[name].append(serve(folder))
            progress.advance(task)
    ready, memory, tick = (
        {name: median(getattr(each, field) for each in runs) for name, runs in served.items()}
        for field in ("ready_seconds", "idle_bytes", "tick_seconds")
    )
    beside = "empty dagster dev"
    rows = [
        _row("code location loaded", "empty project", loading["ours"], loading["empty"], "under 2"),
        _row("UI knows the assets", beside, ready["ours"], ready["empty"], ""),
        _row("a sensor looks, nothing new", beside, tick["ours"], tick["empty"], ""),
    ]
    if memory["empty"]:
        # The only row that is not in seconds.
        ours, theirs = (memory[name] / GB for name in ("ours", "empty"))
        rows.append(_row("idle memory, GB", beside, ours, theirs, "under 1.6"))
    return rows


def _nights(folder: Path, rounds: int, progress: Progress) -> list[dict[str, object]]:
    task = progress.add_task("nights beside dbt build", total=rounds)
    ours, theirs, cpu = [], [], []
    with planned_home(folder / "nights") as home:
        nights = Nights(home)
        for _ in range(rounds):
            night, build, build_cpu = nights.seconds()
            ours.append(night)
            theirs.append(build)
            cpu.append(build_cpu)
            progress.advance(task)
    what = f"spotter run, {NEW_WORKOUTS} new workouts"
    return [
        _row(what, "bare dbt build", median(ours), median(theirs), "under 2"),
        _row("dbt build of the demo, CPU", "its time", median(cpu), median(theirs), "under 4 s"),
    ]


def _commands(folder: Path, rounds: int, progress: Progress) -> list[dict[str, object]]:
    starts = {"spotter": ("--help",), "plan show": ("plan", "show"), "status": ("status",)}
    with planned_home(folder / "planned") as home:
        times = _medians(
            {
                "bare": bare_seconds,
                **{
                    name: partial(run_command, [*words], home.environment)
                    for name, words in starts.items()
                },
                "nothing new": partial(run_command, ["run"], home.environment),
            },
            rounds,
            progress,
            "commands",
        )
        progress.add_task("from Hevy's webhook to the routine", total=None)
        to_hevy = median(seconds_to_hevy(home, rounds))
    source = write_export(folder / "export.csv")
    task = progress.add_task(f"import of {IMPORTED} workouts", total=rounds)
    imports = []
    for number in range(rounds):
        imports.append(import_seconds(folder / f"import-{number}", source))
        progress.advance(task)
    imported, planned = (median(each) for each in zip(*imports, strict=True))
    beside = "bare process"
    rows = {
        **{f"spotter {' '.join(words)}": (times[name], "0.5 s") for name, words in starts.items()},
        "spotter run, nothing new": (times["nothing new"], "3 s"),
        "Hevy's webhook to the routine in Hevy": (to_hevy, "8 s"),
        f"import of {IMPORTED} workouts": (imported, "8 s with its plan"),
        "its plan": (planned, "8 s with the import"),
    }
    return [
        _row(what, beside, seconds, times["bare"], f"under {goal}")
        for what, (seconds, goal) in rows.items()
    ]


def _pages(folder: Path, rounds: int, progress: Progress) -> list[dict[str, object]]:
    if CHROMIUM is None:
        progress.console.print("chromium is not installed: the pages are left out")
        return []
    homes = {
        f"{LONG_HISTORY:,} workouts": long_history(folder / "long"),
        f"{MANY_ATHLETES} athletes": many_athletes(folder / "many"),
    }
    task = progress.add_task("pages", total=rounds)
    waits: dict[str, list[Seen]] = {name: [] for name in ("empty", *homes)}
    with running_chromium() as browser, ExitStack() as served:
        urls = {"empty": served.enter_context(empty_app(folder / "empty"))}
        urls |= {name: served.enter_context(dashboard(home)) for name, home in homes.items()}
        for url in urls.values():
            seen(browser, url)  # resources that a server loads once are not part of a page
        for _ in range(rounds):
            for name, url in urls.items():
                waits[name].append(seen(browser, url))
            progress.advance(task)
    first = {name: median(each.first_page for each in told) for name, told in waits.items()}
    following = {name: median(each.next_page for each in told) for name, told in waits.items()}
    beside = "empty Streamlit app"
    return [
        row
        for name in homes
        for row in (
            _row(f"first page, {name}", beside, first[name], first["empty"], "under 2 s"),
            _row(
                f"slowest other page, {name}",
                beside,
                following[name],
                following["empty"],
                "under 1 s",
            ),
        )
    ]


def _warehouse(
    folder: Path, sizes: Sequence[int], rounds: int, progress: Progress
) -> list[StepCost]:
    task = progress.add_task("nights of the warehouse", total=run_count(sizes, rounds))
    return warehouse_costs(folder, sizes, rounds, lambda: progress.advance(task))


def _growth(costs: Sequence[StepCost]) -> list[dict[str, object]]:
    """Return the night of each size compared with the smallest, and builds and releases compared
    with the same in plain DuckDB.
    """
    seconds = {(cost.workouts, cost.step): cost.seconds for cost in costs if cost.workouts}
    smallest, *others = sorted({workouts for workouts, _ in seconds})
    rows = [
        _row(
            f"night of {NIGHT}, {workouts:,} workouts",
            f"{smallest:,} workouts",
            seconds[workouts, NIGHT],
            seconds[smallest, NIGHT],
            "under 1.5",
        )
        for workouts in others
    ]
    for step, beside, goal in (
        (FULL, PLAIN, "under 3"),
        (FIRST_RELEASE, COPY, "under 5"),
        (RELEASE, FIRST_RELEASE, "under 5 s"),
    ):
        rows += [
            _row(
                f"{step}, {workouts:,} workouts",
                beside,
                seconds[workouts, step],
                seconds[workouts, beside],
                goal,
            )
            for workouts in (smallest, *others)
        ]
    return rows


def _cost_table(costs: Sequence[StepCost]) -> Table:
    """Return the seconds of each step, of dbt on empty tables, and of the process."""
    seconds = ("seconds", "over empty", "CPU, s", "process, s")
    table = Table(
        "workouts",
        "step",
        *seconds,
        "peak, GB",
        "file, GB",
        caption="goals: under 4 GB of memory; a million workouts under 4 GB, released under 3 GB",
        caption_justify="left",
    )
    empty = {cost.step: cost.seconds for cost in costs if not cost.workouts}
    for cost in costs:
        table.add_row(
            f"{cost.workouts:,}" if cost.workouts else "empty",
            cost.step,
            f"{cost.seconds:.1f}",
            f"{cost.seconds - empty[cost.step]:.1f}" if cost.workouts else "",
            f"{cost.cpu_seconds:.1f}",
            f"{cost.process_seconds:.1f}",
            f"{cost.peak_bytes / GB:.2f}",
            f"{cost.file_bytes / GB:.2f}",
        )
    return table


def _plan_table(plans: Sequence[PlanCost]) -> Table:
    table = Table(
        *("log", "plans", "median, ms", "p99, ms", "CPU median, ms", "CPU p99, ms"),
        caption=f"goal: median under {MEDIAN_GOAL_MS} ms, p99 under {P99_GOAL_MS} ms",
        caption_justify="left",
    )
    for cost in plans:
        times = (cost.median_ms, cost.p99_ms, cost.cpu_median_ms, cost.cpu_p99_ms)
        table.add_row(cost.log, f"{cost.plans:,}", *(f"{each:.1f}" for each in times))
    return table


def _ratio_table(ratios: Sequence[dict[str, object]]) -> Table:
    table = Table("what", "beside", "seconds", "beside, s", "ratio", "goal", title_justify="left")
    for row in ratios:
        table.add_row(*(str(value) for value in row.values()))
    return table


def _written(path: Path, count: int) -> Path:
    with path.open("wb") as file:
        for payload in workout_payloads(count):
            file.write(payload + b"\n")
    return path


def _medians(
    candidates: Candidates, rounds: int, progress: Progress, title: str
) -> dict[str, float]:
    """Return the median seconds of each; they take turns, so that the machine is the same."""
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
