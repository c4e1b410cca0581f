"""Cursors and counts per entity, committed in the transaction of the landed records."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

import duckdb

from hevy_connector.raw.tables import OF_ATHLETES, athlete_parameters, latest_rows, naive_utc
from hevy_connector.records import Entity

LastLandings = tuple[datetime | None, datetime | None]
"""Latest `loaded_at` of an athlete's fetched records and of published ones; UTC without a zone.

Compare it only with an earlier value, not with a clock: the clocks of machines differ.
"""

_CURSOR_COLUMNS = [("athlete_id", "string"), ("cursor_at", "timestamp[us]")]


def save_sync_state(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    athlete_id: str,
    *,
    cursor_at: datetime | None,
    completed_at: datetime,
) -> None:
    """Save the state of a complete read, in the transaction of its landing."""
    save_sync_states(con, entity, {athlete_id: cursor_at}, completed_at=completed_at)


def save_sync_states(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    cursors: Mapping[str, datetime | None],
    *,
    completed_at: datetime,
) -> None:
    """Save the states of complete reads by athlete, in the transaction of their landing."""
    import pyarrow as pa

    if not cursors:
        return
    times = [cursor_at and naive_utc(cursor_at) for cursor_at in cursors.values()]
    con.register("read_cursors", pa.table([list(cursors), times], pa.schema(_CURSOR_COLUMNS)))
    try:
        con.execute(
            f"""
            merge into raw.sync_state using (
                select
                    read_cursors.athlete_id, '{entity}' as entity, read_cursors.cursor_at,
                    $completed_at as last_complete_at, count(known.record_id) as record_count
                from read_cursors
                left join ({latest_rows(entity, OF_ATHLETES)}) as known
                    on
                        read_cursors.athlete_id = known.athlete_id
                        and not known.is_deleted
                        and known.origin <> 'csv'
                group by all
            ) as new using (athlete_id, entity)
            when matched then update set
                cursor_at = new.cursor_at, last_complete_at = new.last_complete_at,
                record_count = new.record_count
            when not matched then insert by name
            """,
            {"completed_at": naive_utc(completed_at), **athlete_parameters(list(cursors))},
        )
        con.execute(
            f"insert into raw.sync_log select athlete_id, '{entity}', $1 from read_cursors",
            [naive_utc(completed_at)],
        )
    finally:
        con.unregister("read_cursors")


def save_read_times(
    con: duckdb.DuckDBPyConnection,
    entities: Collection[Entity],
    athlete_ids: Collection[str],
    *,
    completed_at: datetime,
) -> None:
    """Save the time of complete reads without any change; a later known time is kept.

    `raw.sync_log` gets no row, since marts are built from it and nothing else changed.
    """
    con.execute(
        """
        update raw.sync_state
        set last_complete_at = $completed_at
        where
            entity in (select unnest($entities::varchar[]))
            and athlete_id in (select unnest($athlete_ids::varchar[]))
            and last_complete_at < $completed_at
        """,
        {
            "completed_at": naive_utc(completed_at),
            "entities": list(entities),
            "athlete_ids": list(athlete_ids),
        },
    )


def read_cursor(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> datetime | None:
    """Return the aware time up to which changes are known.

    None before the first complete read, and for an empty account: then the next read is complete.
    """
    return read_cursors(con, entity).get(athlete_id)


def read_cursors(con: duckdb.DuckDBPyConnection, entity: Entity) -> dict[str, datetime]:
    """Return the cursors by athlete: the aware time up to which changes are known."""
    rows: list[tuple[str, datetime]] = con.execute(
        "select athlete_id, cursor_at from raw.sync_state "
        "where entity = $1 and cursor_at is not null",
        [entity],
    ).fetchall()
    return {athlete: cursor_at.replace(tzinfo=UTC) for athlete, cursor_at in rows}


def was_read(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> bool:
    """Return whether an athlete's account was ever read completely."""
    row = con.execute(
        "select 1 from raw.sync_state where athlete_id = $1 and entity = $2",
        [athlete_id, entity],
    ).fetchone()
    return row is not None


def read_record_count(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> int:
    """Return the number of records in the account after the last complete read."""
    return read_record_counts(con, entity, [athlete_id]).get(athlete_id, 0)


def read_record_counts(
    con: duckdb.DuckDBPyConnection, entity: Entity, athlete_ids: Sequence[str]
) -> dict[str, int]:
    """Return the number of records in the account after the last complete read, by athlete."""
    rows: list[tuple[str, int]] = con.execute(
        f"select athlete_id, record_count from raw.sync_state "
        f"where entity = $entity and {OF_ATHLETES}",
        {"entity": entity, **athlete_parameters(athlete_ids)},
    ).fetchall()
    return dict(rows)


def read_last_landings(
    con: duckdb.DuckDBPyConnection, entity: Entity, athlete_ids: Sequence[str]
) -> dict[str, LastLandings]:
    """Return the time of the last landing from the account, by athlete; omitted if there is none.

    Imported files do not count. Every change to the known state of the account changes one of the
    times.
    """
    rows: list[tuple[str, datetime | None, datetime | None]] = con.execute(
        f"""
        select athlete_id, max(read_at), max(published_at)
        from (
            select athlete_id, last_complete_at as read_at, null as published_at
            from raw.sync_state
            where entity = $entity
            union all
            select athlete_id, null, loaded_at
            from raw.{entity}
            where origin = 'publication'
        )
        where {OF_ATHLETES}
        group by athlete_id
        """,
        {"entity": entity, **athlete_parameters(athlete_ids)},
    ).fetchall()
    return {athlete: (read_at, published_at) for athlete, read_at, published_at in rows}
