"""One simulated Hevy account: what it holds and how writes change it, without any HTTP."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from hevy_connector.simulator.bodies import (
    DatedMeasurementBody,
    FolderEnvelope,
    MeasurementBody,
    RoutineBody,
    RoutineEnvelope,
    RoutineExerciseBody,
    TemplateEnvelope,
    WorkoutBody,
    WorkoutEnvelope,
    WorkoutExerciseBody,
)
from hevy_connector.simulator.catalogue import built_in_templates, in_service_order
from hevy_connector.simulator.clock import SimulatedClock
from hevy_connector.simulator.problem import ApiProblem, bad_request, not_found
from hevy_connector.simulator.records import (
    Json,
    folder_record,
    history_rows,
    measurement_record,
    object_id,
    routine_record,
    stamp,
    template_record,
    workout_record,
)
from hevy_connector.simulator.validation import parse_body, zod_problem

_TYPES_AS_READ = {
    "bodyweight_reps": "bodyweight_weighted",
    "bodyweight_assisted_reps": "bodyweight_assisted",
}
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class AccountState:
    """What an account starts with, every object in the shape in which it is read.

    `seed` decides the ids of what is written later.
    """

    seed: int
    user: Json
    folders: Sequence[Json] = ()
    routines: Sequence[Json] = ()
    workouts: Sequence[Json] = ()
    measurements: Sequence[Json] = ()
    custom_templates: Sequence[Json] = ()


class Account:
    """An account of the simulated service.

    `create_…` and `replace_…` take the JSON body of a request to the API. `log_…`, `edit_…` and
    `delete_…` act as the athlete does in the app: they take a record as it is read, and only they
    can link a workout to a routine or delete anything. Returned records belong to the account:
    read them, do not change them. Every refusal is an `ApiProblem`.
    """

    def __init__(self, state: AccountState, *, clock: SimulatedClock | None = None) -> None:
        self.user = state.user
        self._seed = state.seed
        self._clock = clock or SimulatedClock()
        self._templates = _by("id", [*built_in_templates(), *state.custom_templates])
        self._folders = _by("id", state.folders)
        self._routines = _by("id", state.routines)
        self._workouts = _by("id", state.workouts)
        self._measurements = _by("date", state.measurements)
        self._deleted_at: dict[str, str] = {}
        self._ids_given = 0

    # Reads

    def workouts(self) -> list[Json]:
        """All workouts, newest start first."""
        return sorted(
            self._workouts.values(), key=lambda workout: workout["start_time"], reverse=True
        )

    def workout(self, workout_id: str) -> Json:
        """One workout."""
        return _existing(self._workouts, workout_id, "Workout")

    def events(self, since: datetime) -> list[Json]:
        """What happened to workouts after `since`, newest first.

        A workout appears once, with its latest state or as deleted.
        """
        happened = [
            (workout["updated_at"], {"type": "updated", "workout": workout})
            for workout in self._workouts.values()
        ] + [
            (deleted_at, {"type": "deleted", "id": workout_id, "deleted_at": deleted_at})
            for workout_id, deleted_at in self._deleted_at.items()
        ]
        happened.sort(key=lambda event: event[0], reverse=True)
        return [event for at, event in happened if datetime.fromisoformat(at) > since]

    def exercise_history(
        self, template_id: str, start: datetime | None = None, end: datetime | None = None
    ) -> list[Json]:
        """Every set of one template, newest workout first; the bounds are inclusive."""
        return [
            row
            for workout in self.workouts()
            if (start is None or datetime.fromisoformat(workout["start_time"]) >= start)
            and (end is None or datetime.fromisoformat(workout["start_time"]) <= end)
            for row in history_rows(workout, template_id)
        ]

    def routines(self) -> list[Json]:
        """All routines, in the order in which they were made."""
        return list(self._routines.values())

    def routine(self, routine_id: str) -> Json:
        """One routine."""
        return _existing(self._routines, routine_id, "Routine")

    def folders(self) -> list[Json]:
        """All routine folders, as the app lists them."""
        return sorted(self._folders.values(), key=lambda folder: folder["index"])

    def folder(self, folder_id: int) -> Json:
        """One routine folder."""
        return _existing(self._folders, folder_id, "Routine folder")

    def templates(self) -> list[Json]:
        """All exercise templates, built-in and custom, in the service's order."""
        return in_service_order(self._templates.values())

    def template(self, template_id: str) -> Json:
        """One exercise template."""
        return _existing(self._templates, template_id, "Exercise template")

    def measurements(self) -> list[Json]:
        """All body measurements, newest day first."""
        return sorted(self._measurements.values(), key=lambda day: day["date"], reverse=True)

    def measurement(self, day: str) -> Json:
        """The body measurement of one day (YYYY-MM-DD)."""
        return _existing(self._measurements, day, "Body measurement")

    # Writes by the API

    def create_workout(self, payload: Any) -> Json:
        """A new workout; the API cannot link it to a routine."""
        body = parse_body(WorkoutEnvelope, payload, "post").workout
        return self._store_workout(body, routine_id=None)

    def replace_workout(self, workout_id: str, payload: Any) -> Json:
        """The whole workout but its link to a routine."""
        previous = self.workout(workout_id)
        body = parse_body(WorkoutEnvelope, payload, "put").workout
        return self._store_workout(body, routine_id=previous["routine_id"], previous=previous)

    def create_routine(self, payload: Any) -> Json:
        """A new routine; its folder must be named, null being "My Routines"."""
        body = parse_body(RoutineEnvelope, payload, "post").routine
        if "folder_id" not in body.model_fields_set:
            raise bad_request("[public-post-routine] Invalid routine folder id: undefined")
        if body.folder_id is not None and body.folder_id not in self._folders:
            raise bad_request(f"[public-post-routine] Invalid routine folder id: {body.folder_id}")
        return self._store_routine(body, folder_id=body.folder_id)

    def replace_routine(self, routine_id: str, payload: Any) -> Json:
        """The whole routine; its folder stays if none is named."""
        previous = self.routine(routine_id)
        body = parse_body(RoutineEnvelope, payload, "put").routine
        names_folder = "folder_id" in body.model_fields_set
        folder_id = body.folder_id if names_folder else previous["folder_id"]
        if folder_id is not None and folder_id not in self._folders:
            raise bad_request(f"[public-put-routine] Invalid routine folder id: {folder_id}")
        return self._store_routine(body, folder_id=folder_id, previous=previous)

    def create_folder(self, payload: Any) -> Json:
        """A new folder in the first place; the others move down."""
        body = parse_body(FolderEnvelope, payload, "post").routine_folder
        created_at = stamp(self._clock.tick())
        moved = [folder | {"index": folder["index"] + 1} for folder in self._folders.values()]
        record = folder_record(_next_number(self._folders), 0, body.title, created_at=created_at)
        self._folders = _by("id", [*moved, record])
        return record

    def create_template(self, payload: Any) -> Json:
        """A new custom exercise, whose type has another name on reads than on writes."""
        body = parse_body(TemplateEnvelope, payload, "post", refuse=zod_problem).exercise
        self._clock.tick()
        record = template_record(
            self._new_id(),
            title=body.title,
            type=_TYPES_AS_READ.get(body.exercise_type, body.exercise_type),
            primary_muscle_group=body.muscle_group,
            secondary_muscle_groups=list(body.other_muscles),
            equipment=body.equipment_category,
            is_custom=True,
        )
        self._templates[record["id"]] = record
        return record

    def create_measurement(self, payload: Any) -> None:
        """What was measured on a day that has no measurement yet."""
        body = parse_body(DatedMeasurementBody, payload, "post")
        if body.date in self._measurements:
            raise ApiProblem(409, {"error": "A measurement for this date already exists"})
        numbers = [measured["id"] for measured in self._measurements.values()]
        self._measurements[body.date] = measurement_record(
            body,
            measurement_id=_next_number(numbers),
            day=body.date,
            created_at=stamp(self._clock.tick()),
        )

    def replace_measurement(self, day: str, payload: Any) -> None:
        """All that was measured on a day; what is left out is gone."""
        previous = self.measurement(day)
        body = parse_body(MeasurementBody, payload, "put")
        self._clock.tick()
        self._measurements[day] = measurement_record(
            body, measurement_id=previous["id"], day=day, created_at=previous["created_at"]
        )

    # What the athlete does in the app

    def log_workout(self, record: Any) -> Json:
        """A workout done in the app, started from a routine if it names one."""
        body = parse_body(WorkoutBody, record, "app")
        routine_id = record.get("routine_id")
        if routine_id is not None:
            self.routine(routine_id)
        return self._store_workout(body, routine_id=routine_id)

    def edit_workout(self, workout_id: str, record: Any) -> Json:
        """A workout corrected in the app; its link to a routine stays."""
        previous = self.workout(workout_id)
        body = parse_body(WorkoutBody, record, "app")
        return self._store_workout(body, routine_id=previous["routine_id"], previous=previous)

    def delete_workout(self, workout_id: str) -> None:
        """A workout deleted in the app; the event feed tells of it."""
        self.workout(workout_id)
        del self._workouts[workout_id]
        self._deleted_at[workout_id] = stamp(self._clock.tick())

    def edit_routine(self, routine_id: str, record: Any) -> Json:
        """A routine changed in the app; it stays in its folder."""
        previous = self.routine(routine_id)
        body = parse_body(RoutineBody, record, "app")
        return self._store_routine(body, folder_id=previous["folder_id"], previous=previous)

    def delete_routine(self, routine_id: str) -> None:
        """A routine deleted in the app; nothing tells of it, and its workouts keep their link."""
        self.routine(routine_id)
        del self._routines[routine_id]
        self._clock.tick()

    def _store_workout(
        self, body: WorkoutBody, *, routine_id: str | None, previous: Json | None = None
    ) -> Json:
        self._require_templates(body.exercises)
        updated_at = stamp(self._clock.tick())
        record = workout_record(
            body,
            workout_id=previous["id"] if previous else self._new_id(),
            routine_id=routine_id,
            created_at=previous["created_at"] if previous else updated_at,
            updated_at=updated_at,
            title_of=self._title_of,
        )
        self._workouts[record["id"]] = record
        return record

    def _store_routine(
        self, body: RoutineBody, *, folder_id: int | None, previous: Json | None = None
    ) -> Json:
        self._require_templates(body.exercises)
        updated_at = stamp(self._clock.tick())
        record = routine_record(
            body,
            routine_id=previous["id"] if previous else self._new_id(),
            folder_id=folder_id,
            created_at=previous["created_at"] if previous else updated_at,
            updated_at=updated_at,
            title_of=self._title_of,
        )
        self._routines[record["id"]] = record
        return record

    def _require_templates(
        self, exercises: Sequence[WorkoutExerciseBody] | Sequence[RoutineExerciseBody]
    ) -> None:
        """Refuse unknown exercises before anything is written: the record needs their titles."""
        for exercise in exercises:
            if exercise.exercise_template_id not in self._templates:
                raise bad_request(f"Invalid exercise template id: {exercise.exercise_template_id}")

    def _title_of(self, template_id: str) -> str:
        return str(self._templates[template_id]["title"])

    def _new_id(self) -> str:
        self._ids_given += 1
        return object_id(self._seed, "written", self._ids_given)


def _by(key: str, records: Sequence[Json]) -> dict[Any, Json]:
    return {record[key]: record for record in records}


def _existing(records: Mapping[Key, Json], key: Key, subject: str) -> Json:
    if key not in records:
        raise not_found(subject)
    return records[key]


def _next_number(given: Iterable[int]) -> int:
    """The id after the highest one; the service numbers folders and measurements."""
    return max(given, default=1000) + 1
