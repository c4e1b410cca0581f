"""The released marts: a copy that readers may keep open for as long as they like.

The copy is made beside its place and then replaces it in one step, so a reader sees the old
release or the new one, never half of one, and never holds the warehouse.

The file is called marts.duckdb and holds its tables in the default schema: DuckDB names an opened
file by its stem, so `marts.fct_set` is the same there as in the warehouse, and `fct_set` does too.
With a schema of the same name every reader would have to write `marts.marts.fct_set`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from orchestration.lib.warehouse import quoted_path

# The oldest DuckDB that can read the copy.
RELEASE_STORAGE_VERSION = "v1.2.0"


@dataclass(frozen=True)
class Release:
    """What was released: the file and the rows of each mart."""

    path: Path
    row_counts: dict[str, int]


def release_marts(warehouse: Path, target: Path) -> Release:
    """Copy the tables of the `marts` schema to `target`, with their keys and comments.

    Raises:
        duckdb.Error, OSError: the previous release stays as it is.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    copy = target.with_name(f"{target.name}.tmp")
    _remove(copy)
    with _attached(warehouse, copy) as con:
        tables: list[tuple[str, str]] = con.execute("""
            select table_name, sql from duckdb_tables()
            where database_name = 'warehouse' and schema_name = 'marts'
            order by table_name
        """).fetchall()
        row_counts = {}
        for name, definition in tables:
            con.execute(definition)  # says `marts.<name>`, which is the copy's default schema here
            inserted: list[tuple[int]] = con.execute(
                f'insert into marts.main."{name}" from warehouse.marts."{name}"'
            ).fetchall()
            row_counts[name] = inserted[0][0]
        for statement in _comments(con):
            con.execute(statement)
        con.execute("checkpoint marts")
    copy.replace(target)
    _flush_folder(target.parent)
    return Release(target, row_counts)


@contextmanager
def _attached(warehouse: Path, copy: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        con.execute(f"attach '{quoted_path(warehouse)}' as warehouse (read_only)")
        con.execute(
            f"attach '{quoted_path(copy)}' as marts (storage_version '{RELEASE_STORAGE_VERSION}')"
        )
        yield con
        con.execute("detach marts")


def _comments(con: duckdb.DuckDBPyConnection) -> list[str]:
    """The statements that repeat the marts' descriptions: a table's definition has none."""
    tables: list[tuple[str, str]] = con.execute("""
        select table_name, comment from duckdb_tables()
        where database_name = 'warehouse' and schema_name = 'marts' and comment is not null
    """).fetchall()
    columns: list[tuple[str, str, str]] = con.execute("""
        select table_name, column_name, comment from duckdb_columns()
        where database_name = 'warehouse' and schema_name = 'marts' and comment is not null
    """).fetchall()
    return [
        f'comment on table marts.main."{table}" is {_literal(text)}' for table, text in tables
    ] + [
        f'comment on column marts.main."{table}"."{column}" is {_literal(text)}'
        for table, column, text in columns
    ]


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _remove(path: Path) -> None:
    for leftover in (path, path.with_name(f"{path.name}.wal")):
        leftover.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    """Make the replacement survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
