"""Bringing one entity in for all athletes: one's trouble never stops another's night."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from coach_agent.profile import AthleteProfile
from hevy_connector.client import HevyClient
from hevy_connector.errors import HevyError, HevyUnavailableError
from hevy_connector.landing import Landed, land
from hevy_connector.quarantine import count_quarantined
from hevy_connector.sync import Fetched, fetch_routines, fetch_workouts, land_fetched
from hevy_connector.sync_state import read_cursor, read_record_count
from hevy_connector.transactions import committed
from hevy_connector.workout_matches import record_matches
from orchestration.lib.machine_errors import MACHINE_ERRORS
from orchestration.lib.settings import SettingsError
from orchestration.lib.warehouse import Connect

MakeClient = Callable[[AthleteProfile], HevyClient]


@dataclass(frozen=True)
class Source:
    """What to read one athlete's records from, and where to.

    `is_full` asks to read everything again where otherwise only changes are read.
    """

    client: HevyClient
    connect: Connect
    athlete_id: str
    run_id: str
    is_full: bool = False


Load = Callable[[Source], Landed]


@dataclass(frozen=True)
class EntityLoad:
    """What came in of one entity: by athlete what was landed, or why nothing could be.

    `faults` are failures that nobody foresaw, for the log.
    """

    landed: dict[str, Landed]
    failures: dict[str, str]
    faults: dict[str, Exception] = field(default_factory=dict)

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
    *,
    is_full: bool = False,
) -> EntityLoad:
    """Run `load` for each athlete that has an account; a failure keeps the athlete's old rows.

    Raises:
        OSError, WarehouseBusyError, WarehouseDamagedError, and DuckDB's errors of files and memory:
            what is nobody's alone.
    """
    landed: dict[str, Landed] = {}
    failures: dict[str, str] = {}
    faults: dict[str, Exception] = {}
    for athlete in athletes:
        if athlete.hevy.account == "none":
            continue
        try:
            with make_client(athlete) as client:
                source = Source(client, connect, athlete.id, run_id, is_full)
                landed[athlete.id] = load(source)
        except (HevyError, SettingsError) as error:
            failures[athlete.id] = str(error)
        except MACHINE_ERRORS:
            raise
        except Exception as error:
            faults[athlete.id] = error
            failures[athlete.id] = f"{type(error).__name__}: {error}"
    return EntityLoad(landed, failures, faults)


def collection_loader(fetch: Callable[[HevyClient], Fetched]) -> Load:
    """A loader of an entity that is read whole each time."""

    def load(source: Source) -> Landed:
        fetched = fetch(source.client)
        with source.connect() as con:
            now = datetime.now(UTC)
            return land_fetched(con, source.athlete_id, fetched, now=now, run_id=source.run_id)

    return load


def load_routines(source: Source) -> Landed:
    """Read the routines; those that files told before there was an account are over with it.

    Raises:
        HevyError: the account could not be read.
    """
    read = collection_loader(fetch_routines)(source)
    with source.connect() as con:
        told = committed(
            con,
            lambda: land(
                con,
                "hevy_routines",
                source.athlete_id,
                (),
                now=datetime.now(UTC),
                run_id=source.run_id,
                origin="csv",
                is_complete=True,
            ),
        )
    return told + read


def load_workouts(source: Source) -> Landed:
    """Read what changed since the last time, and everything if the counts then disagree.

    Raises:
        HevyError: the account could not be read.
    """
    cursor_at = None
    if not source.is_full:
        with source.connect() as con:
            cursor_at = read_cursor(con, "hevy_workouts", source.athlete_id)
    landed = _land_workouts(source, cursor_at)
    if landed.missing and cursor_at is not None:
        # What was landed stays so, and the check tells of the missing.
        with suppress(HevyUnavailableError):
            landed += _land_workouts(source, None)
    return landed


def _land_workouts(source: Source, cursor_at: datetime | None) -> Landed:
    fetched = fetch_workouts(source.client, cursor_at)
    athlete_id, now = source.athlete_id, datetime.now(UTC)
    with source.connect() as con:
        landed = land_fetched(con, athlete_id, fetched, now=now, run_id=source.run_id)
        known = read_record_count(con, "hevy_workouts", athlete_id)
        unreadable = count_quarantined(con, "hevy_workouts", athlete_id)
        record_matches(con, athlete_id, now=now, run_id=source.run_id)
    missing = 0 if fetched.counted is None else fetched.counted - known - unreadable
    return replace(landed, missing=missing)
