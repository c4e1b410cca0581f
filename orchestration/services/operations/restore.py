"""Restore a home from a backup, and keep the data that was in its place."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from coach_agent.store.tables import has_table
from orchestration.config.durable_files import sync, sync_tree
from orchestration.config.settings import Settings
from orchestration.runs.lock import LOCKS, publication_lock, run_lock
from orchestration.runs.provenance import provenance_of
from orchestration.services.operations.backup import require_file
from orchestration.services.operations.backup_archive import (
    ATHLETES,
    HOME,
    BackupError,
    Contents,
    Progress,
    unpack_backup,
)
from orchestration.services.releases.release import release_marts
from orchestration.storage.file_lock import LockedError, file_lock
from orchestration.storage.home_files import ASIDE, COPYING, UNPACKING
from orchestration.storage.warehouse import hold_warehouse, open_warehouse


class RestoreResult(BaseModel):
    """Result of a restore: the manifest, and the data that was in its place.

    `former_home` is the folder with the previous home, None if it was empty. `kept_profiles` differ
    from the backup and were left unchanged; the backup's version was written next to each.
    """

    contents: Contents
    former_home: Path | None
    kept_profiles: tuple[Path, ...]


def restore_backup(
    settings: Settings, file: Path, now: datetime, progress: Progress, *, is_replacing: bool
) -> RestoreResult:
    """Replace the home by a backup and release its marts.

    All files are first unpacked, compared with their hashes, validated and synced to disk. The
    previous content moves to a folder inside the home, a warehouse only if `is_replacing`; nothing
    is deleted. The folder `import` is not touched.

    Raises:
        BackupError: the backup is incomplete or of a newer version; the home has a warehouse, or
            Dagster serves it.
        LockedError: a run or a long publication is in progress.
    """
    require_file(settings)
    home = settings.home
    if settings.warehouse_path.exists() and not is_replacing:
        raise BackupError(f"{home} has a warehouse. With --replace it is put aside, not deleted.")
    home.mkdir(parents=True, exist_ok=True)
    with (
        _without_servers(home),
        run_lock(home, "spotter restore", is_waiting=False),
        # A publication during the restore would be recorded in the old warehouse.
        publication_lock(settings.warehouse_path, "spotter restore"),
    ):
        for killed in home.glob(f"{UNPACKING}*"):
            shutil.rmtree(killed)
        # Inside the home, which may be its own volume: moves are then renames.
        with TemporaryDirectory(dir=home, prefix=UNPACKING) as folder:
            unpacked = Path(folder)
            contents = unpack_backup(file, unpacked, progress)
            restored = unpacked / HOME
            warehouse = restored / settings.warehouse_path.name
            _release(warehouse, restored, now, progress)
            sync_tree(unpacked)
            with hold_warehouse(settings.warehouse_path):
                former = _put_aside(settings, now)
                for path in restored.iterdir():
                    if path != warehouse:
                        path.rename(home / path.name)
                # Last, in one atomic step: after a kill there is either the old or the new
                # warehouse.
                sync(home)
                warehouse.replace(settings.warehouse_path)
                sync(home)
            kept = _put_profiles(unpacked / ATHLETES, settings.athletes_dir)
    return RestoreResult(contents=contents, former_home=former, kept_profiles=kept)


@contextmanager
def _without_servers(home: Path) -> Iterator[None]:
    """Hold the locks of Dagster's servers, which would keep using the replaced files."""
    with ExitStack() as held:
        for name in LOCKS.values():
            try:
                held.enter_context(file_lock(home / name, "spotter restore"))
            except LockedError as error:
                raise BackupError(
                    f"Dagster serves this home ({error.holder}). Stop it, then restore again."
                ) from error
        yield


def _release(warehouse: Path, home: Path, now: datetime, progress: Progress) -> None:
    """Build the release of a home's warehouse, if it has marts."""
    with open_warehouse(warehouse) as con:
        has_marts = has_table(con, "marts.fct_workout")
    if has_marts:
        progress("release")
        provenance = provenance_of(f"restored {now:%Y-%m-%d %H:%M:%S} UTC")
        release_marts(warehouse, home / "release", provenance, now)


def _put_aside(settings: Settings, now: datetime) -> Path | None:
    """Move the content of a home into a folder inside it; None if there is nothing.

    The warehouse gets a second hard link there and keeps its name until it is replaced. Lock files
    stay: a moved lock file would exclude no other process.
    """
    home = settings.home
    found = [
        path
        for path in home.iterdir()
        if path not in {settings.import_folder, settings.athletes_dir, settings.env_file}
        and path.suffix != ".lock"
        and not path.name.startswith((UNPACKING, COPYING, ASIDE))
    ]
    if not found:
        return None
    aside = home / f"{ASIDE}{now:%Y%m%dT%H%M%SZ}"
    aside.mkdir()
    for path in found:
        if path == settings.warehouse_path:
            os.link(path, aside / path.name)
        else:
            path.rename(aside / path.name)
    return aside


def _put_profiles(source: Path, folder: Path) -> tuple[Path, ...]:
    """Write missing profiles; return the differing ones, which are left unchanged."""
    kept: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("*.toml")):
        own = folder / path.name
        if not own.exists():
            shutil.copyfile(path, own)
        elif own.read_bytes() != path.read_bytes():
            shutil.copyfile(path, own.with_name(f"{own.name}.from-backup"))
            kept.append(own)
    return tuple(kept)
