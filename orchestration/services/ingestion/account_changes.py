"""Metadata of a raw table: the records that a run found new, edited or deleted in the accounts."""

from typing import Any

import dagster as dg
import duckdb

from hevy_connector.records import Entity

_SHOWN = 20


def changes_metadata(con: duckdb.DuckDBPyConnection, entity: Entity, run_id: str) -> dict[str, Any]:
    """Return the latest 20 records that a run changed, as table metadata; empty without changes.

    A record is new if it had no version before the run.
    """
    # Limited before the joins: a first run loads thousands of records.
    rows: list[tuple[str, str, str, str, str]] = con.execute(
        f"""
        with touched as (
            select athlete_id, record_id, arg_max(is_deleted, loaded_at) as is_deleted
            from raw.{entity}
            where run_id = $1
            group by athlete_id, record_id
        ),

        latest as (
            select athlete_id, record_id, is_deleted, payload, loaded_at
            from raw.{entity}
            where run_id = $1
            qualify row_number() over (
                partition by athlete_id, record_id order by loaded_at desc
            ) = 1
            order by vendor_updated_at desc nulls last, athlete_id, record_id
            limit {_SHOWN}
        )

        select
            latest.athlete_id,
            case
                when latest.is_deleted then 'deleted'
                when exists (
                    select 1 from raw.{entity} as earlier
                    where
                        earlier.athlete_id = latest.athlete_id
                        and earlier.record_id = latest.record_id
                        and earlier.loaded_at < latest.loaded_at
                        and earlier.run_id <> $1
                ) then 'edited'
                else 'new'
            end as change,
            coalesce(
                latest.payload ->> '$.title', latest.payload ->> '$.name', latest.record_id
            ) as title,
            coalesce(
                latest.payload ->> '$.start_time',
                latest.payload ->> '$.date',
                latest.payload ->> '$.updated_at',
                ''
            ) as moment,
            (select count(*) from touched) as total
        from latest
        """,  # noqa: S608 - our own table names
        [run_id],
    ).fetchall()
    if not rows:
        return {}
    table = dg.MetadataValue.table(
        [
            dg.TableRecord({"athlete": athlete, "change": change, "what": title, "of": moment})
            for athlete, change, title, moment, _ in rows
        ]
    )
    return {"changed_records": int(rows[0][4]), "latest_changes": table}
