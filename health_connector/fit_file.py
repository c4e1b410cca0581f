"""Days and sessions of FIT files of a device: one file, or a zip of files.

Read are sessions of activities, and of wellness files the heart rate variability of a night (mean
rMSSD), the resting heart rate of a day, weight and body fat. Their times are UTC; a day is that of
the athlete's time zone. Source: profile 21 of the FIT SDK.
"""

import io
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

from health_connector.archive import GZIP, open_archive, read_entry, read_gzip
from health_connector.days import LIMITS, METRICS, HealthDay, HrvMethod, Metric, check_values
from health_connector.errors import HealthFileError
from health_connector.health_file import HealthFile
from health_connector.sessions import Session, minutes, session_of

FIT = "fit"
"""Source of the days and sessions that are read here."""

_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)  # the epoch of FIT is a day before
_WELLNESS: dict[str, tuple[tuple[str, Metric], ...]] = {
    "hrv_status_summary": (("last_night_average", "hrv_ms"),),
    "monitoring_hr_data": (("current_day_resting_heart_rate", "resting_hr"),),
    "weight_scale": (("weight", "weight_kg"), ("percent_fat", "body_fat_pct")),
}


_ENDINGS = (".fit", ".fit.gz")
_ZIP = ".zip"


def is_fit_file(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a FIT file."""
    return head[8:12] == b".FIT"


def is_fit_archive(archive: ZipFile) -> bool:
    """Return whether a zip has FIT files, or nothing but zips, as that of many downloads."""
    names = [name.lower() for name in archive.namelist() if not name.endswith("/")]
    is_of_zips = bool(names) and all(name.endswith(_ZIP) for name in names)
    return is_of_zips or any(name.endswith(_ENDINGS) for name in names)


def read_fit(path: Path, zone: tzinfo, *, today: date) -> HealthFile:
    """Read a FIT file, or those of a zip and of zips in it.

    A damaged file of a zip is named, and the rest is kept.

    Raises:
        HealthFileError: a damaged file or zip, or nothing that is read.
        OSError: the file cannot be read.
    """
    found: dict[date, dict[Metric, tuple[datetime, Any]]] = defaultdict(dict)
    sessions: dict[str, Session] = {}
    unread: list[str] = []
    for name, content in _files(path, unread):
        try:
            messages = list(_messages(name, content))
        except HealthFileError as error:
            unread.append(str(error))
            continue
        latest = datetime.combine(today + timedelta(days=1), datetime.max.time(), UTC)
        for kind, fields, at in messages:
            if not _EARLIEST <= at <= latest:
                unread.append(f"{name}: {kind} of {at:%Y-%m-%d} is before 1990 or in the future.")
            elif kind == "session":
                one = _session(fields, at, messages)
                sessions[one.session_id] = one
            else:
                day = found[at.astimezone(zone).date()]
                for field, metric in _WELLNESS.get(kind, ()):
                    value = fields.get(field)
                    if value is not None and (metric not in day or at >= day[metric][0]):
                        day[metric] = (at, value)
    days = tuple(_day(day, values) for day, values in sorted(found.items()) if values)
    if not days and not sessions:
        raise HealthFileError(
            " ".join(["No session, heart rate variability, pulse or weight to import.", *unread])
        )
    return HealthFile(
        days,
        # Other files of the device have the other values of a day.
        frozenset(),
        sessions=tuple(sessions.values()),
        unread=tuple(unread),
    )


def _files(path: Path, unread: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the FIT files by name; those of a zip that cannot be unpacked go to `unread`."""
    with path.open("rb") as file:
        head = file.read(4)
    if head != b"PK\x03\x04":
        content = path.read_bytes()
        yield path.name, read_gzip(path.name, content) if head.startswith(GZIP) else content
        return
    with open_archive(path) as archive:
        for entry in sorted(archive.infolist(), key=lambda each: each.filename):
            if not entry.filename.lower().endswith(_ZIP):
                yield from _unpacked(archive, entry, unread)
                continue
            try:
                with open_archive(io.BytesIO(read_entry(archive, entry))) as inner:
                    for one in sorted(inner.infolist(), key=lambda each: each.filename):
                        yield from _unpacked(inner, one, unread)
            except HealthFileError as error:
                unread.append(f"{entry.filename}: {error}")


def _unpacked(archive: ZipFile, entry: ZipInfo, unread: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the content of an entry that is a FIT file; one that is damaged goes to `unread`."""
    if not entry.filename.lower().endswith(_ENDINGS):
        return
    try:
        content = read_entry(archive, entry)
        if content.startswith(GZIP):
            content = read_gzip(entry.filename, content)
    except HealthFileError as error:
        unread.append(str(error))
    else:
        yield entry.filename, content


def _messages(name: str, content: bytes) -> Iterator[tuple[str, dict[str, Any], datetime]]:
    """Yield the messages of a file that are read, with their fields and time.

    Raises:
        HealthFileError: the file is damaged or truncated.
    """
    import fitdecode

    kinds = {"session", "activity", "file_id", *_WELLNESS}
    try:
        with fitdecode.FitReader(
            io.BytesIO(content),
            check_crc=fitdecode.CrcCheck.RAISE,
            error_handling=fitdecode.ErrorHandling.RAISE,
        ) as reader:
            for frame in reader:
                if isinstance(frame, fitdecode.FitDataMessage) and frame.name in kinds:
                    fields = {field.name: field.value for field in frame.fields}
                    at = fields.get("start_time" if frame.name == "session" else "timestamp")
                    if isinstance(at, datetime):
                        yield frame.name, fields, at
    except (fitdecode.FitError, ValueError, TypeError, KeyError, IndexError) as error:
        raise HealthFileError(f"{name} is truncated or damaged ({error}).") from error


def _session(
    fields: dict[str, Any], at: datetime, messages: list[tuple[str, dict[str, Any], datetime]]
) -> Session:
    """Return a session; its local day is by the offset that the device recorded."""
    sport, detail = fields.get("sport"), fields.get("sub_sport")
    effort = fields.get("workout_rpe")
    return session_of(
        FIT,
        f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        at,
        detail if detail == "strength_training" else sport,
        {
            "duration_minutes": minutes(
                fields.get("total_timer_time") or fields.get("total_elapsed_time")
            ),
            "distance_m": fields.get("total_distance"),
            "average_hr": fields.get("avg_heart_rate"),
            "max_hr": fields.get("max_heart_rate"),
            # The device stores tenths: 70 is an RPE of 7.
            "session_rpe": None if effort is None else effort / 10,
        },
        next((day for day in map(_local_day, messages, [at] * len(messages)) if day), None),
    )


def _local_day(message: tuple[str, dict[str, Any], datetime], started_at: datetime) -> date | None:
    """Return the local day of a start by an activity message; None without a possible offset."""
    kind, fields, at = message
    local = fields.get("local_timestamp") if kind == "activity" else None
    if not isinstance(local, datetime):
        return None
    offset = local.replace(tzinfo=UTC) - at
    return (started_at + offset).date() if abs(offset) <= timedelta(hours=14) else None


def _day(day: date, values: dict[Metric, tuple[datetime, Any]]) -> HealthDay:
    read = {metric: values[metric][1] for metric in METRICS if metric in values}
    possible, impossible = check_values(read, LIMITS)
    method: HrvMethod | None = "rmssd" if "hrv_ms" in possible else None
    return HealthDay(FIT, day, possible, method, impossible)
