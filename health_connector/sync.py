"""Synchronize days and sessions of an account at a service with the raw tables."""

import asyncio
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import duckdb

from health_connector.days import METRICS, HealthDay
from health_connector.landing import HealthEntity, LandedRecords, land_days, land_sessions
from health_connector.service import ServiceClient
from health_connector.sessions import Session
from hevy_connector.raw.tables import known_records

READ_AGAIN = timedelta(days=14)
"""Days before the newest known one that are read again: devices and people correct late."""

FIRST_READ = timedelta(days=400)
"""Days of the first read: a year of trends, and the baseline before it."""


@dataclass(frozen=True)
class Window:
    """Days that are read, both included."""

    oldest: date
    newest: date


@dataclass(frozen=True)
class Reading:
    """A complete read of a window; `left_out` counts sessions that the service does not give.

    `sessions` is None if they cannot be read: then the known ones stay.
    """

    days: list[HealthDay]
    sessions: list[Session] | None
    left_out: int = 0


def next_window(newest_known: date | None, today: date) -> Window:
    """Return the days to read next; `today` is the date in UTC.

    A gap since the newest known day is included. The newest day is tomorrow in UTC, which has begun
    for athletes in the east.
    """
    newest = today + timedelta(days=1)
    if newest_known is None:
        return Window(today - FIRST_READ, newest)
    return Window(min(newest_known, today) - READ_AGAIN, newest)


def newest_known_day(con: duckdb.DuckDBPyConnection, athlete_id: str, source: str) -> date | None:
    """Return the newest day of a source in the raw tables; None without any."""
    return max(_known(con, "health_days", athlete_id, source).values(), default=None)


def read_window(client: ServiceClient, window: Window) -> Reading:
    """Return all that a service has in a window; blocks, in a thread without an event loop.

    Raises:
        HealthError: the read failed; nothing may be concluded about the days.
    """

    async def read() -> Reading:
        async with client:
            days = await client.days(window.oldest, window.newest)
            return Reading(days, *await client.sessions(window.oldest, window.newest))

    return asyncio.run(read())


def land_window(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    source: str,
    reading: Reading,
    window: Window,
    *,
    now: datetime,
    run_id: str,
) -> LandedRecords:
    """Land a complete read of a window; the caller owns the transaction.

    A known day or session of the source and the window that was not read is deleted.
    """
    read_days = {day.day for day in reading.days}
    gone = [
        HealthDay(source=source, day=day, values={})
        for day in _known(con, "health_days", athlete_id, source).values()
        if window.oldest <= day <= window.newest and day not in read_days
    ]
    days = land_days(
        con,
        athlete_id,
        [*reading.days, *gone],
        covered=METRICS,
        now=now,
        run_id=run_id,
        origin="api",
    )
    if reading.sessions is None:
        return days
    read_sessions = {one.record_id for one in reading.sessions}
    sessions = land_sessions(
        con,
        athlete_id,
        reading.sessions,
        gone=[
            record_id
            for record_id, day in _known(con, "health_sessions", athlete_id, source).items()
            if window.oldest <= day <= window.newest and record_id not in read_sessions
        ],
        now=now,
        run_id=run_id,
        origin="api",
    )
    return days + sessions


def _known(
    con: duckdb.DuckDBPyConnection, entity: HealthEntity, athlete_id: str, source: str
) -> dict[str, date]:
    """Return the day of each known record of a source."""
    day = {"health_days": "day", "health_sessions": "local_date"}[entity]
    rows: list[tuple[str, str]] = con.execute(
        f"select record_id, payload ->> '{day}' from ({known_records(entity)}) "  # noqa: S608 - constants
        "where not is_deleted and starts_with(record_id, $source)",
        {"athlete_id": athlete_id, "source": f"{source}/"},
    ).fetchall()
    return {record_id: date.fromisoformat(found) for record_id, found in rows if found}
