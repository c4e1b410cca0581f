"""Measure builds and releases of a warehouse: from all raw data, after ten workouts, after none."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.bench.history import add_night, create_history
from tests.bench.step import Measured, copied, measure, released

NEW_WORKOUTS = 10

FULL = "full build"
PLAIN = "same SQL, plain DuckDB"
FIRST_RELEASE = "first release"
COPY = "plain copy of its tables"
NIGHT = f"{NEW_WORKOUTS} new"
RELEASE = f"release of {NEW_WORKOUTS} new"
QUIET = "nothing new"
ONCE = (FULL, PLAIN, FIRST_RELEASE, COPY)
EACH_ROUND = (NIGHT, RELEASE, QUIET)


@dataclass(frozen=True)
class StepCost:
    """Cost of one step on a warehouse of this many workouts; 0 is the same project on no rows.

    Seconds are medians of the rounds, those of dbt's `nodes` too; `peak_bytes` is the highest.
    `file_bytes` is the size of the written file: the warehouse, or the released copy.
    """

    workouts: int
    step: str
    seconds: float
    cpu_seconds: float
    process_seconds: float
    peak_bytes: int
    file_bytes: int
    nodes: Mapping[str, float]


class Run(NamedTuple):
    """The measurement of a step, and the size of the file that it wrote."""

    measured: Measured
    file_bytes: int


def run_count(sizes: Sequence[int], rounds: int) -> int:
    """Return the number of progress steps of `warehouse_costs`."""
    return len(sizes) * (1 + len(ONCE) + len(EACH_ROUND) * rounds)


def warehouse_costs(
    folder: Path, sizes: Sequence[int], rounds: int, advance: Callable[[], None]
) -> list[StepCost]:
    """Measure the steps in order; the sizes take turns in each round."""
    warehouses = {
        workouts: folder / str(workouts) / "warehouse.duckdb"  # dbt's manifest knows this name
        for workouts in sizes
    }
    for workouts, warehouse in warehouses.items():
        create_history(warehouse, workouts)
        advance()
    runs: dict[tuple[int, str], list[Run]] = {}
    for steps in (ONCE, *[EACH_ROUND] * rounds):
        for workouts, warehouse in warehouses.items():
            for step in steps:
                runs.setdefault((workouts, step), []).append(_run(step, warehouse, workouts))
                advance()
    return [
        _cost(workouts, step, runs[workouts, step])
        for workouts in sizes
        for step in (*ONCE, *EACH_ROUND)
    ]


def _run(step: str, warehouse: Path, workouts: int) -> Run:
    if step == PLAIN:
        own = warehouse.parent / "plain" / warehouse.name
        own.parent.mkdir()
        shutil.copyfile(warehouse, own)
        return _without(measure("plain", own), own)
    if step == COPY:
        return _without(measure("copy", warehouse), copied(warehouse))
    if step in {FIRST_RELEASE, RELEASE}:
        return Run(measure("release", warehouse), released(warehouse).stat().st_size)
    if step == NIGHT and workouts:
        add_night(warehouse, NEW_WORKOUTS)
    return Run(measure("build", warehouse), warehouse.stat().st_size)


def _without(measured: Measured, written: Path) -> Run:
    """Return the run, and delete the file that it wrote."""
    size = written.stat().st_size
    written.unlink()
    return Run(measured, size)


def _cost(workouts: int, step: str, runs: Sequence[Run]) -> StepCost:
    costs = [run.measured for run in runs]
    return StepCost(
        workouts,
        step,
        seconds=median(one.seconds for one in costs),
        cpu_seconds=median(one.cpu_seconds for one in costs),
        process_seconds=median(one.process_seconds for one in costs),
        peak_bytes=max(one.peak_bytes for one in costs),
        file_bytes=runs[-1].file_bytes,
        nodes={node: median(one.nodes[node] for one in costs) for node in costs[0].nodes},
    )
