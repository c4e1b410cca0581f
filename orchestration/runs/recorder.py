"""Record the steps of work that asks Hevy; the warehouse is closed during its requests."""

from collections.abc import Callable, Generator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import duckdb

from hevy_connector.raw.transactions import run_in_transaction
from orchestration.runs.lock import WriteLock
from orchestration.storage.warehouse import Connect

T = TypeVar("T")
Yielded = TypeVar("Yielded")


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


def complete(steps: Generator[Yielded, T, T], record: Callable[[Yielded], T]) -> T:
    """Run a generator to its end, with each step that it yields recorded; returns its result.

    Raises:
        The errors of the generator and of `record`; the steps before are recorded.
    """
    resume = partial(next, steps)
    try:
        while True:
            try:
                step = resume()
            except StopIteration as end:
                done: T = end.value
                return done
            # Outside of the inner block: an error of the record is no end of the steps.
            resume = partial(steps.send, record(step))
    finally:
        steps.close()
