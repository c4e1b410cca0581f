"""Record the steps of publications; the warehouse is closed during requests to Hevy."""

from collections.abc import Callable, Generator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import duckdb

from coach_agent.publishing.publications import record_step
from coach_agent.publishing.states import PublicationRow, Step, Steps
from hevy_connector.canonical_json import canonical_json
from hevy_connector.raw.landing import land
from hevy_connector.raw.transactions import run_in_transaction
from hevy_connector.records import Record
from hevy_connector.schemas import JsonObject, Routine
from orchestration.runs.lock import WriteLock
from orchestration.storage.warehouse import Connect

T = TypeVar("T")
Yielded = TypeVar("Yielded")


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Recorder:
    """Reads and records publications, also of programmes, each time in one transaction.

    `turn` serializes commits with other processes that publish. `now` returns aware times.
    """

    connect: Connect
    turn: WriteLock = nullcontext
    now: Callable[[], datetime] = _utc_now

    def complete(self, steps: Steps) -> PublicationRow:
        """Run a publication to its end: each step is committed before the next request.

        Raises:
            HevyError: the service failed; the steps until then are recorded.
            RollbackError: there is nothing to roll back.
            TransitionError: a step is not allowed.
            duckdb.TransactionException: eight commits conflicted with other writers; the next run
                continues.
        """
        return complete(steps, self._record)

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

    def _record(self, step: Step) -> PublicationRow:
        def change(con: duckdb.DuckDBPyConnection) -> PublicationRow:
            now, row = self.now(), step.row
            sha256 = None
            if step.read_back is not None:
                sha256 = land_published(
                    con, row.athlete_id, step.read_back, now=now, run_id=row.run_id
                )
            return record_step(con, step, at=now, read_back_sha256=sha256)

        return self.write(change)


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


def land_published(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    payload: JsonObject,
    *,
    now: datetime,
    run_id: str,
) -> str:
    """Store a routine as read back after publishing; returns the hash of its content."""
    routine = Routine.model_validate(payload)
    record = Record(routine.id, canonical_json(payload), routine.updated_at)
    land(
        con,
        "hevy_routines",
        athlete_id,
        [record],
        now=now,
        run_id=run_id,
        origin="publication",
    )
    return record.payload_sha256
