"""Parse a plain CSV of recovery and body data: one row per day, and source if it names one."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import cast

from health_connector.days import (
    APPLE,
    HRV_METHODS,
    LIMITS,
    METRICS,
    HealthDay,
    HrvMethod,
    ImpossibleValue,
    Metric,
    Number,
    is_source_name,
    limit_fault,
    plain_number,
)
from health_connector.errors import HealthFileError
from health_connector.health_file import HealthFile

FILE_SOURCE = "csv"
"""Source of rows that name none."""

RESERVED_SOURCES = frozenset(
    {"intervals", "hevy", APPLE, "oura_api", "garmin_export", "strava_export", "fit"}
)
"""Sources that only their own connector may write."""

COLUMNS = ("date", "source", "sleep_minutes", "hrv_ms", "hrv_method", *METRICS[2:])

_DELIMITERS = (",", ";", "\t")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,12})?")
_COMMA_NUMBER = re.compile(r"-?[0-9]{1,9},[0-9]{1,12}")
_EARLIEST = date(1970, 1, 1)
_SHOWN_PROBLEMS = 10


class _RowError(ValueError):
    """A cell that cannot be parsed; the text is the reason without its line."""


def read_health_csv(content: bytes, *, today: date) -> HealthFile:
    """Parse a file with the column `date` and at least one metric; separated by , ; or tabs.

    Numbers have a decimal point, or a comma where that does not separate the cells. A blank cell
    is a missing value. Physically impossible values are kept apart, see `HealthDay.impossible`.
    Equal rows of a day are one. `today` is the current date in UTC; a day after tomorrow is in the
    future in every time zone.

    Raises:
        HealthFileError: the header is unusable, a cell cannot be parsed, or two rows of a day
            disagree; with the line of each fault.
    """
    rows = _rows(content)
    header_line, header = next(rows, (1, []))
    places = _places(header, header_line)
    covered = frozenset(metric for metric in METRICS if metric in places)
    days: dict[str, tuple[int, HealthDay]] = {}
    problems: list[str] = []
    for line, cells in rows:
        try:
            if len(cells) != len(header):
                raise _RowError(f"{len(cells)} cells, but the header has {len(header)}")
            day = _read_day({name: cells[at].strip() for name, at in places.items()}, line, today)
            first_line, first = days.setdefault(day.record_id, (line, day))
            if _content(first) != _content(day):
                raise _RowError(f"{day.day} of {day.source} has other values in line {first_line}")
        except _RowError as error:
            problems.append(f"Line {line}: {error}.")
    if problems:
        raise HealthFileError(_refusal(problems), tuple(problems))
    if not days:
        raise HealthFileError("The file has no days below its header, so nothing was imported.")
    return HealthFile(
        days=tuple(day for _, day in days.values()),
        covered=covered,
        ignored_columns=tuple(name for name in header if name.strip().lower() not in places),
    )


def _rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-blank rows with their last physical line, from 1."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise HealthFileError(
            "The file is not UTF-8 text. Save it as CSV in UTF-8 and import it again."
        ) from error
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, _with_points(cells, delimiter)
    except csv.Error as error:
        raise HealthFileError(
            f"Line {reader.line_num} is not valid CSV ({error}). Correct its quotation marks; "
            "nothing was imported."
        ) from error


def _with_points(cells: Sequence[str], delimiter: str) -> list[str]:
    """Return the cells with decimal points, where a comma cannot separate cells."""
    if delimiter == ",":
        return list(cells)
    return [
        cell.replace(",", ".") if _COMMA_NUMBER.fullmatch(cell.strip()) else cell for cell in cells
    ]


def _places(header: Sequence[str], line: int) -> dict[str, int]:
    """Return the position of each known column."""
    names = [name.strip().lower() for name in header]
    repeated = sorted({name for name in names if name in COLUMNS and names.count(name) > 1})
    if repeated:
        raise HealthFileError(f"Line {line}: the column {repeated[0]} is there twice.")
    places = {name: names.index(name) for name in COLUMNS if name in names}
    if "date" not in places or not any(metric in places for metric in METRICS):
        raise HealthFileError(
            f"Line {line} is no header of a health file: it needs the column date and one of "
            f"{', '.join(METRICS)}. docs/health.md has an example."
        )
    return places


def _read_day(cells: Mapping[str, str], line: int, today: date) -> HealthDay:
    day = _read_date(cells["date"], today)
    source = cells.get("source", "").lower() or FILE_SOURCE
    if not is_source_name(source) or source in RESERVED_SOURCES:
        raise _RowError(
            f"source '{source[:40]}' is not allowed, use a short name such as oura or garmin"
        )
    values: dict[Metric, Number] = {}
    impossible: list[ImpossibleValue] = []
    for metric in METRICS:
        if not (text := cells.get(metric, "")):
            continue
        if not _NUMBER.fullmatch(text):
            raise _RowError(f"{metric} '{text[:40]}' is not a number")
        value = Decimal(text)
        if (fault := limit_fault(metric, value, LIMITS)) is None:
            values[metric] = plain_number(value)
        else:
            impossible.append(ImpossibleValue(metric, f"Line {line}: {fault}.", text, line))
    method = cells.get("hrv_method", "").lower()
    if method not in ("", *HRV_METHODS):
        raise _RowError(f"hrv_method '{method[:40]}' is not rmssd or sdnn")
    if "hrv_ms" in values and not method:
        raise _RowError("hrv_ms needs hrv_method, rmssd or sdnn, since the two cannot be compared")
    return HealthDay(
        source=source,
        day=day,
        values=values,
        hrv_method=cast(HrvMethod, method) if "hrv_ms" in values else None,
        impossible=tuple(impossible),
    )


def _read_date(text: str, today: date) -> date:
    try:
        if not _DATE.fullmatch(text):
            raise ValueError
        day = date.fromisoformat(text)
    except ValueError as error:
        raise _RowError(f"date '{text[:40]}' is not a day such as 2026-03-01") from error
    if not _EARLIEST <= day <= today + timedelta(days=1):
        raise _RowError(f"{day} is before 1970 or in the future")
    return day


def _content(day: HealthDay) -> tuple[object, ...]:
    """Return what two equal rows of a day agree in."""
    impossible = [(one.metric, one.text) for one in day.impossible]
    return dict(day.values), day.hrv_method, impossible


def _refusal(problems: Sequence[str]) -> str:
    shown = " ".join(problems[:_SHOWN_PROBLEMS])
    more = len(problems) - _SHOWN_PROBLEMS
    rest = f" {more} more lines have faults." if more > 0 else ""
    return f"Nothing was imported. {shown}{rest} Correct the file and import it again."
