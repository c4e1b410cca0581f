"""The raw tables: every version of every record, as JSON, append-only.

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
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import duckdb
import pyarrow as pa

Entity = Literal[
    "hevy_workouts",
    "hevy_routines",
    "hevy_exercise_templates",
    "hevy_routine_folders",
    "hevy_body_measurements",
    "hevy_users",
    "athlete_profiles",
]
Origin = Literal["api", "publication", "csv", "profile"]

ENTITIES: tuple[Entity, ...] = (
    "hevy_workouts",
    "hevy_routines",
    "hevy_exercise_templates",
    "hevy_routine_folders",
    "hevy_body_measurements",
    "hevy_users",
    "athlete_profiles",
)

_DELETED = "deleted at the source"

_RAW_COLUMNS = """
    athlete_id varchar not null,
    record_id varchar not null,
    payload json not null,
    payload_sha256 varchar not null,
    vendor_updated_at timestamp,
    loaded_at timestamp not null,
    run_id varchar not null,
    origin varchar not null,
    is_deleted boolean not null
"""

_ARROW_SCHEMA = pa.schema(
    [
        ("record_id", pa.string()),
        ("payload", pa.string()),
        ("payload_sha256", pa.string()),
        ("vendor_updated_at", pa.timestamp("us")),
        ("is_deleted", pa.bool_()),
    ]
)


@dataclass(frozen=True)
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
class Rejected:
    """Something that could not be read as its entity; `source_line` for rows of a file."""

    reason: str
    payload: str
    record_id: str | None = None
    source_line: int | None = None


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

    Raises:
        ValueError: the payload holds NaN or infinity, which JSON cannot, or half of a surrogate
            pair, which UTF-8 cannot.
    """
    text = json.dumps(
        payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    text.encode()
    return text


def create_raw_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create the `raw` schema and its tables where they are missing."""
    con.execute("create schema if not exists raw")
    for entity in ENTITIES:
        con.execute(f"create table if not exists raw.{entity} ({_RAW_COLUMNS})")
    con.execute("""
        create table if not exists raw.quarantine (
            athlete_id varchar not null,
            entity varchar not null,
            record_id varchar,
            reason varchar not null,
            payload varchar not null,
            payload_sha256 varchar not null,
            source_line integer,
            loaded_at timestamp not null,
            run_id varchar not null,
            origin varchar not null
        )
    """)
    con.execute("""
        create table if not exists raw.sync_state (
            athlete_id varchar not null,
            entity varchar not null,
            cursor_at timestamp,
            last_complete_at timestamp not null,
            record_count bigint not null,
            primary key (athlete_id, entity)
        )
    """)


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
    rejected = [_storable(reject) for reject in rejected]
    kept = [reject.record_id for reject in rejected if reject.record_id is not None]
    loaded_at = _next_loaded_at(con, entity, now)
    con.register("landing_batch", _arrow_table(latest.values()))
    try:
        added, deleted = _append_changed(con, entity, athlete_id, loaded_at, run_id, origin)
        if is_complete:
            deleted += _append_deletions(con, entity, athlete_id, loaded_at, run_id, origin, kept)
        quarantined = _quarantine(con, entity, athlete_id, loaded_at, run_id, origin, rejected)
        _release_deleted(con, entity, athlete_id, loaded_at, run_id, origin, kept, is_complete)
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
        from ({_known(entity)}) as known
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


def count_quarantined(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> int:
    """How many records of the account exist in quarantine only."""
    rows: list[tuple[int]] = con.execute(
        f"""
        select count(*)
        from ({_unreadable(entity)})
        where
            origin <> 'csv'
            and record_id not in (select record_id from ({_known(entity)}) where not is_deleted)
        """,
        {"athlete_id": athlete_id},
    ).fetchall()
    return rows[0][0]


def _naive_utc(value: datetime | None) -> datetime | None:
    """DuckDB's TIMESTAMP carries no zone; ours are UTC."""
    return None if value is None else value.astimezone(UTC).replace(tzinfo=None)


def _known(entity: Entity) -> str:
    """The query of an athlete's records as they are known now: the latest row of each."""
    return f"""
        select
            record_id,
            arg_max(payload, loaded_at) as payload,
            arg_max(payload_sha256, loaded_at) as payload_sha256,
            arg_max(is_deleted, loaded_at) as is_deleted,
            arg_max(origin, loaded_at) as origin
        from raw.{entity}
        where athlete_id = $athlete_id
        group by record_id
    """


def _unreadable(entity: Entity) -> str:
    """The query of an athlete's records in quarantine that their source did not delete since."""
    return f"""
        select record_id, origin
        from raw.quarantine
        where athlete_id = $athlete_id and entity = '{entity}' and record_id is not null
        group by record_id, origin
        having
            max(loaded_at) filter (where reason <> '{_DELETED}')
            > coalesce(max(loaded_at) filter (where reason = '{_DELETED}'), '-infinity')
    """


def _storable(reject: Rejected) -> Rejected:
    """The same in UTF-8: half of a surrogate pair is written as its JSON escape."""

    def escaped(text: str) -> str:
        return text.encode(errors="backslashreplace").decode()

    return replace(
        reject,
        reason=escaped(reject.reason),
        payload=escaped(reject.payload),
        record_id=None if reject.record_id is None else escaped(reject.record_id),
    )


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
        with known as ({_known(entity)}),
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
        with known as ({_known(entity)})
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


def _quarantine(
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


def _release_deleted(
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
            $athlete_id, '{entity}', record_id, '{_DELETED}', '', sha256(''),
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
