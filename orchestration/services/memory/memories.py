"""Learn memories from the warehouse, and apply the athlete's decisions about them.

Learning is idempotent: it derives the guesses from the rows again and writes only differences, in
one transaction for each batch, so that a killed run leaves the memories of the run before.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial

import duckdb

from coach_agent.domain.days import local_date
from coach_agent.domain.values import Value
from coach_agent.memory.memories import Kind, Source, Statement, Status
from coach_agent.memory.rules import learn
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.memories import (
    MemoryVersion,
    UnknownMemoryError,
    changed_by_athlete,
    changed_by_learning,
    forget,
    read_memories,
    read_memories_of,
    read_versions,
    record_versions,
)
from coach_agent.store.memory_evidence import read_evidence
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.runs.infrastructure_errors import is_infrastructure_error
from orchestration.runs.lock import WriteLock
from orchestration.services.planning.plan import ATHLETES_A_BATCH
from orchestration.storage.warehouse import Connect, Warehouse, open_warehouse
from orchestration.text.memory import statement_text

_log = logging.getLogger(__name__)

HABITS: Mapping[str, str] = {
    "training_days": "--days",
    "training_hour": "--start",
    "training_minutes": "--minutes",
}
"""The types of memories that can be corrected, with their option on the command line."""


class MemoryReport(Value):
    """A version of a memory as shown; `confidence` is that of the athlete's current day."""

    number: int
    version: int
    kind: Kind
    text: str
    status: Status
    confidence: float
    subject: str
    statement: Statement
    first_seen: date
    last_seen: date
    expires_on: date
    sources: tuple[Source, ...]
    valid_from: datetime
    valid_to: datetime | None


@dataclass(frozen=True)
class LearningResult:
    """Number of written versions, and the errors by athlete."""

    changes: int
    failed: Mapping[str, str]


def learn_memories(
    connect: Connect,
    profiles: Sequence[AthleteProfile],
    turn: WriteLock,
    *,
    now: datetime,
    run_id: str,
) -> LearningResult:
    """Learn the memories of these athletes at an aware time; a failure is isolated to its athlete.

    Raises:
        duckdb.CatalogException: there are no marts yet.
    """
    changes = 0
    failed: dict[str, str] = {}
    for start in range(0, len(profiles), ATHLETES_A_BATCH):
        batch = profiles[start : start + ATHLETES_A_BATCH]
        with connect() as con, turn():
            work = partial(_learn_batch, con, batch, now, run_id)
            result = run_in_transaction(con, work)
        changes += result.changes
        failed.update(result.failed)
    return LearningResult(changes, failed)


def _learn_batch(
    con: duckdb.DuckDBPyConnection, profiles: Sequence[AthleteProfile], now: datetime, run_id: str
) -> LearningResult:
    evidence = read_evidence(con, {each.id: each.timezone for each in profiles})
    kept = read_memories_of(con, [each.id for each in profiles])
    changed: list[MemoryVersion] = []
    failed: dict[str, str] = {}
    for profile in profiles:
        try:
            own = kept[profile.id]()
            forgotten = {
                digest: local_date(each.at, profile.timezone)
                for digest, each in own.forgotten.items()
            }
            today = local_date(now, profile.timezone)
            learned = learn(evidence[profile.id](), today, forgotten)
            changed += changed_by_learning(own, learned, today, now=now, run_id=run_id)
        except Exception as error:
            if is_infrastructure_error(error):
                raise
            _log.exception("The memories of %s are not learned", profile.id)
            failed[profile.id] = f"{type(error).__name__}: {error}"
    record_versions(con, changed)
    return LearningResult(len(changed), failed)


def report_of(version: MemoryVersion, today: date) -> MemoryReport:
    """Return a version as shown on the athlete's date."""
    memory = version.memory
    return MemoryReport(
        number=version.number,
        version=version.version,
        kind=memory.kind,
        text=statement_text(memory),
        status=memory.status,
        confidence=round(memory.confidence(today), 4),
        subject=memory.subject,
        statement=memory.statement,
        first_seen=memory.first_seen,
        last_seen=memory.last_seen,
        expires_on=memory.expires_on,
        sources=memory.sources,
        valid_from=version.valid_from,
        valid_to=version.valid_to,
    )


def current_memories(warehouse: Warehouse, profile: AthleteProfile) -> tuple[MemoryVersion, ...]:
    """Return the athlete's current memories, by number.

    Raises:
        WarehouseBusyError, WarehouseMissingError: the warehouse cannot be read.
    """
    with open_warehouse(warehouse, read_only=True) as con:
        return read_memories(con, profile.id, local_date(datetime.now(UTC), profile.timezone))


def confirm_memory(
    con: duckdb.DuckDBPyConnection,
    profile: AthleteProfile,
    number: int,
    now: datetime,
    *,
    version: int | None = None,
) -> MemoryVersion:
    """Confirm a memory, or renew its confirmation; returns the current version.

    `version` is the version that the athlete has seen; None is the current one.

    Raises:
        UnknownMemoryError: there is no such memory, it has expired, or has another version.
    """

    def confirm() -> MemoryVersion:
        _check_version(con, profile, number, version)
        return _decide(con, profile, number, None, now)

    return run_in_transaction(con, confirm)


def correct_memory(
    con: duckdb.DuckDBPyConnection,
    profile: AthleteProfile,
    number: int,
    statement: Statement,
    kind: str,
    now: datetime,
) -> MemoryVersion:
    """Replace the statement of a habit of this type; returns the current version.

    Raises:
        UnknownMemoryError: there is no such memory, it has expired, or is of another type.
    """

    def correct() -> MemoryVersion:
        found = _current(con, profile, number, local_date(now, profile.timezone)).memory.kind
        if found not in HABITS:
            raise UnknownMemoryError(
                f"Memory {number} has no value to correct. If it is wrong: "
                f"spotter memory forget {number}"
            )
        if found != kind:
            raise UnknownMemoryError(f"Memory {number} is corrected with {HABITS[found]}.")
        return _decide(con, profile, number, statement, now)

    return run_in_transaction(con, correct)


def forget_memory(
    con: duckdb.DuckDBPyConnection,
    profile: AthleteProfile,
    number: int,
    now: datetime,
    *,
    version: int | None = None,
) -> None:
    """Delete a memory with its history.

    `version` is the version that the athlete has seen; None is the current one.

    Raises:
        UnknownMemoryError: there is no such memory, or it has another version.
    """

    def delete() -> None:
        _check_version(con, profile, number, version)
        forget(con, profile.id, number, now=now)

    run_in_transaction(con, delete)


def _check_version(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, number: int, version: int | None
) -> None:
    if version is not None and read_versions(con, profile.id, number)[-1].version != version:
        raise UnknownMemoryError(
            f"Memory {number} has changed since; nothing was done. Look again: spotter memory"
        )


def _decide(
    con: duckdb.DuckDBPyConnection,
    profile: AthleteProfile,
    number: int,
    statement: Statement | None,
    now: datetime,
) -> MemoryVersion:
    today = local_date(now, profile.timezone)
    changed = changed_by_athlete(_current(con, profile, number, today), statement, today, now=now)
    record_versions(con, changed)
    return changed[-1]


def _current(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, number: int, today: date
) -> MemoryVersion:
    latest = read_versions(con, profile.id, number)[-1]
    if not latest.is_current_on(today):
        raise UnknownMemoryError(f"Memory {number} has expired. List the others: spotter memory")
    return latest
