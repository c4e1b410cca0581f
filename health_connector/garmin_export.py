"""Days and sessions of an account export of Garmin: the zip of "Export your data".

Each metric is in files of its own; the names of their folders and the ids in their names vary. A
`calendarDate` is the athlete's wake-up day. Heart rate variability is the mean rMSSD of the night.
Lengths are cm, durations ms, and weights g. Source: exports of several accounts, since Garmin
documents no format.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from health_connector.archive import open_archive, read_entry
from health_connector.days import (
    LIMITS,
    METRICS,
    HealthDay,
    HrvMethod,
    Metric,
    check_values,
    is_measure,
    is_number,
    whole_minutes,
)
from health_connector.errors import HealthFileError
from health_connector.health_file import HealthFile
from health_connector.service import Json
from health_connector.sessions import Session, minutes, session_of
from hevy_connector.canonical_json import read_json

GARMIN = "garmin_export"
"""Source of the days and sessions that are read here."""

_EARLIEST = date(1970, 1, 1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SLEEP_STAGES = ("deepSleepSeconds", "lightSleepSeconds", "remSleepSeconds")


class _Value(NamedTuple):
    """A value of a day; of several the one with the highest rank counts, then the last."""

    day: date
    metric: Metric
    value: Any
    rank: float = 0.0


class _RowError(ValueError):
    """A row that cannot be read; the text is the reason."""


def is_garmin_export(archive: ZipFile) -> bool:
    """Return whether a zip has a file of an account export of Garmin."""
    names = [name.rpartition("/")[2] for name in archive.namelist()]
    return any(_is_named(name, pattern) for name in names for pattern in (*_DAYS_OF, _ACTIVITIES))


def read_garmin_export(path: Path, *, today: date) -> HealthFile:
    """Read an account export; a damaged file or row of it is named, and the rest is kept.

    Raises:
        HealthFileError: no zip, a damaged one, or nothing that is read.
        OSError: the file cannot be read.
    """
    values: list[_Value] = []
    sessions: dict[str, Session] = {}
    unread: list[str] = []
    notes: list[str] = []
    with open_archive(path) as archive:
        for entry in sorted(archive.infolist(), key=lambda each: each.filename):
            name = entry.filename.rpartition("/")[2]
            readers = [reader for end, reader in _DAYS_OF.items() if _is_named(name, end)]
            if not readers and not _is_named(name, _ACTIVITIES):
                if name.lower().endswith(".zip"):
                    notes.append(
                        f"{name} is not read: the export has the days and activities of its FIT "
                        "files. To read these, too, unpack it and import it."
                    )
                continue
            try:
                content = read_json(read_entry(archive, entry))
            except HealthFileError as error:
                unread.append(str(error))
                continue
            except (ValueError, RecursionError):
                unread.append(f"{name} is no JSON; it may be truncated.")
                continue
            faults: dict[str, int] = defaultdict(int)
            for row in _rows(content):
                try:
                    for reader in readers:
                        values += _in_time(reader(row), today)
                    if not readers:
                        one = _session(row, today)
                        sessions[one.session_id] = one
                except _RowError as error:
                    faults[str(error)] += 1
            unread += [f"{name}: {count} rows {why}." for why, count in faults.items()]
    days = tuple(_days(values))
    if not days and not sessions:
        raise HealthFileError(
            " ".join(["The export of Garmin has no days and no activities to import.", *unread])
        )
    return HealthFile(
        days=days,
        # What is damaged is not known to be gone.
        covered=frozenset() if unread else frozenset(one.metric for one in values),
        sessions=tuple(sessions.values()),
        unread=tuple(unread),
        notes=tuple(notes),
        is_complete=not unread,
    )


def _is_named(name: str, pattern: str) -> bool:
    return name.endswith(pattern) or (pattern == _DAILY and name.startswith(_DAILY))


def _rows(content: Any) -> Iterator[Json]:
    """Yield the objects of a file; those of activities are in an envelope."""
    for one in content if isinstance(content, list) else [content]:
        if not isinstance(one, dict):
            continue
        inner = one.get("summarizedActivitiesExport")
        if inner is None:
            yield one
        elif isinstance(inner, list):
            yield from (each for each in inner if isinstance(each, dict))


def _day_of(text: object) -> date:
    try:
        return date.fromisoformat(str(text)[:10])
    except ValueError:
        raise _RowError("have no date") from None


def _in_time(values: Iterator[_Value], today: date) -> Iterator[_Value]:
    for one in values:
        if not _EARLIEST <= one.day <= today + timedelta(days=1):
            raise _RowError("are before 1970 or in the future")
        yield one


def _sleep(row: Json) -> Iterator[_Value]:
    """Yield the sum of the stages, since the export has no total; of two nights the longest."""
    stages = [float(row[name]) for name in _SLEEP_STAGES if is_measure(row.get(name))]
    if (seconds := sum(stages)) > 0:
        day = _day_of(row.get("calendarDate"))
        yield _Value(day, "sleep_minutes", whole_minutes(seconds), seconds)


def _variability(row: Json) -> Iterator[_Value]:
    """Yield the variability of the night; 0 is the mark of a night without one."""
    metrics = row.get("metrics")
    if metrics is not None and not isinstance(metrics, list):
        raise _RowError("have no list of metrics")
    for one in metrics or []:
        if isinstance(one, dict) and one.get("type") == "HRV" and one.get("value"):
            yield _Value(_day_of(row.get("calendarDate")), "hrv_ms", one["value"])


def _resting(row: Json) -> Iterator[_Value]:
    if row.get("restingHeartRate"):
        yield _Value(_day_of(row.get("calendarDate")), "resting_hr", row["restingHeartRate"])


def _weight(row: Json) -> Iterator[_Value]:
    weight, about = row.get("weight"), row.get("metaData")
    grams = weight.get("weight") if isinstance(weight, dict) else None
    if grams:
        day = _day_of(about.get("calendarDate") if isinstance(about, dict) else None)
        yield _Value(day, "weight_kg", _divide(grams, 1000))


_DAILY = "UDSFile_"
_ACTIVITIES = "_summarizedActivities.json"
_DAYS_OF: Mapping[str, Callable[[Json], Iterator[_Value]]] = {
    "_sleepData.json": _sleep,
    "_healthStatusData.json": _variability,
    "_userBioMetrics.json": _weight,
    _DAILY: _resting,
}


def _session(row: Json, today: date) -> Session:
    """Return the session of an activity; a local start is a wall clock in ms, as if in UTC."""
    begin = row.get("beginTimestamp") or row.get("startTimeGmt")
    started_at, local = _moment(begin), row.get("startTimeLocal")
    session_id = row.get("activityId")
    if not isinstance(session_id, str | int) or not session_id:
        raise _RowError("have no id")
    if started_at.date() > today + timedelta(days=1):
        raise _RowError("are before 1970 or in the future")
    return session_of(
        GARMIN,
        str(session_id),
        started_at,
        row.get("activityType"),
        {
            "duration_minutes": minutes(
                _divide(row.get("movingDuration") or row.get("duration"), 1000)
            ),
            "distance_m": _divide(row.get("distance"), 100),
            "average_hr": row.get("avgHr"),
            "max_hr": row.get("maxHr"),
            "vendor_load": row.get("activityTrainingLoad"),
        },
        _local_date(local, started_at),
    )


def _divide(value: object, by: int) -> object:
    """Return a value in a larger unit; anything but a number as it is."""
    return round(float(value) / by, 3) if is_measure(value) else value


def _local_date(wall_clock: object, started_at: datetime) -> date | None:
    """Return the local day; None if the difference to UTC is none that a time zone has."""
    if not is_number(wall_clock):
        return None
    local = _moment(wall_clock)
    return local.date() if abs(local - started_at) <= timedelta(hours=14) else None


def _moment(milliseconds: object) -> datetime:
    if not is_number(milliseconds) or not 0 <= milliseconds < 1e14:
        raise _RowError("have no start")
    return _EPOCH + timedelta(milliseconds=float(milliseconds))


def _days(values: list[_Value]) -> Iterator[HealthDay]:
    """Yield the days in their order."""
    found: dict[date, dict[Metric, _Value]] = defaultdict(dict)
    for one in values:
        known = found[one.day].get(one.metric)
        if known is None or one.rank >= known.rank:
            found[one.day][one.metric] = one
    for day, by_metric in sorted(found.items()):
        read = {metric: by_metric[metric].value for metric in METRICS if metric in by_metric}
        possible, impossible = check_values(read, LIMITS)
        method: HrvMethod | None = "rmssd" if "hrv_ms" in possible else None
        yield HealthDay(GARMIN, day, possible, method, impossible)
