"""Reads and commits of work that asks Hevy; the warehouse is closed during its requests."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from queue import SimpleQueue
from threading import Lock
from typing import Any, TypeVar, cast

import duckdb

from hevy_connector.raw.transactions import run_in_transaction
from orchestration.runs.infrastructure_errors import is_infrastructure_error
from orchestration.runs.lock import WriteLock
from orchestration.storage.warehouse import Connect

T = TypeVar("T")


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class _Work:
    """A read or a change that waits for the warehouse."""

    run: Callable[[duckdb.DuckDBPyConnection], Any]
    is_change: bool
    result: Future[Any] = field(default_factory=Future)


@dataclass(frozen=True)
class Recorder:
    """Reads and records, each time in one transaction.

    Threads may share it. What waits until the warehouse is open is done in one transaction, because
    opening and committing cost more than a record. If that fails, each is done in its own, so an
    error concerns its work alone.

    `turn` serializes commits with other processes that publish. `now` returns aware times.
    """

    connect: Connect
    turn: WriteLock = nullcontext
    now: Callable[[], datetime] = _utc_now
    _waiting: SimpleQueue[_Work] = field(default_factory=SimpleQueue, init=False, repr=False)
    _opening: Lock = field(default_factory=Lock, init=False, repr=False)

    def read(self, query: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Run a query on one state of the warehouse."""
        return cast(T, self._result(_Work(query, is_change=False)))

    def write(self, change: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Commit a change; a conflict with another writer repeats it.

        The warehouse opens first, so that no other process waits for the opening.
        """
        return cast(T, self._result(_Work(change, is_change=True)))

    def _result(self, work: _Work) -> Any:
        self._waiting.put(work)
        with self._opening:
            # Unless the thread that had the lock before has done it.
            if not work.result.done():
                self._do_waiting()
        return work.result.result()

    def _do_waiting(self) -> None:
        works: list[_Work] = []
        try:
            with self.connect() as con:
                works = self._take_waiting()
                results = self._run(con, works)
        except BaseException as error:
            works = works or self._take_waiting()
            if len(works) > 1 and _concerns_one(error):
                for work in works:
                    self._do_alone(work)
            else:
                for work in works:
                    work.result.set_exception(error)
        else:
            for work, result in zip(works, results, strict=True):
                work.result.set_result(result)

    def _do_alone(self, work: _Work) -> None:
        try:
            with self.connect() as con:
                (result,) = self._run(con, [work])
        except BaseException as error:
            work.result.set_exception(error)
        else:
            work.result.set_result(result)

    def _run(self, con: duckdb.DuckDBPyConnection, works: Sequence[_Work]) -> list[Any]:
        turn = self.turn if any(work.is_change for work in works) else nullcontext
        with turn():
            return run_in_transaction(con, lambda: [work.run(con) for work in works])

    def _take_waiting(self) -> list[_Work]:
        # Only the thread that has the lock takes.
        return [self._waiting.get() for _ in range(self._waiting.qsize())]


def _concerns_one(error: BaseException) -> bool:
    return isinstance(error, Exception) and not is_infrastructure_error(error)
