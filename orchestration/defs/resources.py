"""Dagster resources: the warehouse, and the athletes with their Hevy accounts."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import dagster as dg
import duckdb
from pydantic import Field, PrivateAttr

from coach_agent.profile.model import AthleteProfile
from hevy_connector.client.client import HevyClient
from hevy_connector.client.connections import HevyConnections
from hevy_connector.raw.transactions import conflict_count
from orchestration.config.athletes import (
    configured_athletes,
    find_athlete,
    hevy_client,
    unusable_profiles,
)
from orchestration.config.settings import SettingsError, load_settings
from orchestration.runs.lock import DAGSTERS_RUN, WriteLock, run_lock, write_lock
from orchestration.runs.partitions import Partition, PartitionError
from orchestration.runs.recorded_runs import is_complete
from orchestration.runs.tags import (
    ATHLETE_TAG,
    BRIEF,
    COACH,
    CONFLICTS_TAG,
    DELETIONS_TAG,
    EXCLUSIVE_PARTS,
    MARTS,
    SYNC,
    WHOLE_NIGHTS,
    athletes_of,
)
from orchestration.services.operations.last_night import forget_last_night, note_complete
from orchestration.storage.warehouse import Warehouse, open_warehouse

# Jobs that decide and publish; the last is Dagster's name for runs started from assets.
_ASSETS_JOB = "__ASSET_JOB"
_EXCLUSIVE = {*WHOLE_NIGHTS, *EXCLUSIVE_PARTS, _ASSETS_JOB}

# Jobs that run concurrently for several partitions.
_CONCURRENT = frozenset({SYNC, COACH, BRIEF})
_PARTITIONED = _CONCURRENT | WHOLE_NIGHTS | {MARTS}
_PARTITIONED_FOLDERS = frozenset({"raw", "coach"})

_PARTITION_TAG = "dagster/partition"
_RANGE_TAG = "dagster/asset_partition_range_start"


class WarehouseResource(dg.ConfigurableResource):
    """The warehouse, opened only while it is used."""

    path: str = Field(description="Absolute path of the warehouse file, also with a lake.")

    @property
    def place(self) -> Warehouse:
        """Return the lake if it is the target, else the path of the file.

        The lake is read from the settings each time, since Dagster shows the fields of a resource.
        """
        return load_settings().lake or Path(self.path)

    @property
    def connect(self) -> Callable[..., AbstractContextManager[duckdb.DuckDBPyConnection]]:
        """The context manager of a connection; it waits while another process holds the file."""
        return partial(open_warehouse, self.place)

    def prepare(self) -> None:
        """Create the warehouse with its raw and coach tables if they are missing."""
        with self.connect():
            pass


class AthletesResource(dg.ConfigurableResource):
    """The athletes of a run: all configured ones, or those named by its tags.

    API keys are looked up when a client is created and stored nowhere.
    """

    _only: frozenset[str] | None = PrivateAttr(default=None)
    _partition: Partition | None = PrivateAttr(default=None)
    _concurrent: Partition | None = PrivateAttr(default=None)
    _accepted_deletions: frozenset[str] = PrivateAttr(default=frozenset())

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["AthletesResource"]:
        """Wait until no other nightly run of this home, or of this partition, is in progress."""
        lock: AbstractContextManager[None] = nullcontext()
        if context.run is not None and _is_exclusive(context.run):
            home, partition = load_settings().home, _concurrent_partition(context.run)
            owner = f"{DAGSTERS_RUN} {context.run.run_id}"
            lock = run_lock(home, owner, is_waiting=True, partition=partition)
        with (
            lock,
            _recorded_conflicts(context),
            super().yield_for_execution(context) as resource,
        ):
            if context.run is None or context.run.job_name == SYNC:
                yield resource
                return
            # The run lock is held: no other run of this home reads or writes the record.
            settings = load_settings()
            forget_last_night(settings.home)
            yield resource
            if self._is_complete_night(context):
                note_complete(settings, context.run.run_id, datetime.now(UTC))

    def _is_complete_night(self, context: dg.InitResourceContext) -> bool:
        """Return whether the run is a night of all athletes in which every step and check passed.

        Called after its last step.
        """
        run, history = context.run, context.instance
        if run is None or history is None or run.job_name not in WHOLE_NIGHTS:
            return False
        served = {profile.id for profile in self.profiles()}
        return served == set(self.all_ids()) and is_complete(history, run.run_id)

    def setup_for_execution(self, context: dg.InitResourceContext) -> None:
        """Read the run's athletes, partition and accepted deletions from its tags."""
        tags = context.run.tags if context.run else {}
        self._only = athletes_of(tags.get(ATHLETE_TAG))
        self._partition = _partition_of(context.run) if context.run else None
        self._concurrent = _concurrent_partition(context.run) if context.run else None
        self._accepted_deletions = athletes_of(tags.get(DELETIONS_TAG)) or frozenset()

    @property
    def concurrent_partition(self) -> Partition | None:
        """Return the partition of the run's athletes, if others run concurrently; else None."""
        return self._concurrent

    @property
    def turn(self) -> WriteLock:
        """Return the lock that serializes writes of runs of partitions to the lake."""
        return write_lock(load_settings().home, self._concurrent)

    @property
    def accepted_deletions(self) -> frozenset[str]:
        """Return the athletes whose missing sets were deleted on purpose, by the run's tag."""
        return self._accepted_deletions

    def profiles(self) -> tuple[AthleteProfile, ...]:
        """Return the athletes of the run that may use this API, by id.

        Athletes with an unusable profile are omitted. A partition may be empty.

        Raises:
            UnknownAthleteError: the run is for an athlete who is not configured.
            ProfileError: no profile is usable.
        """
        found = self._named_profiles()
        part = self._partition
        return found if part is None else tuple(each for each in found if part.has(each.id))

    def _named_profiles(self) -> tuple[AthleteProfile, ...]:
        settings = load_settings()
        everybody = configured_athletes(settings)
        if self._only is None:
            return everybody
        found = tuple(profile for profile in everybody if profile.id in self._only)
        missing = self._only - {profile.id for profile in found}
        for athlete in sorted(missing - self.unusable().keys() if found else missing):
            find_athlete(settings, athlete)  # raises the reason
        return found

    def all_ids(self) -> list[str]:
        """Return the ids of all athletes, also of those outside the run, for a release."""
        return [*(profile.id for profile in self.all_profiles()), *self.unusable()]

    def all_profiles(self) -> tuple[AthleteProfile, ...]:
        """Return all usable profiles, also of athletes outside the run, for a release."""
        return configured_athletes(load_settings())

    def unusable(self) -> dict[str, str]:
        """Return the errors of unusable profiles by athlete."""
        return unusable_profiles(load_settings())

    @contextmanager
    def clients(self) -> Iterator[Callable[[AthleteProfile], HevyClient]]:
        """Yield a function that opens a client of an athlete's account; all share connections."""
        with HevyConnections() as connections:
            yield partial(hevy_client, load_settings(), connections=connections)


@contextmanager
def _recorded_conflicts(context: dg.InitResourceContext) -> Iterator[None]:
    """Tag the run with its number of write conflicts, if it has any."""
    before = conflict_count()
    try:
        yield
    finally:
        found = conflict_count() - before
        if found and context.run is not None and context.instance is not None:
            context.instance.add_run_tags(context.run.run_id, {CONFLICTS_TAG: str(found)})


def _is_exclusive(run: dg.DagsterRun) -> bool:
    """Return true for a job that must not overlap; a file's pool already serializes `sync`."""
    if run.job_name == SYNC:
        return load_settings().lake is not None
    return run.job_name in _EXCLUSIVE


def _concurrent_partition(run: dg.DagsterRun) -> Partition | None:
    """Return the run's partition, if it shares the home with runs of other partitions.

    A run with models or a release in it needs the home alone, also for the athletes of a partition.
    """
    partition = _partition_of(run)
    if _PARTITION_TAG in run.tags and run.job_name not in _CONCURRENT:
        return None
    return partition


def _partition_of(run: dg.DagsterRun) -> Partition | None:
    """Return the partition of a run; None for all athletes.

    Raises:
        PartitionError: the key is invalid, or of another number of partitions.
        SettingsError: the run has partitioned assets and no partition.
    """
    count = load_settings().partitions
    if count == 1:
        return None
    key = run.tags.get(_PARTITION_TAG)
    if key is not None:
        found = Partition.from_key(key)
        if found.count != count:
            raise PartitionError(
                f"The run is for the partition {key}, and SPOTTER_PARTITIONS is {count}: the next "
                "nightly run has the new partitions."
            )
        return found
    if _RANGE_TAG not in run.tags and _has_partitioned_assets(run):
        raise SettingsError(
            f"The athletes are in {count} partitions, and this run of {run.job_name} has none. "
            "Choose partitions in Dagster, or run: spotter run"
        )
    return None


def _has_partitioned_assets(run: dg.DagsterRun) -> bool:
    if run.job_name != _ASSETS_JOB:
        return run.job_name in _PARTITIONED
    return any(key.path[0] in _PARTITIONED_FOLDERS for key in run.asset_selection or ())
