"""What assets are handed: the warehouse, and the athletes with their Hevy accounts."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import dagster as dg
import duckdb
from pydantic import Field, PrivateAttr

from coach_agent.profile.model import AthleteProfile
from hevy_connector.client.client import HevyClient
from orchestration.config.athletes import (
    athlete_named,
    configured_athletes,
    hevy_client,
    unusable_profiles,
)
from orchestration.config.settings import SettingsError, load_settings
from orchestration.runs.lock import DAGSTERS_RUN, Turn, run_lock, writing_turn
from orchestration.runs.partitions import Shard
from orchestration.runs.tags import (
    ATHLETE_TAG,
    DELETIONS_TAG,
    EXCLUSIVE_PARTS,
    SHARD_TAG,
    SYNC,
    WHOLE_NIGHTS,
    athletes_of,
)
from orchestration.storage.warehouse import Warehouse, open_warehouse

# Jobs that decide and publish; the last is Dagster's own name for what is started from assets.
_EXCLUSIVE = {*WHOLE_NIGHTS, *EXCLUSIVE_PARTS, "__ASSET_JOB"}


class WarehouseResource(dg.ConfigurableResource):
    """The warehouse, opened only while it is needed."""

    path: str = Field(description="Absolute path of the warehouse file, also beside a lake.")

    @property
    def place(self) -> Warehouse:
        """Where the warehouse is: the lake if that is the target, else the file.

        The lake is read from the settings each time: what a resource is given, Dagster shows.
        """
        return load_settings().lake or Path(self.path)

    @contextmanager
    def connect(self, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection in UTC that is closed in every case; waits while another holds it."""
        with open_warehouse(self.place, read_only=read_only) as con:
            yield con

    def prepare(self) -> None:
        """Make sure that it and the raw and coach tables exist, for others to find."""
        with self.connect():
            pass


class AthletesResource(dg.ConfigurableResource):
    """The athletes of a run: all that are configured, or those that its tags name.

    Keys are looked up when a client is made and stored nowhere.
    """

    _only: frozenset[str] | None = PrivateAttr(default=None)
    _shard: Shard | None = PrivateAttr(default=None)
    _accepted_deletions: frozenset[str] = PrivateAttr(default=frozenset())

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["AthletesResource"]:
        """Begin only when no other nightly run of this home, or of this shard, is under way."""
        lock: AbstractContextManager[None] = nullcontext()
        if context.run is not None and _is_exclusive(context.run):
            home, shard = load_settings().home, _shard_of(context.run)
            who = f"{DAGSTERS_RUN} {context.run_id}"
            lock = run_lock(home, who, is_waiting=True, shard=shard)
        with lock, super().yield_for_execution(context) as resource:
            yield resource

    def setup_for_execution(self, context: dg.InitResourceContext) -> None:
        """Learn from the tags of the run whether it is for some athletes alone."""
        tags = context.run.tags if context.run else {}
        self._only = athletes_of(tags.get(ATHLETE_TAG))
        self._shard = _shard_of(context.run) if context.run else None
        self._accepted_deletions = athletes_of(tags.get(DELETIONS_TAG)) or frozenset()

    @property
    def shard(self) -> Shard | None:
        """The part of the athletes that the run is for; None is everybody."""
        return self._shard

    @property
    def turn(self) -> Turn:
        """What holds back the workers for other shards while the run writes to the lake."""
        return writing_turn(load_settings().home, self._shard)

    @property
    def accepted_deletions(self) -> frozenset[str]:
        """Of whose history what is gone was deleted on purpose, as who began the run says."""
        return self._accepted_deletions

    def profiles(self) -> tuple[AthleteProfile, ...]:
        """The athletes of the run that may be handled with this API, by id.

        Of several, who has a profile that cannot be used is left out. A shard may have nobody.

        Raises:
            UnknownAthleteError: the run is for an athlete who is not configured.
            ProfileError: nobody's profile can be used.
        """
        found = self._named_profiles()
        shard = self._shard
        return found if shard is None else tuple(each for each in found if shard.has(each.id))

    def _named_profiles(self) -> tuple[AthleteProfile, ...]:
        settings = load_settings()
        everybody = configured_athletes(settings)
        if self._only is None:
            return everybody
        found = tuple(profile for profile in everybody if profile.id in self._only)
        missing = self._only - {profile.id for profile in found}
        for athlete in sorted(missing - self.unusable().keys() if found else missing):
            athlete_named(settings, athlete)  # says what is wrong
        return found

    def all_ids(self) -> list[str]:
        """The ids of all athletes, whoever the run is for: a release is everybody's."""
        return [*(profile.id for profile in configured_athletes(load_settings())), *self.unusable()]

    def unusable(self) -> dict[str, str]:
        """By athlete, what is wrong with the profiles that cannot be used."""
        return unusable_profiles(load_settings())

    def client(self, athlete: AthleteProfile) -> HevyClient:
        """A client of the athlete's own account."""
        return hevy_client(load_settings(), athlete)


def _is_exclusive(run: dg.DagsterRun) -> bool:
    """Whether nobody may do the same beside it; to read accounts waits for its pool on a file."""
    if run.job_name == SYNC:
        return load_settings().lake is not None
    return run.job_name in _EXCLUSIVE


def _shard_of(run: dg.DagsterRun) -> Shard | None:
    """The shard that a run's tag names.

    Raises:
        ShardError: the tag names none.
        SettingsError: the warehouse is a file, which one process writes at a time.
    """
    tag = run.tags.get(SHARD_TAG)
    if tag is None:
        return None
    if load_settings().lake is None:
        raise SettingsError(
            f"The run is for the shard {tag} of the athletes, and the warehouse is a file, which "
            "is written for all of them at once. Set SPOTTER_TARGET=lake, or leave the tag out."
        )
    return Shard.parse(tag)
