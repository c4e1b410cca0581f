"""The warehouse file: opened for a short time, always closed, waited for when it is busy.

DuckDB lets one process write a file or many read it. Every step here opens the file for as long
as it needs it, so two of them queue up rather than fail.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

import duckdb

from orchestration.lib.migrations import create_tables, is_current, migrate

# Raw JSON takes a quarter of the space in this format (1.3 against 5.0 GB for a million workouts).
STORAGE_VERSION = "v1.5.0"

_POLL_S = 0.2

# How DuckDB's write-ahead log begins. What begins otherwise it takes for none and deletes.
_LOG_BEGINS = bytes.fromhex("6400626500")
_IS_HELD = "Could not set lock"
_DAMAGES = re.compile(r"\bWAL file\b|[Cc]orrupt|checksum|not a valid DuckDB")

T = TypeVar("T")

Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


class WarehouseBusyError(Exception):
    """Another process holds the warehouse file."""


class WarehouseDamagedError(Exception):
    """The warehouse or the log of its latest writes cannot be read."""


class WarehouseMissingError(Exception):
    """There is no warehouse yet."""


@contextmanager
def open_warehouse(
    path: Path, *, read_only: bool = False, wait_s: float = 60.0
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in UTC to the warehouse, created with its raw and coach tables if missing.

    A warehouse of an older version is brought up to this one first, also to be read.

    Raises:
        WarehouseNewerError: a newer version made it; nothing was written.
        WarehouseMissingError: it is to be read and does not exist.
        WarehouseBusyError: another process held it for `wait_s` seconds.
        WarehouseDamagedError: it cannot be read; nothing was changed.
    """
    if read_only:
        _require(path)
    elif not path.exists():
        _create(path)
    con = _when_free(lambda: _connect(path, read_only=read_only), path, wait_s)
    try:
        if not is_current(con):
            if read_only:
                con.close()
                with open_warehouse(path, wait_s=wait_s):
                    pass
                con = _when_free(lambda: _connect(path, read_only=True), path, wait_s)
            else:
                migrate(con)
        con.execute("set TimeZone = 'UTC'")
        yield con
    finally:
        con.close()


@contextmanager
def held_warehouse(path: Path, *, wait_s: float = 60.0) -> Iterator[None]:
    """Let nobody else have the warehouse open meanwhile, of whatever version it is.

    One that cannot be opened, because it is damaged, nobody has open.

    Raises:
        WarehouseBusyError: another process held it for `wait_s` seconds.
    """
    try:
        con = _when_free(lambda: _connect(path, read_only=False), path, wait_s)
        con.execute("force checkpoint")
    except (duckdb.Error, FileNotFoundError, WarehouseDamagedError):
        yield
        return
    try:
        yield
    finally:
        con.close()


def attach_warehouse(con: duckdb.DuckDBPyConnection, path: Path, *, wait_s: float = 60.0) -> None:
    """Attach the warehouse to another database's connection, as `warehouse` and for reading only.

    Until it is detached no other process can write to it.

    Raises:
        WarehouseMissingError: it does not exist.
        WarehouseBusyError: another process held it for `wait_s` seconds.
        WarehouseDamagedError: it cannot be read.
    """
    _require(path)
    attach = f"attach '{quoted_path(path)}' as warehouse (read_only)"
    _when_free(lambda: con.execute(attach), path, wait_s)


def _connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open the file that has the name, where a restore may just have put another one."""
    while True:
        before = path.stat().st_ino
        con = duckdb.connect(path, read_only=read_only)
        if path.stat().st_ino == before:
            return con
        con.close()


def _require(path: Path) -> None:
    if not path.exists():
        raise WarehouseMissingError(f"There is no warehouse at {path} yet. Run: spotter run")


def _create(path: Path) -> None:
    """Make the file beside its place, so that a kill leaves none or a whole one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    with duckdb.connect() as con:
        con.execute(
            f"attach '{quoted_path(draft)}' as warehouse (storage_version '{STORAGE_VERSION}')"
        )
        con.execute("use warehouse")
        create_tables(con)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was first, and its file is as good
    finally:
        draft.unlink()


def _when_free(connect: Callable[[], T], path: Path, wait_s: float) -> T:
    deadline = time.monotonic() + wait_s
    while True:
        _require_log(path)
        try:
            return connect()
        except duckdb.Error as error:
            # Who holds a file is told with names of people and programs, which say nothing else.
            is_held = _IS_HELD in str(error)
            if not is_held and _DAMAGES.search(str(error).replace(str(path), "")):
                raise _damaged(path, str(error)) from error
            if not is_held:
                raise
            if time.monotonic() >= deadline:
                raise WarehouseBusyError(
                    f"The warehouse {path} is held by another process: a run in progress, or a "
                    "tool that has the file open. Close it (analysts open release/marts.duckdb "
                    "instead) and try again; nothing was changed."
                ) from error
        time.sleep(_POLL_S)


def _require_log(path: Path) -> None:
    """That the log of the latest writes, if there is one, is a log."""
    try:
        with _log_of(path).open("rb") as log:
            begins = log.read(len(_LOG_BEGINS))
    except FileNotFoundError:
        return
    if begins != _LOG_BEGINS[: len(begins)]:
        raise _damaged(path, f"{_log_of(path).name} is no log of a warehouse")


def _damaged(path: Path, why: str) -> WarehouseDamagedError:
    told = why.strip().splitlines()[0].rstrip(".")
    return WarehouseDamagedError(
        f"The warehouse {path} is damaged: {told}. Nothing was changed. Restore a backup: spotter "
        f"restore FILE --replace. Without one, move {_log_of(path).name} out of the folder: that "
        "leaves what was there before its last writes. What came in since is read again, plans "
        "that were decided and sent since are lost."
    )


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")


def quoted_path(path: Path) -> str:
    """The path inside an SQL literal: ATTACH takes no parameters."""
    return str(path).replace("'", "''")
