"""Quarantine: unreadable records with the reason and their whole text, so nothing is dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import duckdb

from hevy_connector.raw.tables import (
    OF_ATHLETES,
    OF_LANDING,
    Landing,
    athlete_parameters,
    latest_rows,
)
from hevy_connector.records import Entity, Rejected

if TYPE_CHECKING:
    import pyarrow as pa

DELETED_REASON = "deleted at the source"

_REJECTED_COLUMNS = [
    ("athlete_id", "string"),
    ("reason", "string"),
    ("payload", "string"),
    ("record_id", "string"),
    ("source_line", "int32"),
]


def count_quarantined(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> int:
    """Count the records of the account that exist only in quarantine."""
    return count_all_quarantined(con, entity, [athlete_id]).get(athlete_id, 0)


def count_all_quarantined(
    con: duckdb.DuckDBPyConnection, entity: Entity, athlete_ids: Sequence[str]
) -> dict[str, int]:
    """Count the records that exist only in quarantine, by athlete; omit athletes without any."""
    rows: list[tuple[str, int]] = con.execute(
        f"""
        with unreadable as (
            {_unreadable_query(entity, OF_ATHLETES)}
        )
        select athlete_id, count(*)
        from unreadable
        anti join (
            {latest_rows(entity, OF_ATHLETES)}
        ) as known
            on
                unreadable.athlete_id = known.athlete_id
                and unreadable.record_id = known.record_id
                and not known.is_deleted
        where origin <> 'csv'
        group by athlete_id
        """,
        athlete_parameters(athlete_ids),
    ).fetchall()
    return dict(rows)


def make_storable(reject: Rejected) -> Rejected:
    """Return the record in valid UTF-8: half of a surrogate pair becomes its JSON escape."""

    def escaped(text: str) -> str:
        return text.encode(errors="backslashreplace").decode()

    return replace(
        reject,
        reason=escaped(reject.reason),
        payload=escaped(reject.payload),
        record_id=None if reject.record_id is None else escaped(reject.record_id),
    )


def quarantine(
    con: duckdb.DuckDBPyConnection, landing: Landing, rejected: Mapping[str, Sequence[Rejected]]
) -> dict[str, int]:
    """Append unreadable records, once per content and place until their deletion.

    Returns the number of added rows, by athlete.
    """
    con.register("quarantine_batch", _deduplicated_table(rejected))
    try:
        con.execute(
            f"""
            with batch as (select *, sha256(payload) as payload_sha256 from quarantine_batch),
            unreadable as (
                {_unreadable_query(landing.entity, OF_LANDING)}
            ),
            known as (
                select kept.athlete_id, kept.payload_sha256, kept.source_line
                from raw.quarantine as kept
                left join unreadable using (athlete_id, record_id)
                where
                    {OF_LANDING}
                    and kept.entity = '{landing.entity}'
                    and (kept.record_id is null or unreadable.record_id is not null)
            )
            insert into raw.quarantine
            select
                athlete_id, '{landing.entity}', record_id, reason, payload, payload_sha256,
                source_line, $loaded_at, $run_id, $origin
            from batch
            where not exists (
                from known
                where
                    known.athlete_id = batch.athlete_id
                    and known.payload_sha256 = batch.payload_sha256
                    and known.source_line is not distinct from batch.source_line
            )
            """,
            landing.bounds | landing.stamps,
        )
        return _count_added(con, landing, f"reason <> '{DELETED_REASON}'")
    finally:
        con.unregister("quarantine_batch")


def _deduplicated_table(rejected: Mapping[str, Sequence[Rejected]]) -> "pa.Table":
    """Build a table of all records, deduplicated by content and place."""
    import pyarrow as pa

    unique: dict[tuple[str, str, int | None], dict[str, Any]] = {}
    for athlete, rejects in rejected.items():
        for reject in rejects:
            row = {"athlete_id": athlete, **asdict(reject)}
            unique.setdefault((athlete, reject.payload, reject.source_line), row)
    return pa.Table.from_pylist(list(unique.values()), schema=pa.schema(_REJECTED_COLUMNS))


def release_deleted(con: duckdb.DuckDBPyConnection, landing: Landing) -> dict[str, int]:
    """Mark quarantined records that the source deleted or, in a complete read, no longer has.

    Returns the number of marked records, by athlete.
    """
    con.execute(
        f"""
        with unreadable as (
            {_unreadable_query(landing.entity, OF_LANDING)}
        )
        insert into raw.quarantine
        select
            unreadable.athlete_id, '{landing.entity}', unreadable.record_id, '{DELETED_REASON}', '',
            sha256(''), null, $loaded_at, $run_id, $origin
        from unreadable
        inner join landing_athletes using (athlete_id)
        left join landing_batch
            on
                unreadable.athlete_id = landing_batch.athlete_id
                and unreadable.record_id = landing_batch.record_id
        where
            unreadable.origin = $origin
            and (
                landing_batch.is_deleted
                or (landing_athletes.is_complete and landing_batch.record_id is null)
            )
        """,
        landing.bounds | landing.stamps,
    )
    return _count_added(con, landing, f"reason = '{DELETED_REASON}'")


def _count_added(
    con: duckdb.DuckDBPyConnection, landing: Landing, condition: str
) -> dict[str, int]:
    """Count the rows that a landing added to quarantine, by athlete, from its `loaded_at`."""
    rows: list[tuple[str, int]] = con.execute(
        f"""
        select athlete_id, count(*)
        from raw.quarantine
        where
            {OF_LANDING}
            and entity = '{landing.entity}'
            and loaded_at = $loaded_at
            and {condition}
        group by athlete_id
        """,
        landing.bounds | {"loaded_at": landing.loaded_at},
    ).fetchall()
    return dict(rows)


def _unreadable_query(entity: Entity, condition: str) -> str:
    """Build the query of quarantined records that their source has not deleted.

    `condition` selects the athletes.
    """
    return f"""
        select athlete_id, record_id, origin
        from raw.quarantine
        where {condition} and entity = '{entity}' and record_id is not null
        group by athlete_id, record_id, origin
        having
            max(loaded_at) filter (where reason <> '{DELETED_REASON}')
            > coalesce(max(loaded_at) filter (where reason = '{DELETED_REASON}'), '-infinity')
    """
