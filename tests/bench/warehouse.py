"""What a night costs the warehouse: from all raw data, after ten workouts, after none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.history import add_night, create_history
from tests.bench.step import Measured, measure, released

NIGHTS = 3
NEW_WORKOUTS = 10

FULL = "full build"
NIGHT = f"night, {NEW_WORKOUTS} new workouts"
QUIET = "night, nothing new"
RELEASE = "release of the marts"
STEPS = (FULL, NIGHT, QUIET, RELEASE)


@dataclass(frozen=True)
class StepCost:
    """What one step took on a warehouse of so many workouts; 0 is the same project on no rows.

    `seconds` and `process_seconds` are medians of `NIGHTS` nights, `peak_bytes` is the highest.
    `file_bytes` is the size of what was written: the warehouse, or the released copy.
    """

    workouts: int
    step: str
    seconds: float
    process_seconds: float
    peak_bytes: int
    file_bytes: int
    nodes: dict[str, float]


def warehouse_costs(folder: Path, workouts: int) -> Iterator[StepCost]:
    """The steps in the order of their happening, each in a process of its own."""
    warehouse = folder / str(workouts) / "warehouse.duckdb"  # dbt's manifest knows it by this name
    create_history(warehouse, workouts)
    yield _cost(workouts, FULL, [measure("build", warehouse)], warehouse)
    yield _cost(workouts, NIGHT, [_night(warehouse, workouts) for _ in range(NIGHTS)], warehouse)
    quiet = [measure("build", warehouse) for _ in range(NIGHTS)]
    yield _cost(workouts, QUIET, quiet, warehouse)
    yield _cost(workouts, RELEASE, [measure("release", warehouse)], released(warehouse))


def _night(warehouse: Path, workouts: int) -> Measured:
    if workouts:
        add_night(warehouse, NEW_WORKOUTS)
    return measure("build", warehouse)


def _cost(workouts: int, step: str, runs: Sequence[Measured], written: Path) -> StepCost:
    return StepCost(
        workouts,
        step,
        seconds=median(one.seconds for one in runs),
        process_seconds=median(one.process_seconds for one in runs),
        peak_bytes=max(one.peak_bytes for one in runs),
        file_bytes=written.stat().st_size,
        nodes={node: median(one.nodes[node] for one in runs) for node in runs[0].nodes},
    )
