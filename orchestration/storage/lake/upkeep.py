"""Keeping a lake quick and small: few files, and of the past only what is worth its room.

Each commit writes files of its own and leaves those of before to its snapshot. Files that no
snapshot needs any longer are removed a day later, so that whoever reads one goes on reading it.
"""

from datetime import datetime, timedelta

import duckdb
from pydantic import BaseModel, ConfigDict

from orchestration.storage.lake.catalog import CATALOG_NAME, index_catalog

KEEP_SNAPSHOTS = timedelta(days=30)
KEEP_REMOVED_FILES = timedelta(days=1)
# What a writer that was killed left is in no catalog; none that lives takes a week.
KEEP_ORPHANS = timedelta(days=7)


class Upkeep(BaseModel):
    """How many snapshots were forgotten, files merged into fewer, and files removed."""

    model_config = ConfigDict(frozen=True)

    snapshots: int
    merged_files: int
    removed_files: int


def keep_up(con: duckdb.DuckDBPyConnection, now: datetime, *, is_dry_run: bool = False) -> Upkeep:
    """Forget snapshots of more than 30 days ago, merge small files, and remove what nobody needs.

    With `is_dry_run` nothing is changed, and how many files would be merged is not known: 0.
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
        index_catalog(con)  # older versions made none
    return Upkeep(snapshots=snapshots, merged_files=merged, removed_files=removed)


def _call(
    con: duckdb.DuckDBPyConnection, function: str, older_than: datetime, is_dry_run: bool
) -> int:
    """How many snapshots or files the function handled."""
    return len(
        con.execute(
            f"call {function}('{CATALOG_NAME}', dry_run => {str(is_dry_run).lower()}, "
            f"older_than => timestamptz '{older_than.isoformat()}')"
        ).fetchall()
    )
