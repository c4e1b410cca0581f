"""Read-only SQL over the released marts, without access to other files."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

import duckdb

from orchestration.storage.connection import connect_duckdb, quoted_path

Write = Callable[[duckdb.DuckDBPyRelation], None]

_OPENING = Lock()


class ReleaseMissingError(Exception):
    """There is no release yet."""


class QueryError(Exception):
    """A query failed; the message is DuckDB's."""


def require_release(path: Path) -> Path:
    """Return the path of the released marts.

    Raises:
        ReleaseMissingError: there are none.
    """
    if not path.exists():
        raise ReleaseMissingError(f"There are no released marts at {path} yet. Run: spotter run")
    return path


@contextmanager
def open_release(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to the current release, see `connect_release`, and close it."""
    with connect_release(path) as con:
        yield con


def connect_release(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection in UTC to the current release, which stays the same while it is open.

    Queries cannot read or write other files.

    Spill files go to a temporary folder: by default DuckDB writes them next to the database, into a
    folder that may be deleted during the session.

    Raises:
        ReleaseMissingError: there is no release yet.
    """
    require_release(path)
    with _OPENING:
        con = connect_duckdb(path, read_only=True)
        try:
            # Connections of a process to one file share these settings; the first one sets them.
            settings = con.execute("select current_setting('enable_external_access')").fetchone()
            if settings == (True,):
                spill = quoted_path(_spill_folder() / "duckdb")
                con.execute(f"set temp_directory = '{spill}'")
                con.execute("set enable_external_access = false")
        except BaseException:
            con.close()
            raise
    return con


def _spill_folder() -> Path:
    """Return this process's folder for spill files, which only its user can read."""
    folder = Path(_temporary_folder().name)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@cache
def _temporary_folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="spotter-sql-")


def released_athletes(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the ids of the athletes in the released marts."""
    rows: list[tuple[str]] = con.execute(
        "select athlete_id from marts.dim_athlete order by athlete_id"
    ).fetchall()
    return [athlete_id for (athlete_id,) in rows]


def run_sql(con: duckdb.DuckDBPyConnection, text: str, write: Write) -> None:
    """Run the statements of `text` in order; `write` receives each result.

    Raises:
        QueryError: a statement failed; the following ones were not run.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise QueryError("The statement is not valid UTF-8.") from error
    try:
        for statement in con.extract_statements(text):
            # Statements without a result have no relation.
            relation: duckdb.DuckDBPyRelation | None = con.sql(statement.query)
            if relation is not None:
                write(relation)
    except duckdb.Error as error:
        raise QueryError(_message(error)) from error
    except RuntimeError as error:
        # DuckDB raises this on Ctrl-C. Its other threads continue until they are interrupted, and
        # the next query would wait for them.
        con.interrupt()
        raise QueryError(str(error)) from error


def in_child(work: Callable[[], int]) -> int:
    """Return the exit code of `work` in a child process, or minus the signal that killed it.

    Some statements crash the process, such as a deeply nested one after `set max_expression_depth`.
    Only the child receives Ctrl-C.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = work()
            sys.stdout.flush()
        except BrokenPipeError:
            pass  # the reader, such as `head`, is done
        finally:
            os._exit(code)
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _, status = os.waitpid(pid, 0)
    finally:
        signal.signal(signal.SIGINT, former)
    return os.waitstatus_to_exitcode(status)


def _message(error: duckdb.Error) -> str:
    """Return DuckDB's message without the position in the rewritten statement."""
    text = str(error)
    return text if isinstance(error, duckdb.ParserException) else text.split("\n\nLINE ")[0]
