"""The request bodies that the service accepts.

These models are written from the service's rules and deliberately not shared with the client's
own write models: a mistake made there must show here.

Source: Hevy API v1 and answers of the service.
"""

import math
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StringConstraints,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError


def _number(value: Any) -> int | float:
    """A JSON number; whole ones become int, because JSON (and the service) knows one number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise PydanticCustomError("joi", "must be a number")
    return int(value) if float(value).is_integer() else value


def _integer(value: Any) -> int:
    number = _number(value)
    if not isinstance(number, int):
        raise PydanticCustomError("joi", "must be an integer")
    return number


def _utc_second(value: Any) -> datetime:
    """Times are stored to the second; one without an offset is taken as UTC."""
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise PydanticCustomError("joi", "must be in ISO 8601 date format") from None
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.replace(microsecond=0)


def _calendar_day(value: str) -> str:
    try:
        is_plain = date.fromisoformat(value).isoformat() == value
    except ValueError:
        is_plain = False
    if not is_plain:
        raise PydanticCustomError("joi", "must be in YYYY-MM-DD format")
    return value


def _allowed_rpe(value: Any) -> int | float | None:
    if value is None:
        return None
    if isinstance(value, bool) or value not in ALLOWED_RPE:
        raise PydanticCustomError(
            "whole_message",
            "Invalid rpe for set: {value} must be null or 6, 7, 7.5, 8, 8.5, 9, 9.5, 10",
            {"value": value},
        )
    return _number(value)


def _no_null_range_on_put(value: Any, info: ValidationInfo) -> Any:
    if value is None and info.context == "put":
        raise PydanticCustomError("joi", "must be of type object")
    return value


ALLOWED_RPE = (6, 7, 7.5, 8, 8.5, 9, 9.5, 10)
EMPTY_ON_READ = (None, "", {"start": None, "end": None})

Number = Annotated[int | float, PlainValidator(_number)]
GivenNumber = Annotated[int | float | None, PlainValidator(_number)]
Integer = Annotated[int, PlainValidator(_integer)]
Text = Annotated[str, StringConstraints(strict=True, min_length=1)]
UtcSecond = Annotated[datetime, PlainValidator(_utc_second)]
Day = Annotated[Text, AfterValidator(_calendar_day)]

SetType = Literal["warmup", "normal", "failure", "dropset"]
Muscle = Literal[
    "abdominals", "shoulders", "biceps", "triceps", "forearms", "quadriceps", "hamstrings",
    "calves", "glutes", "abductors", "adductors", "lats", "upper_back", "traps", "lower_back",
    "chest", "cardio", "neck", "full_body", "other",
]  # fmt: skip
Equipment = Literal[
    "none", "barbell", "dumbbell", "kettlebell", "machine", "plate", "resistance_band",
    "suspension", "other",
]  # fmt: skip
CustomType = Literal[
    "weight_reps", "reps_only", "bodyweight_reps", "bodyweight_assisted_reps", "duration",
    "weight_duration", "distance_duration", "short_distance_weight",
]  # fmt: skip


class Body(BaseModel):
    """Part of a request body: what is not declared is refused.

    In the context "app" it is read from a record instead, with all that only reads show.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _written_part(cls, value: Any, info: ValidationInfo) -> Any:
        if info.context != "app" or not isinstance(value, dict):
            return value
        return {
            name: part
            for name, part in value.items()
            if name in cls.model_fields and part not in EMPTY_ON_READ
        }


class SetBody(Body):
    """What sets of workouts and routines have in common; kilograms, metres, seconds."""

    type: SetType = "normal"
    weight_kg: Number | None = None
    reps: Integer | None = None
    distance_meters: Integer | None = None
    duration_seconds: Integer | None = None
    custom_metric: Number | None = None


class WorkoutSetBody(SetBody):
    """A performed set."""

    rpe: Annotated[int | float | None, PlainValidator(_allowed_rpe)] = None


class WorkoutExerciseBody(Body):
    """A performed exercise."""

    exercise_template_id: Text
    superset_id: Integer | None = None
    notes: Text | None = None
    sets: list[WorkoutSetBody]


class WorkoutBody(Body):
    """A workout. The link to a routine is not part of it: the API refuses to set one."""

    title: Text
    description: Text | None = None
    start_time: UtcSecond
    end_time: UtcSecond
    is_private: StrictBool = False
    exercises: list[WorkoutExerciseBody]


class RepRangeBody(Body):
    """A range of repetitions; without `end` it is open."""

    start: Number
    end: GivenNumber = None


class RoutineSetBody(SetBody):
    """A planned set. An explicit null as range is refused on PUT and accepted on POST."""

    rep_range: Annotated[RepRangeBody | None, BeforeValidator(_no_null_range_on_put)] = None


class RoutineExerciseBody(Body):
    """A planned exercise."""

    exercise_template_id: Text
    superset_id: Integer | None = None
    rest_seconds: Integer | None = None
    notes: Text | None = None
    sets: list[RoutineSetBody]


class RoutineBody(Body):
    """A routine. Whether `folder_id` was sent matters, so ask `model_fields_set`."""

    title: Text
    folder_id: Integer | None = None
    notes: Text | None = None
    exercises: list[RoutineExerciseBody]


class FolderBody(Body):
    """A routine folder."""

    title: Text


class TemplateBody(Body):
    """A custom exercise, in the names that only writes use."""

    title: Text
    exercise_type: CustomType
    equipment_category: Equipment
    muscle_group: Muscle
    other_muscles: list[Muscle] = Field(default_factory=list)


class MeasurementBody(Body):
    """What was measured on one day. Nulls are refused: what was not measured is left out."""

    weight_kg: GivenNumber = None
    lean_mass_kg: GivenNumber = None
    fat_percent: GivenNumber = None
    neck_cm: GivenNumber = None
    shoulder_cm: GivenNumber = None
    chest_cm: GivenNumber = None
    left_bicep_cm: GivenNumber = None
    right_bicep_cm: GivenNumber = None
    left_forearm_cm: GivenNumber = None
    right_forearm_cm: GivenNumber = None
    abdomen: GivenNumber = None
    waist: GivenNumber = None
    hips: GivenNumber = None
    left_thigh: GivenNumber = None
    right_thigh: GivenNumber = None
    left_calf: GivenNumber = None
    right_calf: GivenNumber = None


class DatedMeasurementBody(MeasurementBody):
    """A new measurement names its day."""

    date: Day


class WorkoutEnvelope(Body):
    """`{"workout": …}`."""

    workout: WorkoutBody


class RoutineEnvelope(Body):
    """`{"routine": …}`."""

    routine: RoutineBody


class FolderEnvelope(Body):
    """`{"routine_folder": …}`."""

    routine_folder: FolderBody


class TemplateEnvelope(Body):
    """`{"exercise": …}`."""

    exercise: TemplateBody
