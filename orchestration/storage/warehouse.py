"""The warehouse: opened for a short time, always closed, waited for when it is busy.

It is a file, or a lake (`SPOTTER_TARGET`), behind the same calls. DuckDB lets one process write a
file or many read it. Every step here opens it for as long as it needs it, so two of them queue up
rather than fail. A lake takes any number of them at the same time.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, TypeVar

import duckdb

from hevy_connector.raw.transactions import transaction
from orchestration.config.lake import Lake
from orchestration.config.limits import LONGEST_RUN_S
from orchestration.config.postgres import PostgresError, one_at_a_time
from orchestration.storage.block_checksums import damage_in
from orchestration.storage.connection import connect_duckdb
from orchestration.storage.lake.catalog import (
    CATALOG_NAME,
    attach_moment,
    connect_lake,
    forget_lake,
    index_catalog,
)
from orchestration.storage.lake.tables import create_lake_tables
from orchestration.storage.migrations import create_tables, is_current, migrate, schema_version

# Raw JSON takes a quarter of the space in this format (1.3 against 5.0 GB for a million workouts).
STORAGE_VERSION = "v1.5.0"

_POLL_S = 0.2

# How DuckDB's write-ahead log begins. What begins otherwise it takes for none and deletes.
_LOG_BEGINS = bytes.fromhex("6400626500")
_IS_HELD = "Could not set lock"
_DAMAGES = re.compile(r"\bWAL file\b|[Cc]orrupt|checksum|not a valid DuckDB")

_NO_LAKE = "creating a new DuckLake is explicitly disabled"
_REFUSED = re.compile(r"authentication failed|no password supplied|role .* does not exist")
_UNREACHABLE = re.compile(
    "Unable to connect to Postgres|terminating connection|server closed|connection to server"
    "|no connection to the server|database system is|Connection reset|Broken pipe"
    '|Failed to execute query "ROLLBACK"'
)
# Another process makes the same lake just now.
_IS_MADE = re.compile(r"Failed to initialize DuckLake.*(already exists|duplicate key)", re.DOTALL)

T = TypeVar("T")

Warehouse = Path | Lake
"""Where a warehouse is: its file, or the lake."""

Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


class WarehouseBusyError(Exception):
    """Another process holds the warehouse file, or the catalog of the lake does not answer."""


class CatalogLostError(WarehouseBusyError):
    """The catalog of the lake went away while something was done in it."""


class WarehouseDamagedError(Exception):
    """The warehouse or the log of its latest writes cannot be read."""


class WarehouseMissingError(Exception):
    """There is no warehouse yet."""


@contextmanager
def open_warehouse(
    warehouse: Warehouse, *, read_only: bool = False, wait_s: float = 60.0
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in UTC to the warehouse, created with its raw and coach tables if missing.

    A warehouse of an older version is brought up to this one first, also to be read. What is read
    is all of one moment.

    Raises:
        WarehouseNewerError: a newer version made it; nothing was written.
        WarehouseMissingError: it is to be read and does not exist.
        WarehouseBusyError: for `wait_s` seconds another process held it, or it did not answer.
        CatalogLostError: what was done in it was not committed, or nobody can tell.
        WarehouseDamagedError: it cannot be read; nothing was changed.
        LakeExtrasError: it is a lake, and what that needs is not installed.
    """
    if isinstance(warehouse, Lake):
        con = _open_lake(warehouse, wait_s, read_only=read_only)
    else:
        con = _open_file(warehouse, wait_s, read_only=read_only)
    try:
        con.execute("set TimeZone = 'UTC'")
        yield con
    except duckdb.Error as error:
        if isinstance(warehouse, Path):
            _raise_damage(warehouse, error)
            raise
        if not is_lost_catalog(str(error)):
            raise
        forget_lake(warehouse)
        raise CatalogLostError(
            f"The catalog of the lake went away: {_first_line(error)}. What was not finished is "
            "done by the next run."
        ) from error
    finally:
        con.close()


@contextmanager
def rebuilding(warehouse: Warehouse) -> Iterator[None]:
    """Keep to one process at a time what would rewrite the same tables of a lake.

    Their commits would conflict. Other machines may do it, too, so the catalog keeps order; a file
    does it by itself.

    Raises:
        WarehouseBusyError: the catalog did not answer, or another process took hours.
    """
    if isinstance(warehouse, Path):
        yield
        return
    turn = one_at_a_time(
        warehouse.catalog, warehouse.password, what="rewriting tables", wait_s=LONGEST_RUN_S
    )
    try:
        with turn:
            yield
    except PostgresError as error:
        raise WarehouseBusyError(f"The catalog of the lake is not to be had: {error}.") from error


def is_lost_catalog(text: str) -> bool:
    """Whether an error is that PostgreSQL ended or was started anew meanwhile."""
    return _UNREACHABLE.search(text) is not None


def warehouse_exists(warehouse: Warehouse) -> bool:
    """Whether there is a warehouse already.

    Raises:
        WarehouseBusyError: the catalog of the lake does not answer.
    """
    if isinstance(warehouse, Path):
        return warehouse.exists()
    try:
        with open_warehouse(warehouse, read_only=True, wait_s=10.0):
            return True
    except WarehouseMissingError:
        return False


def _open_file(path: Path, wait_s: float, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    if read_only:
        _require(path)
    elif not path.exists():
        _create(path)
    con = _when_free(lambda: _connect(path, read_only=read_only), path, wait_s)
    try:
        if is_current(con):
            return con
        if not read_only:
            migrate(con)
            return con
    except BaseException:
        con.close()
        raise
    con.close()
    with open_warehouse(path, wait_s=wait_s):
        pass
    return _when_free(lambda: _connect(path, read_only=True), path, wait_s)


def _open_lake(lake: Lake, wait_s: float, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    con = _when_reachable(lambda: _connect_lake(lake, read_only=read_only), lake, wait_s)
    try:
        if read_only:
            # One snapshot for all that is read, and the catalog is asked once.
            con.begin()
        if not is_current(con):
            if schema_version(con) == 0 and read_only:
                raise _missing(lake)
            if read_only:
                con.rollback()
                with open_warehouse(lake, wait_s=wait_s):
                    pass
                con.begin()
            else:
                _bring_up_lake(con)
    except BaseException:
        con.close()
        raise
    return con


def _bring_up_lake(con: duckdb.DuckDBPyConnection) -> None:
    """Make the tables of a new lake or migrate it, unless another process was first."""
    try:
        if schema_version(con):
            migrate(con)
            return
        with transaction(con):
            create_lake_tables(con)
        index_catalog(con)
    except (duckdb.TransactionException, duckdb.CatalogException):
        if not is_current(con):
            raise


def _connect_lake(lake: Lake, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        return connect_lake(lake, read_only=read_only)
    except duckdb.Error as error:
        if _NO_LAKE in str(error):
            raise _missing(lake) from error
        raise


def _when_reachable(connect: Callable[[], T], lake: Lake, wait_s: float) -> T:
    """What `connect` returns, once the catalog answers: it may just be started anew."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            return connect()
        except duckdb.Error as error:
            is_made = _IS_MADE.search(str(error)) is not None
            if not (is_made or is_lost_catalog(str(error))):
                raise
            if _REFUSED.search(str(error)):
                raise WarehouseBusyError(
                    "The catalog of the lake refuses its user: mend the user in "
                    "SPOTTER_LAKE_CATALOG or the password in PGPASSWORD; nothing was changed."
                ) from error
            if time.monotonic() >= deadline:
                raise WarehouseBusyError(
                    f"The catalog of the lake does not answer: {_first_line(error)}. Start "
                    "PostgreSQL, or mend SPOTTER_LAKE_CATALOG; nothing was changed."
                ) from error
        time.sleep(_POLL_S)


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


def attach_warehouse(
    con: duckdb.DuckDBPyConnection,
    warehouse: Warehouse,
    *,
    name: str = CATALOG_NAME,
    wait_s: float = 60.0,
) -> None:
    """Attach the warehouse to another database's connection, as `name` and for reading only.

    Until it is detached no other process can write to a file. A lake is read as it is now.

    Raises:
        WarehouseMissingError: it does not exist.
        WarehouseBusyError: for `wait_s` seconds another process held it, or it did not answer.
        WarehouseDamagedError: it cannot be read.
    """
    if isinstance(warehouse, Lake):
        _when_reachable(lambda: attach_moment(con, warehouse, name=name), warehouse, wait_s)
        return
    path = warehouse
    _require(path)
    attach = f"attach '{quoted_path(path)}' as {name} (read_only)"
    _when_free(lambda: con.execute(attach), path, wait_s)


def _connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open the file that has the name, where a restore may just have put another one."""
    while True:
        before = path.stat().st_ino
        con = connect_duckdb(path, read_only=read_only)
        if path.stat().st_ino == before:
            return con
        con.close()


def _require(path: Path) -> None:
    if not path.exists():
        raise _missing(path)


def _missing(warehouse: Warehouse) -> WarehouseMissingError:
    return WarehouseMissingError(f"There is no warehouse at {warehouse} yet. Run: spotter run")


def _create(path: Path) -> None:
    """Make the file beside its place, so that a kill leaves none or a whole one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    with connect_duckdb() as con:
        con.execute(
            f"attach '{quoted_path(draft)}' as warehouse (storage_version '{STORAGE_VERSION}')"
        )
        con.execute("use warehouse")
        with transaction(con):
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
            if not is_held:
                _raise_damage(path, error)
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


def verify_blocks(file: IO[bytes], path: Path) -> None:
    """Compare each block of a warehouse that is not being written with its checksum.

    `file` is the warehouse, open for reading at its start. Closing it releases the lock of this
    process on the warehouse, so close it after the last write.

    Raises:
        WarehouseDamagedError: a block differs, or is missing.
    """
    if damage := damage_in(file):
        raise _damaged(path, damage)


def tells_of_damage(text: str) -> bool:
    """Return whether an error of DuckDB, without the paths in it, means a damaged file."""
    return _DAMAGES.search(text) is not None


def _raise_damage(path: Path, error: duckdb.Error) -> None:
    """Raise what an error of DuckDB means, if it means that the file is damaged."""
    if tells_of_damage(str(error).replace(str(path), "")):
        raise _damaged(path, _first_line(error)) from error


def _damaged(path: Path, why: str) -> WarehouseDamagedError:
    log = _log_of(path).name
    # A damaged log is named by DuckDB as the WAL file, by us with its name.
    without = (
        f"move {log} out of the folder: that leaves what was there before its last writes. What "
        "came in since is read again, plans that were decided and sent since are lost"
        if log in why or "WAL file" in why
        else "run: spotter compact, which copies the data if the damage is in unused space"
    )
    return WarehouseDamagedError(
        f"The warehouse {path} is damaged: {why.rstrip('.')}. Nothing was changed. Restore a "
        f"backup: spotter restore FILE --replace. Without one, {without}."
    )


def _first_line(error: duckdb.Error) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")


def quoted_path(path: Path) -> str:
    """The path inside an SQL literal: ATTACH takes no parameters."""
    return str(path).replace("'", "''")
