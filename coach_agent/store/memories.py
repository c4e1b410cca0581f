"""Memories of the coach with their history by version, and digests of forgotten ones.

A version is a statement with a status; its sources and confidence are those of the latest night
that saw a change. The version without `valid_to` is the current one.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import duckdb

from coach_agent.domain.values import by_athlete, canonical_json, naive_utc
from coach_agent.memory.memories import Memory, Source, Statement
from coach_agent.store.note_mentions import forget_mentions
from coach_agent.store.upsert import upsert_all

_CONFIDENCE_DIGITS = 4


class UnknownMemoryError(Exception):
    """There is no such memory; the message has the fix."""


@dataclass(frozen=True)
class MemoryVersion:
    """A version of a memory, valid from `valid_from` until `valid_to` (aware; None is still)."""

    number: int
    version: int
    memory: Memory
    valid_from: datetime
    valid_to: datetime | None
    run_id: str

    def is_current_on(self, day: date) -> bool:
        """Return whether it is the latest version and has not expired on the athlete's date."""
        return self.valid_to is None and day < self.memory.expires_on


@dataclass(frozen=True)
class Forgotten:
    """A forgotten memory: its former number, and the aware time of forgetting."""

    number: int
    at: datetime


@dataclass(frozen=True)
class KeptMemories:
    """All versions of an athlete's memories, in order, and the forgotten ones by digest."""

    versions: tuple[MemoryVersion, ...] = ()
    forgotten: Mapping[str, Forgotten] = field(default_factory=dict)


def read_memories_of(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, Callable[[], KeptMemories]]:
    """Read the memories of these athletes.

    Returns a function by athlete that parses the rows, so that an unreadable one fails its athlete
    alone.
    """
    rows = con.execute(
        """
        select
            athlete_id, memory_number, version, kind, subject, statement, sources, status,
            decided_date, valid_from, valid_to, run_id
        from coach.memories
        where athlete_id in (select unnest($1))
        order by athlete_id, memory_number, version
        """,
        [list(athlete_ids)],
    ).fetchall()
    forgotten = con.execute(
        """
        select athlete_id, memory_sha256, memory_number, forgotten_at
        from coach.forgotten_memories
        where athlete_id in (select unnest($1))
        order by athlete_id
        """,
        [list(athlete_ids)],
    ).fetchall()
    of_athlete = by_athlete(forgotten)
    versions = by_athlete(rows)
    return {
        each: partial(_kept, each, versions.get(each, []), of_athlete.get(each, []))
        for each in athlete_ids
    }


def read_memories(
    con: duckdb.DuckDBPyConnection, athlete_id: str, day: date
) -> tuple[MemoryVersion, ...]:
    """Return the athlete's current memories on a day, by number."""
    kept = read_memories_of(con, [athlete_id])[athlete_id]()
    return tuple(each for each in kept.versions if each.is_current_on(day))


def read_versions(
    con: duckdb.DuckDBPyConnection, athlete_id: str, number: int
) -> tuple[MemoryVersion, ...]:
    """Return all versions of a memory, oldest first.

    Raises:
        UnknownMemoryError: the athlete has no memory with this number.
    """
    kept = read_memories_of(con, [athlete_id])[athlete_id]()
    found = tuple(each for each in kept.versions if each.number == number)
    if not found:
        raise UnknownMemoryError(f"There is no memory {number}. List them: spotter memory")
    return found


def changed_by_learning(
    kept: KeptMemories, learned: Sequence[Memory], day: date, *, now: datetime, run_id: str
) -> list[MemoryVersion]:
    """Return the rows to upsert so that the guesses are those that were learned on a day.

    What the athlete confirmed or corrected is left alone until it expires. A guess that the rows no
    longer support ends. Without news there is nothing to upsert.
    """
    latest = {each.memory.digest: each for each in kept.versions}
    numbers = [each.number for each in kept.versions]
    numbers += [each.number for each in kept.forgotten.values()]
    free = max(numbers, default=0) + 1
    changed = []
    wanted = {each.digest: each for each in learned}
    for digest, old in latest.items():
        if old.valid_to is not None:
            continue
        if old.memory.status != "guessed" and old.is_current_on(day):
            wanted.pop(digest, None)
        elif (
            old.memory.status != "guessed"
            or digest not in wanted
            or wanted[digest].statement != old.memory.statement
        ):
            changed.append(replace(old, valid_to=now))
        else:
            new = wanted.pop(digest)
            if new != old.memory:
                changed.append(replace(old, memory=new))
    for digest, memory in wanted.items():
        before = latest.get(digest)
        number = free if before is None else before.number
        free += before is None
        version = 1 if before is None else before.version + 1
        changed.append(MemoryVersion(number, version, memory, now, None, run_id))
    return changed


def changed_by_athlete(
    old: MemoryVersion, statement: Statement | None, day: date, *, now: datetime
) -> list[MemoryVersion]:
    """Return the rows to upsert after the athlete confirmed a memory, or corrected its statement.

    The rows of a correction's predecessor do not support it, so it has no sources. Confirming
    again only renews the date.
    """
    memory = old.memory.model_copy(update={"decided_on": day})
    if statement is None and memory.status != "guessed":
        return [replace(old, memory=memory)]
    if statement is None:
        memory = memory.model_copy(update={"status": "confirmed"})
    else:
        update = {"status": "corrected", "statement": statement, "sources": ()}
        memory = memory.model_copy(update=update)
    new = MemoryVersion(old.number, old.version + 1, memory, now, None, "athlete")
    return [replace(old, valid_to=now), new]


def stored_confidence(memory: Memory) -> float:
    """Return the confidence as stored: that on the day of the newest row that counts, rounded."""
    return round(memory.confidence(memory.as_of), _CONFIDENCE_DIGITS)


def record_versions(con: duckdb.DuckDBPyConnection, versions: Sequence[MemoryVersion]) -> None:
    """Upsert versions in one statement."""
    keys = ("athlete_id", "memory_number", "version")
    upsert_all(con, "coach.memories", keys, [_row(each) for each in versions])


def forget(con: duckdb.DuckDBPyConnection, athlete_id: str, number: int, *, now: datetime) -> None:
    """Delete every version of a memory; its digest stays, so that the same rows do not return it.

    The caller's transaction makes it atomic.

    Raises:
        UnknownMemoryError: the athlete has no memory with this number.
    """
    memory = read_versions(con, athlete_id, number)[-1].memory
    forget_mentions(con, athlete_id, memory.kind, memory.subject)
    con.execute(
        "delete from coach.memories where athlete_id = $1 and memory_number = $2",
        [athlete_id, number],
    )
    row = {
        "athlete_id": athlete_id,
        "memory_sha256": memory.digest,
        "memory_number": number,
        "forgotten_at": naive_utc(now),
    }
    upsert_all(con, "coach.forgotten_memories", ("athlete_id", "memory_sha256"), [row])


def _kept(
    athlete_id: str, versions: Sequence[tuple[Any, ...]], forgotten: Sequence[tuple[Any, ...]]
) -> KeptMemories:
    return KeptMemories(
        tuple(_version(athlete_id, row) for row in versions),
        {digest: Forgotten(number, at.replace(tzinfo=UTC)) for digest, number, at in forgotten},
    )


def _version(athlete_id: str, row: tuple[Any, ...]) -> MemoryVersion:
    (number, version, kind, subject, statement, sources, status, decided, begun, ended, run) = row
    memory = Memory(
        athlete_id=athlete_id,
        kind=kind,
        subject=subject,
        statement=Statement.model_validate_json(statement),
        sources=tuple(Source.model_validate(each) for each in json.loads(sources)),
        status=status,
        decided_on=decided,
    )
    return MemoryVersion(
        number,
        version,
        memory,
        begun.replace(tzinfo=UTC),
        None if ended is None else ended.replace(tzinfo=UTC),
        run,
    )


def _row(version: MemoryVersion) -> dict[str, Any]:
    memory = version.memory
    return {
        "athlete_id": memory.athlete_id,
        "memory_number": version.number,
        "version": version.version,
        "memory_sha256": memory.digest,
        "kind": memory.kind,
        "subject": memory.subject,
        "statement": canonical_json(memory.statement).decode(),
        "sources": json.dumps([each.model_dump(mode="json") for each in memory.sources]),
        "confidence": stored_confidence(memory),
        "first_seen_date": memory.first_seen,
        "last_seen_date": memory.last_seen,
        "expires_date": memory.expires_on,
        "status": memory.status,
        "decided_date": memory.decided_on,
        "valid_from": naive_utc(version.valid_from),
        "valid_to": None if version.valid_to is None else naive_utc(version.valid_to),
        "run_id": version.run_id,
    }
