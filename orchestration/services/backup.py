"""Back up a home to one file, and restore it: warehouse with coach state, Dagster history,
profiles.

    backup.tar
      backup.sha256                              hash of the whole archive, computed with zeros here
      home/warehouse.duckdb, home/dagster/...    a consistent snapshot
      athletes/<id>.toml
      backup.json                                time, version, and the hash of each file

The hash of the archive also covers headers, padding and `backup.json`. Format 1 has no such hash.

Not included: the release, which a restore builds from the warehouse; the folder `import`, which
holds copies; the folder `logs`; and `.env`, so that keys stay on the machine.
"""

import hashlib
import io
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from pydantic import BaseModel, ConfigDict, ValidationError

from orchestration.config.durable_files import sync, sync_tree
from orchestration.config.settings import Settings
from orchestration.runs.history_health import sqlite_damage
from orchestration.runs.lock import LOCKS, run_lock
from orchestration.runs.provenance import provenance_of
from orchestration.services.publish import publication_lock
from orchestration.services.release import release_marts
from orchestration.storage.block_checksums import damage_in
from orchestration.storage.file_lock import LockedError, file_lock
from orchestration.storage.home_files import ASIDE, COPYING, UNPACKING
from orchestration.storage.warehouse import (
    WarehouseMissingError,
    hold_warehouse,
    open_warehouse,
    verify_blocks,
)

FORMAT = 2

_CONTENTS, _SEAL = "backup.json", "backup.sha256"
# The first file of a tar archive starts after one header.
_SEAL_AT, _SEAL_BYTES = tarfile.BLOCKSIZE, 64
_HOME, _ATHLETES = "home", "athletes"
_WAREHOUSE = f"{_HOME}/warehouse.duckdb"
# SQLite's own files next to a database; a copy made by its backup API needs none of them.
_SQLITE_EXTRAS = ("-wal", "-shm", "-journal")
_CHUNK_BYTES = 1 << 20

Progress = Callable[[str], None]
"""Receives the name of each file before it is processed."""


class BackupError(Exception):
    """A backup cannot be written or restored; the message has the fix. Nothing was changed."""


class Contents(BaseModel):
    """Manifest of a backup; `files` maps names in the backup to SHA-256 hashes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    made_at: datetime
    spotter_version: str
    files: dict[str, str]


class RestoreResult(BaseModel):
    """Result of a restore: the manifest, and the data that was in its place.

    `former_home` is the folder with the previous home, None if it was empty. `kept_profiles` differ
    from the backup and were left unchanged; the backup's version was written next to each.
    """

    contents: Contents
    former_home: Path | None
    kept_profiles: tuple[Path, ...]


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
    _require_file(settings)
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
                contents = _write(draft, settings, now, progress)
                _seal(draft)
                sync(draft)
                draft.rename(file)
                sync(file.parent)
        except OSError as error:
            raise BackupError(f"{file} could not be written: {error.strerror}.") from error
    return contents


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
    _require_file(settings)
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
            contents = _unpack(file, unpacked, progress)
            restored = unpacked / _HOME
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
            kept = _put_profiles(unpacked / _ATHLETES, settings.athletes_dir)
    return RestoreResult(contents=contents, former_home=former, kept_profiles=kept)


def verify_backup(file: Path, progress: Progress) -> Contents:
    """Validate an archive like a restore does, unpacking only its SQLite databases.

    Raises:
        BackupError: it is incomplete or of a newer version, or a file in it is damaged.
    """
    with _open_backup(file) as (tar, contents), TemporaryDirectory() as scratch:
        for name, digest in contents.files.items():
            progress(name)
            reader = _HashingReader(_file_in(tar, name, file))
            if name == _WAREHOUSE:
                _require_whole(name, damage_in(reader), file)
            copy = Path(scratch) / "copy.db"
            with copy.open("wb") if name.endswith(".db") else nullcontext() as target:
                while chunk := reader.read(_CHUNK_BYTES):
                    if target is not None:
                        target.write(chunk)
            if reader.sha256 != digest:
                raise _damaged_part(name, file)
            if copy.exists():
                _require_whole(name, sqlite_damage(copy), file)
                copy.unlink()
    return contents


def _require_file(settings: Settings) -> None:
    if settings.lake is not None:
        raise BackupError(
            "The warehouse is a lake: back up its catalog with pg_dump and then its files "
            "(docs/scaling.md), or bring it into a file: spotter migrate --to embedded"
        )


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


@contextmanager
def _draft_of(file: Path) -> Iterator[Path]:
    """Yield a hidden owner-only file in the same folder; it is removed unless it was renamed."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    draft.touch(mode=0o600)
    try:
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _write(draft: Path, settings: Settings, now: datetime, progress: Progress) -> Contents:
    with tarfile.open(draft, "w") as tar:
        _add_text(tar, _SEAL, b"0" * _SEAL_BYTES)
        contents = Contents(
            format=FORMAT,
            made_at=now.astimezone(UTC),
            spotter_version=version("spotter"),
            files=_add_all(tar, settings, progress),
        )
        _add_text(tar, _CONTENTS, contents.model_dump_json(indent=2).encode())
    return contents


def _add_text(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    tar.addfile(entry, io.BytesIO(content))


def _seal(draft: Path) -> None:
    """Write the archive's hash into its first file."""
    with draft.open("r+b") as file:
        digest = _archive_sha256(file)
        file.seek(_SEAL_AT)
        file.write(digest)


def _archive_sha256(file: IO[bytes]) -> bytes:
    """Return the hash of an archive, with zeros in place of the stored hash."""
    file.seek(0)
    digest = hashlib.sha256(file.read(_SEAL_AT) + b"0" * _SEAL_BYTES)
    file.seek(_SEAL_AT + _SEAL_BYTES)
    while chunk := file.read(_CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest().encode()


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
        hashes[_WAREHOUSE] = _add(tar, file, _WAREHOUSE)
    progress("Dagster's history")
    with TemporaryDirectory(dir=settings.home, prefix=COPYING) as scratch:
        for path in sorted(settings.dagster_home.rglob("*")):
            if not path.is_file() or path.name.endswith(_SQLITE_EXTRAS):
                continue
            name = f"{_HOME}/dagster/{path.relative_to(settings.dagster_home).as_posix()}"
            if path.suffix == ".db":
                copy = Path(scratch) / "copy.db"
                _copy_sqlite(path, copy)
                hashes[name] = _add_file(tar, copy, name)
                copy.unlink()
            else:
                hashes[name] = _add_file(tar, path, name)
    progress("profiles")
    for path in sorted(settings.athletes_dir.glob("*.toml")):
        name = f"{_ATHLETES}/{path.name}"
        hashes[name] = _add_file(tar, path, name)
    return hashes


def _add_file(tar: tarfile.TarFile, path: Path, name: str) -> str:
    with path.open("rb") as file:
        return _add(tar, file, name)


def _add(tar: tarfile.TarFile, file: IO[bytes], name: str) -> str:
    """Add a file that is open at its start and return its hash."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = os.fstat(file.fileno()).st_size, 0o600
    reader = _HashingReader(file)
    tar.addfile(entry, reader)
    return reader.sha256


class _HashingReader:
    """A readable file that hashes its content as it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def read(self, size: int = -1) -> bytes:
        chunk = self._file.read(size)
        self._hash.update(chunk)
        return chunk


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


@contextmanager
def _open_backup(file: Path) -> Iterator[tuple[tarfile.TarFile, Contents]]:
    """Yield an open backup and its manifest; its files are exactly the listed ones."""
    try:
        with tarfile.open(file) as tar:
            contents = _contents_of(tar, file)
            _require_seal(tar, file, contents)
            names = {entry.name for entry in tar.getmembers()} - {_CONTENTS, _SEAL}
            if names != set(contents.files) or not all(map(_is_backup_path, names)):
                raise _no_backup(file)
            yield tar, contents
    except FileNotFoundError as error:
        raise BackupError(f"There is no file {file}.") from error
    except (tarfile.TarError, EOFError) as error:
        raise _no_backup(file) from error
    except OSError as error:
        raise BackupError(f"{file} could not be unpacked: {error.strerror}.") from error


def _no_backup(file: Path) -> BackupError:
    return BackupError(f"{file} is no complete backup of Spotter; nothing was changed.")


def _damaged_part(name: str, file: Path) -> BackupError:
    return BackupError(f"{_no_backup(file)} {name} is damaged.")


def _file_in(tar: tarfile.TarFile, name: str, file: Path) -> IO[bytes]:
    entry = tar.getmember(name)
    source = tar.extractfile(entry) if entry.isreg() else None
    if source is None:
        raise _no_backup(file)
    return source


def _unpack(file: Path, folder: Path, progress: Progress) -> Contents:
    """Unpack a backup into an empty folder, compare hashes and validate the databases."""
    with _open_backup(file) as (tar, contents):
        for name, digest in contents.files.items():
            progress(name)
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as target:
                shutil.copyfileobj(_file_in(tar, name, file), target, _CHUNK_BYTES)
            if _sha256(path) != digest:
                raise _damaged_part(name, file)
            if name == _WAREHOUSE:
                with path.open("rb") as warehouse:
                    _require_whole(name, damage_in(warehouse), file)
            elif path.suffix == ".db":
                _require_whole(name, sqlite_damage(path), file)
    return contents


def _contents_of(tar: tarfile.TarFile, file: Path) -> Contents:
    try:
        told = tar.extractfile(_CONTENTS)
        contents = Contents.model_validate_json(b"" if told is None else told.read())
    except (KeyError, ValidationError) as error:
        raise _no_backup(file) from error
    if contents.format > FORMAT:
        raise BackupError(
            f"{file} was made by version {contents.spotter_version}, which is newer than this one. "
            "Update Spotter first; nothing was changed."
        )
    return contents


def _require_seal(tar: tarfile.TarFile, file: Path, contents: Contents) -> None:
    """Require an unchanged archive, by its hash, from format 2 on."""
    is_sealed = tar.getnames()[:1] == [_SEAL]
    if not is_sealed and contents.format < FORMAT:
        return
    with file.open("rb") as archive:
        digest = _archive_sha256(archive)
        archive.seek(_SEAL_AT)
        if not is_sealed or archive.read(_SEAL_BYTES) != digest:
            raise BackupError(f"{_no_backup(file)} It is damaged: its content has another hash.")


def _require_whole(name: str, damage: str | None, file: Path) -> None:
    """Require an undamaged database: older versions also copied damaged ones."""
    if damage is not None:
        raise BackupError(
            f"{name} in {file} was damaged before it was backed up: {damage}. Use an older backup; "
            "nothing was changed."
        )


def _is_backup_path(name: str) -> bool:
    """Return true for a name inside the folders of a backup."""
    parts = PurePosixPath(name).parts
    return len(parts) > 1 and parts[0] in {_HOME, _ATHLETES} and ".." not in parts


def _release(warehouse: Path, home: Path, now: datetime, progress: Progress) -> None:
    """Build the release of a home's warehouse, if it has marts."""
    with open_warehouse(warehouse) as con:
        has_marts = con.execute(
            "from duckdb_tables() where schema_name = 'marts' and table_name = 'fct_workout'"
        ).fetchall()
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


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
