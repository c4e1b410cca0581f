"""Measure landing of payloads, with and without validation, and DuckDB's own reader."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import duckdb

from hevy_connector.canonical_json import canonical_json, read_json
from hevy_connector.fetching.fetch import validate_workouts
from hevy_connector.raw.landing import land
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.records import Record
from orchestration.storage.connection import quoted_path
from orchestration.storage.warehouse import STORAGE_VERSION
from tests.bench.payloads import NOW


def read_json_seconds(source: Path, warehouse: Path) -> float:
    """Measure DuckDB's own reader into the same table, with hash and time of change in SQL."""

    def load(con: duckdb.DuckDBPyConnection) -> None:
        con.execute(
            """
            insert into raw.hevy_workouts
            select
                'a',
                json ->> '$.id',
                json,
                sha256(cast(json as varchar)),
                cast(cast(json ->> '$.updated_at' as timestamptz) as timestamp),
                now()::timestamp,
                'bench',
                'api',
                false
            from read_json_objects($1, format = 'newline_delimited')
            """,
            [str(source)],
        )

    return _seconds(warehouse, load)


def landing_seconds(source: Path, warehouse: Path) -> float:
    """Measure from parsed canonical records to committed rows."""
    payloads = [read_json(line) for line in source.read_bytes().splitlines()]
    records = [Record(payload["id"], canonical_json(payload)) for payload in payloads]
    return _seconds(warehouse, lambda con: _land(con, records))


def sync_seconds(source: Path, warehouse: Path) -> float:
    """Measure from response texts to committed rows: parse, validate, serialize."""

    def load(con: duckdb.DuckDBPyConnection) -> None:
        with source.open("rb") as lines:
            _land(con, validate_workouts(map(read_json, lines)).records)

    return _seconds(warehouse, load)


def _land(con: duckdb.DuckDBPyConnection, records: Iterable[Record]) -> None:
    land(con, "hevy_workouts", "a", records, now=NOW, run_id="bench", origin="api")


def _seconds(warehouse: Path, load: Callable[[duckdb.DuckDBPyConnection], None]) -> float:
    """Measure a load into an empty warehouse of our format, until it is on the disk."""
    warehouse.unlink(missing_ok=True)
    with duckdb.connect() as con:
        con.execute(
            f"attach '{quoted_path(warehouse)}' as warehouse (storage_version '{STORAGE_VERSION}')"
        )
        con.execute("use warehouse")
        create_raw_tables(con)
        started = time.perf_counter()
        con.begin()
        load(con)
        con.commit()
        con.execute("checkpoint warehouse")
        return time.perf_counter() - started
