"""Reads and commits of work that asks Hevy; the warehouse is closed during its requests."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import duckdb

from hevy_connector.raw.transactions import run_in_transaction
from orchestration.runs.lock import WriteLock
from orchestration.storage.warehouse import Connect

T = TypeVar("T")


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Recorder:
    """Reads and records, each time in one transaction.

    `turn` serializes commits with other processes that publish. `now` returns aware times.
    """

    connect: Connect
    turn: WriteLock = nullcontext
    now: Callable[[], datetime] = _utc_now

    def read(self, query: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Run a query on one state of the warehouse."""
        with self.connect() as con:
            return run_in_transaction(con, lambda: query(con))

    def write(self, change: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Commit a change; a conflict with another writer repeats it.

        The warehouse opens first, so that no other process waits for the opening.
        """
        with self.connect() as con, self.turn():
            return run_in_transaction(con, lambda: change(con))
