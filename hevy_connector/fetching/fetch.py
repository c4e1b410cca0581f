"""Fetch entities of an account from the API. A fetch holds no database connection."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

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
from hevy_connector.fetching.validation import full_snapshot, reject, validate
from hevy_connector.records import FetchResult, Record, Rejected
from hevy_connector.schemas import (
    BodyMeasurement,
    ExerciseTemplate,
    JsonObject,
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


def fetch_changes(client: HevyClient, since: datetime) -> tuple[Record, ...]:
    """Fetch the workouts that changed since a cursor, from the feed alone.

    One request if there are few changes.

    Raises:
        HevyError: the feed could not be read.
    """
    return _Changes(client.event_payloads(since - CURSOR_OVERLAP)).records


def validate_workouts(payloads: Iterable[JsonObject]) -> FetchResult:
    """Validate a complete list of workouts; invalid ones are rejected with the reason."""
    return full_snapshot("hevy_workouts", payloads, Workout)


def fetch_routines(client: HevyClient) -> FetchResult:
    """Fetch the current state of all routines."""
    return full_snapshot("hevy_routines", client.payloads(ROUTINES), Routine)


def fetch_routine_folders(client: HevyClient) -> FetchResult:
    """Fetch all routine folders."""
    return full_snapshot("hevy_routine_folders", client.payloads(ROUTINE_FOLDERS), RoutineFolder)


def fetch_exercise_templates(client: HevyClient) -> FetchResult:
    """Fetch the whole exercise catalogue, built-in and custom."""
    return full_snapshot(
        "hevy_exercise_templates", client.payloads(EXERCISE_TEMPLATES), ExerciseTemplate
    )


def fetch_body_measurements(client: HevyClient) -> FetchResult:
    """Fetch all body measurements; the day is the id."""
    payloads = client.payloads(BODY_MEASUREMENTS)
    return full_snapshot("hevy_body_measurements", payloads, BodyMeasurement, identity="date")


def fetch_user(client: HevyClient) -> FetchResult:
    """Fetch the account itself as one record."""
    return full_snapshot("hevy_users", [client.user_info().payload], UserInfo)


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


def _latest_change_at(records: Iterable[Record], default: datetime) -> datetime:
    """Return the latest change time of these records."""
    return max(
        (record.vendor_updated_at for record in records if record.vendor_updated_at),
        default=default,
    )


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
                self.unknown.append(reject(payload, error, None))
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
    return validate(event.workout, Workout)
