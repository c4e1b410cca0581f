"""Writing a row in the place of the one with the same key, in tables that enforce no keys, too."""

from collections.abc import Collection, Iterator, Mapping, Sequence
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
    *,
    first_stays: Collection[str] = (),
) -> None:
    """Write a row by the names of its columns; `first_stays` are not written over.

    Columns that it does not name keep what they have, or get their default.
    """
    values = ", ".join(f"${name} as {name}" for name in row)
    updates = ", ".join(
        f"{name} = new.{name}" for name in row if name not in keys and name not in first_stays
    )
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
    """Write rows with the same columns in one statement, each as `upsert` does; no key twice."""
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
    """Add rows with the same columns in one statement; on a lake each statement writes a file."""
    if rows:
        with batch(con, rows):
            con.execute(f"insert into {table} by name from {BATCH}")


@contextmanager
def batch(con: duckdb.DuckDBPyConnection, rows: Sequence[Mapping[str, Any]]) -> Iterator[None]:
    """Let statements read the rows as the table `BATCH`."""
    import pyarrow as pa  # 50 MB, which no command needs that only reads

    columns = {name: pa.array([row[name] for row in rows]) for name in rows[0]}
    con.register(BATCH, pa.table(columns))
    try:
        yield
    finally:
        con.unregister(BATCH)
