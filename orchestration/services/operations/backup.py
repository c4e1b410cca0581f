"""Back up a home to one file: warehouse with coach state, Dagster history, profiles.

Not included: the release, which a restore builds from the warehouse; the folder `import`, which
holds copies; the folder `logs`; and `.env`, so that keys stay on the machine.
"""

import os
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestration.config.durable_files import sync
from orchestration.config.settings import Settings
from orchestration.runs.history_health import sqlite_damage
from orchestration.runs.lock import run_lock
from orchestration.services.operations.backup_archive import (
    ATHLETES,
    HOME,
    WAREHOUSE,
    BackupError,
    Contents,
    Progress,
    add_file,
    add_open_file,
    write_archive,
)
from orchestration.storage.home_files import COPYING
from orchestration.storage.warehouse import WarehouseMissingError, open_warehouse
from orchestration.storage.warehouse_damage import verify_blocks

# SQLite's own files next to a database; a copy made by its backup API needs none of them.
_SQLITE_EXTRAS = ("-wal", "-shm", "-journal")


def write_backup(settings: Settings, file: Path, now: datetime, progress: Progress) -> Contents:
    """Write the home into a new file that only its owner can read.

    The run lock and the warehouse are held for the whole copy. A killed backup leaves no file under
    this name.

    Raises:
        BackupError: the file exists or cannot be written, or Dagster's history is damaged.
        WarehouseDamagedError: a block of the warehouse is damaged, also an unused one.
        WarehouseMissingError, WarehouseBusyError, LockedError: there is nothing to copy, or another
            process holds it.
    """
    require_file(settings)
    if file.exists():
        raise BackupError(f"{file} exists already. Choose another name, or remove it first.")
    if not file.parent.is_dir():
        raise BackupError(f"There is no folder {file.parent}. Make it first.")
    if not settings.warehouse_path.exists():
        raise WarehouseMissingError(
            f"There is no warehouse at {settings.warehouse_path} yet. Run: spotter run"
        )
    with run_lock(settings.home, "spotter backup", is_waiting=False):
        try:
            with _draft_of(file) as draft:
                contents = write_archive(draft, now, lambda tar: _add_all(tar, settings, progress))
                sync(draft)
                draft.rename(file)
                sync(file.parent)
        except OSError as error:
            raise BackupError(f"{file} could not be written: {error.strerror}.") from error
    return contents


def require_file(settings: Settings) -> None:
    """Require a warehouse that is a file.

    Raises:
        BackupError: it is a lake.
    """
    if settings.lake is not None:
        raise BackupError(
            "The warehouse is a lake: back up its catalog with pg_dump and then its files "
            "(docs/scaling.md), or bring it into a file: spotter migrate --to embedded"
        )


@contextmanager
def _draft_of(file: Path) -> Iterator[Path]:
    """Yield a hidden owner-only file in the same folder; it is removed unless it was renamed."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    draft.touch(mode=0o600)
    try:
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _add_all(tar: tarfile.TarFile, settings: Settings, progress: Progress) -> dict[str, str]:
    """Add every file and return the hashes by name."""
    hashes: dict[str, str] = {}
    progress("warehouse")
    # The open connection excludes other processes; the checkpoint empties the WAL into the file.
    path = settings.warehouse_path
    # Read through one descriptor: closing any of them releases the lock of DuckDB.
    with open_warehouse(path) as con, path.open("rb") as file:
        # Before the checkpoint, which may overwrite a damaged block that no data uses.
        verify_blocks(file, path)
        con.execute("force checkpoint")
        file.seek(0)
        hashes[WAREHOUSE] = add_open_file(tar, file, WAREHOUSE)
    progress("Dagster's history")
    with TemporaryDirectory(dir=settings.home, prefix=COPYING) as scratch:
        for path in sorted(settings.dagster_home.rglob("*")):
            if not path.is_file() or path.name.endswith(_SQLITE_EXTRAS):
                continue
            name = f"{HOME}/dagster/{path.relative_to(settings.dagster_home).as_posix()}"
            if path.suffix == ".db":
                copy = Path(scratch) / "copy.db"
                _copy_sqlite(path, copy)
                hashes[name] = add_file(tar, copy, name)
                copy.unlink()
            else:
                hashes[name] = add_file(tar, path, name)
    progress("profiles")
    for path in sorted(settings.athletes_dir.glob("*.toml")):
        name = f"{ATHLETES}/{path.name}"
        hashes[name] = add_file(tar, path, name)
    return hashes


def _copy_sqlite(path: Path, copy: Path) -> None:
    """Copy the committed data, also while servers write.

    Raises:
        BackupError: the database is damaged.
    """
    try:
        with (
            closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
        problem = sqlite_damage(copy)
    except sqlite3.DatabaseError as error:
        problem = str(error)
    if problem is not None:
        raise BackupError(
            f"{path} of Dagster's history is damaged: {problem}. Run: spotter run, which puts the "
            "history aside and goes on; then back up again."
        )
