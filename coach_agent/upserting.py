"""Writing a row in the place of the one with the same key, in tables that enforce no keys, too."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import duckdb


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
