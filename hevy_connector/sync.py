"""From the API to the raw tables: what to fetch, what is valid, how far we got.

Fetching holds no database connection and landing does no HTTP, so the warehouse is never locked
while the network is slow. One fetch is landed in one transaction together with its cursor: after
a kill at any moment the next sync continues from what was committed.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
from pydantic import ValidationError

from hevy_connector.async_client import (
    BODY_MEASUREMENTS,
    EXERCISE_TEMPLATES,
    ROUTINE_FOLDERS,
    ROUTINES,
    WORKOUTS,
)
from hevy_connector.client import HevyClient
from hevy_connector.errors import HevyListMovedError, HevyUnavailableError
from hevy_connector.exact_json import canonical_json
from hevy_connector.landing import Landed, Record, land
from hevy_connector.quarantine import Rejected
from hevy_connector.raw_tables import Entity, Origin
from hevy_connector.schemas import (
    BodyMeasurement,
    ExerciseTemplate,
    JsonObject,
    ReadModel,
    Routine,
    RoutineFolder,
    UserInfo,
    Workout,
    WorkoutEvent,
)
from hevy_connector.sync_state import save_sync_state

# Whether `since` includes its own instant is not documented, and clocks of servers differ a
# little; what is read twice is recognised by its content.
CURSOR_OVERLAP = timedelta(minutes=5)

_READS_BEFORE_GIVING_UP = 3


@dataclass(frozen=True)
class Fetched:
    """One complete read of an entity, ready to land.

    `is_complete` says that `records` are all that exist; otherwise they are changes. `cursor_at`
    is the time from which the next changes are to be read, None where there is no feed. `counted`
    is how many records the account says it has, None where it does not say.
    """

    entity: Entity
    records: tuple[Record, ...]
    rejected: tuple[Rejected, ...]
    is_complete: bool
    cursor_at: datetime | None = None
    counted: int | None = None


def fetch_workouts(client: HevyClient, cursor_at: datetime | None) -> Fetched:
    """All workouts, or with a cursor only what changed since.

    Raises:
        HevyError: see `HevyClient`; nothing may be concluded then.
    """
    if cursor_at is None:
        return _fetch_all_workouts(client)
    events, counted = client.news(cursor_at - CURSOR_OVERLAP)
    changes = _Changes(events)
    return Fetched(
        "hevy_workouts",
        changes.records,
        changes.rejected,
        is_complete=False,
        cursor_at=max(cursor_at, _latest_change(changes.records, cursor_at)),
        counted=counted,
    )


def validated_workouts(payloads: Iterable[JsonObject]) -> Fetched:
    """Whole workouts as records, and what of them cannot be understood or stored."""
    return _whole("hevy_workouts", payloads, Workout)


def fetch_routines(client: HevyClient) -> Fetched:
    """All routines as they are now."""
    return _whole("hevy_routines", client.payloads(ROUTINES), Routine)


def fetch_routine_folders(client: HevyClient) -> Fetched:
    """All folders of routines."""
    return _whole("hevy_routine_folders", client.payloads(ROUTINE_FOLDERS), RoutineFolder)


def fetch_exercise_templates(client: HevyClient) -> Fetched:
    """The whole catalogue, built-in and custom."""
    return _whole("hevy_exercise_templates", client.payloads(EXERCISE_TEMPLATES), ExerciseTemplate)


def fetch_body_measurements(client: HevyClient) -> Fetched:
    """All body measurements; the day is the id."""
    payloads = client.payloads(BODY_MEASUREMENTS)
    return _whole("hevy_body_measurements", payloads, BodyMeasurement, identity="date")


def fetch_user(client: HevyClient) -> Fetched:
    """The account itself, one record."""
    return _whole("hevy_users", [client.user_info().payload], UserInfo)


def land_fetched(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    fetched: Fetched,
    *,
    now: datetime,
    run_id: str,
    origin: Origin = "api",
) -> Landed:
    """Land one fetch and how far it got, in one transaction of its own.

    Raises:
        duckdb.Error: nothing of this fetch is kept then.
    """
    con.begin()
    try:
        landed = land(
            con,
            fetched.entity,
            athlete_id,
            fetched.records,
            now=now,
            run_id=run_id,
            origin=origin,
            rejected=fetched.rejected,
            is_complete=fetched.is_complete,
        )
        save_sync_state(
            con, fetched.entity, athlete_id, cursor_at=fetched.cursor_at, completed_at=now
        )
    except BaseException:
        con.rollback()
        raise
    con.commit()
    return landed


def _fetch_all_workouts(client: HevyClient) -> Fetched:
    """Every workout as of the end of the reading.

    What changed while the pages were read is taken from the feed, and the count tells whether
    nothing slipped from page to page; if it did, all is read again. The cursor lies before the
    reading began, by the service's clock as well as by ours.
    """
    for _ in range(_READS_BEFORE_GIVING_UP):
        started_at = datetime.now(UTC)
        try:
            pages = client.pages(WORKOUTS)
            listed = validated_workouts(workout for page in pages for workout in page)
        except HevyListMovedError:
            continue
        took = datetime.now(UTC) - started_at
        cursor_at = min(_latest_change(listed.records, started_at) - took, started_at)
        events, counted = client.news(cursor_at - CURSOR_OVERLAP)
        fetched = replace(
            _Changes(events).applied_to(listed),
            cursor_at=cursor_at if listed.records else None,
            counted=counted,
        )
        if counted == len(fetched.records) + len(fetched.rejected):
            return fetched
    raise HevyUnavailableError(
        "The list of workouts kept changing while it was read, or Hevy counts others than it "
        "lists. Try again in a minute; nothing was changed here."
    )


class _Changes:
    """What a feed says of workouts: how each was after its latest event."""

    def __init__(self, newest_first: list[JsonObject]) -> None:
        latest: dict[str | None, Record | Rejected] = {}
        nameless: list[Rejected] = []
        for payload in reversed(newest_first):
            outcome = _after_event(payload)
            if isinstance(outcome, Rejected) and outcome.record_id is None:
                nameless.append(outcome)
            else:
                latest[outcome.record_id] = outcome
        self.ids = latest.keys()
        self.records = tuple(one for one in latest.values() if isinstance(one, Record))
        unreadable = (one for one in latest.values() if isinstance(one, Rejected))
        self.rejected = (*unreadable, *nameless)

    def applied_to(self, listed: Fetched) -> Fetched:
        """The complete list as it is after these changes."""
        untouched = (one for one in listed.records if one.record_id not in self.ids)
        unreadable = (one for one in listed.rejected if one.record_id not in self.ids)
        return Fetched(
            listed.entity,
            (*untouched, *(record for record in self.records if not record.is_deleted)),
            (*unreadable, *self.rejected),
            is_complete=True,
        )


def _after_event(payload: JsonObject) -> Record | Rejected:
    """The state of a workout after an event."""
    try:
        event = WorkoutEvent.model_validate(payload)
    except ValidationError as error:
        return _rejected(payload, error, payload.get("id"))
    if event.type == "deleted" or event.workout is None:
        gone = canonical_json({"id": event.id})
        return Record(str(event.id), gone, event.deleted_at, is_deleted=True)
    return _validated(event.workout, Workout)


def _latest_change(records: Iterable[Record], otherwise: datetime) -> datetime:
    """When the last of these changed."""
    return max(
        (record.vendor_updated_at for record in records if record.vendor_updated_at),
        default=otherwise,
    )


def _whole(
    entity: Entity,
    payloads: Iterable[JsonObject],
    model: type[ReadModel],
    *,
    identity: str = "id",
) -> Fetched:
    records: dict[str, Record] = {}
    rejected: dict[tuple[str | None, str], Rejected] = {}
    for payload in payloads:
        outcome = _validated(payload, model, identity)
        if isinstance(outcome, Record):
            records[outcome.record_id] = outcome
        else:
            rejected[outcome.record_id, outcome.payload] = outcome
    return Fetched(entity, tuple(records.values()), tuple(rejected.values()), is_complete=True)


def _validated(
    payload: JsonObject, model: type[ReadModel], identity: str = "id"
) -> Record | Rejected:
    """The record to land, or the reason why it cannot be understood or stored."""
    try:
        text = canonical_json(payload)
        # The text is validated, not the object: it is what will be stored, and it is faster.
        parsed = model.model_validate_json(text)
        return Record(str(payload[identity]), text, getattr(parsed, "updated_at", None))
    except ValueError as error:
        return _rejected(payload, error, payload.get(identity))


def _rejected(payload: Mapping[str, Any], error: ValueError, record_id: Any) -> Rejected:
    return Rejected(
        reason=_reason(error),
        payload=json.dumps(
            payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str
        ),
        record_id=None if record_id is None else str(record_id),
    )


def _reason(error: ValueError) -> str:
    """The first thing wrong with a record, with its place where a model found it."""
    if not isinstance(error, ValidationError):
        return str(error)
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]
