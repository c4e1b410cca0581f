"""From the API to the raw tables: what to fetch, what is valid, how far we got.

Fetching holds no database connection and landing does no HTTP, so the warehouse is never locked
while the network is slow. One fetch is landed in one transaction together with its cursor: after
a kill at any moment the next sync continues from what was committed.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
from pydantic import BaseModel, ValidationError

from hevy_connector.client import HevyClient, JsonObject
from hevy_connector.errors import HevyUnavailableError
from hevy_connector.landing import Landed, Record, canonical_json, land, save_sync_state
from hevy_connector.quarantine import Rejected
from hevy_connector.raw_tables import Entity, Origin
from hevy_connector.schemas import (
    BodyMeasurement,
    ExerciseTemplate,
    Routine,
    RoutineFolder,
    UserInfo,
    Workout,
    WorkoutEvent,
)

# Whether `since` includes its own instant is not documented, and clocks of servers differ a
# little; what is read twice is recognised by its content.
CURSOR_OVERLAP = timedelta(minutes=5)

_READS_BEFORE_GIVING_UP = 3


@dataclass(frozen=True)
class Fetched:
    """One complete read of an entity, ready to land.

    `is_complete` says that `records` are all that exist; otherwise they are changes. `cursor_at`
    is the time from which the next changes are to be read, None where there is no feed.
    """

    entity: Entity
    records: tuple[Record, ...]
    rejected: tuple[Rejected, ...]
    is_complete: bool
    cursor_at: datetime | None = None


def fetch_workouts(client: HevyClient, cursor_at: datetime | None) -> Fetched:
    """All workouts, or with a cursor only what changed since.

    Raises:
        HevyError: see `HevyClient`; nothing may be concluded then.
    """
    if cursor_at is None:
        return _fetch_all_workouts(client)
    events = client.workout_events(cursor_at - CURSOR_OVERLAP)
    records: dict[str, Record] = {}
    rejected: list[Rejected] = []
    newest = cursor_at
    for payload in reversed(events):
        try:
            event = WorkoutEvent.model_validate(payload)
        except ValidationError as error:
            rejected.append(_rejected(payload, error, payload.get("id")))
            continue
        outcome = _applied(event)
        if isinstance(outcome, Rejected):
            rejected.append(outcome)
            continue
        records[outcome.record_id] = outcome
        if outcome.vendor_updated_at is not None:
            newest = max(newest, outcome.vendor_updated_at)
    return Fetched(
        "hevy_workouts",
        tuple(records.values()),
        tuple(rejected),
        is_complete=False,
        cursor_at=newest,
    )


def fetch_routines(client: HevyClient) -> Fetched:
    """All routines as they are now."""
    return _collection("hevy_routines", client.routines(), Routine, lambda routine: routine["id"])


def fetch_routine_folders(client: HevyClient) -> Fetched:
    """All folders of routines."""
    return _collection(
        "hevy_routine_folders",
        client.routine_folders(),
        RoutineFolder,
        lambda folder: str(folder["id"]),
    )


def fetch_exercise_templates(client: HevyClient) -> Fetched:
    """The whole catalogue, built-in and custom."""
    return _collection(
        "hevy_exercise_templates",
        client.exercise_templates(),
        ExerciseTemplate,
        lambda template: template["id"],
    )


def fetch_body_measurements(client: HevyClient) -> Fetched:
    """All body measurements; the day is the id."""
    return _collection(
        "hevy_body_measurements",
        client.body_measurements(),
        BodyMeasurement,
        lambda measurement: measurement["date"],
    )


def fetch_user(client: HevyClient) -> Fetched:
    """The account itself, one record."""
    return _collection("hevy_users", [client.user_info()], UserInfo, lambda user: user["id"])


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
    """Every workout; read again if the list changed under the reading.

    A deletion while paging moves a workout onto a page already read; the count tells. The cursor
    is the latest change seen but not later than the start of the reading, so that an edit made
    meanwhile comes with the next events.
    """
    for _ in range(_READS_BEFORE_GIVING_UP):
        started_at = datetime.now(UTC)
        payloads = client.workouts()
        if client.workout_count() == len(payloads):
            break
    else:
        raise HevyUnavailableError(
            "The list of workouts kept changing while it was read. Try again in a minute; "
            "nothing was changed here."
        )
    fetched = _collection("hevy_workouts", payloads, Workout, lambda workout: workout["id"])
    changes = [record.vendor_updated_at for record in fetched.records if record.vendor_updated_at]
    cursor_at = min(max(changes), started_at) if changes else None
    return Fetched(
        fetched.entity, fetched.records, fetched.rejected, is_complete=True, cursor_at=cursor_at
    )


def _applied(event: WorkoutEvent) -> Record | Rejected:
    """The state of a workout after an event."""
    if event.type == "deleted" or event.workout is None:
        payload = {"id": event.id}
        return Record(str(event.id), canonical_json(payload), event.deleted_at, is_deleted=True)
    return _validated(event.workout, Workout, lambda workout: workout["id"])


def _collection(
    entity: Entity,
    payloads: Iterable[JsonObject],
    model: type[BaseModel],
    identity: Callable[[JsonObject], str],
) -> Fetched:
    outcomes = [_validated(payload, model, identity) for payload in payloads]
    return Fetched(
        entity,
        tuple(outcome for outcome in outcomes if isinstance(outcome, Record)),
        tuple(outcome for outcome in outcomes if isinstance(outcome, Rejected)),
        is_complete=True,
    )


def _validated(
    payload: JsonObject, model: type[BaseModel], identity: Callable[[JsonObject], str]
) -> Record | Rejected:
    """The record to land, or the reason why it cannot be understood or stored."""
    try:
        parsed = model.model_validate(payload)
        return Record(
            identity(payload), canonical_json(payload), getattr(parsed, "updated_at", None)
        )
    except ValueError as error:
        known = payload.get("id", payload.get("date"))
        return _rejected(payload, error, known)


def _rejected(payload: Mapping[str, Any], error: ValueError, record_id: Any) -> Rejected:
    return Rejected(
        reason=_reason(error),
        payload=json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False),
        record_id=None if record_id is None else str(record_id),
    )


def _reason(error: ValueError) -> str:
    """The first thing wrong with a record, with its place where a model found it."""
    if not isinstance(error, ValidationError):
        return str(error)
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]
