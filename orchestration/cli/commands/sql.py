"""`spotter sql`: query the released marts."""

import sys
import traceback
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson, KeepsFormulas
from orchestration.cli.debugging import is_debugging
from orchestration.cli.views import terminal
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.queries.sql_output import write_csv, write_json, write_table
from orchestration.services.queries.sql_session import (
    QueryError,
    Write,
    in_child,
    open_release,
    require_release,
    run_sql,
)


def query_release(
    query: Annotated[
        str | None, typer.Argument(help="Statements; default: read from stdin.")
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
    keeps_formulas: KeepsFormulas = False,
    only_path: Annotated[
        bool, typer.Option("--path", help="Print only the path of the file.")
    ] = False,
) -> None:
    """Query the released marts with SQL, read-only.

    Tables have the names of the warehouse, with or without `marts.`. `show tables` and
    `describe fct_set` list tables and columns; the table `manifest` has the time of the release.
    For an interactive session, open the file of --path with DuckDB.
    """
    path = load_settings().release_path
    if only_path:
        print(require_release(path))
        return
    if as_json and as_csv:
        raise SettingsError("Choose one of --json and --csv.")
    write: Write = partial(write_table, console=terminal.console)
    if as_json or as_csv:
        write = write_json if as_json else partial(write_csv, keeps_formulas=keeps_formulas)
    require_release(path)
    if query is None and sys.stdin.isatty():
        raise SettingsError(
            'No query. Run: spotter sql "show tables", or for a session: '
            f"duckdb -readonly {quote(str(path))}"
        )
    text = sys.stdin.read() if query is None else query
    code = in_child(lambda: _query(path, text, write))
    if code < 0:
        terminal.show_error(
            f"The statement crashed DuckDB (signal {-code}). Nothing was changed; simplify it."
        )
        raise typer.Exit(1)
    if code:
        raise typer.Exit(code)


def _query(path: Path, text: str, write: Write) -> int:
    """Run statements in a child process; returns its exit code."""
    try:
        with open_release(path) as con:
            try:
                run_sql(con, text, write)
            except (QueryError, KeyboardInterrupt) as error:
                terminal.show_error(str(error) or "interrupted")
                return 2
    except BrokenPipeError:
        raise
    except Exception as error:
        if is_debugging.get():
            traceback.print_exc()
        from orchestration.cli.errors import error_message

        text, code = error_message(error)
        terminal.show_error(text)
        return code
    return 0
