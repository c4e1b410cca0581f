"""Measure a night in the warehouse: from all raw data, after ten workouts, after none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.history import add_night, create_history
from tests.bench.step import Measured, measure, released

NEW_WORKOUTS = 10

FULL = "full build"
NIGHT = f"{NEW_WORKOUTS} new"
QUIET = "nothing new"
RELEASE = "release"
STEPS = (FULL, NIGHT, QUIET, RELEASE)


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


def run_count(sizes: Sequence[int], rounds: int) -> int:
    """Return the number of progress steps of `warehouse_costs`."""
    return len(sizes) * (1 + 1 + 3 * rounds)


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
    costs = []
    for step in STEPS:
        runs: dict[int, list[Measured]] = {workouts: [] for workouts in sizes}
        for _ in range(1 if step == FULL else rounds):
            for workouts, warehouse in warehouses.items():
                if step == NIGHT and workouts:
                    add_night(warehouse, NEW_WORKOUTS)
                runs[workouts].append(measure("release" if step == RELEASE else "build", warehouse))
                advance()
        costs += [
            _cost(workouts, step, runs[workouts], warehouse)
            for workouts, warehouse in warehouses.items()
        ]
    return sorted(costs, key=lambda cost: cost.workouts)


def _cost(workouts: int, step: str, runs: Sequence[Measured], warehouse: Path) -> StepCost:
    written = released(warehouse) if step == RELEASE else warehouse
    return StepCost(
        workouts,
        step,
        seconds=median(one.seconds for one in runs),
        cpu_seconds=median(one.cpu_seconds for one in runs),
        process_seconds=median(one.process_seconds for one in runs),
        peak_bytes=max(one.peak_bytes for one in runs),
        file_bytes=written.stat().st_size,
        nodes={node: median(one.nodes[node] for one in runs) for node in runs[0].nodes},
    )
