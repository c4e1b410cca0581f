"""Models of the request bodies that the Hevy API accepts; strict.

The service rejects unknown keys, empty texts, null ranges and more. The models reject the same,
with the path of the field, before anything is sent.

Units are the API's: kilograms, metres, seconds; times are sent in UTC, to the second.
Source: Hevy API v1 and its responses to invalid bodies.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from hevy_connector.errors import HevyInvalidBodyError
from hevy_connector.schemas.reading import (
    BodyMeasurement,
    JsonObject,
    Routine,
    RoutineSet,
    SetType,
    Workout,
)

ALLOWED_RPE = (6, 7, 7.5, 8, 8.5, 9, 9.5, 10)

CustomExerciseType = Literal[
    "weight_reps",
    "reps_only",
    "bodyweight_reps",
    "bodyweight_assisted_reps",
    "duration",
    "weight_duration",
    "distance_duration",
    "short_distance_weight",
]
MuscleGroup = Literal[
    "abdominals",
    "shoulders",
    "biceps",
    "triceps",
    "forearms",
    "quadriceps",
    "hamstrings",
    "calves",
    "glutes",
    "abductors",
    "adductors",
    "lats",
    "upper_back",
    "traps",
    "lower_back",
    "chest",
    "cardio",
    "neck",
    "full_body",
    "other",
]
Equipment = Literal[
    "none",
    "barbell",
    "dumbbell",
    "kettlebell",
    "machine",
    "plate",
    "resistance_band",
    "suspension",
    "other",
]


def _number(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise ValueError("must be a number")
    return value


def _allowed_rpe(value: float) -> float:
    if value not in ALLOWED_RPE:
        raise ValueError(f"must be null or {', '.join(map(str, ALLOWED_RPE))}")
    return value


def _day(value: str) -> str:
    if date.fromisoformat(value).isoformat() != value:
        raise ValueError("must be a day like 2026-03-04")
    return value


def _second(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


NonEmpty = Annotated[str, StringConstraints(min_length=1)]
# JavaScript cannot represent larger integers exactly.
_LARGEST = 2**53 - 1
Count = Annotated[int, BeforeValidator(_number), Field(ge=0, le=_LARGEST)]
Index = Annotated[int, BeforeValidator(_number), Field(ge=-_LARGEST, le=_LARGEST)]
Amount = Annotated[float, BeforeValidator(_number), Field(ge=0, le=_LARGEST)]
Rpe = Annotated[float, BeforeValidator(_number), AfterValidator(_allowed_rpe)]
UtcSecond = Annotated[AwareDatetime, PlainSerializer(_second)]


class WriteModel(BaseModel):
    """Validate a request body by the rules of the service."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    envelope: ClassVar[str | None] = None

    @classmethod
    def checked(cls, body: Self | Mapping[str, Any]) -> Self:
        """Validate the body as this model.

        Raises:
            HevyInvalidBodyError: the service would reject it; each field is named by its path.
        """
        try:
            # `model_copy` does not validate changes.
            return cls.model_validate(body.model_dump() if isinstance(body, cls) else body)
        except ValidationError as error:
            problems = error.errors(include_url=False)
            raise HevyInvalidBodyError(
                [_in_words(cls.envelope, one) for one in problems]
            ) from error


class SetWrite(WriteModel):
    """Fields of performed and planned sets. None means not recorded, or no target."""

    type: SetType = "normal"
    weight_kg: Amount | None = None
    reps: Count | None = None
    distance_meters: Count | None = None
    duration_seconds: Count | None = None
    custom_metric: Amount | None = None


class WorkoutSetWrite(SetWrite):
    """A performed set in a request."""

    rpe: Rpe | None = None


class WorkoutExerciseWrite(WriteModel):
    """A performed exercise in a request."""

    exercise_template_id: NonEmpty
    superset_id: Index | None = None
    notes: NonEmpty | None = None
    sets: Sequence[WorkoutSetWrite]


class WorkoutWrite(WriteModel):
    """A whole workout in a request: a PUT replaces all fields.

    The service never returns `is_private`, so every replacement has to set it.
    """

    envelope: ClassVar[str | None] = "workout"

    title: NonEmpty
    description: NonEmpty | None = None
    start_time: UtcSecond
    end_time: UtcSecond
    is_private: bool = Field(default=False, strict=True)
    exercises: Sequence[WorkoutExerciseWrite]

    @model_validator(mode="after")
    def _ends_after_its_start(self) -> Self:
        if self.end_time < self.start_time:
            raise ValueError("end_time must not lie before start_time")
        return self

    @classmethod
    def from_read(cls, workout: Workout, *, is_private: bool = False) -> Self:
        """Build the body from a workout, without its read-only fields.

        Raises:
            HevyInvalidBodyError: it holds values that the service would reject.
        """
        return cls.checked(
            {
                "title": workout.title,
                "description": workout.description or None,
                "start_time": workout.start_time,
                "end_time": workout.end_time,
                "is_private": is_private,
                "exercises": [
                    {
                        "exercise_template_id": exercise.exercise_template_id,
                        "superset_id": exercise.superset_id,
                        "notes": exercise.notes or None,
                        "sets": [
                            performed.model_dump(include=set(WorkoutSetWrite.model_fields))
                            for performed in exercise.sets
                        ],
                    }
                    for exercise in workout.exercises
                ],
            }
        )

    def body(self) -> JsonObject:
        """Return the JSON of a POST or PUT."""
        return {"workout": self.model_dump(mode="json", exclude_none=True)}


class RepRangeWrite(WriteModel):
    """A range of repetitions. `end` is omitted in an open range."""

    start: Count
    end: Count | None = None


class RoutineSetWrite(SetWrite):
    """A planned set in a request; routine sets have no RPE."""

    rep_range: RepRangeWrite | None = None


class RoutineExerciseWrite(WriteModel):
    """An exercise of a routine in a request."""

    exercise_template_id: NonEmpty
    superset_id: Index | None = None
    rest_seconds: Count | None = None
    notes: NonEmpty | None = None
    sets: Sequence[RoutineSetWrite]


class RoutineWrite(WriteModel):
    """A whole routine in a request: a PUT replaces all fields."""

    envelope: ClassVar[str | None] = "routine"

    title: NonEmpty
    notes: NonEmpty | None = None
    exercises: Sequence[RoutineExerciseWrite]

    @classmethod
    def from_read(cls, routine: Routine) -> Self:
        """Build the body from a routine.

        Read-only fields, empty texts and absent ranges are omitted: the service rejects both an
        empty text and a null range.

        Raises:
            pydantic.ValidationError: the routine holds values that the service would reject, for
                example half a repetition.
        """
        return cls.model_validate(
            {
                "title": routine.title,
                "notes": routine.notes or None,
                "exercises": [
                    {
                        "exercise_template_id": exercise.exercise_template_id,
                        "superset_id": exercise.superset_id,
                        "rest_seconds": exercise.rest_seconds,
                        "notes": exercise.notes or None,
                        "sets": [_set_to_write(planned) for planned in exercise.sets],
                    }
                    for exercise in routine.exercises
                ],
            }
        )

    def put_body(self) -> JsonObject:
        """Return the JSON of a PUT: `{"routine": …}` without empty texts and null ranges."""
        return {"routine": _without_unsendable_nulls(self.model_dump(mode="json"))}

    def post_body(self, folder_id: int | None) -> JsonObject:
        """Return the JSON of a POST; the folder is required, null means "My Routines".

        Raises:
            HevyInvalidBodyError: the folder's id is invalid.
        """
        if not isinstance(folder_id, int | None) or isinstance(folder_id, bool):
            raise HevyInvalidBodyError(["routine.folder_id: must be a whole number or null"])
        body = self.put_body()
        body["routine"]["folder_id"] = folder_id
        return body


class RoutineFolderWrite(WriteModel):
    """A new routine folder; it becomes the first one."""

    envelope: ClassVar[str | None] = "routine_folder"

    title: NonEmpty

    def body(self) -> JsonObject:
        """Return the JSON of a POST."""
        return {"routine_folder": self.model_dump(mode="json")}


class ExerciseTemplateWrite(WriteModel):
    """A new custom exercise, with the field names of writes."""

    envelope: ClassVar[str | None] = "exercise"

    title: NonEmpty
    exercise_type: CustomExerciseType
    equipment_category: Equipment
    muscle_group: MuscleGroup
    other_muscles: Sequence[MuscleGroup] = ()

    def body(self) -> JsonObject:
        """Return the JSON of a POST."""
        return {"exercise": self.model_dump(mode="json")}


class BodyMeasurementWrite(WriteModel):
    """Measurements of one day: kilograms, percent, girths in centimetres.

    A PUT replaces the day and deletes omitted values, so start from the stored measurement.
    """

    date: Annotated[str, AfterValidator(_day)]
    weight_kg: Amount | None = None
    lean_mass_kg: Amount | None = None
    fat_percent: Amount | None = None
    neck_cm: Amount | None = None
    shoulder_cm: Amount | None = None
    chest_cm: Amount | None = None
    left_bicep_cm: Amount | None = None
    right_bicep_cm: Amount | None = None
    left_forearm_cm: Amount | None = None
    right_forearm_cm: Amount | None = None
    abdomen: Amount | None = None
    waist: Amount | None = None
    hips: Amount | None = None
    left_thigh: Amount | None = None
    right_thigh: Amount | None = None
    left_calf: Amount | None = None
    right_calf: Amount | None = None

    @classmethod
    def from_read(cls, measurement: BodyMeasurement) -> Self:
        """Build the body from a measurement, without its read-only fields."""
        return cls.checked(measurement.model_dump(include=set(cls.model_fields)))

    def post_body(self) -> JsonObject:
        """Return the JSON of a POST: the day and its values; nulls are rejected."""
        return self.model_dump(mode="json", exclude_none=True)

    def put_body(self) -> JsonObject:
        """Return the JSON of a PUT; the day is in its URL."""
        return self.model_dump(mode="json", exclude_none=True, exclude={"date"})


def _in_words(envelope: str | None, problem: ErrorDetails) -> str:
    """Format `workout.exercises[0].sets[1].reps: must be …` with the service's paths."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"])
    path = f"{envelope or ''}{''.join(parts)}".removeprefix(".") or "body"
    return f"{path}: {problem['msg'].removeprefix('Value error, ')}"


def _set_to_write(planned: RoutineSet) -> JsonObject:
    has_range = planned.rep_range is not None and planned.rep_range.start is not None
    return {
        "type": planned.type,
        "weight_kg": planned.weight_kg,
        "reps": planned.reps,
        "distance_meters": planned.distance_meters,
        "duration_seconds": planned.duration_seconds,
        "custom_metric": planned.custom_metric,
        "rep_range": {"start": planned.rep_range.start, "end": planned.rep_range.end}
        if has_range and planned.rep_range is not None
        else None,
    }


def _without_unsendable_nulls(routine: JsonObject) -> JsonObject:
    """Remove the nulls that the service rejects: texts, ranges and the open end of a range."""
    if routine["notes"] is None:
        del routine["notes"]
    for exercise in routine["exercises"]:
        if exercise["notes"] is None:
            del exercise["notes"]
        for planned in exercise["sets"]:
            if planned["rep_range"] is None:
                del planned["rep_range"]
            elif planned["rep_range"]["end"] is None:
                del planned["rep_range"]["end"]
    return routine
