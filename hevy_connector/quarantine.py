"""Quarantine: what could not be read, with its reason and its whole text, so nothing is dropped."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import duckdb

from hevy_connector.raw_tables import Entity, Origin, known_records

DELETED_REASON = "deleted at the source"


@dataclass(frozen=True)
class Rejected:
    """Something that could not be read as its entity; `source_line` for rows of a file."""

    reason: str
    payload: str
    record_id: str | None = None
    source_line: int | None = None


def count_quarantined(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> int:
    """How many records of the account exist in quarantine only."""
    rows: list[tuple[int]] = con.execute(
        f"""
        select count(*)
        from ({_unreadable(entity)})
        where
            origin <> 'csv'
            and record_id not in (
                select record_id from ({known_records(entity)}) where not is_deleted
            )
        """,
        {"athlete_id": athlete_id},
    ).fetchall()
    return rows[0][0]


def storable(reject: Rejected) -> Rejected:
    """The same in UTF-8: half of a surrogate pair is written as its JSON escape."""

    def escaped(text: str) -> str:
        return text.encode(errors="backslashreplace").decode()

    return replace(
        reject,
        reason=escaped(reject.reason),
        payload=escaped(reject.payload),
        record_id=None if reject.record_id is None else escaped(reject.record_id),
    )


def quarantine(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    athlete_id: str,
    loaded_at: datetime,
    run_id: str,
    origin: Origin,
    rejected: Sequence[Rejected],
) -> int:
    """Keep what could not be read, once for each content and place until it is deleted."""
    added = 0
    for reject in rejected:
        digest = hashlib.sha256(reject.payload.encode()).hexdigest()
        added += len(
            con.execute(
                f"""
                insert into raw.quarantine
                select
                    $athlete_id, '{entity}', $record_id, $reason, $payload, $digest,
                    $source_line, $loaded_at, $run_id, $origin
                where not exists (
                    from raw.quarantine
                    where
                        athlete_id = $athlete_id
                        and entity = '{entity}'
                        and payload_sha256 = $digest
                        and source_line is not distinct from $source_line
                        and (
                            record_id is null
                            or record_id in (select record_id from ({_unreadable(entity)}))
                        )
                )
                returning entity
                """,
                {
                    "athlete_id": athlete_id,
                    "record_id": reject.record_id,
                    "reason": reject.reason,
                    "payload": reject.payload,
                    "digest": digest,
                    "source_line": reject.source_line,
                    "loaded_at": loaded_at,
                    "run_id": run_id,
                    "origin": origin,
                },
            ).fetchall()
        )
    return added


def release_deleted(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    athlete_id: str,
    loaded_at: datetime,
    run_id: str,
    origin: Origin,
    kept: Sequence[str],
    is_complete: bool,
) -> None:
    """Note in quarantine which of its records the source deleted or, read whole, no longer has."""
    con.execute(
        f"""
        insert into raw.quarantine
        select
            $athlete_id, '{entity}', record_id, '{DELETED_REASON}', '', sha256(''),
            null, $loaded_at, $run_id, $origin
        from ({_unreadable(entity)})
        where
            origin = $origin
            and (
                record_id in (select record_id from landing_batch where is_deleted)
                or (
                    $is_complete
                    and record_id not in (select record_id from landing_batch)
                    and not list_contains($kept::varchar[], record_id)
                )
            )
        """,
        {
            "athlete_id": athlete_id,
            "loaded_at": loaded_at,
            "run_id": run_id,
            "origin": origin,
            "is_complete": is_complete,
            "kept": list(kept),
        },
    )


def _unreadable(entity: Entity) -> str:
    """The query of an athlete's records in quarantine that their source did not delete since."""
    return f"""
        select record_id, origin
        from raw.quarantine
        where athlete_id = $athlete_id and entity = '{entity}' and record_id is not null
        group by record_id, origin
        having
            max(loaded_at) filter (where reason <> '{DELETED_REASON}')
            > coalesce(max(loaded_at) filter (where reason = '{DELETED_REASON}'), '-infinity')
    """
