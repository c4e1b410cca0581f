"""Models of the Hevy API's responses, tolerant of unknown fields.

The responses contain more fields than the specification and have changed names over time, so
unknown fields are kept and old names accepted.

Units are the API's: kilograms, metres, seconds; times are UTC.
Source: Hevy API v1.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    model_validator,
)

JsonObject = dict[str, Any]

_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})?"
)

SetType = Literal["normal", "warmup", "failure", "dropset"]

FILE_ID_PREFIX = "csv-"
"""Start of the ids of workouts and routines that are read from files."""


def _as_utc(value: datetime) -> datetime:
    """Convert a time to UTC, the default without an offset: the service sends no local times."""
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{value} is outside of the calendar in UTC") from error


def _parse_time(value: Any) -> Any:
    """Parse only the form that the warehouse accepts: it reads other forms as null."""
    if isinstance(value, str) and _TIME.fullmatch(value):
        return _as_utc(datetime.fromisoformat(value))
    if value is None or isinstance(value, datetime):
        return value and _as_utc(value)
    raise ValueError("is not written like 2026-03-04T17:02:11Z")


def _parse_seconds(value: Any) -> Any:
    """Parse rest times, which were text in responses until 2026-09."""
    return (float(value) if value.strip() else None) if isinstance(value, str) else value


def _or_empty(value: Any) -> Any:
    """Replace null by an empty list; not for workouts, as it would double their validation time."""
    return () if value is None else value


UtcTime = Annotated[datetime, BeforeValidator(_parse_time)]

# The warehouse stores INTEGER: a fraction or a larger number would be changed there.
Whole = Annotated[int, Field(ge=-(2**31), lt=2**31)]


class ReadModel(BaseModel):
    """Part of a response; unknown fields are kept."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)


class ReadObject(ReadModel):
    """An object as the service returned it."""

    _payload: JsonObject = PrivateAttr(default_factory=dict)

    @classmethod
    def read(cls, payload: JsonObject) -> Self:
        """Parse an object of a response and keep its `payload`.

        Raises:
            pydantic.ValidationError: the payload does not match the model.
        """
        model = cls.model_validate(payload)
        model._payload = payload
        return model

    @property
    def payload(self) -> JsonObject:
        """The unchanged JSON of the service; empty if the object was not parsed from a response."""
        return self._payload


class WorkoutSet(ReadModel):
    """One performed set. Null means not recorded, never zero."""

    index: int
    type: SetType
    weight_kg: float | None = None
    reps: Whole | None = None
    distance_meters: float | None = None
    duration_seconds: Whole | None = None
    rpe: float | None = None
    custom_metric: float | None = None


class WorkoutExercise(ReadModel):
    """One exercise of a workout; the same template may occur twice in one workout.

    `exercise_template_id` is null only for workouts read from a file: exports carry no ids.
    """

    index: int
    title: str
    notes: str | None = None
    exercise_template_id: str | None = None
    superset_id: Whole | None = Field(
        default=None, validation_alias=AliasChoices("superset_id", "supersets_id")
    )
    sets: Sequence[WorkoutSet]


class Workout(ReadObject):
    """One performed workout. `end_time` is null if a file lacks it."""

    id: str
    title: str
    routine_id: str | None = None
    description: str | None = None
    start_time: UtcTime
    end_time: UtcTime | None = None
    updated_at: UtcTime | None = None
    created_at: UtcTime | None = None
    exercises: Sequence[WorkoutExercise]


class RepRange(ReadModel):
    """A range of repetitions; `end` is null for an open range ("8+")."""

    start: Whole | None = None
    end: Whole | None = None


class RoutineSet(ReadModel):
    """One planned set. Null means no target."""

    index: int
    type: SetType
    weight_kg: float | None = None
    reps: Whole | None = None
    rep_range: RepRange | None = None
    distance_meters: float | None = None
    duration_seconds: Whole | None = None
    custom_metric: float | None = None


class RoutineExercise(ReadModel):
    """One exercise of a routine, in training order."""

    index: int
    title: str
    notes: str | None = None
    exercise_template_id: str
    superset_id: Whole | None = Field(
        default=None, validation_alias=AliasChoices("superset_id", "supersets_id")
    )
    rest_seconds: Annotated[Whole | None, BeforeValidator(_parse_seconds)] = None
    sets: Annotated[Sequence[RoutineSet], BeforeValidator(_or_empty)]


class Routine(ReadObject):
    """A planned workout."""

    id: str
    title: str
    folder_id: int | None = None
    notes: str | None = None
    updated_at: UtcTime | None = None
    created_at: UtcTime | None = None
    exercises: Annotated[Sequence[RoutineExercise], BeforeValidator(_or_empty)]


class ExerciseTemplate(ReadObject):
    """An exercise of the catalogue, built-in or the athlete's own. `type` is an open list."""

    id: str
    title: str
    type: str
    primary_muscle_group: str | None = None
    secondary_muscle_groups: Annotated[Sequence[str], BeforeValidator(_or_empty)] = ()
    equipment: str | None = Field(
        default=None, validation_alias=AliasChoices("equipment", "equipment_category")
    )
    is_custom: bool = False


class RoutineFolder(ReadObject):
    """A routine folder; `index` is its position in the app and changes when folders are added."""

    id: int
    index: int
    title: str
    updated_at: UtcTime | None = None
    created_at: UtcTime | None = None


class BodyMeasurement(ReadObject):
    """Measurements of one day; the day is the id. Girths are centimetres."""

    date: str
    weight_kg: float | None = None
    lean_mass_kg: float | None = None
    fat_percent: float | None = None
    neck_cm: float | None = None
    shoulder_cm: float | None = None
    chest_cm: float | None = None
    left_bicep_cm: float | None = None
    right_bicep_cm: float | None = None
    left_forearm_cm: float | None = None
    right_forearm_cm: float | None = None
    abdomen: float | None = None
    waist: float | None = None
    hips: float | None = None
    left_thigh: float | None = None
    right_thigh: float | None = None
    left_calf: float | None = None
    right_calf: float | None = None


class ExerciseHistoryEntry(ReadObject):
    """One performed set of one exercise, with its workout."""

    workout_id: str
    workout_title: str | None = None
    workout_start_time: UtcTime | None = None
    workout_end_time: UtcTime | None = None
    exercise_template_id: str
    weight_kg: float | None = None
    reps: Whole | None = None
    distance_meters: float | None = None
    duration_seconds: Whole | None = None
    rpe: float | None = None
    custom_metric: float | None = None
    set_type: str


class UserInfo(ReadObject):
    """The account of the key, with the display units of its app."""

    id: str
    username: str | None = None
    name: str | None = None
    weight_unit: str | None = None
    distance_unit: str | None = None


class WorkoutEvent(ReadObject):
    """A change of a workout: the id if deleted, otherwise the whole workout."""

    type: str
    workout: dict[str, Any] | None = None
    id: str | None = None
    deleted_at: UtcTime | None = None

    @model_validator(mode="after")
    def _has_a_subject(self) -> Self:
        if self.workout is None and (self.type != "deleted" or self.id is None):
            raise ValueError(f"an event '{self.type}' carries no workout")
        return self
