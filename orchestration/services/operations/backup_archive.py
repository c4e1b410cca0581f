"""The archive of a backup: its format, its hashes, and how it is validated.

    backup.tar
      backup.sha256                              hash of the whole archive, computed with zeros here
      home/warehouse.duckdb, home/dagster/...    a consistent snapshot
      athletes/<id>.toml
      backup.json                                time, version, and the hash of each file

The hash of the archive also covers headers, padding and `backup.json`. Format 1 has no such hash.
"""

import hashlib
import io
import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from pydantic import BaseModel, ConfigDict, ValidationError

from orchestration.runs.history_health import sqlite_damage
from orchestration.storage.block_checksums import damage_in

FORMAT = 2
HOME, ATHLETES = "home", "athletes"
WAREHOUSE = f"{HOME}/warehouse.duckdb"

_CONTENTS, _SEAL = "backup.json", "backup.sha256"
# The first file of a tar archive starts after one header.
_SEAL_AT, _SEAL_BYTES = tarfile.BLOCKSIZE, 64
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


def write_archive(
    draft: Path, now: datetime, add_files: Callable[[tarfile.TarFile], dict[str, str]]
) -> Contents:
    """Write an archive and return its manifest; `add_files` adds the files and returns hashes."""
    with tarfile.open(draft, "w") as tar:
        _add_text(tar, _SEAL, b"0" * _SEAL_BYTES)
        contents = Contents(
            format=FORMAT,
            made_at=now.astimezone(UTC),
            spotter_version=version("spotter"),
            files=add_files(tar),
        )
        _add_text(tar, _CONTENTS, contents.model_dump_json(indent=2).encode())
    _seal(draft)
    return contents


def add_file(tar: tarfile.TarFile, path: Path, name: str) -> str:
    """Add a file under a name and return its hash."""
    with path.open("rb") as file:
        return add_open_file(tar, file, name)


def add_open_file(tar: tarfile.TarFile, file: IO[bytes], name: str) -> str:
    """Add a file that is open at its start and return its hash."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = os.fstat(file.fileno()).st_size, 0o600
    reader = _HashingReader(file)
    tar.addfile(entry, reader)
    return reader.sha256


def unpack_backup(file: Path, folder: Path, progress: Progress) -> Contents:
    """Unpack a backup into an empty folder, compare hashes and validate the databases.

    Raises:
        BackupError: it is incomplete or of a newer version, or a file in it is damaged.
    """
    with _open_backup(file) as (tar, contents):
        for name, digest in contents.files.items():
            progress(name)
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as target:
                shutil.copyfileobj(_file_in(tar, name, file), target, _CHUNK_BYTES)
            if _sha256(path) != digest:
                raise _damaged_part(name, file)
            if name == WAREHOUSE:
                with path.open("rb") as warehouse:
                    _require_whole(name, damage_in(warehouse), file)
            elif path.suffix == ".db":
                _require_whole(name, sqlite_damage(path), file)
    return contents


def verify_backup(file: Path, progress: Progress) -> Contents:
    """Validate an archive like a restore does, unpacking only its SQLite databases.

    Raises:
        BackupError: it is incomplete or of a newer version, or a file in it is damaged.
    """
    with _open_backup(file) as (tar, contents), TemporaryDirectory() as scratch:
        for name, digest in contents.files.items():
            progress(name)
            reader = _HashingReader(_file_in(tar, name, file))
            if name == WAREHOUSE:
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
    return len(parts) > 1 and parts[0] in {HOME, ATHLETES} and ".." not in parts


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
