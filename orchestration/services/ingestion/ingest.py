"""Ingest one entity for all athletes. A failure is isolated to its athlete.

Accounts are fetched concurrently and landed in batches, which costs little more than landing one.
If a batch fails, its athletes are landed one by one. An account that another process wrote to or
read in between is fetched again.
"""

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

import duckdb

from coach_agent.profile.model import AthleteProfile
from hevy_connector.client.client import HevyClient
from hevy_connector.csv_imports.workout_matches import athletes_with_unmatched_files, record_matches
from hevy_connector.errors import HevyError, HevyUnavailableError
from hevy_connector.fetching.fetch import fetch_routines, fetch_workouts
from hevy_connector.raw.landing import LandResult
from hevy_connector.raw.sync import Landed, land_unless_outdated
from hevy_connector.raw.sync_state import LastLandings, read_cursors, read_last_landings
from hevy_connector.records import Entity, FetchResult
from orchestration.config.settings import SettingsError
from orchestration.runs.infrastructure_errors import is_infrastructure_error
from orchestration.runs.lock import WriteLock
from orchestration.storage.warehouse import Connect

_log = logging.getLogger(__name__)

MakeClient = Callable[[AthleteProfile], HevyClient]

# Fetched records wait in memory: few per athlete in a nightly run.
_BATCH_ATHLETES = 100
_BATCH_RECORDS = 10_000

_ALWAYS_STALE = (
    "Other processes wrote to this account during every read. The next run reads it again; make "
    "sure that nightly runs do not overlap"
)


@dataclass(frozen=True)
class Load:
    """Specification of fetching and landing an entity.

    `fetch` receives the time up to which changes are known, None for a full fetch. Only an entity
    with `has_feed` has changes to read and a count to compare with. `ends_files` marks records from
    files as deleted once there is an account.
    """

    entity: Entity
    fetch: Callable[[HevyClient, datetime | None], FetchResult]
    has_feed: bool = False
    ends_files: bool = False


def full_load(entity: Entity, fetch: Callable[[HevyClient], FetchResult]) -> Load:
    """Return the load of an entity that is always fetched in full."""
    return Load(entity, lambda client, _: fetch(client))


WORKOUTS = Load("hevy_workouts", fetch_workouts, has_feed=True)
ROUTINES = Load("hevy_routines", lambda client, _: fetch_routines(client), ends_files=True)


@dataclass(frozen=True)
class EntityLoad:
    """Ingestion result of one entity: each athlete is in `landed` or in `failures`, never in both.

    `faults` are unexpected exceptions, for the log.
    """

    landed: dict[str, LandResult] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    faults: dict[str, Exception] = field(default_factory=dict)

    @property
    def is_unusable(self) -> bool:
        """Return true if no athlete could be read."""
        return bool(self.failures) and not self.landed

    @contextmanager
    def recording_failure(self, athlete_id: str) -> Iterator[None]:
        """Record an exception as this athlete's failure; infrastructure errors propagate."""
        try:
            yield
        except (HevyError, SettingsError) as error:
            self._fail(athlete_id, str(error))
        except Exception as error:
            if is_infrastructure_error(error):
                raise
            self.faults[athlete_id] = error
            self._fail(athlete_id, f"{type(error).__name__}: {error}")

    def keep(self, landed: Mapping[str, LandResult]) -> None:
        """Add landed results to those of the same athletes."""
        for athlete_id, one in landed.items():
            before = self.landed.get(athlete_id)
            self.landed[athlete_id] = one if before is None else before + one

    def _fail(self, athlete_id: str, why: str) -> None:
        self.failures[athlete_id] = why
        self.landed.pop(athlete_id, None)


def ingest_all(
    load: Load,
    athletes: Sequence[AthleteProfile],
    make_client: MakeClient,
    connect: Connect,
    run_id: str,
    *,
    is_full: bool = False,
    concurrency: int = 4,
    turn: WriteLock = nullcontext,
) -> EntityLoad:
    """Ingest the entity for each athlete with an account; a failure keeps the old rows.

    An entity with a feed is fetched incrementally, and in full if the counts then disagree or with
    `is_full`. `concurrency` limits the accounts; `turn` serializes commits among processes.

    Raises:
        OSError, WarehouseBusyError, WarehouseDamagedError, and DuckDB's errors of files and memory:
            infrastructure errors, which concern all athletes.
    """
    accounts = {athlete.id: athlete for athlete in athletes if athlete.hevy.account != "none"}
    loaded = EntityLoad()
    if not accounts:
        return loaded
    cursors: dict[str, datetime] = {}
    with connect() as con:
        if load.has_feed and not is_full:
            cursors = read_cursors(con, load.entity)
        known = read_last_landings(con, load.entity, list(accounts))

    def fetch(athlete_id: str) -> FetchResult:
        with make_client(accounts[athlete_id]) as client:
            return load.fetch(client, cursors.get(athlete_id))

    landing = _Landing(load, fetch, connect, run_id, loaded, known, turn)
    waiting: dict[str, FetchResult] = {}
    with closing(_fetch_concurrently(fetch, list(accounts), concurrency)) as answers:
        for athlete_id, answer in answers:
            with loaded.recording_failure(athlete_id):
                waiting[athlete_id] = answer.result()
            is_much = sum(len(each.records) for each in waiting.values()) >= _BATCH_RECORDS
            if is_much or len(waiting) >= _BATCH_ATHLETES:
                landing.land(waiting)
                waiting = {}
    landing.land(waiting)
    for athlete_id in accounts:
        landed = loaded.landed.get(athlete_id)
        if landed is not None and landed.missing and athlete_id in cursors:
            del cursors[athlete_id]
            # Landed rows stay; the asset check reports the missing ones.
            with loaded.recording_failure(athlete_id), suppress(HevyUnavailableError):
                landing.land({athlete_id: fetch(athlete_id)})
    return loaded


def _fetch_concurrently(
    fetch: Callable[[str], FetchResult], athlete_ids: Sequence[str], concurrency: int
) -> Generator[tuple[str, "Future[FetchResult]"], None, None]:
    """Fetch accounts concurrently and yield the answers in order.

    At most `concurrency` answers are prefetched, since they wait in memory.
    """
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="hevy-accounts")
    asked: deque[tuple[str, Future[FetchResult]]] = deque()
    try:
        for athlete_id in athlete_ids:
            asked.append((athlete_id, pool.submit(fetch, athlete_id)))
            if len(asked) > concurrency:
                yield asked.popleft()
        yield from asked
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class _Landing:
    """Land the fetches of several athletes; if the batch fails, land each one alone.

    `known` is each athlete's last landing before the fetch. If it has changed, newer data may have
    been landed in between, such as a published routine: the fetch is dropped and repeated.
    """

    load: Load
    fetch: Callable[[str], FetchResult]
    connect: Connect
    run_id: str
    loaded: EntityLoad
    known: dict[str, LastLandings]
    turn: WriteLock

    def land(self, fetched: Mapping[str, FetchResult], tries: int = 3) -> None:
        """Land the fetches and record each athlete's result or failure.

        An outdated fetch is repeated up to `tries` times.
        """
        if not fetched:
            return
        now = datetime.now(UTC)
        outdated: list[str] = []
        with self.connect() as con:
            for landed in self._landed(con, fetched, now):
                self.known.update(landed.last_landings)
                self.loaded.keep(landed.results)
                outdated += landed.outdated
                if self.load.has_feed and landed.results:
                    self._match_files(con, list(landed.results), now)
        for athlete_id in outdated:
            with self.loaded.recording_failure(athlete_id):
                if not tries:
                    raise HevyUnavailableError(_ALWAYS_STALE)
                self.land({athlete_id: self.fetch(athlete_id)}, tries - 1)

    def _landed(
        self, con: duckdb.DuckDBPyConnection, fetched: Mapping[str, FetchResult], now: datetime
    ) -> Iterator[Landed]:
        """Land the fetches together; if that fails, each athlete alone."""

        def land(some: Mapping[str, FetchResult]) -> Landed:
            with self.turn():
                return land_unless_outdated(
                    con,
                    some,
                    self.known,
                    now=now,
                    run_id=self.run_id,
                    ends_files=self.load.ends_files,
                )

        if len(fetched) > 1:
            try:
                together = land(fetched)
            except Exception as error:
                if is_infrastructure_error(error):
                    raise
                # The transaction was rolled back; landing each athlete alone shows which one
                # failed.
                entity = self.load.entity
                _log.info("%s of %s athletes cannot be landed together", entity, len(fetched))
            else:
                yield together
                return
        for athlete_id, alone in fetched.items():
            with self.loaded.recording_failure(athlete_id):
                yield land({athlete_id: alone})

    def _match_files(
        self, con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str], now: datetime
    ) -> None:
        for athlete_id in athletes_with_unmatched_files(con, athlete_ids):
            with self.loaded.recording_failure(athlete_id):
                record_matches(con, athlete_id, now=now, run_id=self.run_id)
