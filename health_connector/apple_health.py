"""Days of an Apple Health export: sleep, heart rate variability (SDNN), pulse and body.

Times are local, by the HKTimeZone of a record, otherwise by its offset. A night is from 18:00 to
18:00 and belongs to the day on which it ends. Several apps write the same values, so each metric of
a day comes from one of them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from health_connector.apple_export import AppleRecord, Progress, read_records
from health_connector.days import (
    APPLE,
    LIMITS,
    METRICS,
    HealthDay,
    ImpossibleValue,
    Metric,
    Number,
    limit_fault,
    plain_number,
)
from health_connector.errors import HealthFileError
from health_connector.health_file import HealthFile

SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"

METRIC_OF: Mapping[str, Metric] = {
    "HKQuantityTypeIdentifierHeartRateVariabilitySDNN": "hrv_ms",
    "HKQuantityTypeIdentifierRestingHeartRate": "resting_hr",
    "HKQuantityTypeIdentifierBodyMass": "weight_kg",
    "HKQuantityTypeIdentifierBodyFatPercentage": "body_fat_pct",
    SLEEP: "sleep_minutes",
}
"""Types of records that are read."""

UNITS: Mapping[Metric, Mapping[str, Decimal]] = {
    "hrv_ms": {"ms": Decimal(1)},
    "resting_hr": {"count/min": Decimal(1)},
    "weight_kg": {"kg": Decimal(1), "lb": Decimal("0.45359237"), "g": Decimal("0.001")},
    "body_fat_pct": {"%": Decimal(100)},  # the export has a fraction
}
"""Factors from the units of the export."""

_ASLEEP = re.compile(r"HKCategoryValueSleepAnalysisAsleep(Core|Deep|REM)?(?:Unspecified)?")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) ([+-]\d{4})")
_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,30})?(?:[eE]-?[0-9]{1,2})?")
_NIGHT_BEGINS = timedelta(hours=18)
_DAY = timedelta(days=1)
_EARLIEST = date(1970, 1, 1)

Interval = tuple[float, float]


_MOST_LISTED = 1000  # records; a file of another format has millions


class _TimeError(ValueError):
    """A record whose time cannot be parsed; the text is the reason."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """A value in the unit of its metric, sorted by its time in seconds.

    `is_evening` is true before midnight, in the night of the next day.
    """

    at: float
    line: int
    value: Decimal
    is_evening: bool


@dataclass(slots=True)
class _Night:
    """Intervals of sleep of one app, in seconds, and whether it knows stages."""

    intervals: list[Interval] = field(default_factory=list)
    has_stages: bool = False


@dataclass
class _Export:
    """Samples, nights and impossible values of an export, by day."""

    samples: dict[Metric, dict[str, dict[date, list[_Sample]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    )
    nights: dict[date, dict[str, _Night]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(_Night))
    )
    impossible: dict[tuple[date, Metric], ImpossibleValue] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    unread_count: int = 0


def read_apple_health(
    path: Path, *, today: date, progress: Progress = lambda read, size: None
) -> HealthFile:
    """Read the days of an export, all or nothing; `today` is the current date in UTC.

    - Sleep: the union of the intervals asleep of one app, one that knows stages first, then the one
      with most sleep.
    - Heart rate variability: the mean of the samples in that sleep; without any the first sample
      from midnight to 18:00.
    - Resting heart rate: the last value of the day, which the watch corrects until the evening.
    - Weight and body fat: the first value of the day.

    These values are of the app that measured on most days. A sample that is no number, has an
    unknown unit, is beyond the limits, or is on an impossible day is never used, but kept apart:
    see `HealthDay.impossible`. A record whose time cannot be parsed is listed, and then the export
    removes no known value.

    Raises:
        HealthFileError: no export, a damaged one, or no value.
        OSError: the file cannot be read.
    """
    export = _Export()
    for record in read_records(path, METRIC_OF, progress=progress):
        try:
            _keep(export, record, today + _DAY)
        except _TimeError as error:
            export.unread_count += 1
            if export.unread_count <= _MOST_LISTED:
                export.unread.append(str(error))
    if (more := export.unread_count - len(export.unread)) > 0:
        export.unread.append(f"{more} more records have no time that can be parsed.")
    days = tuple(_days(export))
    if not days:
        raise HealthFileError(
            " ".join(
                [
                    "The export has no sleep, heart rate variability, resting heart rate, weight "
                    "or body fat, so nothing was imported.",
                    *export.unread[:1],
                ]
            )
        )
    known = {metric for day in days for metric in day.values}
    known |= {metric for _, metric in export.impossible}
    return HealthFile(
        days=days,
        # The day of a record without a time is not known, and may be any.
        covered=frozenset() if export.unread else frozenset(known),
        unread=tuple(export.unread),
        notes=tuple(_disagreements(export)),
        is_complete=not export.unread,
    )


def _keep(export: _Export, record: AppleRecord, latest: date) -> None:
    """Add a record to the export; awake and in bed are no sleep."""
    metric = METRIC_OF[record.attributes["type"]]
    text = record.attributes.get("value", "")
    asleep = _ASLEEP.fullmatch(text) if metric == "sleep_minutes" else None
    if metric == "sleep_minutes" and asleep is None:
        return
    start, end = (_time(record, name) for name in ("startDate", "endDate"))
    if metric in ("sleep_minutes", "hrv_ms"):
        day = _night_of(end if asleep else start)
    else:
        day = start.date()
    if (fault := _fault(record, metric, start, end, day, latest)) is not None:
        reason = f"Line {record.line}: {fault}."
        value = ImpossibleValue(metric, reason, text[:80], record.line)
        export.impossible.setdefault((day, metric), value)
        return
    source = record.attributes.get("sourceName", "")
    if asleep is not None:
        night = export.nights[day][source]
        night.intervals.append((start.timestamp(), end.timestamp()))
        night.has_stages |= asleep[1] is not None
        return
    sample = _Sample(
        at=(end if metric == "resting_hr" else start).timestamp(),
        line=record.line,
        value=_value(record, metric),
        is_evening=start.date() < day,
    )
    export.samples[metric][source][day].append(sample)


def _fault(
    record: AppleRecord, metric: Metric, start: datetime, end: datetime, day: date, latest: date
) -> str | None:
    """Return the reason why a record cannot be a value of its day, or None."""
    if not _EARLIEST <= day <= latest:
        return f"{metric} on {day}, which is before 1970 or in the future"
    if end < start:
        return f"{metric} ends before it begins"
    if metric == "sleep_minutes":
        return None
    text = record.attributes.get("value", "")
    if not _NUMBER.fullmatch(text):
        return f"{metric} '{text[:40]}' is not a number"
    if (unit := record.attributes.get("unit", "")) not in UNITS[metric]:
        return f"unit '{unit[:20]}' of {metric} is not {' or '.join(UNITS[metric])}"
    return limit_fault(metric, _value(record, metric), LIMITS)


def _value(record: AppleRecord, metric: Metric) -> Decimal:
    """Return the value of a record in the unit of its metric."""
    return Decimal(record.attributes["value"]) * UNITS[metric][record.attributes["unit"]]


def _time(record: AppleRecord, name: str) -> datetime:
    """Return a time of a record in its local zone."""
    text = record.attributes.get(name, "")
    try:
        if (parts := _TIME.fullmatch(text)) is None:
            raise ValueError
        at = datetime.fromisoformat(f"{parts[1]}{parts[2]}")
        zone = _zone(record.zone) if record.zone else None
        local = at if zone is None else at.astimezone(zone)
        _night_of(local)  # within the years of the calendar
        return local
    except (ValueError, OverflowError) as error:
        raise _TimeError(
            f"Line {record.line}: {name} '{text[:40]}' is not a time such as "
            "2026-03-01 07:10:00 +0100."
        ) from error


@cache
def _zone(name: str) -> ZoneInfo | None:
    """Return the zone of a name; None for one that this machine lacks: the offset counts then."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _night_of(moment: datetime) -> date:
    """Return the day on which the night of a local time ends."""
    return (moment.replace(tzinfo=None) + _DAY - _NIGHT_BEGINS).date()


def _days(export: _Export) -> Iterator[HealthDay]:
    """Yield the days of an export in their order."""
    values: dict[date, dict[Metric, Number]] = defaultdict(dict)
    impossible = dict(export.impossible)
    asleep = {day: _sleep(apps) for day, apps in export.nights.items()}

    for day, intervals in asleep.items():
        minutes = Decimal(round(sum(end - start for start, end in intervals) / 60))
        if (fault := limit_fault("sleep_minutes", minutes, LIMITS)) is None:
            values[day]["sleep_minutes"] = plain_number(minutes)
        else:
            found = ImpossibleValue("sleep_minutes", f"{day}: {fault}.", f"{minutes}")
            impossible.setdefault((day, "sleep_minutes"), found)
    for metric, measured in export.samples.items():
        for day, samples in _of_one_app(measured):
            if metric != "hrv_ms":
                value = samples[-1 if metric == "resting_hr" else 0].value
            elif (mean := _variability(samples, asleep.get(day, ()))) is not None:
                value = mean
            else:
                continue
            values[day][metric] = plain_number(value)
    for day in sorted({*values, *(day for day, _ in impossible)}):
        own = values.get(day, {})
        yield HealthDay(
            source=APPLE,
            day=day,
            values={metric: own[metric] for metric in METRICS if metric in own},
            hrv_method="sdnn" if "hrv_ms" in own else None,
            impossible=tuple(
                impossible[day, metric] for metric in METRICS if (day, metric) in impossible
            ),
        )


def _sleep(apps: Mapping[str, _Night]) -> list[Interval]:
    """Return the united sleep of the app with stages, then of the one with most sleep."""
    united = {app: _unite(night.intervals) for app, night in apps.items()}
    best = max(
        sorted(apps),
        key=lambda app: (apps[app].has_stages, sum(end - start for start, end in united[app])),
    )
    return united[best]


def _unite(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the union of intervals, in order and without overlaps."""
    united: list[Interval] = []
    for start, end in sorted(intervals):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], end))
        else:
            united.append((start, end))
    return united


def _of_one_app(
    apps: Mapping[str, Mapping[date, Sequence[_Sample]]],
) -> Iterator[tuple[date, Sequence[_Sample]]]:
    """Yield the samples of each day in order, of the app that measured on most days."""
    ranked = sorted(apps, key=lambda app: (-len(apps[app]), app))
    for day in sorted({day for days in apps.values() for day in days}):
        samples = next(apps[app][day] for app in ranked if day in apps[app])
        yield day, sorted(samples, key=lambda sample: (sample.at, sample.line))


def _disagreements(export: _Export) -> Iterator[str]:
    """Yield for each metric the number of days on which apps have different values."""
    days = sum(
        len({round(sum(end - start for start, end in _unite(one.intervals))) for one in apps}) > 1
        for apps in (nights.values() for nights in export.nights.values())
    )
    if days:
        yield (
            f"sleep_minutes: apps disagree on {_day_count(days)}; one that knows stages counts, "
            "then the one with most sleep."
        )
    for metric, apps in sorted(export.samples.items()):
        values: dict[date, set[frozenset[Decimal]]] = defaultdict(set)
        for by_day in apps.values():
            for day, samples in by_day.items():
                values[day].add(frozenset(sample.value for sample in samples))
        if days := sum(len(found) > 1 for found in values.values()):
            first = min(apps, key=lambda app: (-len(apps[app]), app))
            yield (
                f"{metric}: apps disagree on {_day_count(days)}; {first[:40]!r}, which measured on "
                "most days, counts where it has a value."
            )


def _day_count(days: int) -> str:
    return "1 day" if days == 1 else f"{days} days"


def _variability(samples: Sequence[_Sample], asleep: Sequence[Interval]) -> Decimal | None:
    """Return the mean of the samples in the sleep (ms), without any the first of the day itself."""
    of_night = [
        sample.value
        for sample in samples
        if any(start <= sample.at <= end for start, end in asleep)
    ]
    if of_night:
        return round(sum(of_night, Decimal()) / len(of_night), 3)
    return next((sample.value for sample in samples if not sample.is_evening), None)
