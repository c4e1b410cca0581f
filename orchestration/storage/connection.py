"""Create DuckDB connections with Spotter's defaults: UTC and no progress bar."""

from collections.abc import Mapping
from pathlib import Path

import duckdb


def connect_duckdb(
    database: str | Path = ":memory:",
    *,
    read_only: bool = False,
    settings: Mapping[str, str | bool | int] | None = None,
) -> duckdb.DuckDBPyConnection:
    """Open a database, or an in-memory one, with engine-wide `settings`.

    In a process whose main module has no file, such as a Dagster step, DuckDB assumes an
    interactive session: for statements over two seconds it prints a progress bar to stdout, which
    carries a command's JSON.

    Raises:
        duckdb.Error: it cannot be opened.
    """
    con = duckdb.connect(database, read_only=read_only, config={**(settings or {})})
    disable_progress_bar(con)
    con.execute("set TimeZone = 'UTC'")
    return con


def disable_progress_bar(con: duckdb.DuckDBPyConnection) -> None:
    """Disable the progress bar of a connection."""
    con.execute("set enable_progress_bar = false")


def quoted_path(path: Path) -> str:
    """Escape a path for an SQL literal: ATTACH accepts no parameters."""
    return str(path).replace("'", "''")
