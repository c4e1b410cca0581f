"""How far the reading of each entity got, committed together with what was read."""

from datetime import UTC, datetime

import duckdb

from hevy_connector.raw_tables import Entity, known_records, naive_utc


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
        merge into raw.sync_state using (
            select
                $athlete_id as athlete_id, '{entity}' as entity, $cursor_at as cursor_at,
                $completed_at as last_complete_at, count(*) as record_count
            from ({known_records(entity)}) as known
            where not is_deleted and origin <> 'csv'
        ) as new using (athlete_id, entity)
        when matched then update set
            cursor_at = new.cursor_at, last_complete_at = new.last_complete_at,
            record_count = new.record_count
        when not matched then insert by name
        """,
        {
            "athlete_id": athlete_id,
            "cursor_at": cursor_at and naive_utc(cursor_at),
            "completed_at": naive_utc(completed_at),
        },
    )
    con.execute(
        "insert into raw.sync_log values ($1, $2, $3)",
        [athlete_id, entity, naive_utc(completed_at)],
    )


def read_cursor(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> datetime | None:
    """The aware time up to which changes are known.

    None before the first complete read, and while the account is empty: it is read whole then.
    """
    row = con.execute(
        "select cursor_at from raw.sync_state where athlete_id = $1 and entity = $2",
        [athlete_id, entity],
    ).fetchone()
    return row[0].replace(tzinfo=UTC) if row and row[0] is not None else None


def was_read(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> bool:
    """Whether all of an athlete's account was ever read."""
    row = con.execute(
        "select 1 from raw.sync_state where athlete_id = $1 and entity = $2",
        [athlete_id, entity],
    ).fetchone()
    return row is not None


def read_record_count(con: duckdb.DuckDBPyConnection, entity: Entity, athlete_id: str) -> int:
    """How many records of the account existed after the last complete read."""
    row = con.execute(
        "select record_count from raw.sync_state where athlete_id = $1 and entity = $2",
        [athlete_id, entity],
    ).fetchone()
    return int(row[0]) if row else 0
