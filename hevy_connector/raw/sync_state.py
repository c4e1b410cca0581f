"""How far the reading of each entity got, committed together with what was read."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import duckdb

from hevy_connector.raw.tables import (
    OF_ATHLETES,
    Entity,
    latest_rows,
    naive_utc,
    of_athletes,
)

LastLandings = tuple[datetime | None, datetime | None]
"""When an athlete's account was last landed as it was read, and when what was published; UTC
without a zone. It is to be compared with an earlier one, not with a clock: those of machines
differ."""

_CURSOR_COLUMNS = [("athlete_id", "string"), ("cursor_at", "timestamp[us]")]


def save_sync_state(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    athlete_id: str,
    *,
    cursor_at: datetime | None,
    completed_at: datetime,
) -> None:
    """Record a complete read; belongs in the transaction of the landing that it describes."""
    save_sync_states(con, entity, {athlete_id: cursor_at}, completed_at=completed_at)


def save_sync_states(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    cursors: Mapping[str, datetime | None],
    *,
    completed_at: datetime,
) -> None:
    """Record complete reads by athlete; belongs in the transaction of their landing."""
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
            {"completed_at": naive_utc(completed_at), **of_athletes(list(cursors))},
        )
        con.execute(
            f"insert into raw.sync_log select athlete_id, '{entity}', $1 from read_cursors",
            [naive_utc(completed_at)],
        )
    finally:
        con.unregister("read_cursors")


def read_cursor(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> datetime | None:
    """The aware time up to which changes are known.

    None before the first complete read, and while the account is empty: it is read whole then.
    """
    return read_cursors(con, entity).get(athlete_id)


def read_cursors(con: duckdb.DuckDBPyConnection, entity: Entity) -> dict[str, datetime]:
    """By athlete the aware time up to which changes are known, of those who have one."""
    rows: list[tuple[str, datetime]] = con.execute(
        "select athlete_id, cursor_at from raw.sync_state "
        "where entity = $1 and cursor_at is not null",
        [entity],
    ).fetchall()
    return {athlete: cursor_at.replace(tzinfo=UTC) for athlete, cursor_at in rows}


def was_read(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> bool:
    """Whether all of an athlete's account was ever read."""
    row = con.execute(
        "select 1 from raw.sync_state where athlete_id = $1 and entity = $2",
        [athlete_id, entity],
    ).fetchone()
    return row is not None


def read_record_count(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> int:
    """How many records of the account existed after the last complete read."""
    return read_record_counts(con, entity, [athlete_id]).get(athlete_id, 0)


def read_record_counts(
    con: duckdb.DuckDBPyConnection, entity: Entity, athlete_ids: Sequence[str]
) -> dict[str, int]:
    """By athlete how many records of the account existed after the last complete read."""
    rows: list[tuple[str, int]] = con.execute(
        f"select athlete_id, record_count from raw.sync_state "
        f"where entity = $entity and {OF_ATHLETES}",
        {"entity": entity, **of_athletes(athlete_ids)},
    ).fetchall()
    return dict(rows)


def read_last_landings(
    con: duckdb.DuckDBPyConnection, entity: Entity, athlete_ids: Sequence[str]
) -> dict[str, LastLandings]:
    """By athlete when something of the account was last landed, of those of whom anything was.

    Files are not of the account. Whatever changes what is known of it changes one of the times.
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
        {"entity": entity, **of_athletes(athlete_ids)},
    ).fetchall()
    return {athlete: (read_at, published_at) for athlete, read_at, published_at in rows}
