"""The released marts: what readers may keep open for as long as they like.

    release/
      000041/ 000042/ 000043/    marts.duckdb, parquet/<mart>.parquet, manifest.json
      current -> 000043
      marts.duckdb -> current/marts.duckdb, and so parquet and manifest.json

A release is written as a hidden draft, moved to its number, and becomes everybody's when `current`
is replaced: one step for the database and Parquet together. A run that is killed before leaves the
release of before, and what it had written is cleared away by the next one. Whoever has an older
file open goes on reading it: on POSIX systems a removed file stays until it is closed.
"""

import logging
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from orchestration.config.durable_files import sync
from orchestration.runs.provenance import Provenance
from orchestration.services.release_contents import DATABASE_FILE, PARQUET_FOLDER, write_contents
from orchestration.services.release_manifest import MANIFEST_FILE, Manifest
from orchestration.storage.warehouse import Warehouse

KEPT_RELEASES = 3

_CURRENT = "current"
_DRAFT = ".draft"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Release:
    """What was released: the folder that holds it, and what the manifest says."""

    folder: Path
    manifest: Manifest


def release_marts(
    warehouse: Warehouse, folder: Path, provenance: Provenance, now: datetime
) -> Release:
    """Release the marts of the warehouse to the readers of `folder`, keeping the last three.

    Raises:
        WarehouseMissingError, WarehouseBusyError, duckdb.Error, OSError: readers keep what they
            have.
    """
    folder.mkdir(parents=True, exist_ok=True)
    previous = _current_number(folder)
    _clear_leftovers(folder, previous)
    draft = folder / _DRAFT
    manifest = write_contents(warehouse, draft, previous + 1, provenance, now)
    _seal(draft)
    released = folder / f"{manifest.release_number:06}"
    draft.rename(released)
    sync(folder)
    _point(folder / _CURRENT, released.name)
    # The database comes first: it may still be the one file of a home that knew nothing else.
    for name in (DATABASE_FILE, PARQUET_FOLDER, MANIFEST_FILE):
        _point(folder / name, f"{_CURRENT}/{name}")
    sync(folder)
    for outdated in _numbered(folder)[:-KEPT_RELEASES]:
        _remove(outdated)
    return Release(released, manifest)


def released_databases(folder: Path) -> list[Path]:
    """The files of marts that are kept: the one that readers have, then all, newest first."""
    numbered = reversed(_numbered(folder)) if folder.exists() else ()
    files = (folder / DATABASE_FILE, *(each / DATABASE_FILE for each in numbered))
    return [file for file in files if file.exists()]


def _current_number(folder: Path) -> int:
    """The number of the release that readers have; 0 before the first."""
    current = folder / _CURRENT
    return int(current.readlink().name) if current.is_symlink() else 0


def _numbered(folder: Path) -> list[Path]:
    return sorted(
        (path for path in folder.iterdir() if path.name.isdigit()), key=lambda path: int(path.name)
    )


def _clear_leftovers(folder: Path, current: int) -> None:
    """Remove what a killed run left: its draft, or a release that never became everybody's."""
    unreleased = [path for path in _numbered(folder) if int(path.name) > current]
    for path in [folder / _DRAFT, *unreleased]:
        if path.exists():
            shutil.rmtree(path)


def _seal(draft: Path) -> None:
    """Bring all of it to the disk, and let nobody write to it by mistake: many tools open so."""
    for path in [*draft.rglob("*"), draft]:
        if path.is_file():
            path.chmod(0o400)
        sync(path)


def _point(link: Path, target: str) -> None:
    """Let the symbolic link point to `target`, replacing in one step what has its name."""
    if link.is_symlink() and str(link.readlink()) == target:
        return
    draft = link.with_name(f".{link.name}.new")
    draft.unlink(missing_ok=True)
    draft.symlink_to(target)
    draft.replace(link)


def _remove(outdated: Path) -> None:
    """Remove an old release, or leave it to the next run if a reader puts files beside it."""
    try:
        shutil.rmtree(outdated)
    except OSError as error:
        _log.warning("%s could not be removed and is left to the next release: %s", outdated, error)
