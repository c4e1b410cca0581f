"""Read the accounts and compare them with the raw tables, without landing any record."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime

import duckdb

from coach_agent.journal.publication_inputs import last_reads
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.publication_safety import staleness
from health_connector.errors import HealthError
from health_connector.sync import Reading, Window, land_window, newest_known_day, next_window
from hevy_connector.client.client import HevyClient
from hevy_connector.client.connections import HevyConnections
from hevy_connector.errors import HevyError
from hevy_connector.fetching.fetch import (
    fetch_body_measurements,
    fetch_exercise_templates,
    fetch_routine_folders,
    fetch_routines,
    fetch_user,
    fetch_workouts,
)
from hevy_connector.http.limits import RetryPolicy
from hevy_connector.raw.landing import land_all
from hevy_connector.raw.sync import count_missing
from hevy_connector.raw.sync_state import read_cursors, save_read_times
from hevy_connector.raw.transactions import run_in_transaction
from hevy_connector.records import FetchResult
from orchestration.config.athletes import hevy_client
from orchestration.config.settings import Settings, SettingsError
from orchestration.services.ingestion.ingest_health import Read, health_readers
from orchestration.storage.warehouse import open_warehouse

# Short: the run reads an account that does not answer with all its retries.
_RETRY = RetryPolicy(attempts=1, deadline_s=10.0)

_FULL_READS: Sequence[Callable[[HevyClient], FetchResult]] = (
    fetch_user,
    fetch_routines,
    fetch_exercise_templates,
    fetch_routine_folders,
    fetch_body_measurements,
)


@dataclass(frozen=True)
class _Account:
    """The accounts of an athlete to read; `cursor_at` is None for an empty Hevy account.

    `health` has the function and the days to read by source.
    """

    athlete: AthleteProfile
    cursor_at: datetime | None
    health: Mapping[str, tuple[Read, Window]]


@dataclass(frozen=True)
class _Reading:
    fetched: tuple[FetchResult, ...]
    health: Mapping[str, Reading]


def have_news(settings: Settings, athletes: Sequence[AthleteProfile], now: datetime) -> bool:
    """Return whether a run would land anything of these athletes' accounts.

    An account that cannot be read counts as news: the run reads it again and reports the reason. So
    do stale data, from which nothing may have been published. Without news the time of the last
    complete read is saved, since plans are approved only with recent data.

    Raises:
        WarehouseBusyError, WarehouseMissingError: the raw tables cannot be read.
    """
    today = now.astimezone(UTC).date()
    with open_warehouse(settings.warehouse, read_only=True) as con:
        connected = [each for each in athletes if each.hevy.account != "none"]
        read_at = last_reads(con, [each.id for each in connected])
        if any(staleness(each, read_at.get(each.id), now) for each in connected):
            return True
        cursors = read_cursors(con, "hevy_workouts")
        try:
            accounts = [_account(con, settings, each, cursors, today) for each in athletes]
        except SettingsError:
            return True
    with (
        HevyConnections() as connections,
        ThreadPoolExecutor(settings.accounts_at_once, thread_name_prefix="accounts") as pool,
    ):
        answers = [pool.submit(_read, settings, each, connections) for each in accounts]
        try:
            readings = [answer.result() for answer in answers]
        except (HevyError, HealthError, SettingsError):
            pool.shutdown(cancel_futures=True)
            return True
    with open_warehouse(settings.warehouse) as con:
        if any(
            _is_news(con, account, reading, now)
            for account, reading in zip(accounts, readings, strict=True)
        ):
            return True
        entities = {fetched.entity for reading in readings for fetched in reading.fetched}
        ids = [each.id for each in athletes if each.hevy.account != "none"]
        run_in_transaction(con, lambda: save_read_times(con, entities, ids, completed_at=now))
        return False


def _account(
    con: duckdb.DuckDBPyConnection,
    settings: Settings,
    athlete: AthleteProfile,
    cursors: Mapping[str, datetime],
    today: date,
) -> _Account:
    health = {
        source: (read, next_window(newest_known_day(con, athlete.id, source), today))
        for source, read in health_readers(settings, athlete.id).items()
    }
    return _Account(athlete, cursors.get(athlete.id), health)


def _read(settings: Settings, account: _Account, connections: HevyConnections) -> _Reading:
    fetched: tuple[FetchResult, ...] = ()
    if account.athlete.hevy.account != "none":
        with hevy_client(settings, account.athlete, _RETRY, connections=connections) as client:
            fetched = (
                fetch_workouts(client, account.cursor_at),
                *(fetch(client) for fetch in _FULL_READS),
            )
    return _Reading(
        fetched, {source: read(window) for source, (read, window) in account.health.items()}
    )


def _is_news(
    con: duckdb.DuckDBPyConnection, account: _Account, reading: _Reading, now: datetime
) -> bool:
    """Land a reading in a transaction that is rolled back, and return whether it added a row.

    Rows of the quarantine are counted, since the counts of a landing lack those of deletions.
    """
    athlete_id = account.athlete.id
    if any(_is_miscounted(con, athlete_id, each) for each in reading.fetched):
        return True
    con.begin()
    try:
        quarantined = _count_quarantine(con)
        for each in reading.fetched:
            landed = land_all(
                con, each.entity, {athlete_id: each.batch}, now=now, run_id="", origin="api"
            )[athlete_id]
            if landed.added or landed.deleted:
                return True
        for source, read in reading.health.items():
            window = account.health[source][1]
            kept = land_window(con, athlete_id, source, read, window, now=now, run_id="")
            if kept.added or kept.removed:
                return True
        return _count_quarantine(con) != quarantined
    finally:
        con.rollback()


def _count_quarantine(con: duckdb.DuckDBPyConnection) -> int:
    [(count,)] = con.execute("select count(*) from raw.quarantine").fetchall()
    return int(count)


def _is_miscounted(con: duckdb.DuckDBPyConnection, athlete_id: str, fetched: FetchResult) -> bool:
    """Return whether the account counts other records than the tables."""
    if fetched.counted is None:
        return False
    return count_missing(con, fetched.entity, {athlete_id: fetched.counted})[athlete_id] != 0
