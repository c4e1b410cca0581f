"""Ingest recovery and body data of athletes with an account at Intervals.icu or Oura.

A failure keeps the old rows.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from coach_agent.profile.model import AthleteProfile
from health_connector.errors import HealthError
from health_connector.intervals import INTERVALS, IntervalsClient
from health_connector.landing import LandedRecords
from health_connector.oura import OURA
from health_connector.sync import (
    Reading,
    Window,
    land_window,
    newest_known_day,
    next_window,
    read_window,
)
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.lock import WriteLock
from orchestration.services.ingestion.oura_login import read_oura
from orchestration.storage.warehouse import Connect

Account = tuple[str, str]
"""An athlete and a source."""

Read = Callable[[Window], Reading]


@dataclass(frozen=True)
class HealthLoad:
    """Result of an ingestion: each account is in `landed` or in `failures`.

    `left_out` counts sessions that a service does not give.
    """

    landed: dict[Account, LandedRecords] = field(default_factory=dict)
    failures: dict[Account, str] = field(default_factory=dict)
    left_out: dict[Account, int] = field(default_factory=dict)


def ingest_health(
    settings: Settings,
    athletes: Sequence[AthleteProfile],
    connect: Connect,
    run_id: str,
    now: datetime,
    *,
    turn: WriteLock = nullcontext,
) -> HealthLoad:
    """Read the last days of each account, and land them; athletes without one are skipped.

    `turn` serializes commits among processes. A service that cannot be read is a failure of its
    account: plans do without these data.
    """
    loaded = HealthLoad()
    accounts: dict[Account, Read] = {}
    for one in athletes:
        for source, reader in _READERS.items():
            try:
                if (read := reader(settings, one.id)) is not None:
                    accounts[one.id, source] = read
            except SettingsError as error:
                loaded.failures[one.id, source] = str(error)
    if not accounts:
        return loaded
    today = now.astimezone(UTC).date()
    with connect() as con:
        windows = {each: next_window(newest_known_day(con, *each), today) for each in accounts}
    with ThreadPoolExecutor(settings.accounts_at_once, thread_name_prefix="health") as pool:
        answers = {each: pool.submit(read, windows[each]) for each, read in accounts.items()}
    with connect() as con:
        for account, answer in answers.items():
            try:
                reading = answer.result()
            except (HealthError, SettingsError) as error:
                loaded.failures[account] = str(error)
                continue
            loaded.left_out[account] = reading.left_out
            land = partial(
                land_window, con, *account, reading, windows[account], now=now, run_id=run_id
            )
            with turn():
                loaded.landed[account] = run_in_transaction(con, land)
    return loaded


def health_readers(settings: Settings, athlete_id: str) -> dict[str, Read]:
    """Return the function that reads each of the athlete's accounts, by source.

    Raises:
        SettingsError: a variable of an account may be another athlete's.
    """
    found = {source: reader(settings, athlete_id) for source, reader in _READERS.items()}
    return {source: read for source, read in found.items() if read is not None}


def _intervals_reader(settings: Settings, athlete_id: str) -> Read | None:
    key = settings.intervals_key(athlete_id)
    url = settings.intervals_url
    return (
        None if key is None else lambda each: read_window(IntervalsClient(key, base_url=url), each)
    )


def _oura_reader(settings: Settings, athlete_id: str) -> Read | None:
    return partial(read_oura, settings, athlete_id) if settings.has_oura_login(athlete_id) else None


_READERS: Mapping[str, Callable[[Settings, str], Read | None]] = {
    INTERVALS: _intervals_reader,
    OURA: _oura_reader,
}
