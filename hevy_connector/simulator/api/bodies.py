"""The request bodies that the service accepts.

These models are written from the service's rules and deliberately not shared with the client's
own write models: a mistake made there must show here.

Source: Hevy API v1 and answers of the service.
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
    range_or_refusal,
)
from hevy_connector.simulator.api.quirks import WriteRules

_EMPTY_ON_READ = (None, "", {"start": None, "end": None})


class Body(BaseModel):
    """Part of a request body: what is not declared is refused.

    Validated by the rules of the app it is read from a record instead, with all that only reads
    show.
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
    """What sets of workouts and routines have in common; kilograms, metres, seconds."""

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
    """A workout. The link to a routine is not part of it: the API refuses to set one."""

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
    """A planned set; whether `rep_range` was sent as null matters, so ask `model_fields_set`."""

    rep_range: Annotated[RepRangeBody | None, BeforeValidator(range_or_refusal)] = None


class RoutineExerciseBody(Body):
    """A planned exercise."""

    exercise_template_id: Text
    superset_id: Integer | None = None
    rest_seconds: Integer | None = None
    notes: Note = None
    sets: list[RoutineSetBody]


class RoutineBody(Body):
    """A routine. Whether `folder_id` was sent matters, so ask `model_fields_set`."""

    title: Text
    folder_id: Integer | None = None
    notes: RoutineNote = None
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
    """What was measured on one day. What was not measured is left out."""

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
