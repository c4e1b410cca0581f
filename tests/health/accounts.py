"""Landing of what was read of an account, which a kill may end, and the days that are stored."""

import json
from datetime import datetime
from typing import Any

import duckdb

from health_connector.landing import HealthEntity
from health_connector.sync import Reading, Window, land_window
from hevy_connector.raw.tables import known_records
from hevy_connector.raw.transactions import run_in_transaction


class Killed(Exception):
    """The process ends."""


def land_reading(
    con: duckdb.DuckDBPyConnection,
    source: str,
    reading: Reading,
    window: Window,
    *,
    now: datetime,
    is_killed: bool,
) -> None:
    """Land a reading of the athlete "me"; a kill is after the landing and before the commit."""

    def work() -> None:
        land_window(con, "me", source, reading, window, now=now, run_id="run")
        if is_killed:
            raise Killed

    run_in_transaction(con, work)


def stored_days(con: duckdb.DuckDBPyConnection) -> dict[str, dict[str, Any]]:
    """Return the days of the athlete "me" by record id."""
    return _stored(con, "health_days")


def stored_sessions(con: duckdb.DuckDBPyConnection) -> dict[str, dict[str, Any]]:
    """Return the sessions of the athlete "me" by record id."""
    return _stored(con, "health_sessions")


def _stored(con: duckdb.DuckDBPyConnection, entity: HealthEntity) -> dict[str, dict[str, Any]]:
    rows = con.execute(
        f"select record_id, payload from ({known_records(entity)}) where not is_deleted",
        {"athlete_id": "me"},
    ).fetchall()
    return {record_id: json.loads(payload) for record_id, payload in rows}
