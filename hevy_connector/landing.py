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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

import duckdb
import pyarrow as pa

from hevy_connector.quarantine import Rejected, quarantine, release_deleted, storable
from hevy_connector.raw_tables import Entity, Landing, Origin, known_records, naive_utc

_RECORD_SCHEMA = pa.schema(
    [
        ("record_id", pa.string()),
        ("payload", pa.string()),
        ("vendor_updated_at", pa.timestamp("us")),
        ("is_deleted", pa.bool_()),
    ]
)
_RECORDS_A_BATCH = 500


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
    landing = Landing(entity, athlete_id, _next_loaded_at(con, entity, now), run_id, origin)
    _append_changed(con, landing, latest)
    con.register("landing_batch", _names(latest))
    try:
        if is_complete:
            _append_deletions(con, landing, kept)
        quarantined = quarantine(con, landing, rejected)
        release_deleted(con, landing, kept, is_complete=is_complete)
    finally:
        con.unregister("landing_batch")
    added, deleted = _count_appended(con, landing)
    return Landed(len(latest) + len(rejected), added, deleted, quarantined)


def _next_loaded_at(con: duckdb.DuckDBPyConnection, entity: Entity, now: datetime) -> datetime:
    """`now`, or just after the latest row: a clock set back must not hide new rows."""
    moment = naive_utc(now)
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


def _names(records: Mapping[str, Record]) -> pa.Table:
    """Which records a landing brought, and which of them as deleted."""
    gone = [record.is_deleted for record in records.values()]
    return pa.table({"record_id": pa.array(records, pa.string()), "is_deleted": gone})


def _batches(records: Iterable[Record]) -> pa.RecordBatchReader:
    """The records piece by piece, so that one is made while DuckDB stores the one before."""

    def pieces() -> Iterator[pa.RecordBatch]:
        remaining = iter(records)
        while rows := list(islice(remaining, _RECORDS_A_BATCH)):
            columns = [
                [row.record_id for row in rows],
                [row.payload for row in rows],
                [row.vendor_updated_at and naive_utc(row.vendor_updated_at) for row in rows],
                [row.is_deleted for row in rows],
            ]
            yield pa.record_batch(columns, schema=_RECORD_SCHEMA)

    return pa.RecordBatchReader.from_batches(_RECORD_SCHEMA, pieces())


def _append_changed(
    con: duckdb.DuckDBPyConnection, landing: Landing, records: Mapping[str, Record]
) -> None:
    """Append records whose content or presence differs from the latest row.

    A deletion of a record that was never seen adds nothing; one that was keeps its last payload.
    """
    con.register("landing_stream", _batches(records.values()))
    try:
        con.execute(
            f"""
            with known as ({known_records(landing.entity)}),
            batch as (select *, sha256(payload) as payload_sha256 from landing_stream),
            changed as (
                select
                    batch.record_id,
                    if(batch.is_deleted, known.payload, batch.payload) as payload,
                    if(
                        batch.is_deleted, known.payload_sha256, batch.payload_sha256
                    ) as payload_sha256,
                    batch.vendor_updated_at,
                    batch.is_deleted
                from batch
                left join known on known.record_id = batch.record_id
                where
                    (known.record_id is null and not batch.is_deleted)
                    or known.is_deleted <> batch.is_deleted
                    or (not batch.is_deleted and known.payload_sha256 <> batch.payload_sha256)
            )
            insert into raw.{landing.entity}
            select
                $athlete_id, record_id, payload, payload_sha256, vendor_updated_at,
                $loaded_at, $run_id, $origin, is_deleted
            from changed
            """,
            landing.parameters,
        )
    finally:
        con.unregister("landing_stream")


def _append_deletions(
    con: duckdb.DuckDBPyConnection, landing: Landing, kept: Sequence[str]
) -> None:
    """Record as deleted what the source no longer has; other origins are none of its business."""
    con.execute(
        f"""
        with known as ({known_records(landing.entity)})
        insert into raw.{landing.entity}
        select
            $athlete_id, record_id, payload, payload_sha256, null,
            $loaded_at, $run_id, $origin, true
        from known
        where
            not is_deleted
            and (origin = $origin or (origin = 'publication' and $origin = 'api'))
            and record_id not in (select record_id from landing_batch)
            and not list_contains($kept::varchar[], record_id)
        """,
        landing.parameters | {"kept": list(kept)},
    )


def _count_appended(con: duckdb.DuckDBPyConnection, landing: Landing) -> tuple[int, int]:
    """How many versions and deletions a landing added: its time is its own.

    Asked for afterwards, because an insert that returns its rows takes twice as long.
    """
    rows: list[tuple[int, int]] = con.execute(
        f"""
        select count(*) filter (not is_deleted), count(*) filter (is_deleted)
        from raw.{landing.entity}
        where athlete_id = $1 and loaded_at = $2
        """,
        [landing.athlete_id, landing.loaded_at],
    ).fetchall()
    return rows[0]
