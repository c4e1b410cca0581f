"""From the API to the raw tables: what to fetch, what is valid, how far we got.

Fetching holds no database connection and landing does no HTTP, so the warehouse is never locked
while the network is slow. One fetch is landed in one transaction together with its cursor: after
a kill at any moment the next sync continues from what was committed.
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
from hevy_connector.raw.landing import Landed, Reading, Record, land_all
from hevy_connector.raw.plausible import implausible_start
from hevy_connector.raw.quarantine import Rejected
from hevy_connector.raw.sync_state import save_sync_states
from hevy_connector.raw.tables import Entity, Origin, known_records
from hevy_connector.raw.transactions import committed
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

# Whether `since` includes its own instant is not documented, and clocks of servers differ a
# little; what is read twice is recognised by its content.
CURSOR_OVERLAP = timedelta(minutes=5)

_READS_BEFORE_GIVING_UP = 3


@dataclass(frozen=True)
class Fetched:
    """One complete read of an entity, ready to land.

    `is_complete` says that `records` are all that exist; otherwise they are changes. `cursor_at`
    is the time from which the next changes are to be read, None where there is no feed. `counted`
    is how many records the account says it has, None where it does not say. `unknown_events` are
    what a feed told that cannot be understood, not even of which record.
    """

    entity: Entity
    records: tuple[Record, ...]
    rejected: tuple[Rejected, ...]
    is_complete: bool
    cursor_at: datetime | None = None
    counted: int | None = None
    unknown_events: tuple[Rejected, ...] = ()


def fetch_workouts(client: HevyClient, cursor_at: datetime | None) -> Fetched:
    """All workouts, or with a cursor only what changed since.

    Raises:
        HevyError: see `HevyClient`; nothing may be concluded then.
    """
    if cursor_at is None:
        return _fetch_all_workouts(client)
    started_at = datetime.now(UTC)
    events, counted = client.news(cursor_at - CURSOR_OVERLAP)
    changes = _Changes(events)
    # A change that claims to be of the future must not hide those until then.
    newest = min(_latest_change(changes.records, cursor_at), started_at)
    return Fetched(
        "hevy_workouts",
        changes.records,
        tuple(changes.rejected),
        is_complete=False,
        cursor_at=max(cursor_at, newest),
        counted=counted,
        unknown_events=tuple(changes.unknown),
    )


def unlanded_workouts(
    client: HevyClient,
    connect: Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]],
    athlete_id: str,
    since: datetime,
) -> tuple[Record, ...]:
    """Changes of workouts since the cursor that no landing has, as the feed alone tells them.

    One request when little is new; the warehouse is opened only when something is.

    Raises:
        HevyError: the feed could not be read.
    """
    told = _Changes(client.event_payloads(since - CURSOR_OVERLAP)).records
    if not told:
        return ()
    with connect() as con:
        known = {
            record_id: None if is_deleted else sha256
            for record_id, sha256, is_deleted in con.execute(
                f"select record_id, payload_sha256, is_deleted from "
                f"({known_records('hevy_workouts')}) where record_id in (select unnest($ids))",
                {"athlete_id": athlete_id, "ids": [each.record_id for each in told]},
            ).fetchall()
        }
    # A workout that was never known and one that is known as deleted are the same here.
    return tuple(
        each
        for each in told
        if known.get(each.record_id) != (None if each.is_deleted else each.payload_sha256)
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

    def work() -> Landed:
        return land_all_fetched(con, {athlete_id: fetched}, now=now, run_id=run_id, origin=origin)[
            athlete_id
        ]

    return committed(con, work)


def land_all_fetched(
    con: duckdb.DuckDBPyConnection,
    fetched: Mapping[str, Fetched],
    *,
    now: datetime,
    run_id: str,
    origin: Origin = "api",
) -> dict[str, Landed]:
    """Land fetches of one entity, by athlete, and how far they got; in the caller's transaction."""
    if not fetched:
        return {}
    [entity] = {each.entity for each in fetched.values()}
    readings = {
        athlete: Reading(each.records, (*each.rejected, *each.unknown_events), each.is_complete)
        for athlete, each in fetched.items()
    }
    landed = land_all(con, entity, readings, now=now, run_id=run_id, origin=origin)
    cursors = {athlete: each.cursor_at for athlete, each in fetched.items()}
    save_sync_states(con, entity, cursors, completed_at=now)
    return landed


def _fetch_all_workouts(client: HevyClient) -> Fetched:
    """Every workout as of the end of the reading.

    What changed while the pages were read is taken from the feed, and the count tells whether
    something slipped from page to page; if so, all is read again. An account that lists the same
    again and again and counts another number is taken as it lists, but then nothing is complete:
    no deletion follows from it.
    """
    before: Fetched | None = None
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


def _read_all_workouts(client: HevyClient) -> Fetched:
    """The list with what the feed says of the time in which it was read.

    The cursor lies before the reading began, by the service's clock as well as by ours.
    """
    started_at = datetime.now(UTC)
    pages = client.pages(WORKOUTS)
    listed = validated_workouts(workout for page in pages for workout in page)
    took = datetime.now(UTC) - started_at
    cursor_at = min(_latest_change(listed.records, started_at) - took, started_at)
    events, counted = client.news(cursor_at - CURSOR_OVERLAP)
    return replace(
        _Changes(events).applied_to(listed),
        cursor_at=cursor_at if listed.records else None,
        counted=counted,
    )


def _count(fetched: Fetched) -> int:
    """How many workouts a complete reading found, readable or not."""
    readable = {record.record_id for record in fetched.records}
    others = [one.record_id for one in fetched.rejected if one.record_id not in readable]
    return len(readable) + len({one for one in others if one is not None}) + others.count(None)


class _Changes:
    """What a feed says of workouts: how each was after its latest event that can be read.

    `rejected` are the workouts that cannot be read, and `unknown` the events that cannot.
    """

    def __init__(self, newest_first: list[JsonObject]) -> None:
        latest: dict[str, Record] = {}
        self.rejected: list[Rejected] = []
        self.unknown: list[Rejected] = []
        for payload in reversed(newest_first):
            try:
                outcome = _after(WorkoutEvent.model_validate(payload))
            except ValidationError as error:
                self.unknown.append(_rejected(payload, error, None))
                continue
            if isinstance(outcome, Record):
                latest[outcome.record_id] = outcome
            else:
                self.rejected.append(outcome)
        self.records = tuple(latest.values())

    def applied_to(self, listed: Fetched) -> Fetched:
        """The complete list as it is after these changes."""
        changed = {record.record_id for record in self.records}
        unread = {reject.record_id for reject in self.rejected}
        untouched = (one for one in listed.records if one.record_id not in changed)
        unreadable = (one for one in listed.rejected if one.record_id not in changed | unread)
        return Fetched(
            listed.entity,
            (*untouched, *(record for record in self.records if not record.is_deleted)),
            (*unreadable, *self.rejected),
            is_complete=True,
            unknown_events=tuple(self.unknown),
        )


def _after(event: WorkoutEvent) -> Record | Rejected:
    """The state of a workout after an event."""
    if event.workout is None:
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
    """The record to land, or the reason why it cannot be understood, stored or believed."""
    try:
        text = canonical_json(payload)
        # The text is validated, not the object: it is what will be stored, and it is faster.
        parsed = model.model_validate_json(text)
        if isinstance(parsed, Workout):
            written_at = parsed.updated_at or parsed.created_at or datetime.now(UTC)
            if reason := implausible_start(parsed.start_time, written_at):
                raise ValueError(reason)
        return Record(str(payload[identity]), text, getattr(parsed, "updated_at", None))
    except ValueError as error:
        known = payload.get(identity)
        return _rejected(payload, error, known if isinstance(known, str | int) else None)


def _rejected(payload: Mapping[str, Any], error: ValueError, record_id: Any) -> Rejected:
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
    """The first thing wrong with a record, with its place where a model found it."""
    if not isinstance(error, ValidationError):
        return str(error)
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]
