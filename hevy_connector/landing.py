"""Landing: every version of every record goes into its raw table, as JSON, append-only.

A record gets a new row only when its content changes; a deletion is a row. What cannot be
understood goes to `raw.quarantine` with its reason and its whole text, so nothing is dropped; if
its source deletes it, a row says so there.
Within one table `loaded_at` strictly increases from one landing to the next, so the current state
of a record is always its latest row.

The caller owns the connection and the transaction: a landing and the cursor that says how far it
got are committed together or not at all.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import orjson
import pyarrow as pa

from hevy_connector.quarantine import Rejected, quarantine, release_deleted, storable
from hevy_connector.raw_tables import Entity, Origin, known_records

_ARROW_SCHEMA = pa.schema(
    [
        ("record_id", pa.string()),
        ("payload", pa.string()),
        ("payload_sha256", pa.string()),
        ("vendor_updated_at", pa.timestamp("us")),
        ("is_deleted", pa.bool_()),
    ]
)


@dataclass(frozen=True, slots=True)
class Record:
    """One record to land: its id, its JSON text and the vendor's own time of change (UTC)."""

    record_id: str
    payload: str
    vendor_updated_at: datetime | None = None
    is_deleted: bool = False

    @property
    def payload_sha256(self) -> str:
        """The identity of the content, independent of key order and white space."""
        return hashlib.sha256(self.payload.encode()).hexdigest()


@dataclass(frozen=True)
class Landed:
    """What one landing changed.

    `seen` records were offered, `added` of them got a new row, `deleted` rows record a deletion
    and `quarantined` ones are new in quarantine. `missing` is how many more the source counts
    than are known afterwards, where it counts.
    """

    seen: int
    added: int
    deleted: int
    quarantined: int
    missing: int = 0

    def __add__(self, other: "Landed") -> "Landed":
        """This landing and a later one together."""
        return Landed(
            self.seen + other.seen,
            self.added + other.added,
            self.deleted + other.deleted,
            self.quarantined + other.quarantined,
            other.missing,
        )


def canonical_json(payload: Mapping[str, Any]) -> str:
    """The payload as JSON text with sorted keys, so that equal content has equal text.

    Numbers are finite, as those of every JSON text that this package reads.

    Raises:
        ValueError: the payload holds a number beyond all floats, or half of a surrogate pair,
            which UTF-8 cannot.
    """
    try:
        return orjson.dumps(payload, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError:
        # Whole numbers of more than 64 bits; and the reason why it cannot be stored at all.
        return _exact_json(payload)


def _exact_json(payload: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except TypeError as error:
        raise ValueError(f"a number is too large to be stored ({error})") from error
    text.encode()
    return text


def land(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    athlete_id: str,
    records: Iterable[Record],
    *,
    now: datetime,
    run_id: str,
    origin: Origin,
    rejected: Sequence[Rejected] = (),
    is_complete: bool = False,
) -> Landed:
    """Append what is new in `records`; the same content twice adds nothing.

    Of several records with one id the last one counts. With `is_complete` the records are all
    that exist at the source: what is known from there but not among them (nor among the rejected)
    gets a deletion row. What is deleted while it is only in quarantine no longer counts as
    existing, see `count_quarantined`.

    `now` is the aware time of landing; it is moved forward if the table already holds later rows.
    """
    latest = {record.record_id: record for record in records}
    rejected = [storable(reject) for reject in rejected]
    kept = [reject.record_id for reject in rejected if reject.record_id is not None]
    loaded_at = _next_loaded_at(con, entity, now)
    con.register("landing_batch", _arrow_table(latest.values()))
    try:
        added, deleted = _append_changed(con, entity, athlete_id, loaded_at, run_id, origin)
        if is_complete:
            deleted += _append_deletions(con, entity, athlete_id, loaded_at, run_id, origin, kept)
        quarantined = quarantine(con, entity, athlete_id, loaded_at, run_id, origin, rejected)
        release_deleted(con, entity, athlete_id, loaded_at, run_id, origin, kept, is_complete)
    finally:
        con.unregister("landing_batch")
    return Landed(len(latest) + len(rejected), added, deleted, quarantined)


def save_sync_state(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    athlete_id: str,
    *,
    cursor_at: datetime | None,
    completed_at: datetime,
) -> None:
    """Record a complete read; belongs in the transaction of the landing that it describes."""
    con.execute(
        f"""
        insert or replace into raw.sync_state
        select $athlete_id, '{entity}', $cursor_at, $completed_at, count(*)
        from ({known_records(entity)}) as known
        where not is_deleted and origin <> 'csv'
        """,
        {
            "athlete_id": athlete_id,
            "cursor_at": _naive_utc(cursor_at),
            "completed_at": _naive_utc(completed_at),
        },
    )


def read_cursor(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> datetime | None:
    """The aware time up to which changes are known, or None before the first complete read."""
    row = con.execute(
        "select cursor_at from raw.sync_state where athlete_id = $1 and entity = $2",
        [athlete_id, entity],
    ).fetchone()
    return row[0].replace(tzinfo=UTC) if row and row[0] is not None else None


def read_record_count(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> int:
    """How many records of the account existed after the last complete read."""
    row = con.execute(
        "select record_count from raw.sync_state where athlete_id = $1 and entity = $2",
        [athlete_id, entity],
    ).fetchone()
    return int(row[0]) if row else 0


def _naive_utc(value: datetime | None) -> datetime | None:
    """DuckDB's TIMESTAMP carries no zone; ours are UTC."""
    return None if value is None else value.astimezone(UTC).replace(tzinfo=None)


def _next_loaded_at(con: duckdb.DuckDBPyConnection, entity: Entity, now: datetime) -> datetime:
    """`now`, or just after the latest row: a clock set back must not hide new rows."""
    moment = now.astimezone(UTC).replace(tzinfo=None)
    latest: list[tuple[datetime | None]] = con.execute(f"""
        select max(loaded_at)
        from (
            select loaded_at from raw.{entity}
            union all
            select loaded_at from raw.quarantine where entity = '{entity}'
        )
    """).fetchall()
    newest = latest[0][0]
    return moment if newest is None else max(moment, newest + timedelta(microseconds=1))


def _arrow_table(records: Iterable[Record]) -> pa.Table:
    rows = list(records)
    return pa.table(
        {
            "record_id": [row.record_id for row in rows],
            "payload": [row.payload for row in rows],
            "payload_sha256": [row.payload_sha256 for row in rows],
            "vendor_updated_at": [_naive_utc(row.vendor_updated_at) for row in rows],
            "is_deleted": [row.is_deleted for row in rows],
        },
        schema=_ARROW_SCHEMA,
    )


def _append_changed(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    athlete_id: str,
    loaded_at: datetime,
    run_id: str,
    origin: Origin,
) -> tuple[int, int]:
    """Append records whose content or presence differs from the latest row.

    A deletion of a record that was never seen adds nothing; one that was keeps its last payload.
    """
    inserted = con.execute(
        f"""
        with known as ({known_records(entity)}),
        changed as (
            select
                batch.record_id,
                if(batch.is_deleted, known.payload, batch.payload) as payload,
                if(batch.is_deleted, known.payload_sha256, batch.payload_sha256) as payload_sha256,
                batch.vendor_updated_at,
                batch.is_deleted
            from landing_batch as batch
            left join known on known.record_id = batch.record_id
            where
                (known.record_id is null and not batch.is_deleted)
                or known.is_deleted <> batch.is_deleted
                or (not batch.is_deleted and known.payload_sha256 <> batch.payload_sha256)
        )
        insert into raw.{entity}
        select
            $athlete_id, record_id, payload, payload_sha256, vendor_updated_at,
            $loaded_at, $run_id, $origin, is_deleted
        from changed
        returning is_deleted
        """,
        {
            "athlete_id": athlete_id,
            "loaded_at": loaded_at,
            "run_id": run_id,
            "origin": origin,
        },
    ).fetchall()
    deleted = sum(1 for (is_deleted,) in inserted if is_deleted)
    return len(inserted) - deleted, deleted


def _append_deletions(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    athlete_id: str,
    loaded_at: datetime,
    run_id: str,
    origin: Origin,
    kept: Sequence[str],
) -> int:
    """Record as deleted what the source no longer has; other origins are none of its business."""
    inserted = con.execute(
        f"""
        with known as ({known_records(entity)})
        insert into raw.{entity}
        select
            $athlete_id, record_id, payload, payload_sha256, null,
            $loaded_at, $run_id, $origin, true
        from known
        where
            not is_deleted
            and (origin = $origin or (origin = 'publication' and $origin = 'api'))
            and record_id not in (select record_id from landing_batch)
            and not list_contains($kept::varchar[], record_id)
        returning record_id
        """,
        {
            "athlete_id": athlete_id,
            "loaded_at": loaded_at,
            "run_id": run_id,
            "origin": origin,
            "kept": list(kept),
        },
    ).fetchall()
    return len(inserted)
