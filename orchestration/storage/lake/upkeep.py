"""Maintain a lake: expire snapshots, merge small files, delete unused ones.

Each commit writes new files and leaves the previous ones to older snapshots. Files without a
snapshot are deleted a day later, so that current readers can finish.
"""

from datetime import datetime, timedelta

import duckdb
from pydantic import BaseModel, ConfigDict

from orchestration.storage.lake.catalog import CATALOG_NAME, index_catalog

KEEP_SNAPSHOTS = timedelta(days=30)
KEEP_REMOVED_FILES = timedelta(days=1)
# Files of killed writers are in no catalog; no running writer takes a week.
KEEP_ORPHANS = timedelta(days=7)


class Upkeep(BaseModel):
    """Numbers of expired snapshots, merged files and deleted files."""

    model_config = ConfigDict(frozen=True)

    snapshots: int
    merged_files: int
    removed_files: int


def maintain_lake(
    con: duckdb.DuckDBPyConnection, now: datetime, *, is_dry_run: bool = False
) -> Upkeep:
    """Expire snapshots older than 30 days, merge small files, and delete unused files.

    With `is_dry_run` nothing is changed, and the number of merged files is unknown: 0.
    """
    snapshots = _call(con, "ducklake_expire_snapshots", now - KEEP_SNAPSHOTS, is_dry_run)
    merged = 0
    if not is_dry_run:
        counted: list[tuple[int]] = con.execute(
            "select coalesce(sum(files_processed), 0)::integer "  # noqa: S608 - a constant
            f"from ducklake_merge_adjacent_files('{CATALOG_NAME}')"
        ).fetchall()
        merged = counted[0][0]
    removed = _call(con, "ducklake_cleanup_old_files", now - KEEP_REMOVED_FILES, is_dry_run)
    removed += _call(con, "ducklake_delete_orphaned_files", now - KEEP_ORPHANS, is_dry_run)
    if not is_dry_run:
        index_catalog(con)  # older versions created none
    return Upkeep(snapshots=snapshots, merged_files=merged, removed_files=removed)


def _call(
    con: duckdb.DuckDBPyConnection, function: str, older_than: datetime, is_dry_run: bool
) -> int:
    """Return the number of snapshots or files that the function handled."""
    return len(
        con.execute(
            f"call {function}('{CATALOG_NAME}', dry_run => {str(is_dry_run).lower()}, "
            f"older_than => timestamptz '{older_than.isoformat()}')"
        ).fetchall()
    )
