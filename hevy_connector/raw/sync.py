"""Fetch from the API, validate, and land in the raw tables with a cursor.

A fetch holds no database connection and a landing sends no HTTP request, so the warehouse is never
locked during network waits. A fetch and its cursor are landed in one transaction: after a kill at
any moment the next sync continues from the last commit.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
from pydantic import ValidationError

from hevy_connector.canonical_json import canonical_json
from hevy_connector.client.async_client import (
    BODY_MEASUREMENTS,
    EXERCISE_TEMPLATES,
    ROUTINE_FOLDERS,
    ROUTINES,
    WORKOUTS,
)
from hevy_connector.client.client import HevyClient
from hevy_connector.errors import HevyListMovedError, HevyUnavailableError
from hevy_connector.raw.landing import Batch, LandResult, Record, land_all
from hevy_connector.raw.plausible import implausible_start
from hevy_connector.raw.quarantine import Rejected
from hevy_connector.raw.sync_state import save_sync_states
from hevy_connector.raw.tables import Entity, Origin, known_records
from hevy_connector.raw.transactions import run_in_transaction
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

# The API does not document if `since` is inclusive, and clocks of servers differ a little. Records
# that are fetched twice are deduplicated by content.
CURSOR_OVERLAP = timedelta(minutes=5)

_READS_BEFORE_GIVING_UP = 3


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


def fetch_workouts(client: HevyClient, cursor_at: datetime | None) -> FetchResult:
    """Fetch all workouts, or with a cursor only the changes since.

    Raises:
        HevyError: see `HevyClient`; nothing may be concluded then.
    """
    if cursor_at is None:
        return _fetch_all_workouts(client)
    started_at = datetime.now(UTC)
    events, counted = client.events_and_count(cursor_at - CURSOR_OVERLAP)
    changes = _Changes(events)
    # A change with a time in the future must not hide the changes until then.
    newest = min(_latest_change_at(changes.records, cursor_at), started_at)
    return FetchResult(
        "hevy_workouts",
        changes.records,
        tuple(changes.rejected),
        is_complete=False,
        cursor_at=max(cursor_at, newest),
        counted=counted,
        unknown_events=tuple(changes.unknown),
    )


def fetch_unlanded_workouts(
    client: HevyClient,
    connect: Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]],
    athlete_id: str,
    since: datetime,
) -> tuple[Record, ...]:
    """Fetch changes of workouts since the cursor that have not been landed, from the feed alone.

    One request if there are few changes. The warehouse is opened only if there are any.

    Raises:
        HevyError: the feed could not be read.
    """
    changed = _Changes(client.event_payloads(since - CURSOR_OVERLAP)).records
    if not changed:
        return ()
    with connect() as con:
        known = {
            record_id: None if is_deleted else sha256
            for record_id, sha256, is_deleted in con.execute(
                f"select record_id, payload_sha256, is_deleted from "
                f"({known_records('hevy_workouts')}) where record_id in (select unnest($ids))",
                {"athlete_id": athlete_id, "ids": [each.record_id for each in changed]},
            ).fetchall()
        }
    # An unknown workout and a workout known as deleted are equivalent here.
    return tuple(
        each
        for each in changed
        if known.get(each.record_id) != (None if each.is_deleted else each.payload_sha256)
    )


def validate_workouts(payloads: Iterable[JsonObject]) -> FetchResult:
    """Validate a complete list of workouts; invalid ones are rejected with the reason."""
    return _full_snapshot("hevy_workouts", payloads, Workout)


def fetch_routines(client: HevyClient) -> FetchResult:
    """Fetch the current state of all routines."""
    return _full_snapshot("hevy_routines", client.payloads(ROUTINES), Routine)


def fetch_routine_folders(client: HevyClient) -> FetchResult:
    """Fetch all routine folders."""
    return _full_snapshot("hevy_routine_folders", client.payloads(ROUTINE_FOLDERS), RoutineFolder)


def fetch_exercise_templates(client: HevyClient) -> FetchResult:
    """Fetch the whole exercise catalogue, built-in and custom."""
    return _full_snapshot(
        "hevy_exercise_templates", client.payloads(EXERCISE_TEMPLATES), ExerciseTemplate
    )


def fetch_body_measurements(client: HevyClient) -> FetchResult:
    """Fetch all body measurements; the day is the id."""
    payloads = client.payloads(BODY_MEASUREMENTS)
    return _full_snapshot("hevy_body_measurements", payloads, BodyMeasurement, identity="date")


def fetch_user(client: HevyClient) -> FetchResult:
    """Fetch the account itself as one record."""
    return _full_snapshot("hevy_users", [client.user_info().payload], UserInfo)


def land_fetched(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    fetched: FetchResult,
    *,
    now: datetime,
    run_id: str,
    origin: Origin = "api",
) -> LandResult:
    """Land one fetch and its cursor in one transaction.

    Raises:
        duckdb.Error: the transaction was rolled back.
    """

    def work() -> LandResult:
        return land_all_fetched(con, {athlete_id: fetched}, now=now, run_id=run_id, origin=origin)[
            athlete_id
        ]

    return run_in_transaction(con, work)


def land_all_fetched(
    con: duckdb.DuckDBPyConnection,
    fetched: Mapping[str, FetchResult],
    *,
    now: datetime,
    run_id: str,
    origin: Origin = "api",
) -> dict[str, LandResult]:
    """Land fetches of one entity, by athlete, and their cursors, in the caller's transaction."""
    if not fetched:
        return {}
    [entity] = {each.entity for each in fetched.values()}
    readings = {
        athlete: Batch(each.records, (*each.rejected, *each.unknown_events), each.is_complete)
        for athlete, each in fetched.items()
    }
    landed = land_all(con, entity, readings, now=now, run_id=run_id, origin=origin)
    cursors = {athlete: each.cursor_at for athlete, each in fetched.items()}
    save_sync_states(con, entity, cursors, completed_at=now)
    return landed


def _fetch_all_workouts(client: HevyClient) -> FetchResult:
    """Fetch every workout as of the end of the read.

    Changes during the read come from the feed, and the count shows if a record moved between pages;
    then the read is retried. If an account repeatedly lists the same records and reports another
    count, the listed records are used, but the read counts as incomplete: no deletion follows from
    it.
    """
    before: FetchResult | None = None
    for _ in range(_READS_BEFORE_GIVING_UP):
        try:
            fetched = _read_all_workouts(client)
        except HevyListMovedError:
            continue
        if fetched.counted == _count(fetched):
            return fetched
        if before is not None and set(before.records) == set(fetched.records):
            return replace(fetched, is_complete=False)
        before = fetched
    raise HevyUnavailableError(
        "The list of workouts kept changing while it was read. Try again in a minute; nothing was "
        "changed here."
    )


def _read_all_workouts(client: HevyClient) -> FetchResult:
    """Fetch the list and apply the feed's changes during the read.

    The cursor is earlier than the read, by the service's clock as well as by ours.
    """
    started_at = datetime.now(UTC)
    pages = client.pages(WORKOUTS)
    listed = validate_workouts(workout for page in pages for workout in page)
    took = datetime.now(UTC) - started_at
    cursor_at = min(_latest_change_at(listed.records, started_at) - took, started_at)
    events, counted = client.events_and_count(cursor_at - CURSOR_OVERLAP)
    return replace(
        _Changes(events).applied_to(listed),
        cursor_at=cursor_at if listed.records else None,
        counted=counted,
    )


def _count(fetched: FetchResult) -> int:
    """Number of workouts in a complete read, readable or not."""
    readable = {record.record_id for record in fetched.records}
    others = [one.record_id for one in fetched.rejected if one.record_id not in readable]
    return len(readable) + len({one for one in others if one is not None}) + others.count(None)


class _Changes:
    """Changes of workouts from a feed: the state of each after its latest readable event.

    `rejected` are the unreadable workouts, `unknown` the unreadable events.
    """

    def __init__(self, newest_first: list[JsonObject]) -> None:
        latest: dict[str, Record] = {}
        self.rejected: list[Rejected] = []
        self.unknown: list[Rejected] = []
        for payload in reversed(newest_first):
            try:
                outcome = _after(WorkoutEvent.model_validate(payload))
            except ValidationError as error:
                self.unknown.append(_reject(payload, error, None))
                continue
            if isinstance(outcome, Record):
                latest[outcome.record_id] = outcome
            else:
                self.rejected.append(outcome)
        self.records = tuple(latest.values())

    def applied_to(self, listed: FetchResult) -> FetchResult:
        """Apply these changes to a complete list."""
        changed = {record.record_id for record in self.records}
        unread = {reject.record_id for reject in self.rejected}
        untouched = (one for one in listed.records if one.record_id not in changed)
        unreadable = (one for one in listed.rejected if one.record_id not in changed | unread)
        return FetchResult(
            listed.entity,
            (*untouched, *(record for record in self.records if not record.is_deleted)),
            (*unreadable, *self.rejected),
            is_complete=True,
            unknown_events=tuple(self.unknown),
        )


def _after(event: WorkoutEvent) -> Record | Rejected:
    """Return the state of a workout after an event."""
    if event.workout is None:
        gone = canonical_json({"id": event.id})
        return Record(str(event.id), gone, event.deleted_at, is_deleted=True)
    return _validate(event.workout, Workout)


def _latest_change_at(records: Iterable[Record], default: datetime) -> datetime:
    """Return the latest change time of these records."""
    return max(
        (record.vendor_updated_at for record in records if record.vendor_updated_at),
        default=default,
    )


def _full_snapshot(
    entity: Entity,
    payloads: Iterable[JsonObject],
    model: type[ReadModel],
    *,
    identity: str = "id",
) -> FetchResult:
    records: dict[str, Record] = {}
    rejected: dict[tuple[str | None, str], Rejected] = {}
    for payload in payloads:
        outcome = _validate(payload, model, identity)
        if isinstance(outcome, Record):
            records[outcome.record_id] = outcome
        else:
            rejected[outcome.record_id, outcome.payload] = outcome
    return FetchResult(entity, tuple(records.values()), tuple(rejected.values()), is_complete=True)


def _validate(
    payload: JsonObject, model: type[ReadModel], identity: str = "id"
) -> Record | Rejected:
    """Validate a payload; return the record to land or the rejection with the reason."""
    try:
        text = canonical_json(payload)
        # Validates the text, not the object: the text is what is stored, and it is faster.
        parsed = model.model_validate_json(text)
        if isinstance(parsed, Workout):
            written_at = parsed.updated_at or parsed.created_at or datetime.now(UTC)
            if reason := implausible_start(parsed.start_time, written_at):
                raise ValueError(reason)
        return Record(str(payload[identity]), text, getattr(parsed, "updated_at", None))
    except ValueError as error:
        known = payload.get(identity)
        return _reject(payload, error, known if isinstance(known, str | int) else None)


def _reject(payload: Mapping[str, Any], error: ValueError, record_id: Any) -> Rejected:
    try:
        text = json.dumps(
            payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str
        )
    except RecursionError:
        text = f"nested too deeply to be written; its fields: {', '.join(payload)}"
    return Rejected(
        reason=_reason(error),
        payload=text,
        record_id=None if record_id is None else str(record_id),
    )


def _reason(error: ValueError) -> str:
    """Return the first validation error of a record, with its path if a model found it."""
    if not isinstance(error, ValidationError):
        return str(error)
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]
