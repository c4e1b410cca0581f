"""Content of a simulated account and its reads."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Any, TypeVar

from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.simulator.api.problem import not_found
from hevy_connector.simulator.api.records import Json, history_rows, stamp
from hevy_connector.simulator.api.state import AccountState
from hevy_connector.simulator.api.template_order import in_service_order

Key = TypeVar("Key", bound=Hashable)


class Holdings:
    """The objects of an account in their read format.

    Returned records belong to the account and must not be changed. A missing object raises
    `ApiProblem`.
    """

    def __init__(self, state: AccountState) -> None:
        self.user = state.user
        self._templates = by_key("id", [*built_in_templates(), *state.custom_templates])
        self._folders = by_key("id", state.folders)
        self._routines = by_key("id", state.routines)
        self._workouts = by_key("id", state.workouts)
        self._measurements = by_key("date", state.measurements)
        self._deleted_at = dict(state.deleted_workouts)
        self._sorted: dict[str, list[Any]] = {}

    def workouts(self) -> list[Json]:
        """Return all workouts, newest start first."""
        return self._once_sorted("workouts", self._workouts_newest_first)

    def workout_count(self) -> int:
        """Return the number of workouts."""
        return len(self._workouts)

    def workout(self, workout_id: str) -> Json:
        """Return one workout."""
        return _require(self._workouts, workout_id, "Workout")

    def events(self, since: datetime) -> list[Json]:
        """Return the events of workouts after `since`, newest first.

        A workout appears once, with its latest state or as deleted.
        """
        since_text = stamp(since)
        feed = self._once_sorted("events", self._feed_newest_first)
        return [event for _, event in takewhile(lambda entry: entry[0] > since_text, feed)]

    def exercise_history(
        self, template_id: str, start: datetime | None = None, end: datetime | None = None
    ) -> list[Json]:
        """Return every set of one template, newest workout first; the bounds are inclusive."""
        return [
            row
            for workout in self.workouts()
            if (start is None or datetime.fromisoformat(workout["start_time"]) >= start)
            and (end is None or datetime.fromisoformat(workout["start_time"]) <= end)
            for row in history_rows(workout, template_id)
        ]

    def routines(self) -> list[Json]:
        """Return all routines in order of creation."""
        return list(self._routines.values())

    def routine(self, routine_id: str) -> Json:
        """Return one routine."""
        return _require(self._routines, routine_id, "Routine")

    def folders(self) -> list[Json]:
        """Return all routine folders in the order of the app."""
        return sorted(self._folders.values(), key=lambda folder: folder["index"])

    def folder(self, folder_id: int) -> Json:
        """Return one routine folder."""
        return _require(self._folders, folder_id, "Routine folder")

    def has_folder(self, folder_id: int | None) -> bool:
        """Return whether a folder exists; None is "My Routines"."""
        return folder_id is None or folder_id in self._folders

    def templates(self) -> list[Json]:
        """Return all exercise templates, built-in and custom, in the service's order."""
        return self._once_sorted("templates", lambda: in_service_order(self._templates.values()))

    def template(self, template_id: str) -> Json:
        """Return one exercise template."""
        return _require(self._templates, template_id, "Exercise template")

    def measurements(self) -> list[Json]:
        """Return all body measurements, newest day first."""
        return sorted(self._measurements.values(), key=lambda day: day["date"], reverse=True)

    def measurement(self, day: str) -> Json:
        """Return the body measurement of one day (YYYY-MM-DD)."""
        return _require(self._measurements, day, "Body measurement")

    def _once_sorted(self, name: str, sort: Callable[[], list[Any]]) -> list[Any]:
        """Return a sorted list from a cache that each write clears: paged reads use it often."""
        if name not in self._sorted:
            self._sorted[name] = sort()
        return list(self._sorted[name])

    def _forget_sorted(self) -> None:
        self._sorted.clear()

    def _workouts_newest_first(self) -> list[Json]:
        return sorted(
            self._workouts.values(),
            key=lambda workout: (workout["start_time"], workout["created_at"]),
            reverse=True,
        )

    def _feed_newest_first(self) -> list[tuple[str, Json]]:
        happened: list[tuple[str, Json]] = [
            (workout["updated_at"], {"type": "updated", "workout": workout})
            for workout in self._workouts.values()
        ]
        happened += [
            (deleted_at, {"type": "deleted", "id": workout_id, "deleted_at": deleted_at})
            for workout_id, deleted_at in self._deleted_at.items()
        ]
        return sorted(happened, key=lambda entry: entry[0], reverse=True)


def by_key(key: str, records: Sequence[Json]) -> dict[Any, Json]:
    """Index the records by one of their fields, in the same order."""
    return {record[key]: record for record in records}


def _require(records: Mapping[Key, Json], key: Key, subject: str) -> Json:
    if key not in records:
        raise not_found(subject)
    return records[key]
