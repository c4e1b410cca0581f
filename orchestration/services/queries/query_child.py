"""A query of an athlete's assistant in a process of its own: request on stdin, answer on stdout.

It imports little, because each query waits for it.
"""

import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Event, Thread
from typing import Any

import duckdb

from orchestration.services.queries.sql_session import QueryError, open_release, run_sql

Cell = str | int | float | bool | None

_LONGEST_CELL = 300
_AGAIN_S = 0.1


def _answer_in_child(file: Path, request: dict[str, Any]) -> dict[str, Any]:
    results: list[tuple[list[str], Sequence[Sequence[Any]]]] = []
    offset, limit = request["offset"], request["limit"]

    def keep(relation: duckdb.DuckDBPyRelation) -> None:
        columns = relation.columns
        skipped = relation.limit(limit + 1, offset).fetchall()
        results.append((columns, skipped))

    is_late = Event()
    try:
        with open_release(file) as con:
            con.execute("set memory_limit = '512MB'")
            con.execute("set max_temp_directory_size = '1GB'")
            con.execute("set threads = 2")
            con.execute("set lock_configuration = true")
            with _interrupted(con, request["timeout_s"], is_late):
                run_sql(con, request["statement"], keep)
    except QueryError as error:
        return {"error": too_long(request["timeout_s"]) if is_late.is_set() else str(error)}
    columns, rows = results[-1] if results else ([], [])
    shown = [[_cell(value) for value in row] for row in islice(rows, limit)]
    return {"columns": columns, "rows": shown, "has_more": len(rows) > limit}


@contextmanager
def _interrupted(
    con: duckdb.DuckDBPyConnection, timeout_s: float, is_late: Event
) -> Iterator[None]:
    """Interrupt statements that still run after the timeout, and set `is_late`."""
    is_done = Event()

    def watch() -> None:
        wait_s = timeout_s
        while not is_done.wait(wait_s):
            is_late.set()
            con.interrupt()
            # An interrupt between two statements has no effect.
            wait_s = _AGAIN_S

    watching = Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        is_done.set()
        watching.join()


def too_long(timeout_s: float) -> str:
    """Describe a query that was interrupted."""
    return f"The query took longer than {timeout_s:g} s. Limit it."


def _cell(value: Any) -> Cell:
    """Return a value of JSON; others as text, cut to a readable length."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    text = str(value)
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"


if __name__ == "__main__":
    request = json.loads(sys.stdin.buffer.read())
    sys.stdout.write(json.dumps(_answer_in_child(Path(sys.argv[1]), request)))
