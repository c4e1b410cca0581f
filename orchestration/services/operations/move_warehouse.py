"""Copy a warehouse from its file into a lake, or back, and compare it table by table.

The source is never changed. In a lake the copy is one transaction, and a file is renamed when it is
complete, so after a kill there is a complete copy or none.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import duckdb
from pydantic import BaseModel, ConfigDict

from orchestration.config.lake import Lake, lake_of
from orchestration.config.settings import Settings
from orchestration.dbt.mart_definitions import marts_of_lake
from orchestration.runs.lock import publication_lock, run_lock
from orchestration.storage.connection import connect_duckdb, quoted_path
from orchestration.storage.home_files import MOVED_SUFFIX
from orchestration.storage.lake.catalog import (
    CATALOG_NAME,
    attach_lake,
    attach_snapshot,
    index_catalog,
)
from orchestration.storage.lake.tables import column_definitions
from orchestration.storage.migrations import create_tables
from orchestration.storage.warehouse import (
    STORAGE_VERSION,
    attach_warehouse,
    open_warehouse,
)

Target = Literal["embedded", "lake"]

_SOURCE = "source"

Progress = Callable[[str], None]
"""Receives the name of each table before it is copied or compared."""


class MigrationError(Exception):
    """The warehouse cannot be moved; the message has the fix. The source is unchanged."""


class MigratedTable(BaseModel):
    """A table that is equal on both sides: its row count and the sum of its row hashes."""

    model_config = ConfigDict(frozen=True)

    name: str
    rows: int
    hashes: int


class MigrationResult(BaseModel):
    """Tables that are equal on both sides; `was_there` if nothing had to be copied."""

    model_config = ConfigDict(frozen=True)

    source: str
    destination: str
    was_there: bool
    tables: tuple[MigratedTable, ...]

    @property
    def rows(self) -> int:
        """Return the number of rows in all tables."""
        return sum(table.rows for table in self.tables)


def copy_warehouse(settings: Settings, target: Target, on_step: Progress) -> MigrationResult:
    """Copy the warehouse to the target from the other target.

    Runs, publications and other writers of this home are excluded meanwhile. The target in the
    settings is not changed.

    Raises:
        MigrationError: the target holds another warehouse, or the copy differs.
        SettingsError: the settings of the lake are incomplete.
        WarehouseMissingError, WarehouseBusyError, LockedError: there is nothing to move, or another
            process holds it.
    """
    lake, path = lake_of(settings.keys), settings.warehouse_path
    settings.home.mkdir(parents=True, exist_ok=True)
    with (
        run_lock(settings.home, "spotter migrate", is_waiting=False),
        publication_lock(path, "spotter migrate"),
    ):
        # Opening migrates a warehouse of an older version.
        with open_warehouse(path if target == "lake" else lake, read_only=True):
            pass
        if target == "lake":
            return _into_lake(path, lake, on_step)
        return _into_file(lake, path, on_step)


def _into_lake(path: Path, lake: Lake, on_step: Progress) -> MigrationResult:
    with _engine(path.parent) as con:
        # The attached file is locked against writers until the copy is complete.
        attach_warehouse(con, path, name=_SOURCE)
        attach_lake(con, lake)
        con.execute(f"use {CATALOG_NAME}")
        con.begin()
        was_there = bool(_tables(con, CATALOG_NAME))
        if not was_there:
            for (schema, table), columns in column_definitions(con, _SOURCE).items():
                _create_table(con, schema, table, columns)
            _fill(con, on_step)
        moved = _compare(con, path, lake, on_step, was_there=was_there)
        con.commit()
        index_catalog(con)
    return moved


def _into_file(lake: Lake, path: Path, on_step: Progress) -> MigrationResult:
    draft = path.with_name(f"{path.name}{MOVED_SUFFIX}")
    with _engine(path.parent) as con:
        moment = attach_snapshot(con, lake, name=_SOURCE)
        if path.exists():
            attach_warehouse(con, path)
            return _compare(con, lake, path, on_step, was_there=True)
        draft.unlink(missing_ok=True)
        con.execute(
            f"attach '{quoted_path(draft)}' as {CATALOG_NAME} (storage_version '{STORAGE_VERSION}')"
        )
        con.execute(f"use {CATALOG_NAME}")
        _create_keyed_tables(con)
        made = _tables(con, CATALOG_NAME)
        for (schema, table), columns in column_definitions(con, _SOURCE).items():
            if (schema, table) not in made:
                _create_table(con, schema, table, columns)
        _fill(con, on_step)
        moved = _compare(con, lake, path, on_step, was_there=False)
        con.execute("use memory")
        con.execute(f"checkpoint {CATALOG_NAME}")
        con.execute(f"detach {CATALOG_NAME}")
        con.execute(f"detach {_SOURCE}")
        if attach_snapshot(con, lake, name=_SOURCE) != moment:
            draft.unlink()
            raise MigrationError(
                "The lake was written to meanwhile. Stop what does, and try again."
            )
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    os.link(draft, path)
    draft.unlink()
    return moved


@contextmanager
def _engine(home: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    settings: dict[str, str | bool | int] = {
        "memory_limit": "2GB",
        "preserve_insertion_order": False,
        "temp_directory": str(home / f"warehouse{MOVED_SUFFIX}.spill"),
    }
    with connect_duckdb(settings=settings) as con:
        yield con


def _create_table(con: duckdb.DuckDBPyConnection, schema: str, table: str, columns: str) -> None:
    con.execute(f"create schema if not exists {schema}")
    con.execute(f'create table {schema}."{table}" ({columns})')


def _create_keyed_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create the tables that have keys or comments in a file but not in a lake, empty."""
    create_tables(con)
    for schema, table in _tables(con, CATALOG_NAME):
        con.execute(f'delete from {schema}."{table}"')  # noqa: S608 - our own tables
    con.execute("create schema marts")
    for mart in marts_of_lake(con, _SOURCE):
        con.execute(mart.statement)
        for statement in mart.comments("marts"):
            con.execute(statement)


def _fill(con: duckdb.DuckDBPyConnection, on_step: Progress) -> None:
    """Copy the rows of all tables, then create the views on them."""
    for schema, table in _tables(con, _SOURCE):
        on_step(f"copying {schema}.{table}")
        name = f'{schema}."{table}"'
        con.execute(f"insert into {name} by name from {_SOURCE}.{name}")
    views: list[tuple[str, str, str]] = con.execute(
        "select schema_name, view_name, sql from duckdb_views() "
        "where not internal and database_name = $1 order by all",
        [_SOURCE],
    ).fetchall()
    on_step("views")
    while views:
        left = [view for view in views if not _define_view(con, *view)]
        if len(left) == len(views):
            break  # views of dropped tables: the next run recreates them
        views = left


def _define_view(con: duckdb.DuckDBPyConnection, schema: str, view: str, statement: str) -> bool:
    """Return false if the view reads another one that does not exist yet."""
    query = re.sub(r"^CREATE VIEW \S+?(?= AS | ?\()", "", statement, count=1)
    con.execute(f"create schema if not exists {schema}")
    try:
        con.execute(f'create view {schema}."{view}"{query}')
    except (duckdb.CatalogException, duckdb.BinderException):
        return False
    return True


def _compare(
    con: duckdb.DuckDBPyConnection,
    source: Path | Lake,
    destination: Path | Lake,
    on_step: Progress,
    *,
    was_there: bool,
) -> MigrationResult:
    """Return the moved tables if both sides are equal.

    Raises:
        MigrationError: they differ.
    """
    tables, there = _tables(con, _SOURCE), _tables(con, CATALOG_NAME)
    differing = sorted(set(tables) ^ set(there))
    moved = []
    for schema, table in tables if not differing else ():
        on_step(f"comparing {schema}.{table}")
        rows, hashes = _digest(con, _SOURCE, schema, table)
        if (rows, hashes) != _digest(con, CATALOG_NAME, schema, table):
            differing.append((schema, table))
        moved.append(MigratedTable(name=f"{schema}.{table}", rows=rows, hashes=hashes))
    if differing:
        names = ", ".join(f"{schema}.{table}" for schema, table in differing[:3])
        if not was_there:
            raise MigrationError(f"The copy differs in {names}, so it was not kept.")
        raise MigrationError(
            f"There is a warehouse already at {destination}, and it is not that of {source}: they "
            f"differ in {names}. Choose an empty place, or move it away."
        )
    return MigrationResult(
        source=str(source), destination=str(destination), was_there=was_there, tables=tuple(moved)
    )


def _tables(con: duckdb.DuckDBPyConnection, database: str) -> list[tuple[str, str]]:
    return con.execute(
        "select schema_name, table_name from duckdb_tables() "
        "where not internal and not temporary and database_name = $1 order by all",
        [database],
    ).fetchall()


def _digest(
    con: duckdb.DuckDBPyConnection, database: str, schema: str, table: str
) -> tuple[int, int]:
    """Return the row count of a table and the order-independent sum of its row hashes."""
    found: list[tuple[int, int]] = con.execute(
        "select count(*), coalesce(sum(hash(each)::hugeint), 0) "  # noqa: S608 - our own tables
        f'from {database}.{schema}."{table}" as each'
    ).fetchall()
    return found[0]
