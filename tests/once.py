"""Test environments: each is built once, shared by all workers of a run, and kept between runs.

An environment is a folder, addressed by everything that determines its content: the product's
code, the helpers of the tests, the locked requirements and the hour. Homes hold times of the
day on which they were built, so an environment is kept for a few hours only.
"""

import hashlib
import inspect
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final
from uuid import uuid4

from filelock import FileLock

ROOT: Final = Path(__file__).resolve().parents[1]
ENVIRONMENTS: Final = ROOT / ".environments"

_SOURCES: Final = (
    "athletes",
    "coach_agent",
    "dashboard",
    "dbt_project",
    "health_connector",
    "hevy_connector",
    "orchestration",
    "tests",
)
_FILES: Final = ("dagster.yaml", "pyproject.toml", "requirements.lock")
_KEPT_S: Final = 4 * 3600

Once = Callable[[str, Callable[[Path], None]], Path]


def built_once(
    name: str, build: Callable[[Path], None], root: Path = ENVIRONMENTS, run: str | None = None
) -> Path:
    """Return the folder of an environment; build it unless this or an earlier run has.

    Nothing may change the folder afterwards; a test that would takes a copy. A folder that was
    changed all the same is built again by the next `run`.
    """
    folder = root / f"{name}-{_key(build)}"
    record = folder.with_name(f"{folder.name}.json")
    root.mkdir(exist_ok=True)
    with FileLock(root / f"{name}.lock"):
        if not _is_built(folder, record, run or _run_id()):
            _remove_outdated(root, name)
            record.unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            build(folder)
            _write_record(folder, record, run or _run_id())
    return folder


def _is_built(folder: Path, record: Path, run: str) -> bool:
    """Return whether the folder is complete; the first use in a run compares its files, too."""
    if not record.exists():
        return False
    built = json.loads(record.read_text())
    if built["run"] != run:
        if built["files"] != _files(folder):
            return False
        _write_record(folder, record, run)
    return True


def _write_record(folder: Path, record: Path, run: str) -> None:
    record.write_text(json.dumps({"run": run, "files": _files(folder)}))


def _files(folder: Path) -> dict[str, list[int]]:
    """Return size (bytes) and time of change (ns) of each file by its path."""
    return {
        str(path.relative_to(folder)): [path.stat().st_size, path.stat().st_mtime_ns]
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }


def _remove_outdated(root: Path, name: str) -> None:
    """Remove the environments of this name that no run uses any more."""
    for record in root.glob(f"{name}-*.json"):
        if time.time() - record.stat().st_mtime > _KEPT_S:
            record.unlink()
            shutil.rmtree(record.with_suffix(""), ignore_errors=True)


def _key(build: Callable[[Path], None]) -> str:
    digest = hashlib.sha256(_project_digest())
    # The other test modules are left out of the key, but not the one that defines the builder.
    digest.update(Path(inspect.getfile(inspect.unwrap(build))).read_bytes())
    digest.update(str(int(_started_at() // _KEPT_S)).encode())
    return digest.hexdigest()[:16]


@cache
def _run_id() -> str:
    return os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid4().hex


@cache
def _started_at() -> float:
    return time.time()


@cache
def _project_digest() -> bytes:
    digest = hashlib.sha256(f"{ROOT} {sys.version}".encode())
    for path in _determining_files():
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.digest()


def _determining_files() -> Iterator[Path]:
    """Return all files that determine what an environment contains, in a fixed order."""
    for name in _FILES:
        yield ROOT / name
    for folder in _SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            is_derived = "__pycache__" in path.parts or path.is_relative_to(
                ROOT / "dbt_project" / "target"
            )
            if path.is_file() and not is_derived and not path.name.startswith("test_"):
                yield path
