"""The raw tables: columns, and the query of their current state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import duckdb

from hevy_connector.records import ENTITIES, Entity

Origin = Literal["api", "publication", "csv", "profile"]

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


def create_raw_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create the `raw` schema and its tables if they are missing."""
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
    con.execute("""
        create table if not exists raw.sync_log (
            athlete_id varchar not null,
            entity varchar not null,
            completed_at timestamp not null
        )
    """)
    con.execute("""
        create table if not exists raw.workout_matches (
            athlete_id varchar not null,
            file_record_id varchar not null,
            hevy_record_id varchar not null,
            loaded_at timestamp not null,
            run_id varchar not null,
            primary key (athlete_id, file_record_id),
            unique (athlete_id, hevy_record_id)
        )
    """)
    con.execute("""
        create table if not exists raw.imported_files (
            athlete_id varchar not null,
            content_sha256 varchar not null,
            is_refused boolean not null,
            imported_at timestamp not null,
            primary key (athlete_id, content_sha256)
        )
    """)


def known_records(entity: Entity) -> str:
    """Build the query of an athlete's current records: the latest row of each."""
    return latest_rows(entity, "athlete_id = $athlete_id")


def latest_rows(entity: Entity, condition: str) -> str:
    """Build the query of the latest row of each record of the athletes that match a condition."""
    return f"""
        select
            athlete_id,
            record_id,
            arg_max(payload, loaded_at) as payload,
            arg_max(payload_sha256, loaded_at) as payload_sha256,
            arg_max(is_deleted, loaded_at) as is_deleted,
            arg_max(origin, loaded_at) as origin
        from raw.{entity}
        where {condition}
        group by athlete_id, record_id
    """


def naive_utc(value: datetime) -> datetime:
    """Convert an aware time to DuckDB's TIMESTAMP without a zone; ours are UTC."""
    return value.astimezone(UTC).replace(tzinfo=None)


@dataclass(frozen=True)
class Landing:
    """Columns that all rows of one landing share; `loaded_at` is UTC without a zone.

    Its athletes are registered with the connection as `landing_athletes`. The first and the last
    athlete id limit the scan of a table.
    """

    entity: Entity
    first_athlete: str
    last_athlete: str
    loaded_at: datetime
    run_id: str
    origin: Origin

    @property
    def bounds(self) -> dict[str, Any]:
        """Query parameters for the rows of its athletes, see `OF_LANDING`."""
        return {"first_athlete": self.first_athlete, "last_athlete": self.last_athlete}

    @property
    def stamps(self) -> dict[str, Any]:
        """Values that all of its rows get."""
        return {"loaded_at": self.loaded_at, "run_id": self.run_id, "origin": self.origin}


OF_ATHLETES = """
    athlete_id between $first_athlete and $last_athlete
    and athlete_id in (select unnest($athlete_ids::varchar[]))
"""
"""Condition for the rows of some athletes, see `athlete_parameters`; bounds shorten the scan."""


def athlete_parameters(athlete_ids: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of `OF_ATHLETES`."""
    return {
        "athlete_ids": list(athlete_ids),
        "first_athlete": min(athlete_ids),
        "last_athlete": max(athlete_ids),
    }


OF_LANDING = """
    athlete_id between $first_athlete and $last_athlete
    and athlete_id in (select athlete_id from landing_athletes)
"""
"""The condition for rows of the athletes of a landing."""
