"""Records between a source and its raw table: what was read, and what could not be."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Entity = Literal[
    "hevy_workouts",
    "hevy_routines",
    "hevy_exercise_templates",
    "hevy_routine_folders",
    "hevy_body_measurements",
    "hevy_users",
    "athlete_profiles",
    "health_days",
    "health_sessions",
]

ENTITIES: tuple[Entity, ...] = get_args(Entity)


@dataclass(frozen=True, slots=True)
class Record:
    """One record to land: id, JSON payload and the vendor's change time (UTC)."""

    record_id: str
    payload: str
    vendor_updated_at: datetime | None = None
    is_deleted: bool = False

    @property
    def payload_sha256(self) -> str:
        """Hash of the content, independent of key order and white space."""
        return hashlib.sha256(self.payload.encode()).hexdigest()


@dataclass(frozen=True)
class Rejected:
    """A record that failed to parse as its entity; `source_line` for rows of a file."""

    reason: str
    payload: str
    record_id: str | None = None
    source_line: int | None = None


@dataclass(frozen=True)
class Batch:
    """Records of one athlete from one read.

    With `is_complete` the records are all that exist at the source: a known record that is not
    among them (nor among the rejected) gets a deletion row. A deletion of a record that exists only
    in quarantine is recorded there, see `count_quarantined`.
    """

    records: Sequence[Record]
    rejected: Sequence[Rejected] = ()
    is_complete: bool = False


@dataclass(frozen=True)
class FetchResult:
    """One complete read of an entity, ready to land.

    With `is_complete` the `records` are all that exist; otherwise they are changes. `cursor_at` is
    the start of the next incremental read, None if there is no feed. `counted` is the number of
    records that the account reports, None if it reports none. `unknown_events` are events of the
    feed that could not be parsed and name no record.
    """

    entity: Entity
    records: tuple[Record, ...]
    rejected: tuple[Rejected, ...]
    is_complete: bool
    cursor_at: datetime | None = None
    counted: int | None = None
    unknown_events: tuple[Rejected, ...] = ()

    @property
    def batch(self) -> Batch:
        """The records to land."""
        return Batch(self.records, (*self.rejected, *self.unknown_events), self.is_complete)
