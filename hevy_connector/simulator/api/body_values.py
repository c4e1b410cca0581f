"""Value types of request bodies, with the service's error messages."""

import math
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    PlainValidator,
    StrictStr,
    StringConstraints,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

from hevy_connector.simulator.api.quirks import WriteRules
from hevy_connector.simulator.api.times import utc_time

_LARGEST_SAFE = 2**53 - 1
"""Above it JavaScript cannot distinguish an integer from its neighbour."""
ABSENT = object()
"""Marks a value that was not sent, if its absence has to be validated."""
ALLOWED_RPE = (6, 7, 7.5, 8, 8.5, 9, 9.5, 10)


def _number(value: Any) -> int | float:
    """Parse a JSON number; integral values become int, because JSON has one number type."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("joi", "must be a number")
    if not -_LARGEST_SAFE <= value <= _LARGEST_SAFE:
        infinite = isinstance(value, float) and not math.isfinite(value)
        raise PydanticCustomError(
            "joi", "must be a number" if infinite else "must be a safe number"
        )
    return int(value) if float(value).is_integer() else value


def _integer(value: Any) -> int:
    number = _number(value)
    if not isinstance(number, int):
        raise PydanticCustomError("joi", "must be an integer")
    return number


def _utc_second(value: Any) -> datetime:
    """Parse a time to the second; without an offset it is UTC."""
    try:
        return utc_time(value).replace(microsecond=0)
    except ValueError:
        raise PydanticCustomError("joi", "must be in ISO 8601 date format") from None


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


def _rules(info: ValidationInfo) -> WriteRules:
    """Return the write rules; bodies built in code are validated like those of the app."""
    return info.context if isinstance(info.context, WriteRules) else WriteRules("app")


def _note(value: Any, info: ValidationInfo) -> Any:
    if value == "" and not _rules(info).accepts_empty_notes:
        raise PydanticCustomError("joi", "is not allowed to be empty")
    return value


def _routine_note(value: Any, info: ValidationInfo) -> Any:
    if value is None and not _rules(info).accepts_null_routine_notes:
        raise PydanticCustomError("joi", "must be a string")
    return _note(value, info)


def require_range(value: Any, info: ValidationInfo) -> Any:
    """Return the range of repetitions as sent; reject null unless the quirks allow it."""
    if value is None and not _rules(info).accepts_null_range:
        raise PydanticCustomError("joi", "must be of type object")
    return value


def _range_number(value: Any, info: ValidationInfo) -> int | float | None:
    if value is ABSENT:
        if _rules(info).accepts_range_without_start:
            return None
        raise PydanticCustomError("joi", "is required")
    return None if value is None and _rules(info).accepts_null_range_ends else _number(value)


def _measured(value: Any, info: ValidationInfo) -> int | float | None:
    return None if value is None and _rules(info).accepts_null_measurement else _number(value)


Number = Annotated[int | float, PlainValidator(_number)]
RangeNumber = Annotated[int | float | None, PlainValidator(_range_number)]
Measured = Annotated[int | float | None, PlainValidator(_measured)]
Integer = Annotated[int, PlainValidator(_integer)]
Text = Annotated[str, StringConstraints(strict=True, min_length=1)]
Note = Annotated[StrictStr | None, BeforeValidator(_note)]
RoutineNote = Annotated[StrictStr | None, BeforeValidator(_routine_note)]
UtcSecond = Annotated[datetime, PlainValidator(_utc_second)]
AllowedRpe = Annotated[int | float | None, PlainValidator(_allowed_rpe)]
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
