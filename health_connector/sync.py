"""Synchronize the days of an account at a service with `raw.health_days`."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import duckdb

from health_connector.days import METRICS, HealthDay
from health_connector.landing import ENTITY, LandedDays, land_days
from health_connector.service import ServiceClient
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
    """Return the newest day of a source in the raw table; None without any."""
    return max(_known_days(con, athlete_id, source), default=None)


def read_days(client: ServiceClient, window: Window) -> list[HealthDay]:
    """Return all days of a window; blocks, in a thread without an event loop.

    Raises:
        HealthError: the read failed; nothing may be concluded about the days.
    """

    async def read() -> list[HealthDay]:
        async with client:
            return await client.days(window.oldest, window.newest)

    return asyncio.run(read())


def land_window(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    source: str,
    days: Collection[HealthDay],
    window: Window,
    *,
    now: datetime,
    run_id: str,
) -> LandedDays:
    """Land a complete read of a window; the caller owns the transaction.

    A known day of the source and the window that is not among `days` is deleted.
    """
    read = {day.day for day in days}
    gone = [
        HealthDay(source=source, day=day, values={})
        for day in _known_days(con, athlete_id, source)
        if window.oldest <= day <= window.newest and day not in read
    ]
    return land_days(
        con,
        athlete_id,
        [*days, *gone],
        covered=METRICS,
        now=now,
        run_id=run_id,
        origin="api",
    )


def _known_days(con: duckdb.DuckDBPyConnection, athlete_id: str, source: str) -> list[date]:
    rows = con.execute(
        f"select record_id from ({known_records(ENTITY)}) "  # noqa: S608 - a constant
        "where not is_deleted and starts_with(record_id, $source)",
        {"athlete_id": athlete_id, "source": f"{source}/"},
    ).fetchall()
    return [date.fromisoformat(record_id.removeprefix(f"{source}/")) for (record_id,) in rows]
