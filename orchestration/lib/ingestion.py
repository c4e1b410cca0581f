"""Bringing one entity in for all athletes: one's trouble never stops another's night."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from coach_agent.profile import AthleteProfile
from hevy_connector.client import HevyClient
from hevy_connector.errors import HevyError
from hevy_connector.landing import Landed, read_cursor, read_record_count
from hevy_connector.quarantine import count_quarantined
from hevy_connector.sync import Fetched, fetch_workouts, land_fetched
from orchestration.lib.settings import SettingsError
from orchestration.lib.warehouse import Connect

MakeClient = Callable[[AthleteProfile], HevyClient]
Load = Callable[[HevyClient, Connect, str, str], Landed]


@dataclass(frozen=True)
class EntityLoad:
    """What came in of one entity: by athlete what was landed, or why nothing could be."""

    landed: dict[str, Landed]
    failures: dict[str, str]

    @property
    def is_unusable(self) -> bool:
        """Whether no athlete at all could be read."""
        return bool(self.failures) and not self.landed


def load_for_all(
    load: Load,
    athletes: Sequence[AthleteProfile],
    make_client: MakeClient,
    connect: Connect,
    run_id: str,
) -> EntityLoad:
    """Run `load` for each athlete that has an account; a failure keeps the athlete's old rows."""
    landed: dict[str, Landed] = {}
    failures: dict[str, str] = {}
    for athlete in athletes:
        if athlete.hevy.account == "none":
            continue
        try:
            with make_client(athlete) as client:
                landed[athlete.id] = load(client, connect, athlete.id, run_id)
        except (HevyError, SettingsError) as error:
            failures[athlete.id] = str(error)
    return EntityLoad(landed, failures)


def collection_loader(fetch: Callable[[HevyClient], Fetched]) -> Load:
    """A loader of an entity that is read whole each time."""

    def load(client: HevyClient, connect: Connect, athlete_id: str, run_id: str) -> Landed:
        fetched = fetch(client)
        with connect() as con:
            return land_fetched(con, athlete_id, fetched, now=datetime.now(UTC), run_id=run_id)

    return load


def load_workouts(client: HevyClient, connect: Connect, athlete_id: str, run_id: str) -> Landed:
    """Read what changed since the last time, and everything if the counts then disagree.

    Raises:
        HevyError: the account could not be read.
    """
    with connect() as con:
        cursor_at = read_cursor(con, "hevy_workouts", athlete_id)
    landed = _land_workouts(client, connect, athlete_id, run_id, cursor_at)
    if landed.missing and cursor_at is not None:
        landed += _land_workouts(client, connect, athlete_id, run_id, None)
    return landed


def _land_workouts(
    client: HevyClient,
    connect: Connect,
    athlete_id: str,
    run_id: str,
    cursor_at: datetime | None,
) -> Landed:
    fetched = fetch_workouts(client, cursor_at)
    counted = client.workout_count()
    with connect() as con:
        landed = land_fetched(con, athlete_id, fetched, now=datetime.now(UTC), run_id=run_id)
        known = read_record_count(con, "hevy_workouts", athlete_id)
        unreadable = count_quarantined(con, "hevy_workouts", athlete_id)
    return replace(landed, missing=counted - known - unreadable)
