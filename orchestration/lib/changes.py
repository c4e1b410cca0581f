"""What changed in the athletes' accounts since the last night, asked for at little cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256

import duckdb

from hevy_connector.errors import HevyError
from hevy_connector.landing import Record
from hevy_connector.sync import unlanded_workouts
from hevy_connector.sync_state import read_cursor, was_read
from orchestration.lib.athletes import configured_athletes, hevy_client
from orchestration.lib.settings import Settings, SettingsError
from orchestration.lib.warehouse import open_warehouse

_BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Changes:
    """By athlete a key of what is new; why the others could not be asked."""

    keys: dict[str, str]
    problems: dict[str, str]


def new_changes(settings: Settings, wait_s: float = 10.0) -> Changes:
    """Ask each account for changes of workouts that the warehouse does not have.

    The key is made of these changes: however often they are seen it is the same. An athlete who was
    never read is left to the night. One athlete's trouble does not keep the others from being
    asked.

    Raises:
        ProfileError, SettingsError: nobody can be asked.
        WarehouseMissingError: nothing was read yet.
        WarehouseBusyError: another process held the warehouse for `wait_s` seconds.
    """
    athletes = configured_athletes(settings)
    connect = partial(open_warehouse, settings.warehouse_path, read_only=True, wait_s=wait_s)
    with connect() as con:
        cursors = {each.id: _known_up_to(con, each.id) for each in athletes}
    keys: dict[str, str] = {}
    problems: dict[str, str] = {}
    for athlete in athletes:
        since = cursors[athlete.id]
        if athlete.hevy.account == "none" or since is None:
            continue
        try:
            with hevy_client(settings, athlete) as client:
                found = unlanded_workouts(client, connect, athlete.id, since)
        except (HevyError, SettingsError) as error:
            problems[athlete.id] = str(error)
            continue
        if found:
            keys[athlete.id] = f"change/{athlete.id}/{_digest(found)}"
    return Changes(keys, problems)


def _known_up_to(con: duckdb.DuckDBPyConnection, athlete_id: str) -> datetime | None:
    """None for who was never read. Of an empty account nothing is known, so all is a change."""
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
