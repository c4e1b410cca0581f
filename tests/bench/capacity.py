"""`python -m tests.bench.capacity`: estimate nights of many athletes from smaller ones.

Linear extrapolation of the measurements of `make bench-scale` on a lake with 10,000 athletes of 100
workouts and two workers, and of assumptions, which are options. Nothing is measured here.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

SIZES = [10_000, 100_000, 1_000_000]
NIGHTS_A_MONTH = 30
HOUR_S = 3600.0


@dataclass(frozen=True)
class Measured:
    """The cost of one athlete in a night, and the disk space of 100 workouts.

    Seconds of one core for shared work of the workers, seconds of the clock on 2 cores for work of
    one process. Bytes are those of the lake and of its release (docs/benchmarks.md).
    """

    land_s: float = 0.011
    plan_s: float = 0.044
    build_s: float = 0.029
    build_core_s: float = 0.047
    release_s: float = 0.019
    release_core_s: float = 0.031
    requests: int = 16
    warehouse_bytes: float = 655_000
    release_bytes: float = 759_000
    releases_kept: int = 3


@dataclass(frozen=True)
class Assumed:
    """Assumptions about the environment: seconds of a request, hours of a night, dollars."""

    round_trip_s: float = 0.2
    accounts_at_a_time: int = 16
    window_h: float = 6.0
    core_hour_usd: float = 0.05
    gb_month_usd: float = 0.03


@dataclass(frozen=True)
class Capacity:
    """Resources for a number of athletes; hours are those of one lake, which run in parallel.

    `first_bottleneck` is the part that takes longest.
    """

    athletes: int
    lakes: int
    workers_a_lake: int
    sync_h: float
    build_h: float
    plan_h: float
    release_h: float
    core_hours: float
    storage_gb: float
    usd_a_month: float
    first_bottleneck: str

    @property
    def night_h(self) -> float:
        """Return the hours of a night; workers share sync and plan, but not build and release."""
        return self.sync_h + self.build_h + self.plan_h + self.release_h


def capacity(
    athletes: int, measured: Measured | None = None, assumed: Assumed | None = None
) -> Capacity:
    """Return the fewest lakes, and workers of each, with which a night fits its window.

    The work of a single process may take half of the window; the other half is for shared work. A
    worker reads a fixed number of accounts concurrently, and waits for them most of the time.
    """
    cost, given = measured or Measured(), assumed or Assumed()
    half_s = given.window_h * HOUR_S / 2
    alone_s = cost.build_s + cost.release_s
    lakes = math.ceil(athletes * alone_s / half_s)
    each = athletes / lakes
    sync_s = max(cost.land_s, cost.requests * given.round_trip_s / given.accounts_at_a_time)
    workers = math.ceil(each * (sync_s + cost.plan_s) / half_s)
    hours = {
        "sync": each * sync_s / workers / HOUR_S,
        "build": each * cost.build_s / HOUR_S,
        "plan": each * cost.plan_s / workers / HOUR_S,
        "release": each * cost.release_s / HOUR_S,
    }
    core_s = cost.land_s + cost.plan_s + cost.build_core_s + cost.release_core_s
    core_hours = athletes * core_s / HOUR_S
    stored = cost.warehouse_bytes + cost.releases_kept * cost.release_bytes
    storage_gb = athletes * stored / 1e9
    return Capacity(
        athletes=athletes,
        lakes=lakes,
        workers_a_lake=workers,
        **{f"{part}_h": took for part, took in hours.items()},
        core_hours=core_hours,
        storage_gb=storage_gb,
        usd_a_month=NIGHTS_A_MONTH * core_hours * given.core_hour_usd
        + storage_gb * given.gb_month_usd,
        first_bottleneck=max(hours, key=lambda part: hours[part]),
    )


def markdown(found: Sequence[Capacity]) -> str:
    """Format a table with a row for each."""
    lines = [
        "| athletes | lakes | workers of each | sync, h | build, h | plan, h | release, h "
        "| night, h | core hours a night | stored, GB | USD a month | longest |",
        "| --- " * 12 + "|",
    ]
    for each in found:
        hours = (each.sync_h, each.build_h, each.plan_h, each.release_h, each.night_h)
        cells = (
            f"{each.athletes:,}",
            f"{each.lakes}",
            f"{each.workers_a_lake}",
            *(f"{took:.1f}" for took in hours),
            f"{each.core_hours:.1f}",
            f"{each.storage_gb:,.0f}",
            f"{each.usd_a_month:,.0f}",
            each.first_bottleneck,
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(
    athletes: Annotated[list[int], typer.Option(min=1, help="Repeatable.")] = SIZES,
    round_trip: Annotated[
        float, typer.Option(min=0, help="Seconds of a request.")
    ] = Assumed.round_trip_s,
    accounts: Annotated[
        int, typer.Option(min=1, help="Accounts that a worker asks at a time.")
    ] = Assumed.accounts_at_a_time,
    window: Annotated[
        float, typer.Option(min=0.1, help="Hours that a night may take.")
    ] = Assumed.window_h,
    core_hour: Annotated[float, typer.Option(min=0, help="USD.")] = Assumed.core_hour_usd,
    gb_month: Annotated[float, typer.Option(min=0, help="USD.")] = Assumed.gb_month_usd,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Estimate the resources for a number of athletes."""
    assumed = Assumed(round_trip, accounts, window, core_hour, gb_month)
    found = [capacity(size, assumed=assumed) for size in athletes]
    if as_json:
        rows = [{**asdict(each), "night_h": each.night_h} for each in found]
        print(json.dumps({"assumed": asdict(assumed), "capacity": rows}))
        return
    print(markdown(found))


if __name__ == "__main__":
    typer.run(main)
