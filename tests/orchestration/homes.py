"""Homes for backups and restores, and their content."""

import io
import tarfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from orchestration.config.settings import Settings, load_settings

NOW = datetime(2026, 3, 4, 3, 17, tzinfo=UTC)
PROFILE = 'id = "kim"\n'


def settings_of(root: Path) -> Settings:
    root.mkdir(exist_ok=True)
    return load_settings({}, root)


def workouts(path: Path) -> list[tuple[object, ...]]:
    with duckdb.connect(path, read_only=True) as con:
        return con.execute("select workout_id from fct_workout").fetchall()


def rewritten(file: Path, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> Path:
    """Return the backup in format 1, which has no hash of the archive, with changed files.

    `change` returns name and content of a file, or None to leave it out.
    """
    other = file.with_name("changed.tar")
    with tarfile.open(file) as source, tarfile.open(other, "w") as target:
        for entry in source.getmembers():
            if entry.name == "backup.sha256":
                continue
            content = source.extractfile(entry)
            assert content is not None
            read = content.read().replace(b'"format": 2', b'"format": 1')
            if (told := change(entry.name, read)) is not None:
                copy = tarfile.TarInfo(told[0])
                copy.size = len(told[1])
                target.addfile(copy, io.BytesIO(told[1]))
    return other


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }
