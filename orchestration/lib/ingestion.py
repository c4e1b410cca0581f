"""Bringing one entity in for all athletes: one's trouble never stops another's night.

Several accounts are read at a time and landed many together, which costs little more than to land
one. Where that fails, each is landed by itself, so that trouble is only whose it is.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from coach_agent.profile import AthleteProfile
from hevy_connector.client import HevyClient
from hevy_connector.errors import HevyError, HevyUnavailableError
from hevy_connector.landing import Landed, Reading, land_all
from hevy_connector.quarantine import count_all_quarantined
from hevy_connector.raw_tables import Entity
from hevy_connector.sync import Fetched, fetch_routines, fetch_workouts, land_all_fetched
from hevy_connector.sync_state import read_cursors, read_record_counts
from hevy_connector.transactions import committed
from hevy_connector.workout_matches import record_matches, with_unmatched_files
from orchestration.lib.machine_errors import MACHINE_ERRORS
from orchestration.lib.settings import SettingsError
from orchestration.lib.warehouse import Connect

_log = logging.getLogger(__name__)

MakeClient = Callable[[AthleteProfile], HevyClient]

# What is read waits in memory: of an ordinary night a few records of each.
_ATHLETES_TOGETHER = 100
_RECORDS_TOGETHER = 10_000


@dataclass(frozen=True)
class Load:
    """How an entity is read from an account and landed.

    `fetch` is given the time up to which changes are known, None to read all. Only with `has_feed`
    are there changes to read, and a count to compare with. With `ends_files` what files told before
    there was an account is over with it.
    """

    entity: Entity
    fetch: Callable[[HevyClient, datetime | None], Fetched]
    has_feed: bool = False
    ends_files: bool = False


def whole(entity: Entity, fetch: Callable[[HevyClient], Fetched]) -> Load:
    """An entity that is read whole each time."""
    return Load(entity, lambda client, _: fetch(client))


WORKOUTS = Load("hevy_workouts", fetch_workouts, has_feed=True)
ROUTINES = Load("hevy_routines", lambda client, _: fetch_routines(client), ends_files=True)


@dataclass(frozen=True)
class EntityLoad:
    """What came in of one entity: by athlete what was landed, or why nothing could be.

    `faults` are failures that nobody foresaw, for the log.
    """

    landed: dict[str, Landed] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    faults: dict[str, Exception] = field(default_factory=dict)

    @property
    def is_unusable(self) -> bool:
        """Whether no athlete at all could be read."""
        return bool(self.failures) and not self.landed

    @contextmanager
    def telling(self, athlete_id: str) -> Iterator[None]:
        """Take what goes wrong inside as this athlete's failure, unless it is the machine's."""
        try:
            yield
        except (HevyError, SettingsError) as error:
            self._fail(athlete_id, str(error))
        except MACHINE_ERRORS:
            raise
        except Exception as error:
            self.faults[athlete_id] = error
            self._fail(athlete_id, f"{type(error).__name__}: {error}")

    def _fail(self, athlete_id: str, why: str) -> None:
        self.failures[athlete_id] = why
        self.landed.pop(athlete_id, None)


def load_for_all(
    load: Load,
    athletes: Sequence[AthleteProfile],
    make_client: MakeClient,
    connect: Connect,
    run_id: str,
    *,
    is_full: bool = False,
    at_once: int = 4,
) -> EntityLoad:
    """Bring the entity in of each athlete that has an account; a failure keeps the old rows.

    Where there is a feed only changes are read, and everything if the counts then disagree;
    `is_full` asks to read everything. Of the accounts so many are asked `at_once`.

    Raises:
        OSError, WarehouseBusyError, WarehouseDamagedError, and DuckDB's errors of files and memory:
            what is nobody's alone.
    """
    accounts = [athlete for athlete in athletes if athlete.hevy.account != "none"]
    cursors: Mapping[str, datetime] = {}
    if load.has_feed and not is_full and accounts:
        with connect() as con:
            cursors = read_cursors(con, load.entity)
    loaded = EntityLoad()

    def fetch(athlete: AthleteProfile) -> Fetched:
        with make_client(athlete) as client:
            return load.fetch(client, cursors.get(athlete.id))

    waiting: dict[str, Fetched] = {}
    for athlete_id, answer in _asked(fetch, accounts, at_once):
        with loaded.telling(athlete_id):
            waiting[athlete_id] = answer.result()
        is_much = sum(len(each.records) for each in waiting.values()) >= _RECORDS_TOGETHER
        if is_much or len(waiting) >= _ATHLETES_TOGETHER:
            _land_together(load, waiting, connect, run_id, loaded)
            waiting = {}
    _land_together(load, waiting, connect, run_id, loaded)
    for athlete in accounts:
        landed = loaded.landed.get(athlete.id)
        if landed is not None and landed.missing and athlete.id in cursors:
            # What was landed stays so, and the check tells of the missing.
            with (
                loaded.telling(athlete.id),
                suppress(HevyUnavailableError),
                make_client(athlete) as client,
            ):
                everything = {athlete.id: load.fetch(client, None)}
                again = _landed(load, everything, connect, run_id, loaded)
                loaded.landed[athlete.id] = landed + again[athlete.id]
    return loaded


def _asked(
    fetch: Callable[[AthleteProfile], Fetched], accounts: Sequence[AthleteProfile], at_once: int
) -> Iterator[tuple[str, "Future[Fetched]"]]:
    """Ask accounts, so many at a time, and give their answers in order.

    Nobody is asked far ahead of who takes the answers, which wait in memory.
    """
    pool = ThreadPoolExecutor(at_once, thread_name_prefix="hevy-accounts")
    asked: deque[tuple[str, Future[Fetched]]] = deque()
    try:
        for athlete in accounts:
            asked.append((athlete.id, pool.submit(fetch, athlete)))
            if len(asked) > at_once:
                yield asked.popleft()
        yield from asked
    finally:
        pool.shutdown(cancel_futures=True)


def _land_together(
    load: Load,
    fetched: Mapping[str, Fetched],
    connect: Connect,
    run_id: str,
    loaded: EntityLoad,
) -> None:
    """Land what was read of several athletes, or, where that fails, what can be of each."""
    if len(fetched) > 1:
        try:
            loaded.landed.update(_landed(load, fetched, connect, run_id, loaded))
        except MACHINE_ERRORS:
            raise
        except Exception:
            # Nothing of it is kept; whose trouble it is comes out when each is landed alone.
            _log.info("%s of %s athletes cannot be landed together", load.entity, len(fetched))
        else:
            return
    for athlete_id, alone in fetched.items():
        with loaded.telling(athlete_id):
            loaded.landed.update(_landed(load, {athlete_id: alone}, connect, run_id, loaded))


def _landed(
    load: Load,
    fetched: Mapping[str, Fetched],
    connect: Connect,
    run_id: str,
    loaded: EntityLoad,
) -> dict[str, Landed]:
    """Land fetches, all of them or none, and tell by athlete what that changed."""
    now = datetime.now(UTC)

    def work() -> dict[str, Landed]:
        landed = land_all_fetched(con, fetched, now=now, run_id=run_id)
        if load.ends_files:
            nothing = {athlete: Reading((), is_complete=True) for athlete in fetched}
            over = land_all(con, load.entity, nothing, now=now, run_id=run_id, origin="csv")
            landed = {athlete: over[athlete] + landed[athlete] for athlete in landed}
        return landed

    with connect() as con:
        landed = committed(con, work)
        if not load.has_feed:
            return landed
        ids = list(fetched)
        known = read_record_counts(con, load.entity, ids)
        unreadable = count_all_quarantined(con, load.entity, ids)
        unmatched = with_unmatched_files(con, ids)
        for athlete_id in unmatched:
            with loaded.telling(athlete_id):
                record_matches(con, athlete_id, now=now, run_id=run_id)
    return {
        athlete: replace(one, missing=counted - known[athlete] - unreadable.get(athlete, 0))
        if (counted := fetched[athlete].counted) is not None
        else one
        for athlete, one in landed.items()
    }
