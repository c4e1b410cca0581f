"""One day of recovery and body data from one source, and the limits of possible values.

A day is the one on which the athlete woke up: sleep, heart rate variability and resting heart rate
of a night belong to the day that follows it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Literal, TypeGuard, TypeVar, get_args

Metric = Literal["sleep_minutes", "hrv_ms", "resting_hr", "readiness", "weight_kg", "body_fat_pct"]
HrvMethod = Literal["rmssd", "sdnn"]
Number = int | float

Name = TypeVar("Name", bound=str)

APPLE = "apple_health"
"""Source of the days of an Apple Health export."""

METRICS: tuple[Metric, ...] = get_args(Metric)
HRV_METHODS: tuple[HrvMethod, ...] = get_args(HrvMethod)

LIMITS: Mapping[Metric, tuple[float, float]] = {
    "sleep_minutes": (0, 24 * 60),
    "hrv_ms": (1, 400),  # ms; longer ones are beats that a sensor missed
    "resting_hr": (20, 150),  # beats per minute
    "readiness": (0, 100),  # points of the vendor
    "weight_kg": (20, 400),
    "body_fat_pct": (2, 75),
}
"""The least and the greatest value of an adult; others are errors of a device or of typing."""

_SOURCE = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class ImpossibleValue:
    """A value beyond the limits: its metric, the reason and the text that was read."""

    metric: str
    reason: str
    text: str
    line: int | None = None


@dataclass(frozen=True)
class HealthDay:
    """Values of one athlete's day from one source, and those that are impossible.

    The method of the heart rate variability is set if, and only if, the variability is.
    """

    source: str
    day: date
    values: Mapping[Metric, Number]
    hrv_method: HrvMethod | None = None
    impossible: tuple[ImpossibleValue, ...] = field(default=())

    @property
    def record_id(self) -> str:
        """Return the id of the day among the athlete's records."""
        return f"{self.source}/{self.day}"


def is_source_name(text: str) -> bool:
    """Return whether a text can name a source: lower-case letters, digits, - and _."""
    return _SOURCE.fullmatch(text) is not None


def limit_fault(
    metric: Name, value: Decimal, limits: Mapping[Name, tuple[float, float]]
) -> str | None:
    """Return the reason why a value is physically impossible, or None."""
    least, greatest = limits[metric]
    if least <= float(value) <= greatest:
        return None
    return f"{metric} {value:f} is not between {least:g} and {greatest:g}"


def plain_number(value: Decimal) -> Number:
    """Return the number as JSON has it: integers without a fraction."""
    return int(value) if value == value.to_integral_value() else float(value)


def check_values(
    found: Mapping[Name, Any], limits: Mapping[Name, tuple[float, float]]
) -> tuple[dict[Name, Number], tuple[ImpossibleValue, ...]]:
    """Split the values of a JSON answer into possible and impossible ones; None is no value."""
    values: dict[Name, Number] = {}
    impossible: list[ImpossibleValue] = []
    for metric, one in found.items():
        if one is None:
            continue
        fault = (
            limit_fault(metric, value := Decimal(str(one)), limits)
            if is_number(one)
            else f"{metric} is not a number"
        )
        if fault is None:
            values[metric] = plain_number(value)
        else:
            impossible.append(ImpossibleValue(metric, f"{fault}.", str(one)[:80]))
    return values, tuple(impossible)


def whole_minutes(seconds: object) -> object:
    """Return seconds of a JSON answer as whole minutes; anything but a number as it is."""
    return round(seconds / 60) if is_measure(seconds) else seconds


def is_number(value: object) -> TypeGuard[int | float | Decimal]:
    """Return whether a value of JSON is a number, which true and false are not."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def is_measure(value: object) -> TypeGuard[int | float | Decimal]:
    """Return whether a value of JSON is a number that fits a double, so no unit overflows it.

    JSON has numbers of any size; a larger one is kept as it is, and is beyond the limits.
    """
    return is_number(value) and -1e15 < value < 1e15
