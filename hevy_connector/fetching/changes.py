"""Apply a feed of workout events: the state of each workout after its latest readable event."""

from pydantic import ValidationError

from hevy_connector.canonical_json import canonical_json
from hevy_connector.fetching.validation import reject, validate
from hevy_connector.records import FetchResult, Record, Rejected
from hevy_connector.schemas import JsonObject, Workout, WorkoutEvent


class Changes:
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
