"""Operational status: freshness of each layer, pending publications, cost and disk usage."""

import shutil
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import duckdb
from pydantic import BaseModel, ConfigDict

from coach_agent.domain.constants.catalogue import rule_version
from coach_agent.profile.model import AthleteProfile
from orchestration.config.limits import CLOCK_MAY_BE_OFF
from orchestration.config.settings import Settings
from orchestration.runs.log import LOGS_FOLDER
from orchestration.storage.home_files import ASIDE, UNPACKING
from orchestration.storage.migrations import schema_version

# One day between nightly runs, and two hours of delay.
STALE_AFTER = timedelta(hours=26)
# Room for a release and for DuckDB's spill files.
LEAST_FREE_BYTES = 1_000_000_000

_PENDING_STATES = ("waiting", "conflict", "withheld", "publishing")

LayerName = Literal["raw", "marts", "plan", "release"]
Freshness = Literal["fresh", "stale", "missing", "future"]


class Layer(BaseModel):
    """Age of a layer, of one athlete or, if `athlete_id` is null, of all; times are UTC."""

    model_config = ConfigDict(frozen=True)

    name: LayerName
    athlete_id: str | None
    at: datetime | None
    age_s: float | None
    stale_after_s: float
    state: Freshness


class PendingPublication(BaseModel):
    """A pending publication; `state` as in `coach.publications`."""

    model_config = ConfigDict(frozen=True)

    athlete_id: str
    publication_id: str
    state: str
    detail: str | None
    since: datetime


class Spend(BaseModel):
    """Cost of language models for an athlete this month (UTC), in USD.

    `budget_usd` is the profile's daily budget times the days of the month. Requests of unknown
    price are counted in `unpriced_requests` and in no sum.
    """

    model_config = ConfigDict(frozen=True)

    athlete_id: str
    spent_usd: Decimal
    budget_usd: Decimal
    unpriced_requests: int


class Disk(BaseModel):
    """Bytes: free space, and the size of each part of the home.

    `put_aside` are homes replaced by restores, `left_over` files of killed restores.
    """

    model_config = ConfigDict(frozen=True)

    free: int
    warehouse: int
    release: int
    history: int
    logs: int
    put_aside: int
    left_over: int


def layer(name: LayerName, athlete_id: str | None, at: datetime | None, now: datetime) -> Layer:
    """Return the freshness of a layer last updated at `at`."""
    age = None if at is None else now - at
    return Layer(
        name=name,
        athlete_id=athlete_id,
        at=at,
        age_s=None if age is None else age.total_seconds(),
        stale_after_s=STALE_AFTER.total_seconds(),
        state=_freshness(age),
    )


def _freshness(age: timedelta | None) -> Freshness:
    if age is None:
        return "missing"
    if age < -CLOCK_MAY_BE_OFF:
        return "future"
    return "stale" if age > STALE_AFTER else "fresh"


def plan_times(con: duckdb.DuckDBPyConnection) -> dict[str, datetime]:
    """Return for each athlete the time of the active plan's last decision."""
    rows: list[tuple[str, datetime]] = con.execute(
        "select athlete_id, decided_at from coach.current_plans"
    ).fetchall()
    return {athlete_id: at.replace(tzinfo=UTC) for athlete_id, at in rows}


def pending_publications(con: duckdb.DuckDBPyConnection) -> tuple[PendingPublication, ...]:
    """Return the publications that are pending approval or retry, oldest first."""
    rows: list[tuple[str, str, str, str | None, datetime]] = con.execute(
        """
        select athlete_id, publication_id, state, detail, staged_at
        from coach.publications where state in (select unnest($1)) order by staged_at
        """,
        [list(_PENDING_STATES)],
    ).fetchall()
    return tuple(
        PendingPublication(
            athlete_id=athlete_id,
            publication_id=publication_id,
            state=state,
            detail=detail,
            since=since.replace(tzinfo=UTC),
        )
        for athlete_id, publication_id, state, detail, since in rows
    )


def spend(
    con: duckdb.DuckDBPyConnection, athletes: tuple[AthleteProfile, ...], now: datetime
) -> tuple[Spend, ...]:
    """Return each athlete's cost of language models this month; 0 without requests."""
    first = now.astimezone(UTC).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0, tzinfo=None
    )
    rows: list[tuple[str, Decimal, int]] = con.execute(
        """
        select athlete_id, coalesce(sum(cost_usd), 0), count(*) filter (where cost_usd is null)
        from coach.llm_calls where asked_at >= $1 group by athlete_id
        """,
        [first],
    ).fetchall()
    found = {athlete_id: (Decimal(usd), unpriced) for athlete_id, usd, unpriced in rows}
    days = monthrange(first.year, first.month)[1]
    return tuple(
        Spend(
            athlete_id=athlete.id,
            spent_usd=found.get(athlete.id, (Decimal(0), 0))[0],
            budget_usd=Decimal(str(athlete.llm.budget_usd)) * days,
            unpriced_requests=found.get(athlete.id, (Decimal(0), 0))[1],
        )
        for athlete in athletes
    )


def disk(settings: Settings) -> Disk:
    """Return the disk usage of the home."""
    home = settings.home
    there = next(path for path in (home, *home.parents) if path.exists())
    return Disk(
        free=shutil.disk_usage(there).free,
        warehouse=size_of(settings.warehouse_path),
        release=size_of(settings.release_folder),
        history=size_of(settings.dagster_home),
        logs=size_of(home / LOGS_FOLDER),
        put_aside=sum(map(size_of, home.glob(f"{ASIDE}*"))),
        left_over=sum(map(size_of, home.glob(f"{UNPACKING}*"))),
    )


def versions(con: duckdb.DuckDBPyConnection | None) -> dict[str, str]:
    """Return the versions that determine a nightly run: programs, rules, warehouse schema."""
    told = {
        "spotter": version("spotter"),
        "dagster": version("dagster"),
        "dbt": version("dbt-core"),
        "duckdb": duckdb.__version__,
        "rules": rule_version(),
    }
    return told if con is None else {**told, "schema": str(schema_version(con))}


def problems(layers: tuple[Layer, ...], found: Disk) -> Iterator[str]:
    """Yield the problems of layers and disk, one sentence each."""
    for each in layers:
        whose = f" of {each.athlete_id}" if each.athlete_id else ""
        if each.state == "missing" and each.name == "plan":
            yield (
                f"There is no active plan for {each.athlete_id}. Run: spotter run, which shows the "
                "reason"
            )
        elif each.state == "missing":
            what = {"raw": "raw data", "marts": "marts"}.get(each.name, each.name)
            yield f"No {what}{whose} yet. Run: spotter run"
        elif each.state == "future":
            yield (
                f"The {each.name}{whose} is dated in the future ({each.at:%Y-%m-%d %H:%M} UTC): "
                "the clock was or is wrong. Until then no run may start by itself: spotter doctor"
            )
        elif each.age_s is not None and each.state == "stale":
            yield (
                f"The {each.name}{whose} is {each.age_s / 3600:.0f} h old, more than "
                f"{each.stale_after_s / 3600:.0f} h: see the last run, or run: spotter run"
            )
    if found.free < LEAST_FREE_BYTES:
        yield (
            f"Only {found.free / 1e9:.1f} GB are free. Make room; spotter compact gives back what "
            "Spotter itself needs no longer."
        )
    if found.left_over:
        yield (
            "A restore is under way, or was killed: then restore again, or let go of what it left "
            "with spotter compact"
        )


def size_of(path: Path) -> int:
    """Return the bytes of a file or a folder's files; a symbolic link counts 0."""
    if path.is_symlink() or not path.exists():
        return 0
    if path.is_file():
        return path.stat().st_size
    return sum(map(size_of, path.iterdir()))
