"""Models of the request bodies that the service accepts.

These models are written from the service's rules and deliberately not shared with the client's
write models, so that a mistake in those is detected here.

Source: Hevy API v1 and responses of the service.
"""

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    ValidationInfo,
    model_validator,
)

from hevy_connector.simulator.api.body_values import (
    ABSENT,
    AllowedRpe,
    CustomType,
    Day,
    Equipment,
    Integer,
    Measured,
    Muscle,
    Note,
    Number,
    RangeNumber,
    RoutineNote,
    SetType,
    Text,
    UtcSecond,
    require_range,
)
from hevy_connector.simulator.api.quirks import WriteRules

_EMPTY_ON_READ = (None, "", {"start": None, "end": None})


class Body(BaseModel):
    """Part of a request body; undeclared fields are rejected.

    Validated with the rules of the app, it is parsed from a record with all read-only fields.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _written_part(cls, value: Any, info: ValidationInfo) -> Any:
        is_record = isinstance(info.context, WriteRules) and info.context.source == "app"
        if not is_record or not isinstance(value, dict):
            return value
        return {
            name: part
            for name, part in value.items()
            if name in cls.model_fields and part not in _EMPTY_ON_READ
        }


class SetBody(Body):
    """Fields of sets in workouts and routines; kilograms, metres, seconds."""

    type: SetType = "normal"
    weight_kg: Number | None = None
    reps: Integer | None = None
    distance_meters: Integer | None = None
    duration_seconds: Integer | None = None
    custom_metric: Number | None = None


class WorkoutSetBody(SetBody):
    """A performed set."""

    rpe: AllowedRpe = None


class WorkoutExerciseBody(Body):
    """A performed exercise."""

    exercise_template_id: Text
    superset_id: Integer | None = None
    notes: Note = None
    sets: list[WorkoutSetBody]


class WorkoutBody(Body):
    """A workout. It has no routine link: the API rejects one."""

    title: Text
    description: Note = None
    start_time: UtcSecond
    end_time: UtcSecond
    is_private: StrictBool = False
    exercises: list[WorkoutExerciseBody]


class RepRangeBody(Body):
    """A range of repetitions; without `end` it is open."""

    start: RangeNumber = Field(default=ABSENT, validate_default=True)
    end: RangeNumber = None


class RoutineSetBody(SetBody):
    """A planned set; `model_fields_set` shows if `rep_range` was sent as null."""

    rep_range: Annotated[RepRangeBody | None, BeforeValidator(require_range)] = None


class RoutineExerciseBody(Body):
    """A planned exercise."""

    exercise_template_id: Text
    superset_id: Integer | None = None
    rest_seconds: Integer | None = None
    notes: Note = None
    sets: list[RoutineSetBody]


class RoutineBody(Body):
    """A routine; `model_fields_set` shows if `folder_id` was sent."""

    title: Text
    folder_id: Integer | None = None
    notes: RoutineNote = None
    exercises: list[RoutineExerciseBody]


class FolderBody(Body):
    """A routine folder."""

    title: Text


class TemplateBody(Body):
    """A custom exercise, with the field names of writes."""

    title: Text
    exercise_type: CustomType
    equipment_category: Equipment
    muscle_group: Muscle
    other_muscles: list[Muscle] = Field(default_factory=list)


class MeasurementBody(Body):
    """Measurements of one day. Missing values are omitted."""

    weight_kg: Measured = None
    lean_mass_kg: Measured = None
    fat_percent: Measured = None
    neck_cm: Measured = None
    shoulder_cm: Measured = None
    chest_cm: Measured = None
    left_bicep_cm: Measured = None
    right_bicep_cm: Measured = None
    left_forearm_cm: Measured = None
    right_forearm_cm: Measured = None
    abdomen: Measured = None
    waist: Measured = None
    hips: Measured = None
    left_thigh: Measured = None
    right_thigh: Measured = None
    left_calf: Measured = None
    right_calf: Measured = None


class DatedMeasurementBody(MeasurementBody):
    """A new measurement with its day."""

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
