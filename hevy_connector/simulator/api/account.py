"""One simulated Hevy account and its writes, without HTTP."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from hevy_connector.simulator.api.bodies import (
    DatedMeasurementBody,
    FolderBody,
    MeasurementBody,
    RoutineBody,
    RoutineExerciseBody,
    TemplateBody,
    WorkoutBody,
    WorkoutExerciseBody,
)
from hevy_connector.simulator.api.clock import SimulatedClock
from hevy_connector.simulator.api.holdings import Holdings, by_key
from hevy_connector.simulator.api.problem import ApiProblem, bad_request
from hevy_connector.simulator.api.quirks import WriteRules
from hevy_connector.simulator.api.records import (
    Json,
    folder_record,
    measurement_record,
    object_id,
    routine_record,
    stamp,
    template_record,
    workout_record,
)
from hevy_connector.simulator.api.state import AccountState
from hevy_connector.simulator.api.validation import parse_body

_TYPES_AS_READ = {
    "bodyweight_reps": "bodyweight_weighted",
    "bodyweight_assisted_reps": "bodyweight_assisted",
}
_APP = WriteRules("app")


class Account(Holdings):
    """An account of the simulated service.

    `create_…` and `replace_…` take a validated request body of the API. `log_…`, `make_…`, `edit_…`
    and `delete_…` are actions of the athlete in the app: they take a record in its read format, and
    only they can link a workout to a routine or delete anything. A rejected write raises
    `ApiProblem` and changes nothing.

    `on_write` receives the new state after every change, before it is visible to any request.
    """

    def __init__(
        self,
        state: AccountState,
        *,
        clock: SimulatedClock | None = None,
        on_write: Callable[[AccountState], None] | None = None,
    ) -> None:
        super().__init__(state)
        self._seed = state.seed
        self._ids_given = state.ids_given
        self._written_at = state.written_at
        self._on_write = on_write
        self._clock = clock or SimulatedClock()
        if state.written_at is not None:
            self._clock.advance_past(datetime.fromisoformat(state.written_at))

    def now(self) -> datetime:
        """Return the time on the account's clock."""
        return self._clock.now()

    def state(self) -> AccountState:
        """Snapshot of the account."""
        return AccountState(
            seed=self._seed,
            user=self.user,
            folders=list(self._folders.values()),
            routines=list(self._routines.values()),
            workouts=list(self._workouts.values()),
            measurements=list(self._measurements.values()),
            custom_templates=[one for one in self._templates.values() if one["is_custom"]],
            deleted_workouts=dict(self._deleted_at),
            ids_given=self._ids_given,
            written_at=self._written_at,
        )

    # Writes by the API

    def create_workout(self, body: WorkoutBody) -> Json:
        """Create a workout; the API cannot link it to a routine."""
        return self._store_workout(body, routine_id=None)

    def replace_workout(self, workout_id: str, body: WorkoutBody) -> Json:
        """Replace a workout except for its routine link."""
        previous = self.workout(workout_id)
        return self._store_workout(body, routine_id=previous["routine_id"], previous=previous)

    def create_routine(self, body: RoutineBody) -> Json:
        """Create a routine in an existing folder."""
        return self._store_routine(body, folder_id=body.folder_id)

    def replace_routine(self, routine_id: str, body: RoutineBody) -> Json:
        """Replace a routine; its folder stays if none is given."""
        previous = self.routine(routine_id)
        names_folder = "folder_id" in body.model_fields_set
        folder_id = body.folder_id if names_folder else previous["folder_id"]
        return self._store_routine(body, folder_id=folder_id, previous=previous)

    def create_folder(self, body: FolderBody) -> Json:
        """Create a folder at the first position; the others move down."""
        moved = [folder | {"index": folder["index"] + 1} for folder in self._folders.values()]
        number = _next_number(self._folders)
        record = folder_record(number, 0, body.title, created_at=self._tick())
        self._folders = by_key("id", [*moved, record])
        self._written()
        return record

    def create_template(self, body: TemplateBody, *, is_numbered: bool = False) -> Json:
        """Create a custom exercise; the name of its type differs between reads and writes.

        Its id is a UUID, or the text of a number.
        """
        self._tick()
        record = template_record(
            self._next_template_number() if is_numbered else self._new_id(),
            title=body.title,
            type=_TYPES_AS_READ.get(body.exercise_type, body.exercise_type),
            primary_muscle_group=body.muscle_group,
            secondary_muscle_groups=list(body.other_muscles),
            equipment=body.equipment_category,
            is_custom=True,
        )
        self._templates[record["id"]] = record
        self._written()
        return record

    def create_measurement(self, body: DatedMeasurementBody) -> None:
        """Create the measurement of a day that has none yet."""
        if body.date in self._measurements:
            raise ApiProblem(409, {"error": "A measurement for this date already exists"})
        numbers = [measured["id"] for measured in self._measurements.values()]
        self._measurements[body.date] = measurement_record(
            body,
            measurement_id=_next_number(numbers),
            day=body.date,
            created_at=self._tick(),
        )
        self._written()

    def replace_measurement(self, day: str, body: MeasurementBody) -> None:
        """Replace the measurement of a day; omitted values are deleted."""
        previous = self.measurement(day)
        self._tick()
        self._measurements[day] = measurement_record(
            body, measurement_id=previous["id"], day=day, created_at=previous["created_at"]
        )
        self._written()

    # Actions of the athlete in the app

    def log_workout(self, record: Any) -> Json:
        """Log a workout in the app, optionally linked to a routine."""
        body = parse_body(WorkoutBody, record, _APP)
        routine_id = record.get("routine_id")
        if routine_id is not None:
            self.routine(routine_id)
        return self._store_workout(body, routine_id=routine_id)

    def edit_workout(self, workout_id: str, record: Any) -> Json:
        """Correct a workout in the app; its routine link stays."""
        previous = self.workout(workout_id)
        body = parse_body(WorkoutBody, record, _APP)
        return self._store_workout(body, routine_id=previous["routine_id"], previous=previous)

    def delete_workout(self, workout_id: str) -> None:
        """Delete a workout in the app; the event feed reports it."""
        self.workout(workout_id)
        del self._workouts[workout_id]
        self._deleted_at[workout_id] = self._tick()
        self._written()

    def make_routine(self, record: Any) -> Json:
        """Create a routine in the app."""
        body = parse_body(RoutineBody, record, _APP)
        if body.folder_id is not None:
            self.folder(body.folder_id)
        return self._store_routine(body, folder_id=body.folder_id)

    def edit_routine(self, routine_id: str, record: Any) -> Json:
        """Change a routine in the app; it stays in its folder."""
        previous = self.routine(routine_id)
        body = parse_body(RoutineBody, record, _APP)
        return self._store_routine(body, folder_id=previous["folder_id"], previous=previous)

    def delete_routine(self, routine_id: str) -> None:
        """Delete a routine in the app; no feed reports it, and its workouts keep their link."""
        self.routine(routine_id)
        del self._routines[routine_id]
        self._tick()
        self._written()

    def delete_folder(self, folder_id: int) -> None:
        """Delete a folder in the app; its routines move to "My Routines"."""
        self.folder(folder_id)
        del self._folders[folder_id]
        left = [folder | {"index": index} for index, folder in enumerate(self.folders())]
        self._folders = by_key("id", left)
        for routine_id, routine in self._routines.items():
            if routine["folder_id"] == folder_id:
                self._routines[routine_id] = routine | {"folder_id": None}
        self._tick()
        self._written()

    def rename_template(self, template_id: str, title: str) -> Json:
        """Rename a custom exercise in the app; workouts keep the old title."""
        template = self.template(template_id)
        if not template["is_custom"]:
            raise bad_request("A built-in exercise cannot be renamed")
        self._templates[template_id] = template | {"title": title}
        self._tick()
        self._written()
        return self._templates[template_id]

    def delete_template(self, template_id: str) -> None:
        """Delete a custom exercise in the app; its title stays in workouts and routines."""
        if not self.template(template_id)["is_custom"]:
            raise bad_request("A built-in exercise cannot be deleted")
        del self._templates[template_id]
        self._tick()
        self._written()

    def delete_measurement(self, day: str) -> None:
        """Delete a body measurement in the app."""
        self.measurement(day)
        del self._measurements[day]
        self._tick()
        self._written()

    def _store_workout(
        self, body: WorkoutBody, *, routine_id: str | None, previous: Json | None = None
    ) -> Json:
        self._require_templates(body.exercises)
        updated_at = self._tick()
        record = workout_record(
            body,
            workout_id=previous["id"] if previous else self._new_id(),
            routine_id=routine_id,
            created_at=previous["created_at"] if previous else updated_at,
            updated_at=updated_at,
            title_of=self._title_of,
        )
        self._workouts[record["id"]] = record
        self._written()
        return record

    def _store_routine(
        self, body: RoutineBody, *, folder_id: int | None, previous: Json | None = None
    ) -> Json:
        self._require_templates(body.exercises)
        updated_at = self._tick()
        record = routine_record(
            body,
            routine_id=previous["id"] if previous else self._new_id(),
            folder_id=folder_id,
            created_at=previous["created_at"] if previous else updated_at,
            updated_at=updated_at,
            title_of=self._title_of,
        )
        self._routines[record["id"]] = record
        self._written()
        return record

    def _require_templates(
        self, exercises: Sequence[WorkoutExerciseBody] | Sequence[RoutineExerciseBody]
    ) -> None:
        """Reject unknown exercises before any write: the record needs their titles."""
        for exercise in exercises:
            if exercise.exercise_template_id not in self._templates:
                raise bad_request(f"Invalid exercise template id: {exercise.exercise_template_id}")

    def _title_of(self, template_id: str) -> str:
        return str(self._templates[template_id]["title"])

    def _new_id(self) -> str:
        self._ids_given += 1
        return object_id(self._seed, "written", self._ids_given)

    def _next_template_number(self) -> str:
        custom = (one["id"] for one in self._templates.values() if one["is_custom"])
        return str(_next_number(int(given) for given in custom if given.isdigit()))

    def _tick(self) -> str:
        """Return the time of a write in the format of records."""
        self._written_at = stamp(self._clock.tick())
        return self._written_at

    def _written(self) -> None:
        self._forget_sorted()
        if self._on_write is not None:
            self._on_write(self.state())


def _next_number(given: Iterable[int]) -> int:
    """Return the id after the highest one."""
    return max(given, default=1000) + 1
