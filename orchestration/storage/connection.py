"""Connections of DuckDB as all of Spotter wants them: in UTC, and silent."""

from collections.abc import Mapping
from pathlib import Path

import duckdb


def connect_duckdb(
    database: str | Path = ":memory:",
    *,
    read_only: bool = False,
    settings: Mapping[str, str | bool | int] | None = None,
) -> duckdb.DuckDBPyConnection:
    """Open a database, or a new one in memory, with `settings` of the whole engine.

    In a process whose main module has no file, as that of a step of Dagster, DuckDB believes that
    a person looks on: of a statement of two seconds it draws the progress on the standard output,
    where a command's JSON goes.

    Raises:
        duckdb.Error: it cannot be opened.
    """
    con = duckdb.connect(database, read_only=read_only, config={**(settings or {})})
    be_silent(con)
    con.execute("set TimeZone = 'UTC'")
    return con


def be_silent(con: duckdb.DuckDBPyConnection) -> None:
    """Let a connection that somebody else opened draw nothing."""
    con.execute("set enable_progress_bar = false")
