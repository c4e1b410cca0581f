"""The objects of the Hevy API: tolerant models to read, strict models to write.

The service's answers carry more than its specification says and have changed their names over
time, so read models keep unknown fields and accept old names. The service rejects unknown keys,
so write models forbid them and are checked before anything is sent.

Units are the API's: kilograms, metres, seconds; times are UTC.
Source: Hevy API v1.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

SetType = Literal["normal", "warmup", "failure", "dropset"]


def _as_utc(value: datetime) -> datetime:
    """Times without an offset are UTC: the service never sends a local time."""
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{value} is outside of the calendar in UTC") from error


def _parse_time(value: Any) -> Any:
    if isinstance(value, str):
        return _as_utc(datetime.fromisoformat(value))
    return _as_utc(value) if isinstance(value, datetime) else value


def _parse_seconds(value: Any) -> Any:
    """Rest times were text in answers up to 2026-09."""
    return (float(value) if value.strip() else None) if isinstance(value, str) else value


UtcTime = Annotated[datetime, BeforeValidator(_parse_time)]

# What the warehouse stores as INTEGER: a fraction or a larger number would be changed there.
Whole = Annotated[int, Field(ge=-(2**31), lt=2**31)]


class ReadModel(BaseModel):
    """An object as the service returned it; unknown fields are kept."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)


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


class Workout(ReadModel):
    """One performed workout. `end_time` is null where a file does not tell it."""

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
    """One exercise of a routine, in the order in which it is trained."""

    index: int
    title: str
    notes: str | None = None
    exercise_template_id: str
    superset_id: Whole | None = Field(
        default=None, validation_alias=AliasChoices("superset_id", "supersets_id")
    )
    rest_seconds: Annotated[Whole | None, BeforeValidator(_parse_seconds)] = None
    sets: Sequence[RoutineSet]


class Routine(ReadModel):
    """A planned workout."""

    id: str
    title: str
    folder_id: int | None = None
    notes: str | None = None
    updated_at: UtcTime | None = None
    created_at: UtcTime | None = None
    exercises: Sequence[RoutineExercise]


class ExerciseTemplate(ReadModel):
    """An exercise of the catalogue, built-in or the athlete's own. `type` is an open list."""

    id: str
    title: str
    type: str
    primary_muscle_group: str | None = None
    secondary_muscle_groups: Sequence[str] = ()
    equipment: str | None = Field(
        default=None, validation_alias=AliasChoices("equipment", "equipment_category")
    )
    is_custom: bool = False


class RoutineFolder(ReadModel):
    """A folder of routines; `index` is its place in the app and changes when folders are added."""

    id: int
    index: int
    title: str
    updated_at: UtcTime | None = None
    created_at: UtcTime | None = None


class BodyMeasurement(ReadModel):
    """What was measured on one day; the day is its identity. Girths are centimetres."""

    date: str
    weight_kg: float | None = None
    fat_percent: float | None = None


class UserInfo(ReadModel):
    """The account that the key belongs to, with the units that its app shows."""

    id: str
    username: str | None = None
    name: str | None = None
    weight_unit: str | None = None
    distance_unit: str | None = None


class WorkoutEvent(ReadModel):
    """A change in the account's workouts: an updated one whole, a deleted one by its id."""

    type: Literal["updated", "deleted"]
    workout: dict[str, Any] | None = None
    id: str | None = None
    deleted_at: UtcTime | None = None

    @model_validator(mode="after")
    def _has_a_subject(self) -> Self:
        if self.type == "updated" and self.workout is None:
            raise ValueError("an updated event carries no workout")
        if self.type == "deleted" and self.id is None:
            raise ValueError("a deleted event carries no id")
        return self


class WriteModel(BaseModel):
    """A body that the service accepts; anything it would reject fails here first."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class RepRangeWrite(WriteModel):
    """A range of repetitions. `end` is left out of an open range."""

    start: int = Field(ge=0)
    end: int | None = Field(default=None, ge=0)


class RoutineSetWrite(WriteModel):
    """A planned set as it is sent; routine sets know no RPE."""

    type: SetType = "normal"
    weight_kg: float | None = Field(default=None, ge=0)
    reps: int | None = Field(default=None, ge=0)
    distance_meters: int | None = Field(default=None, ge=0)
    duration_seconds: int | None = Field(default=None, ge=0)
    custom_metric: float | None = None
    rep_range: RepRangeWrite | None = None


NonEmpty = Annotated[str, StringConstraints(min_length=1)]


class RoutineExerciseWrite(WriteModel):
    """An exercise of a routine as it is sent."""

    exercise_template_id: NonEmpty
    superset_id: int | None = None
    rest_seconds: int | None = Field(default=None, ge=0)
    notes: NonEmpty | None = None
    sets: Sequence[RoutineSetWrite]


class RoutineWrite(WriteModel):
    """A whole routine as it is sent: a PUT replaces everything, so everything is in it."""

    title: NonEmpty
    notes: NonEmpty | None = None
    exercises: Sequence[RoutineExerciseWrite]

    @classmethod
    def from_read(cls, routine: Routine) -> Self:
        """The same routine as a body to send.

        Read-only fields are left out, empty texts and absent ranges are omitted: the service
        rejects both an empty text and a null range.

        Raises:
            pydantic.ValidationError: the routine holds what the service would not accept back,
                for example half a repetition.
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

    def put_body(self) -> dict[str, Any]:
        """The JSON of a PUT: `{"routine": …}` without empty texts and null ranges."""
        return {"routine": _without_unsendable_nulls(self.model_dump(mode="json"))}

    def post_body(self, folder_id: int | None) -> dict[str, Any]:
        """The JSON of a POST; the folder must be named, null being "My Routines"."""
        body = self.put_body()
        body["routine"]["folder_id"] = folder_id
        return body


def _set_to_write(planned: RoutineSet) -> dict[str, Any]:
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


def _without_unsendable_nulls(routine: dict[str, Any]) -> dict[str, Any]:
    """Drop the nulls that the service rejects: texts, ranges and the open end of a range."""
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
