"""Retention and compaction of a home: remove expired data and return the disk space.

| data                                   | retention                                               |
| -------------------------------------- | ------------------------------------------------------- |
| decisions, plans, publications, ledger | unlimited                                               |
| routines and profiles in raw           | every version: plans are compared with them             |
| other records in raw                   | every version for a year, then the newest, and those    |
|                                        | that a decision read                                    |
| prompts and answers of models          | `SPOTTER_KEEP_PROMPTS_DAYS`, 90 days                    |
| runs of Dagster, their logs            | 90 days, and the last run of each asset                 |
| releases                               | three, see `release`                                    |
| homes that a restore replaced          | until their owner removes them                          |

The run lock is held throughout. After a kill, removed data stay removed, and the warehouse is
either the old or the compacted file.
"""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
from pydantic import BaseModel, ConfigDict

from coach_agent.domain.values import naive_utc
from coach_agent.llm.exchanges import forget_exchanges
from hevy_connector.records import Entity
from orchestration.config.durable_files import sync
from orchestration.config.settings import Settings
from orchestration.runs.history_health import quarantine_damaged, quarantine_folders
from orchestration.runs.lock import run_lock
from orchestration.runs.log import log_path
from orchestration.services.language_models.traces import forget_traces
from orchestration.services.operations.freshness import size_of
from orchestration.storage.block_checksums import damage_in
from orchestration.storage.connection import quoted_path
from orchestration.storage.home_files import ASIDE, COPYING, MOVED_SUFFIX, UNPACKING
from orchestration.storage.lake.upkeep import Upkeep, maintain_lake
from orchestration.storage.warehouse import (
    STORAGE_VERSION,
    open_warehouse,
    rebuild_lock,
    warehouse_exists,
)

KEEP_VERSIONS = timedelta(days=365)
KEEP_RUNS = timedelta(days=90)

# The marts read only the newest version of these.
_COMPACTED: tuple[Entity, ...] = (
    "hevy_workouts",
    "hevy_body_measurements",
    "health_days",
    "health_sessions",
)
# A copy that saves less than 10 % is not worth the writes.
_WORTH_SAVING = 0.9
_FREE_FOR_A_COPY = 1.2
_LARGEST_TO_ERASE = 2**30
"""Bytes of a warehouse that is copied while an athlete waits: seconds."""

_FORGOTTEN_SINCE = timedelta(days=30)
"""Memories forgotten in this time make a compaction replace the file: it runs weekly."""

_DRAFT_SUFFIX = ".compacted"


class CompactionError(Exception):
    """The copy of the warehouse differs from the original; nothing was changed."""


class Compaction(BaseModel):
    """Removed rows, runs, files and bytes; with `is_dry_run`, those that would be removed.

    `warehouse_bytes` are the file's size before and after: equal in a dry run, and if a copy would
    save little or has no room. `lake` is the maintenance of a lake. `put_aside` are replaced homes
    and damaged histories, which only their owner removes.
    """

    model_config = ConfigDict(frozen=True)

    is_dry_run: bool
    raw_versions: dict[str, int]
    runs: int
    left_over: tuple[Path, ...]
    freed_bytes: int
    warehouse_bytes: tuple[int, int]
    lake: Upkeep | None
    put_aside: tuple[Path, ...]


def compact(
    settings: Settings,
    now: datetime,
    on_step: Callable[[str], None],
    *,
    is_dry_run: bool = False,
    is_waiting: bool = False,
) -> Compaction:
    """Remove expired data and shrink the warehouse's file.

    `is_waiting` waits for the run lock.

    Raises:
        LockedError: a run, a backup or a restore is in progress.
        WarehouseBusyError: another process holds the warehouse.
        CompactionError: the smaller copy of the warehouse differs from it.
    """
    with run_lock(settings.home, "spotter compact", is_waiting=is_waiting):
        if not is_dry_run:
            quarantine_damaged(settings, now)
        on_step("what was left over")
        left_over = tuple(_left_over(settings))
        on_step("runs")
        outdated, freed = _compact_runs(settings, now, is_dry_run=is_dry_run)
        freed += sum(map(size_of, left_over))
        if not is_dry_run:
            for path in left_over:
                _remove(path)
        versions: dict[str, int] = {}
        lake: Upkeep | None = None
        before = after = size_of(settings.warehouse_path)
        if warehouse_exists(settings.warehouse):
            on_step("versions of records")
            with rebuild_lock(settings.warehouse), open_warehouse(settings.warehouse) as con:
                versions = compact_versions(con, now, is_dry_run=is_dry_run)
                if not is_dry_run:
                    kept_from = now - timedelta(days=settings.keep_prompts_days)
                    forget_exchanges(con, kept_from)
                    forget_traces(settings, kept_from.date())
                on_step("warehouse")
                if settings.lake is not None:
                    lake = maintain_lake(con, now, is_dry_run=is_dry_run)
                elif not is_dry_run:
                    is_erasing = _has_forgotten(con, now)
                    after = shrink(con, settings.warehouse_path, is_erasing=is_erasing)
    return Compaction(
        is_dry_run=is_dry_run,
        raw_versions=versions,
        runs=outdated,
        left_over=left_over,
        freed_bytes=freed,
        warehouse_bytes=(before, after),
        lake=lake,
        put_aside=(*sorted(settings.home.glob(f"{ASIDE}*")), *quarantine_folders(settings)),
    )


def compact_versions(
    con: duckdb.DuckDBPyConnection, now: datetime, *, is_dry_run: bool = False
) -> dict[str, int]:
    """Remove record versions that were superseded more than a year ago; returns counts by table.

    Kept are versions that a decision read: the newest at its time, of a record that its input
    names. The state at any moment of the last year stays reproducible.
    """
    removed: dict[str, int] = {}
    con.execute("begin")
    for entity in _COMPACTED:
        rows: list[tuple[int]] = con.execute(
            f"""
            delete from raw.{entity} as versions using (
                select athlete_id, record_id, loaded_at, payload_sha256, followed_at from (
                    select
                        *,
                        lead(loaded_at) over (
                            partition by athlete_id, record_id order by loaded_at
                        ) as followed_at
                    from raw.{entity}
                )
                where followed_at < $1
            ) as outdated
            where
                versions.athlete_id = outdated.athlete_id
                and versions.record_id = outdated.record_id
                and versions.loaded_at = outdated.loaded_at
                and versions.payload_sha256 = outdated.payload_sha256
                and not exists (
                    select 1 from coach.decisions as decisions
                    where
                        decisions.athlete_id = outdated.athlete_id
                        and decisions.decided_at >= outdated.loaded_at
                        and decisions.decided_at < outdated.followed_at
                        and contains(cast(decisions.input as varchar), outdated.record_id)
                )
            """,  # noqa: S608 - our own table names
            [naive_utc(now - KEEP_VERSIONS)],
        ).fetchall()
        removed[entity] = rows[0][0]
    con.execute("rollback" if is_dry_run else "commit")
    return removed


def erase_deleted(con: duckdb.DuckDBPyConnection, settings: Settings) -> bool:
    """Replace the warehouse's file by a copy, so that no unused block holds deleted rows.

    Returns false for a lake, and for a file that is too large or has no room for a copy. `con`
    holds the file and writes nothing afterwards.

    Raises:
        CompactionError: the copy differs from the warehouse; the rows are deleted all the same.
        duckdb.Error: data are damaged and cannot be copied.
    """
    path = settings.warehouse_path
    if settings.lake is not None or size_of(path) > _LARGEST_TO_ERASE:
        return False
    before = path.stat().st_ino
    shrink(con, path, is_erasing=True)
    return path.stat().st_ino != before


def shrink(con: duckdb.DuckDBPyConnection, path: Path, *, is_erasing: bool = False) -> int:
    """Replace the warehouse's file by a copy without gaps, if it saves enough; returns its bytes.

    With `is_erasing` it is replaced however little that saves.

    DuckDB reuses gaps but never frees them. `con` holds the file, so no other process writes to it;
    a waiting process opens the new file. The copy is compared with the original before an atomic
    rename. A file with damage in unused space is always replaced.

    Raises:
        CompactionError: the copy differs from the warehouse.
        duckdb.Error: data are damaged and cannot be copied.
    """
    # Closing the file releases the lock of `con`, which writes nothing afterwards.
    with path.open("rb") as file:
        is_needed = is_erasing or damage_in(file) is not None
        return _shrink(con, path, is_needed=is_needed)


def _shrink(con: duckdb.DuckDBPyConnection, path: Path, *, is_needed: bool) -> int:
    con.execute("force checkpoint")
    before = size_of(path)
    draft = path.with_name(f"{path.name}{_DRAFT_SUFFIX}")
    _remove(draft)
    if shutil.disk_usage(path.parent).free < _FREE_FOR_A_COPY * before:
        return before
    try:
        con.execute(
            f"attach '{quoted_path(draft)}' as compacted (storage_version '{STORAGE_VERSION}')"
        )
        con.execute(f'copy from database "{_catalog(con)}" to compacted')
        con.execute("checkpoint compacted")
        is_whole = _contents(con, _catalog(con)) == _contents(con, "compacted")
        con.execute("detach compacted")
        after = size_of(draft)
        if not is_whole:
            raise CompactionError(
                f"The copy of {path} differs from it, so it was not put in its place. "
                "Run: spotter doctor"
            )
        if after > _WORTH_SAVING * before and not is_needed:
            return before
        sync(draft)
        draft.replace(path)
        sync(path.parent)
    finally:
        _remove(draft)
    return after


def _has_forgotten(con: duckdb.DuckDBPyConnection, now: datetime) -> bool:
    """Return whether a memory was forgotten lately, whose bytes may be in unused blocks."""
    rows = con.execute(
        "select 1 from coach.forgotten_memories where forgotten_at >= $1 limit 1",
        [naive_utc(now - _FORGOTTEN_SINCE)],
    ).fetchall()
    return bool(rows)


def _catalog(con: duckdb.DuckDBPyConnection) -> str:
    rows: list[tuple[str]] = con.execute("select current_database()").fetchall()
    return rows[0][0]


def _contents(con: duckdb.DuckDBPyConnection, catalog: str) -> dict[tuple[str, str], object]:
    """Return views by their SQL, tables by their row count and a digest of all rows."""
    found: dict[tuple[str, str], object] = {
        (schema, view): text
        for schema, view, text in con.execute(
            "select schema_name, view_name, sql from duckdb_views() "
            "where not internal and database_name = $1",
            [catalog],
        ).fetchall()
    }
    tables: list[tuple[str, str]] = con.execute(
        "select schema_name, table_name from duckdb_tables() where database_name = $1", [catalog]
    ).fetchall()
    for schema, table in tables:
        found[schema, table] = con.execute(
            f'select count(*), bit_xor(hash(each)) from "{catalog}"."{schema}"."{table}" as each'  # noqa: S608
        ).fetchall()
    return found


def _compact_runs(settings: Settings, now: datetime, *, is_dry_run: bool) -> tuple[int, int]:
    """Delete expired runs; returns their number and the bytes of their files."""
    from orchestration.runs.history import delete_runs, outdated_runs

    if not settings.dagster_home.exists():
        return 0, 0
    outdated = outdated_runs(settings, now - KEEP_RUNS)
    files = [path for run_id in outdated for path in _files_of_run(settings, run_id)]
    freed = sum(map(size_of, files))
    if outdated and not is_dry_run:
        delete_runs(settings, outdated)
        for path in files:
            _remove(path)
        for database in ("runs.db", "runs/index.db"):
            _vacuum(settings.dagster_home / "history" / database)
    return len(outdated), freed


def _files_of_run(settings: Settings, run_id: str) -> Iterator[Path]:
    """Yield a run's event database and the captured output of its steps."""
    yield from (settings.dagster_home / "history" / "runs").glob(f"{run_id}.db*")
    yield settings.dagster_home / "storage" / run_id
    yield log_path(settings, run_id)


def _vacuum(database: Path) -> None:
    """Vacuum a database of Dagster once its servers release it."""
    if database.exists():
        with closing(sqlite3.connect(database, timeout=60.0, isolation_level=None)) as con:
            con.execute("vacuum")


def _left_over(settings: Settings) -> Iterator[Path]:
    """Yield files left by killed backups, restores, first runs and compactions."""
    for prefix in (UNPACKING, COPYING):
        yield from sorted(settings.home.glob(f"{prefix}*"))
    name = settings.warehouse_path.name
    yield from sorted(settings.home.glob(f"{name}.*.new"))
    for suffix in (_DRAFT_SUFFIX, MOVED_SUFFIX):
        yield from settings.home.glob(f"{name}{suffix}")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
