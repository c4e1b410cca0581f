"""Open the warehouse for a short time, waiting while it is busy.

It is a file, or a lake (`SPOTTER_TARGET`), with the same interface. DuckDB lets one process write a
file or many read it. Every step opens it only as long as needed, so concurrent steps wait instead
of failing. A lake supports any number of them at the same time.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

import duckdb

from hevy_connector.raw.transactions import transaction
from orchestration.config.lake import Lake
from orchestration.config.limits import LONGEST_RUN_S
from orchestration.config.postgres import PostgresError, advisory_lock
from orchestration.storage.connection import connect_duckdb, quoted_path
from orchestration.storage.lake.catalog import (
    CATALOG_NAME,
    attach_snapshot,
    close_lake,
    connect_lake,
    index_catalog,
)
from orchestration.storage.lake.tables import create_lake_tables, migrate_lake
from orchestration.storage.migrations import create_tables, is_current, migrate, schema_version
from orchestration.storage.warehouse_damage import (
    WarehouseDamagedError,
    first_line,
    raise_damage,
    require_log,
)

# Raw JSON takes a quarter of the space in this format (1.3 against 5.0 GB for a million workouts).
STORAGE_VERSION = "v1.5.0"

_POLL_S = 0.2

_IS_HELD = "Could not set lock"

_NO_LAKE = "creating a new DuckLake is explicitly disabled"
_REFUSED = re.compile(r"authentication failed|no password supplied|role .* does not exist")
_UNREACHABLE = re.compile(
    "Unable to connect to Postgres|terminating connection|server closed|connection to server"
    "|no connection to the server|database system is|Connection reset|Broken pipe"
    '|Failed to execute query "ROLLBACK"'
)
# Another process is creating the same lake.
_IS_MADE = re.compile(r"Failed to initialize DuckLake.*(already exists|duplicate key)", re.DOTALL)

T = TypeVar("T")

Warehouse = Path | Lake
"""Location of a warehouse: its file, or the lake."""

Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


class WarehouseBusyError(Exception):
    """Another process holds the warehouse file, or the catalog of the lake does not answer."""


class CatalogLostError(WarehouseBusyError):
    """The connection to the lake's catalog was lost during an operation."""


class WarehouseMissingError(Exception):
    """There is no warehouse yet."""


@contextmanager
def open_warehouse(
    warehouse: Warehouse, *, read_only: bool = False, wait_s: float = 60.0
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection in UTC to the warehouse, created with raw and coach tables if missing.

    A warehouse of an older version is migrated first, also for reading. Reads in a lake see one
    snapshot.

    Raises:
        WarehouseNewerError: a newer version created it; nothing was written.
        WarehouseMissingError: it does not exist and `read_only` is set.
        WarehouseBusyError: timeout after `wait_s` seconds: another process holds it, or it does not
            answer.
        CatalogLostError: the transaction was not committed, or its result is unknown.
        WarehouseDamagedError: it cannot be read; nothing was changed.
        ExtensionMissingError: it is a lake, and its extensions are not installed.
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
            raise_damage(warehouse, error)
            raise
        if not is_lost_catalog(str(error)):
            raise
        close_lake(warehouse)
        raise CatalogLostError(
            f"Lost connection to the lake catalog: {first_line(error)}. The next run resumes."
        ) from error
    finally:
        con.close()


@contextmanager
def rebuild_lock(warehouse: Warehouse) -> Iterator[None]:
    """Serialize operations that rewrite the same tables of a lake.

    Their commits would conflict. The lock is in the catalog, since other machines may do the same;
    for a file no lock is needed.

    Raises:
        WarehouseBusyError: the catalog did not answer, or the lock timed out after hours.
    """
    if isinstance(warehouse, Path):
        yield
        return
    turn = advisory_lock(
        warehouse.catalog, warehouse.password, what="rewriting tables", wait_s=LONGEST_RUN_S
    )
    try:
        with turn:
            yield
    except PostgresError as error:
        raise WarehouseBusyError(f"The catalog of the lake is not available: {error}.") from error


def is_lost_catalog(text: str) -> bool:
    """Return true if an error is a lost or refused connection to PostgreSQL."""
    return _UNREACHABLE.search(text) is not None


def warehouse_exists(warehouse: Warehouse) -> bool:
    """Return true if there is a warehouse.

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
            # One snapshot for all reads, and one catalog query.
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
    """Create the tables of a new lake or migrate it, unless another process did so first."""
    try:
        if schema_version(con):
            migrate_lake(con)
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
    """Return the result of `connect`, retrying while the catalog does not answer."""
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
                    "The catalog of the lake refuses its user: fix the user in "
                    "SPOTTER_LAKE_CATALOG or the password in PGPASSWORD; nothing was changed."
                ) from error
            if time.monotonic() >= deadline:
                raise WarehouseBusyError(
                    f"The catalog of the lake does not answer: {first_line(error)}. Start "
                    "PostgreSQL, or fix SPOTTER_LAKE_CATALOG; nothing was changed."
                ) from error
        time.sleep(_POLL_S)


@contextmanager
def hold_warehouse(path: Path, *, wait_s: float = 60.0) -> Iterator[None]:
    """Hold the warehouse of any version exclusively.

    A damaged warehouse cannot be opened by any process, so it needs no lock.

    Raises:
        WarehouseBusyError: timeout after `wait_s` seconds.
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
    """Attach the warehouse read-only as `name` to another connection.

    A file stays locked against writers until it is detached. A lake is read at its current
    snapshot.

    Raises:
        WarehouseMissingError: it does not exist.
        WarehouseBusyError: timeout after `wait_s` seconds: another process holds it, or it does not
            answer.
        WarehouseDamagedError: it cannot be read.
    """
    if isinstance(warehouse, Lake):
        _when_reachable(lambda: attach_snapshot(con, warehouse, name=name), warehouse, wait_s)
        return
    path = warehouse
    _require(path)
    attach = f"attach '{quoted_path(path)}' as {name} (read_only)"
    _when_free(lambda: con.execute(attach), path, wait_s)


def _connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open the file again if a restore replaced it in the meantime."""
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
    """Create the file under a draft name, so that a kill leaves no partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    _write_empty(draft)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process created it first
    finally:
        draft.unlink()


def _write_empty(path: Path) -> None:
    with connect_duckdb() as con:
        con.execute(
            f"attach '{quoted_path(path)}' as warehouse (storage_version '{STORAGE_VERSION}')"
        )
        con.execute("use warehouse")
        with transaction(con):
            create_tables(con)


def _when_free(connect: Callable[[], T], path: Path, wait_s: float) -> T:
    deadline = time.monotonic() + wait_s
    while True:
        require_log(path)
        try:
            return connect()
        except duckdb.Error as error:
            # DuckDB's message on a lock names people and programs, so it is replaced.
            is_held = _IS_HELD in str(error)
            if not is_held:
                raise_damage(path, error)
                raise
            if time.monotonic() >= deadline:
                raise WarehouseBusyError(
                    f"The warehouse {path} is held by another process: a run in progress, or a "
                    "tool that has the file open. Close it (analysts open release/marts.duckdb "
                    "instead) and try again; nothing was changed."
                ) from error
        time.sleep(_POLL_S)
