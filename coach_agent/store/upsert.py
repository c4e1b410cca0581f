"""Upserts, also for tables without enforced keys."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb

BATCH = "written_batch"
"""The name by which a statement reads the rows of `batch`."""


def upsert(
    con: duckdb.DuckDBPyConnection,
    table: str,
    keys: Sequence[str],
    row: Mapping[str, Any],
) -> None:
    """Upsert a row by column name.

    Columns that the row does not have keep their value, or get their default.
    """
    values = ", ".join(f"${name} as {name}" for name in row)
    updates = ", ".join(f"{name} = new.{name}" for name in row if name not in keys)
    con.execute(
        f"""
        merge into {table} using (select {values}) as new using ({", ".join(keys)})
        when matched then update set {updates}
        when not matched then insert by name
        """,
        dict(row),
    )


def upsert_all(
    con: duckdb.DuckDBPyConnection,
    table: str,
    keys: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Upsert rows with the same columns in one statement, like `upsert`; each key at most once."""
    if not rows:
        return
    updates = ", ".join(f"{name} = new.{name}" for name in rows[0] if name not in keys)
    with batch(con, rows):
        con.execute(f"""
            merge into {table} using {BATCH} as new using ({", ".join(keys)})
            when matched then update set {updates}
            when not matched then insert by name
        """)


def insert_all(
    con: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert rows with the same columns in one statement; on a lake, each one writes a file."""
    if rows:
        with batch(con, rows):
            con.execute(f"insert into {table} by name from {BATCH}")


@contextmanager
def batch(con: duckdb.DuckDBPyConnection, rows: Sequence[Mapping[str, Any]]) -> Iterator[None]:
    """Expose the rows to statements as the table `BATCH` during the block."""
    import pyarrow as pa  # 50 MB, which commands that only read do not need

    columns = {name: pa.array([row[name] for row in rows]) for name in rows[0]}
    con.register(BATCH, pa.table(columns))
    try:
        yield
    finally:
        con.unregister(BATCH)
