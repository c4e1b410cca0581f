"""Marts with the rows of one athlete alone, for SQL of the athlete's assistant.

The copy is a separate file: a query cannot name the rows of others, whatever it contains. A query
runs in a child process with limits on time, memory and disk: a crash or a long query ends only
itself.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from threading import Lock

from pydantic import BaseModel

from orchestration.services.queries import query_child
from orchestration.services.queries.query_child import Cell, too_long
from orchestration.services.queries.sql_session import QueryError
from orchestration.services.releases.release_contents import DATABASE_FILE
from orchestration.services.releases.released import Released
from orchestration.storage.connection import connect_duckdb, quoted_path

MOST_ROWS = 50
TIMEOUT_S = 20.0
"""The limit of the statements alone."""
LONGEST_STATEMENT = 8_000
"""Characters."""

_START_S = 100.0
"""Time for a busy machine to start the child, on top of the statements (s)."""

_SHARED = "dim_date"
"""The table without an athlete. The manifest tells when the latest workout of anyone was."""


class Documented(BaseModel):
    """A column of a mart, or a mart."""

    name: str
    kind: str
    description: str


def documented_marts(released: Released) -> list[Documented]:
    """Return the tables that a query can use, with the first sentence of their comments."""
    rows = released.rows(
        """
        select table_name as name, 'mart' as kind,
            coalesce(string_split(comment, '. ')[1], '') as description
        from duckdb_tables() where table_name not like 'manifest%' order by table_name
        """
    )
    return [Documented(**row) for row in rows]


def documented_columns(released: Released, mart: str) -> list[Documented]:
    """Return the columns of a mart with their comments; none of an unknown one."""
    rows = released.rows(
        """
        select column_name as name, data_type as kind, coalesce(comment, '') as description
        from duckdb_columns()
        where table_name = $1 and table_name not like 'manifest%' and not internal
        order by column_index
        """,
        mart.removeprefix("marts."),
    )
    return [Documented(**row) for row in rows]


class OwnMarts:
    """Copies of the current release and of the one before by athlete, in a temporary folder until
    `close`.
    """

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="spotter-own-")
        self._lock = Lock()
        self._written: dict[str, list[tuple[str, Path]]] = {}

    def close(self) -> None:
        """Delete the copies."""
        self._folder.cleanup()

    def file_of(self, released: Released, athlete_id: str) -> Path:
        """Return the file with the athlete's rows of the release, written on first use."""
        release = f"{released.manifest.run_id}/{released.manifest.release_number}"
        with self._lock:
            copies = self._written.setdefault(athlete_id, [])
            if copies and copies[-1][0] == release:
                return copies[-1][1]
            file = Path(mkdtemp(dir=self._folder.name)) / DATABASE_FILE
            try:
                write_own_marts(released.folder / DATABASE_FILE, athlete_id, file)
            except BaseException:
                shutil.rmtree(file.parent)
                raise
            copies.append((release, file))
            # A query may still read the copy before.
            while len(copies) > 2:
                shutil.rmtree(copies.pop(0)[1].parent)
            return file


def write_own_marts(source: Path, athlete_id: str, file: Path) -> None:
    """Write the athlete's rows of a released database to a new file.

    A table is copied only if it has the athlete as a column, or is the calendar.
    """
    with connect_duckdb(file) as con:
        con.execute(f"attach '{quoted_path(source)}' as released (read_only)")
        tables: list[tuple[str, bool]] = con.execute(
            """
            select table_name, bool_or(column_name = 'athlete_id')
            from duckdb_columns() where database_name = 'released' group by table_name
            order by table_name
            """
        ).fetchall()
        for name, is_of_athletes in tables:
            if not is_of_athletes and name != _SHARED:
                continue
            con.execute(
                f'create table main."{name}" as from released.main."{name}" '
                + ("where athlete_id = $1" if is_of_athletes else ""),
                [athlete_id] if is_of_athletes else [],
            )
        con.execute("detach released")


def query_own_marts(
    file: Path,
    statement: str,
    *,
    offset: int = 0,
    limit: int = MOST_ROWS,
    timeout_s: float = TIMEOUT_S,
) -> tuple[list[str], list[list[Cell]], bool]:
    """Return columns and rows of the last result from `offset`, and whether there are more.

    Spill files are in a folder beside the file and deleted, however the child ends.

    Raises:
        QueryError: the query failed, crashed, or took longer than `timeout_s`.
    """
    if len(statement) > LONGEST_STATEMENT:
        raise QueryError(f"The statement is longer than {LONGEST_STATEMENT} characters.")
    request = json.dumps(
        {"statement": statement, "offset": offset, "limit": limit, "timeout_s": timeout_s}
    )
    try:
        with TemporaryDirectory(prefix="spill-", dir=file.parent) as spill:
            ran = subprocess.run(  # noqa: S603 - our own module
                # -P: a module of the working folder must not replace one of Spotter's.
                [sys.executable, "-P", "-m", query_child.__name__, str(file)],
                input=request.encode(),
                capture_output=True,
                # Some statements do not notice an interrupt.
                timeout=timeout_s + _START_S,
                # No key of this process is in the child's environment.
                env={"TMPDIR": spill},
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise QueryError(too_long(timeout_s)) from error
    if ran.returncode:
        raise QueryError("The statement crashed DuckDB. Nothing was changed; simplify it.")
    answer = json.loads(ran.stdout)
    if "error" in answer:
        raise QueryError(answer["error"])
    return answer["columns"], answer["rows"], answer["has_more"]
