"""Quarantine: what could not be read, with its reason and its whole text, so nothing is dropped."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

import duckdb
import pyarrow as pa

from hevy_connector.raw_tables import Entity, Landing, known_records

DELETED_REASON = "deleted at the source"

_REJECTED_SCHEMA = pa.schema(
    [
        ("reason", pa.string()),
        ("payload", pa.string()),
        ("record_id", pa.string()),
        ("source_line", pa.int32()),
    ]
)


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
    con: duckdb.DuckDBPyConnection, landing: Landing, rejected: Sequence[Rejected]
) -> int:
    """Keep what could not be read, once for each content and place until it is deleted.

    Returns how many rows were added.
    """
    unique: dict[tuple[str, int | None], Rejected] = {}
    for reject in rejected:
        unique.setdefault((reject.payload, reject.source_line), reject)
    con.register("quarantine_batch", _table(unique.values()))
    try:
        rows: list[tuple[int]] = con.execute(
            f"""
            with batch as (select *, sha256(payload) as payload_sha256 from quarantine_batch),
            known as (
                select payload_sha256, source_line
                from raw.quarantine
                where
                    athlete_id = $athlete_id
                    and entity = '{landing.entity}'
                    and (
                        record_id is null
                        or record_id in (select record_id from ({_unreadable(landing.entity)}))
                    )
            )
            insert into raw.quarantine
            select
                $athlete_id, '{landing.entity}', record_id, reason, payload, payload_sha256,
                source_line, $loaded_at, $run_id, $origin
            from batch
            where not exists (
                from known
                where
                    known.payload_sha256 = batch.payload_sha256
                    and known.source_line is not distinct from batch.source_line
            )
            """,
            landing.parameters,
        ).fetchall()
    finally:
        con.unregister("quarantine_batch")
    return rows[0][0]


def _table(rejected: Iterable[Rejected]) -> pa.Table:
    return pa.Table.from_pylist([asdict(reject) for reject in rejected], schema=_REJECTED_SCHEMA)


def release_deleted(
    con: duckdb.DuckDBPyConnection, landing: Landing, kept: Sequence[str], *, is_complete: bool
) -> None:
    """Note in quarantine which of its records the source deleted or, read whole, no longer has."""
    con.execute(
        f"""
        insert into raw.quarantine
        select
            $athlete_id, '{landing.entity}', record_id, '{DELETED_REASON}', '', sha256(''),
            null, $loaded_at, $run_id, $origin
        from ({_unreadable(landing.entity)})
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
        landing.parameters | {"is_complete": is_complete, "kept": list(kept)},
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
