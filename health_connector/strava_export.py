"""Sessions of a bulk export of Strava: activities.csv, alone or in the zip.

The header is English and has names twice: of those the second has the precise value (m, s). Times
are UTC. Files of activities are not read, because the table has what is needed. Source: exports of
several accounts, since Strava documents no format.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from zipfile import ZipFile

from health_connector.archive import open_archive, read_entry
from health_connector.errors import HealthFileError
from health_connector.health_file import HealthFile
from health_connector.sessions import Session, minutes, session_of

STRAVA = "strava_export"
"""Source of the sessions that are read here."""

_TABLE = "activities.csv"
_HEAD = ("Activity ID", "Activity Date")
_TIMES = ("%b %d, %Y, %I:%M:%S %p", "%Y-%m-%d %H:%M:%S")
_SHOWN = 10


class _RowError(ValueError):
    """A row that cannot be read; the text is the reason."""


def is_strava_table(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of activities.csv."""
    return head.removeprefix(b"\xef\xbb\xbf").startswith((b"Activity ID,", b'"Activity ID",'))


def is_strava_export(archive: ZipFile) -> bool:
    """Return whether a zip is a bulk export of Strava."""
    return any(name.rpartition("/")[2] == _TABLE for name in archive.namelist())


def read_strava_export(path: Path, *, today: date) -> HealthFile:
    """Read the table of activities from a zip, or alone; a row with a fault is named.

    Raises:
        HealthFileError: no zip or table, a damaged one, or no row that can be read.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        is_zip = file.read(4) == b"PK\x03\x04"
    if is_zip:
        with open_archive(path) as archive:
            entry = min(
                (one for one in archive.infolist() if one.filename.rpartition("/")[2] == _TABLE),
                key=lambda one: len(one.filename),
            )
            content = read_entry(archive, entry)
    else:
        content = path.read_bytes()
    sessions: dict[str, Session] = {}
    unread: list[str] = []
    for line, cells in _rows(content):
        try:
            one = _session(cells, today)
        except _RowError as error:
            unread.append(f"Line {line}: {error}.")
        else:
            sessions[one.session_id] = one
    if not sessions:
        raise HealthFileError(
            " ".join(["activities.csv has no activity to import.", *unread[:_SHOWN]])
        )
    return HealthFile(
        (),
        frozenset(),
        sessions=tuple(sessions.values()),
        unread=tuple(unread),
        is_complete=not unread,
    )


def _rows(content: bytes) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the rows by column with their last line; of two columns with a name the last filled."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise HealthFileError("activities.csv is not UTF-8 text.") from error
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    header: list[str] = []
    try:
        header = [name.strip() for name in next(reader, [])]
        if not set(_HEAD) <= set(header):
            raise HealthFileError(
                "activities.csv has no columns Activity ID and Activity Date. Set the language of "
                "Strava to English, and request the export again."
            )
        for cells in reader:
            row: dict[str, str] = defaultdict(str)
            for name, cell in zip(header, cells, strict=False):
                row[name] = cell.strip() or row[name]
            # Before the second column existed, the first one had km, or m for swims.
            if header.count("Distance") < 2:
                row["Distance"] = ""
            if len(cells) != len(header):
                row["damaged"] = f"it has {len(cells)} cells, but the header {len(header)}"
            yield reader.line_num, row
    except csv.Error:
        # A file that breaks off in a quoted text: the rows before it are complete.
        yield reader.line_num, {"damaged": "the file breaks off, or a quotation mark is missing"}


def _session(row: Mapping[str, str], today: date) -> Session:
    if why := row.get("damaged"):
        raise _RowError(why)
    if not row["Activity ID"].isdigit():
        raise _RowError(f"'{row['Activity ID'][:40]}' is no id of an activity")
    started_at = _time(row["Activity Date"])
    if not date(1970, 1, 1) <= started_at.date() <= today + timedelta(days=1):
        raise _RowError(f"{started_at.date()} is before 1970 or in the future")
    moving, elapsed = (_number(row, name) for name in ("Moving Time", "Elapsed Time"))
    return session_of(
        STRAVA,
        row["Activity ID"],
        started_at,
        row["Activity Type"],
        {
            "duration_minutes": minutes(moving or elapsed),
            "distance_m": _number(row, "Distance"),
            "average_hr": _number(row, "Average Heart Rate"),
            "max_hr": _number(row, "Max Heart Rate"),
            "session_rpe": _number(row, "Perceived Exertion"),
            "vendor_load": _number(row, "Relative Effort"),
        },
    )


def _time(text: str) -> datetime:
    # The blank before AM and PM may be a narrow one.
    plain = " ".join(text.split())
    for form in _TIMES:
        try:
            return datetime.strptime(plain, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise _RowError(f"date '{text[:40]}' is not a time such as Nov 27, 2026, 6:12:33 PM")


def _number(row: Mapping[str, str], name: str) -> Decimal | None:
    text = row[name]
    if not text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise _RowError(f"{name} '{text[:40]}' is not a number")
    return number
