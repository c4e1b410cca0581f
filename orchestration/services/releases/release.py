"""Release the marts as immutable files, which readers may keep open.

    release/
      000041/ 000042/ 000043/    marts.duckdb, parquet/<mart>.parquet, manifest.json
      current -> 000043
      marts.duckdb -> current/marts.duckdb, and so parquet and manifest.json

A release is written as a hidden draft, renamed to its number, and published by an atomic
replacement of the link `current`: database and Parquet change together. After a kill the previous
release stays current, and the next run deletes the draft. Open files of deleted releases remain
readable on POSIX systems. Runs that release at the same time, as on a lake, take turns by the lock
of the file `.lock`.
"""

import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from coach_agent.profile.model import AthleteProfile
from orchestration.config.durable_files import sync
from orchestration.runs.provenance import Provenance
from orchestration.services.releases.newer_plans import clear_newer_plans
from orchestration.services.releases.release_changes import REWRITTEN_EVERY
from orchestration.services.releases.release_contents import (
    DATABASE_FILE,
    PARQUET_FOLDER,
    write_contents,
)
from orchestration.services.releases.release_manifest import (
    MANIFEST_FILE,
    Manifest,
    read_manifest,
)
from orchestration.storage.file_lock import file_lock
from orchestration.storage.warehouse import Warehouse

KEPT_RELEASES = 3

_CURRENT = "current"
_DRAFT = ".draft"
_LOCK = ".lock"
_WAIT_S = 900.0
"""The largest measured release took 269 s."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Release:
    """A release: its folder and its manifest."""

    folder: Path
    manifest: Manifest


def release_marts(
    warehouse: Warehouse,
    folder: Path,
    provenance: Provenance,
    now: datetime,
    athletes: Sequence[AthleteProfile] = (),
) -> Release:
    """Release the warehouse's marts to the readers of `folder`; keeps the last three releases.

    No plan is released of `athletes` with a red flag in their profile.

    Raises:
        WarehouseMissingError, WarehouseBusyError, LockedError, duckdb.Error, OSError: the previous
            release stays current.
    """
    with file_lock(folder / _LOCK, "a release", wait_s=_WAIT_S):
        return _release(warehouse, folder, provenance, now, athletes)


def _release(
    warehouse: Warehouse,
    folder: Path,
    provenance: Provenance,
    now: datetime,
    athletes: Sequence[AthleteProfile],
) -> Release:
    previous = _current_number(folder)
    _clear_leftovers(folder, previous)
    draft = folder / _DRAFT
    number = previous + 1
    former = None if number % REWRITTEN_EVERY == 0 else folder / f"{previous:06}"
    manifest = write_contents(warehouse, draft, number, provenance, now, athletes, former)
    _seal(draft)
    released = folder / f"{manifest.release_number:06}"
    draft.rename(released)
    sync(folder)
    _point(folder / _CURRENT, released.name)
    # The database is first: in a home of an old version it may be a plain file.
    for name in (DATABASE_FILE, PARQUET_FOLDER, MANIFEST_FILE):
        _point(folder / name, f"{_CURRENT}/{name}")
    sync(folder)
    for outdated in _release_folders(folder)[:-KEPT_RELEASES]:
        _remove(outdated)
    oldest = read_manifest(_release_folders(folder)[0])
    clear_newer_plans(folder, manifest.released_at if oldest is None else oldest.released_at)
    return Release(released, manifest)


def released_databases(folder: Path) -> list[Path]:
    """Return the database files of all releases: the current one first, then the newest."""
    numbered = reversed(_release_folders(folder)) if folder.exists() else ()
    files = (folder / DATABASE_FILE, *(each / DATABASE_FILE for each in numbered))
    return [file for file in files if file.exists()]


def _current_number(folder: Path) -> int:
    """Return the number of the current release; 0 before the first."""
    current = folder / _CURRENT
    return int(current.readlink().name) if current.is_symlink() else 0


def _release_folders(folder: Path) -> list[Path]:
    return sorted(
        (path for path in folder.iterdir() if path.name.isdigit()), key=lambda path: int(path.name)
    )


def _clear_leftovers(folder: Path, current: int) -> None:
    """Remove the files of a killed run: its draft, or a release that never became current."""
    unreleased = [path for path in _release_folders(folder) if int(path.name) > current]
    for path in [folder / _DRAFT, *unreleased]:
        if path.exists():
            shutil.rmtree(path)


def _seal(draft: Path) -> None:
    """Sync all files to disk and make them read-only: many tools open a database for writing."""
    for path in [*draft.rglob("*"), draft]:
        if path.is_file():
            path.chmod(0o400)
        sync(path)


def _point(link: Path, target: str) -> None:
    """Point the symbolic link to `target`, replacing any file of its name atomically."""
    if link.is_symlink() and str(link.readlink()) == target:
        return
    draft = link.with_name(f".{link.name}.new")
    draft.unlink(missing_ok=True)
    draft.symlink_to(target)
    draft.replace(link)


def _remove(outdated: Path) -> None:
    """Remove an old release; retried by the next run if a reader has written into its folder."""
    try:
        shutil.rmtree(outdated)
    except OSError as error:
        _log.warning("%s could not be removed and is left to the next release: %s", outdated, error)
