"""Ingest wellness days of Intervals.icu for athletes with a key. A failure keeps the old rows."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from coach_agent.profile.model import AthleteProfile
from health_connector.days import HealthDay
from health_connector.errors import HealthError
from health_connector.intervals import IntervalsClient
from health_connector.landing import LandedDays
from health_connector.sync import Window, land_window, newest_known_day, next_window, read_days
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.lock import WriteLock
from orchestration.storage.warehouse import Connect


@dataclass(frozen=True)
class HealthLoad:
    """Result of an ingestion: each athlete with a key is in `landed` or in `failures`."""

    landed: dict[str, LandedDays] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def ingest_wellness(
    settings: Settings,
    athletes: Sequence[AthleteProfile],
    connect: Connect,
    run_id: str,
    now: datetime,
    *,
    turn: WriteLock = nullcontext,
) -> HealthLoad:
    """Read the last days of each athlete with a key, and land them; the others are skipped.

    `turn` serializes commits among processes. A service that cannot be read is a failure of its
    athlete, since no plan depends on these data.
    """
    loaded = HealthLoad()
    keys = {}
    for one in athletes:
        try:
            if (key := settings.intervals_key(one.id)) is not None:
                keys[one.id] = key
        except SettingsError as error:
            loaded.failures[one.id] = str(error)
    if not keys:
        return loaded
    today = now.astimezone(UTC).date()
    with connect() as con:
        windows = {each: next_window(newest_known_day(con, each), today) for each in keys}
    with ThreadPoolExecutor(settings.accounts_at_once, thread_name_prefix="intervals") as pool:
        answers = {
            each: pool.submit(_read, settings.intervals_url, key, windows[each])
            for each, key in keys.items()
        }
    with connect() as con:
        for athlete_id, answer in answers.items():
            try:
                days = answer.result()
            except HealthError as error:
                loaded.failures[athlete_id] = str(error)
                continue
            land = partial(
                land_window, con, athlete_id, days, windows[athlete_id], now=now, run_id=run_id
            )
            with turn():
                loaded.landed[athlete_id] = run_in_transaction(con, land)
    return loaded


def _read(url: str, key: str, window: Window) -> list[HealthDay]:
    return read_days(IntervalsClient(key, base_url=url), window)
