"""Status of a home: athletes, ingested data, plans and release."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
from pydantic import BaseModel

from coach_agent.domain.red_flags import how_to_clear
from coach_agent.journal.current_plans import read_current_plan
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.check_ins import read_open_red_flags
from hevy_connector.raw.quarantine import DELETED_REASON
from hevy_connector.records import ENTITIES
from orchestration.config.athletes import exclusion_message, unusable_profiles
from orchestration.config.settings import Settings
from orchestration.runs.schedule import by_zone, next_night
from orchestration.runs.status import NightStatus, RecentRuns, RunStatus
from orchestration.services.operations.freshness import (
    Disk,
    Layer,
    PendingPublication,
    Spend,
    disk,
    layer,
    pending_publications,
    plan_times,
    problems,
    spend,
    versions,
)
from orchestration.services.releases.release_manifest import Manifest, read_manifest
from orchestration.storage.warehouse import WarehouseMissingError, open_warehouse


class AthleteStatus(BaseModel):
    """Status of one athlete: source, freshness and plan."""

    id: str
    account: str
    publish_mode: str
    last_sync_at: datetime | None
    workout_count: int
    next_routine: str | None
    publication_state: str | None
    red_flags: tuple[str, ...] = ()


class Status(BaseModel):
    """Status of a home at a moment; times are UTC, except `next_nightly_at`.

    `raw_rows` counts record versions by raw table, `quarantined_rows` unreadable records. `release`
    is the current release, `held_back_by` the failed run that should have replaced it.
    `night` is the latest night of partitions. `next_nightly_at` is the next tick of any nightly
    schedule, in its own zone, if the daemon runs. `problems` are sentences about stale data,
    failures and low disk space.
    """

    home: Path
    hevy_url: str
    athletes: tuple[AthleteStatus, ...]
    raw_rows: dict[str, int]
    quarantined_rows: int
    last_run: RunStatus | None
    released_marts: Path | None
    release: Manifest | None
    release_age_s: float | None
    held_back_by: RunStatus | None
    next_nightly_at: datetime
    layers: tuple[Layer, ...]
    last_runs: tuple[RunStatus, ...]
    night: NightStatus | None
    waiting: tuple[PendingPublication, ...]
    spend: tuple[Spend, ...]
    disk: Disk
    versions: dict[str, str]
    problems: tuple[str, ...]


def read_status(
    settings: Settings,
    athletes: tuple[AthleteProfile, ...],
    runs: RecentRuns,
    now: datetime,
) -> Status:
    """Collect the status; empty for a home without a warehouse.

    Raises:
        WarehouseBusyError: a run holds the warehouse for long.
        ManifestError: the manifest of the release cannot be read.
    """
    raw_rows: dict[str, int] = {}
    quarantined = 0
    states = tuple(_without_data(athlete) for athlete in athletes)
    plans: dict[str, datetime] = {}
    waits: tuple[PendingPublication, ...] = ()
    spent: tuple[Spend, ...] = ()
    told = versions(None)
    with suppress(WarehouseMissingError), open_warehouse(settings.warehouse, read_only=True) as con:
        raw_rows = {entity: _count(con, entity) for entity in ENTITIES}
        quarantined = _count_broken(con)
        states = tuple(_athlete_status(con, athlete) for athlete in athletes)
        plans, waits = plan_times(con), pending_publications(con)
        spent, told = spend(con, athletes, now), versions(con)
    release = read_manifest(settings.release_folder)
    held_back_by = _held_back_by(runs.last_releasing, release)
    layers = (
        *(
            layer("raw", athlete.id, athlete.last_sync_at, now)
            for athlete in states
            if athlete.account != "none"
        ),
        layer("marts", None, runs.marts_built_at, now),
        *(layer("plan", athlete.id, plans.get(athlete.id), now) for athlete in athletes),
        layer("release", None, None if release is None else release.released_at, now),
    )
    found = disk(settings)
    return Status(
        home=settings.home,
        hevy_url=settings.hevy_url,
        athletes=states,
        raw_rows=raw_rows,
        quarantined_rows=quarantined,
        last_run=runs.last,
        released_marts=settings.release_path if settings.release_path.exists() else None,
        release=release,
        release_age_s=None if release is None else (now - release.released_at).total_seconds(),
        held_back_by=held_back_by,
        next_nightly_at=next_nightly_at(now, athletes, settings.timezone),
        layers=layers,
        last_runs=runs.latest,
        night=runs.night,
        waiting=waits,
        spend=spent,
        disk=found,
        versions=told,
        problems=(
            *_failures(runs.last, held_back_by, runs.last_maintenance),
            *_excluded(runs),
            *_warnings(runs.last_releasing),
            *unsent(states),
            *stopped(states),
            *(
                exclusion_message(athlete, why)
                for athlete, why in unusable_profiles(settings).items()
            ),
            *problems(layers, found),
        ),
    )


def _failures(*runs: RunStatus | None) -> Iterator[str]:
    """Yield the latest runs that failed, each once."""
    for run in {run.run_id: run for run in runs if run and run.is_unsuccessful}.values():
        why = "; ".join(run.reasons) or "see its log"
        yield f"The run {run.run_id[:8]} of {run.job} failed: {why}"


def _excluded(runs: RecentRuns) -> Iterator[str]:
    """Yield athletes whose last run failed, or excluded them."""
    told = {each.run_id for each in (runs.last, runs.last_releasing) if each is not None}
    for athlete, run in runs.unserved.items():
        if run.run_id not in told:
            why = run.left.get(athlete) or "; ".join(run.reasons) or "see its log"
            yield f"The last run for {athlete}, {run.run_id[:8]} of {run.job}, failed: {why}"


def _warnings(run: RunStatus | None) -> Iterator[str]:
    """Yield the warnings of a run's checks, except on profiles: their current files are read."""
    if run is None:
        return
    for check in run.failed_checks:
        is_told = check.asset == "raw/athlete_profiles" or (check.is_error and run.is_unsuccessful)
        if not is_told:
            yield f"The run {run.run_id[:8]} of {run.job} warned: {check.text}"


def unsent(athletes: tuple[AthleteStatus, ...]) -> Iterator[str]:
    """Yield athletes whose plan failed to be published and is not retried."""
    for athlete in athletes:
        if athlete.publication_state == "failed":
            yield f"Sending the plan of {athlete.id} to Hevy failed. See: spotter publications"


def stopped(athletes: tuple[AthleteStatus, ...]) -> Iterator[str]:
    """Athletes without a plan for a red flag; the health data itself is not repeated."""
    for athlete in athletes:
        if athlete.red_flags:
            yield f"{athlete.id} reported a red flag: no plan. {how_to_clear()}"


def next_nightly_at(now: datetime, athletes: tuple[AthleteProfile, ...], timezone: str) -> datetime:
    """Return the next tick of any nightly schedule after the aware `now`, in its own zone.

    `timezone` is the default for athletes without one.
    """
    first = min((next_night(now, zone), zone) for zone in by_zone(athletes, timezone) or [timezone])
    return first[0].astimezone(ZoneInfo(first[1]))


def _held_back_by(run: RunStatus | None, release: Manifest | None) -> RunStatus | None:
    """Return the failed run since which readers have the previous release."""
    if run is None or not run.is_unsuccessful:
        return None
    is_older = release is not None and (
        run.run_id == release.run_id
        or (run.ended_at is not None and run.ended_at < release.released_at)
    )
    return None if is_older else run


def _without_data(athlete: AthleteProfile) -> AthleteStatus:
    return AthleteStatus(
        id=athlete.id,
        account=athlete.hevy.account,
        publish_mode=athlete.publish.mode,
        last_sync_at=None,
        workout_count=0,
        next_routine=None,
        publication_state=None,
    )


def _athlete_status(con: duckdb.DuckDBPyConnection, athlete: AthleteProfile) -> AthleteStatus:
    synced: list[tuple[datetime | None]] = con.execute(
        "select min(last_complete_at) from raw.sync_state where athlete_id = $1", [athlete.id]
    ).fetchall()
    counted: list[tuple[int]] = con.execute(
        """
        select count(*) from (
            select arg_max(is_deleted, loaded_at) as is_deleted
            from raw.hevy_workouts where athlete_id = $1 group by record_id
        ) where not is_deleted
        """,
        [athlete.id],
    ).fetchall()
    current = read_current_plan(con, athlete.id)
    red_flags = read_open_red_flags(con, athlete, datetime.now(UTC))
    last_sync_at = synced[0][0]
    return _without_data(athlete).model_copy(
        update={
            "last_sync_at": last_sync_at.replace(tzinfo=UTC) if last_sync_at else None,
            "workout_count": counted[0][0],
            "next_routine": current.plan.routine_title if current else None,
            "publication_state": current.state if current else None,
            "red_flags": red_flags,
        }
    )


def _count_broken(con: duckdb.DuckDBPyConnection) -> int:
    """Count the unreadable rows of quarantine, not those about deletions."""
    rows: list[tuple[int]] = con.execute(
        "select count(*) from raw.quarantine where reason <> $1", [DELETED_REASON]
    ).fetchall()
    return rows[0][0]


def _count(con: duckdb.DuckDBPyConnection, table: str) -> int:
    query = f"select count(*) from raw.{table}"  # noqa: S608 - our own table names
    rows: list[tuple[int]] = con.execute(query).fetchall()
    return rows[0][0]
