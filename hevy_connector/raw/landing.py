"""Landing: append every version of every record to its raw table, as JSON.

A record gets a new row only when its content changes. A deletion is a row. A record that fails
validation goes to `raw.quarantine` with the reason and its whole text, so nothing is dropped. A
deletion of it by the source is recorded there. Within one table `loaded_at` strictly increases from
one landing to the next, so the current state of a record is always its latest row.

The caller owns the connection and the transaction: a landing and its cursor are committed together
or not at all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

import duckdb

from hevy_connector.raw.quarantine import make_storable, quarantine, release_deleted
from hevy_connector.raw.tables import OF_LANDING, Landing, Origin, latest_rows, naive_utc
from hevy_connector.records import Batch, Entity, Record, Rejected

if TYPE_CHECKING:
    # Import takes a quarter of the start-up time of a command, and only landing needs it.
    import pyarrow as pa

_RECORD_COLUMNS = [
    ("athlete_id", "string"),
    ("record_id", "string"),
    ("payload", "string"),
    ("vendor_updated_at", "timestamp[us]"),
    ("is_deleted", "bool"),
]
_ATHLETE_COLUMNS = [("athlete_id", "string"), ("is_complete", "bool")]
_NAME_COLUMNS = [("athlete_id", "string"), ("record_id", "string"), ("is_deleted", "bool")]
_RECORDS_A_BATCH = 500


@dataclass(frozen=True)
class LandResult:
    """Counts of one landing.

    `seen` records were passed in, `added` of them got a new row, `deleted` rows record a deletion
    and `quarantined` ones are new in quarantine. `missing` is the number of records that the source
    counts and the table lacks, if the source counts. `withdrawn` records left quarantine because
    the source deleted them.
    """

    seen: int
    added: int
    deleted: int
    quarantined: int
    missing: int = 0
    withdrawn: int = 0

    def __add__(self, other: "LandResult") -> "LandResult":
        """Add the counts of a later landing."""
        return LandResult(
            self.seen + other.seen,
            self.added + other.added,
            self.deleted + other.deleted,
            self.quarantined + other.quarantined,
            other.missing,
            self.withdrawn + other.withdrawn,
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
) -> LandResult:
    """Land records of one athlete, see `land_all` and `Batch`."""
    batch = Batch(tuple(records), rejected, is_complete)
    landed = land_all(con, entity, {athlete_id: batch}, now=now, run_id=run_id, origin=origin)
    return landed[athlete_id]


def land_all(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    batches: Mapping[str, Batch],
    *,
    now: datetime,
    run_id: str,
    origin: Origin,
) -> dict[str, LandResult]:
    """Append new content of batches, by athlete. Idempotent: the same content twice adds nothing.

    Of several records with one id the last one counts. `now` is the aware time of landing; it is
    moved forward if the table already holds later rows.
    """
    import pyarrow as pa

    if not batches:
        return {}
    athletes = sorted(batches)
    latest = {
        athlete: {record.record_id: record for record in batches[athlete].records}
        for athlete in athletes
    }
    rejected = {
        athlete: [make_storable(one) for one in batches[athlete].rejected] for athlete in athletes
    }
    landing = Landing(
        entity, athletes[0], athletes[-1], _next_loaded_at(con, entity, now), run_id, origin
    )
    is_any_complete = any(batch.is_complete for batch in batches.values())
    is_any_deleted = any(one.is_deleted for records in latest.values() for one in records.values())
    tables = {
        "landing_athletes": pa.table(
            [athletes, [batches[athlete].is_complete for athlete in athletes]],
            pa.schema(_ATHLETE_COLUMNS),
        ),
        "landing_batch": _record_names(latest, rejected),
    }
    with _register_tables(con, tables):
        if any(latest.values()):
            _append_changed(con, landing, latest)
        if is_any_complete:
            _append_deletions(con, landing)
        quarantined = quarantine(con, landing, rejected) if any(rejected.values()) else {}
        withdrawn = release_deleted(con, landing) if is_any_complete or is_any_deleted else {}
        appended = _count_appended(con, landing) if is_any_complete or any(latest.values()) else {}
    return {
        athlete: LandResult(
            len(latest[athlete]) + len(rejected[athlete]),
            *appended.get(athlete, (0, 0)),
            quarantined.get(athlete, 0),
            withdrawn=withdrawn.get(athlete, 0),
        )
        for athlete in athletes
    }


@contextmanager
def _register_tables(
    con: duckdb.DuckDBPyConnection, tables: Mapping[str, "pa.Table"]
) -> Iterator[None]:
    """Register Arrow tables with the connection under their names."""
    for name, table in tables.items():
        con.register(name, table)
    try:
        yield
    finally:
        for name in tables:
            con.unregister(name)


def _next_loaded_at(con: duckdb.DuckDBPyConnection, entity: Entity, now: datetime) -> datetime:
    """Return `now`, or just after the latest row: a clock set back must not hide new rows."""
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


def _record_names(
    latest: Mapping[str, Mapping[str, Record]], rejected: Mapping[str, Sequence[Rejected]]
) -> "pa.Table":
    """Build the table of records of a landing and their deletion flag; null if unreadable."""
    import pyarrow as pa

    rows: list[tuple[str, str, bool | None]] = [
        (athlete, record.record_id, record.is_deleted)
        for athlete, records in latest.items()
        for record in records.values()
    ]
    rows += [
        (athlete, one.record_id, None)
        for athlete, rejects in rejected.items()
        for one in rejects
        if one.record_id is not None
    ]
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    return pa.table([list(column) for column in columns], pa.schema(_NAME_COLUMNS))


def _record_batches(records: Iterable[tuple[str, Record]]) -> "pa.RecordBatchReader":
    """Stream records in batches, so that DuckDB stores one while the next one is built."""
    import pyarrow as pa

    schema = pa.schema(_RECORD_COLUMNS)

    def pieces() -> Iterator[pa.RecordBatch]:
        remaining = iter(records)
        while rows := list(islice(remaining, _RECORDS_A_BATCH)):
            columns = [
                [athlete for athlete, _ in rows],
                [row.record_id for _, row in rows],
                [row.payload for _, row in rows],
                [row.vendor_updated_at and naive_utc(row.vendor_updated_at) for _, row in rows],
                [row.is_deleted for _, row in rows],
            ]
            yield pa.record_batch(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, pieces())


def _append_changed(
    con: duckdb.DuckDBPyConnection, landing: Landing, records: Mapping[str, Mapping[str, Record]]
) -> None:
    """Append records with another content or deletion flag than the latest row.

    A deletion of an unknown record adds nothing. A deletion row keeps the last payload.
    """
    stream = ((athlete, one) for athlete, each in records.items() for one in each.values())
    con.register("landing_stream", _record_batches(stream))
    try:
        con.execute(
            f"""
            with known as (
                {latest_rows(landing.entity, OF_LANDING)}
            ),
            batch as (select *, sha256(payload) as payload_sha256 from landing_stream),
            changed as (
                select
                    batch.athlete_id,
                    batch.record_id,
                    if(batch.is_deleted, known.payload, batch.payload) as payload,
                    if(
                        batch.is_deleted, known.payload_sha256, batch.payload_sha256
                    ) as payload_sha256,
                    batch.vendor_updated_at,
                    batch.is_deleted
                from batch
                left join known
                    on batch.athlete_id = known.athlete_id and batch.record_id = known.record_id
                where
                    (known.record_id is null and not batch.is_deleted)
                    or known.is_deleted <> batch.is_deleted
                    or (not batch.is_deleted and known.payload_sha256 <> batch.payload_sha256)
            )
            insert into raw.{landing.entity}
            select
                athlete_id, record_id, payload, payload_sha256, vendor_updated_at,
                $loaded_at, $run_id, $origin, is_deleted
            from changed
            """,
            landing.bounds | landing.stamps,
        )
    finally:
        con.unregister("landing_stream")


def _append_deletions(con: duckdb.DuckDBPyConnection, landing: Landing) -> None:
    """Append a deletion row for records that the source lacks; ignore other origins."""
    con.execute(
        f"""
        with known as (
            {latest_rows(landing.entity, OF_LANDING)}
        )
        insert into raw.{landing.entity}
        select
            athlete_id, record_id, payload, payload_sha256, null,
            $loaded_at, $run_id, $origin, true
        from known
        semi join (from landing_athletes where is_complete) as complete using (athlete_id)
        anti join landing_batch using (athlete_id, record_id)
        where
            not is_deleted
            and (origin = $origin or (origin = 'publication' and $origin = 'api'))
        """,
        landing.bounds | landing.stamps,
    )


def _count_appended(con: duckdb.DuckDBPyConnection, landing: Landing) -> dict[str, tuple[int, int]]:
    """Count the versions and deletions that a landing added, by athlete, from its `loaded_at`.

    A separate query: `insert … returning` takes twice as long.
    """
    rows: list[tuple[str, int, int]] = con.execute(
        f"""
        select athlete_id, count(*) filter (not is_deleted), count(*) filter (is_deleted)
        from raw.{landing.entity}
        where {OF_LANDING} and loaded_at = $loaded_at
        group by athlete_id
        """,
        landing.bounds | {"loaded_at": landing.loaded_at},
    ).fetchall()
    return {athlete: (added, deleted) for athlete, added, deleted in rows}
