"""Poll the athletes' accounts for changes since the last run, at low cost."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256

import duckdb

from coach_agent.profile.model import AthleteProfile
from hevy_connector.client.connections import HevyConnections
from hevy_connector.errors import HevyError
from hevy_connector.fetching.fetch import fetch_changes
from hevy_connector.http.limits import RetryPolicy
from hevy_connector.raw.sync import unlanded
from hevy_connector.raw.sync_state import read_cursor, was_read
from hevy_connector.records import Record
from orchestration.config.athletes import configured_athletes, hevy_client
from orchestration.config.settings import Settings, SettingsError
from orchestration.storage.warehouse import open_warehouse

_BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)


# Short: the next poll retries an account, and the others must not wait for it.
_RETRY = RetryPolicy(attempts=2, deadline_s=10.0)
_AT_ONCE = 8


@dataclass(frozen=True)
class PollResult:
    """Run keys of changed athletes, failures by athlete, and athletes that timed out.

    `unasked` come first at the next poll, in this order.
    """

    keys: dict[str, str]
    problems: dict[str, str]
    unasked: tuple[str, ...] = ()


def poll_events(
    settings: Settings, first: Sequence[str] = (), *, wait_s: float = 10.0, for_s: float = 30.0
) -> PollResult:
    """Poll each account for workout changes that the warehouse does not have, `first` ones first.

    The key is a hash of the changes, so repeated polls return the same key. An athlete without data
    is left to the nightly run. Accounts are polled concurrently and failures isolated; after
    `for_s` seconds the results so far are returned.

    Raises:
        ProfileError, SettingsError: no account can be polled.
        WarehouseMissingError: nothing was ingested yet.
        WarehouseBusyError: another process held the warehouse for `wait_s` seconds.
    """
    athletes = [each for each in configured_athletes(settings) if each.hevy.account != "none"]
    connect = partial(open_warehouse, settings.warehouse, read_only=True, wait_s=wait_s)
    with connect() as con:
        cursors = {each.id: _known_up_to(con, each.id) for each in athletes}
    place = {athlete: number for number, athlete in enumerate(first)}
    athletes.sort(key=lambda each: place.get(each.id, len(place)))

    def ask(athlete: AthleteProfile, since: datetime) -> str | None:
        with hevy_client(settings, athlete, _RETRY, connections=connections) as client:
            changed = fetch_changes(client, since)
        if not changed:
            return None
        with connect() as con:
            news = unlanded(con, "hevy_workouts", athlete.id, changed)
        return f"change/{athlete.id}/{_digest(news)}" if news else None

    pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="hevy-changes")
    with HevyConnections() as connections:
        asked = {
            each.id: pool.submit(ask, each, since)
            for each in athletes
            if (since := cursors[each.id]) is not None
        }
        wait(asked.values(), timeout=for_s)
        begun = [one for one, answer in asked.items() if not answer.cancel() and not answer.done()]
        pool.shutdown(wait=False)
    keys: dict[str, str] = {}
    problems: dict[str, str] = {}
    for athlete_id, answer in asked.items():
        if answer.cancelled() or athlete_id in begun:
            continue
        try:
            if key := answer.result():
                keys[athlete_id] = key
        except (HevyError, SettingsError) as error:
            problems[athlete_id] = str(error)
    waiting = [one for one, answer in asked.items() if answer.cancelled()]
    return PollResult(keys, problems, (*waiting, *begun))


def _known_up_to(con: duckdb.DuckDBPyConnection, athlete_id: str) -> datetime | None:
    """Return the cursor; None if never read. An empty account has the earliest cursor."""
    cursor_at = read_cursor(con, "hevy_workouts", athlete_id)
    if cursor_at is None and was_read(con, "hevy_workouts", athlete_id):
        return _BEFORE_ALL
    return cursor_at


def _digest(changes: Sequence[Record]) -> str:
    states = sorted(
        f"{each.record_id} {'deleted' if each.is_deleted else each.payload_sha256}"
        for each in changes
    )
    return sha256("\n".join(states).encode()).hexdigest()[:16]
