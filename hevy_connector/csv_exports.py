"""Reads the file of Hevy's "Export workouts" into workouts as the API would answer them.

Three steps that know nothing of each other: the header says which dialect it is and where its
columns are; rows of cells become sets; sets become workouts.

The file carries no ids. A workout's record id comes from athlete, start, end and title, so the
same file read twice gives the same records. The exporter writes times in the zone that the phone
has at that moment and renames exercises in retrospect: to see that two different exports tell of
one workout needs the workouts already known, and is beyond this reader.
"""

import csv
import io
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, get_args
from zoneinfo import ZoneInfo

from hevy_connector.csv_rows import CsvRow, cut_record, cut_rows
from hevy_connector.csv_times import parse_local_time, utc_span
from hevy_connector.errors import CsvFormatError
from hevy_connector.landing import Record, canonical_json
from hevy_connector.quarantine import Rejected
from hevy_connector.schemas import SetType, Workout

_KG_PER_UNIT = {"weight_kg": Decimal(1), "weight_lbs": Decimal("0.45359237")}
_METRES_PER_UNIT = {"distance_km": Decimal(1000), "distance_miles": Decimal("1609.344")}
_TEXT_COLUMNS = ("title", "start_time", "end_time", "description", "exercise_title")
_SET_COLUMNS = ("exercise_notes", "set_index", "set_type", "reps", "duration_seconds", "rpe")
_SET_TYPES = get_args(SetType)

# Strong's one column that no other app has, in the languages in which it was seen.
_STRONG_COLUMNS = {"set order", "reihenfolge festlegen", "ordre de la série", "设置顺序"}
_MEASUREMENT_COLUMNS = {"date", "weight_kg", "fat_percent"}

# Fifteen digits are exact in a double and, converted to metres, fit a 64-bit integer.
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]+)?")
_WHOLE_NUMBER = re.compile(r"([0-9]{1,9})(?:\.0+)?")

# Never to change: other ids would double every workout that was imported before.
_RECORD_NAMESPACE = uuid.UUID("5b0c5a8e-8f0e-5d5c-9a39-3d1a6f6d0c11")


@dataclass(frozen=True)
class CsvImport:
    """What one file holds: workouts in file order, and the rows that could not be read.

    `rows_read` is always `sets_loaded` plus the number of `rejected` rows.
    """

    workouts: tuple[Record, ...]
    rejected: tuple[Rejected, ...]
    rows_read: int
    sets_loaded: int


def read_hevy_csv(content: bytes, *, athlete_id: str, timezone: ZoneInfo) -> CsvImport:
    """The workouts of a Hevy export, in kilograms, metres, seconds and UTC.

    One row is one set. Rows belong to one workout if title, start and end are equal, wherever
    they stand. Within it, consecutive rows of one title are one exercise, until `set_index` does
    not rise: then the exercise was done again. A row that cannot be read is rejected with its
    line, and the rest of its workout is loaded.

    `timezone` is the zone of the phone that wrote the file; for the hours of the clock changes
    see `utc_span`.

    Raises:
        CsvFormatError: the file is no Hevy workout export; nothing of it was read.
    """
    lines = _text_lines(content)
    header_at = next((at for at, line in enumerate(lines) if line.strip()), None)
    if header_at is None:
        raise CsvFormatError("The file is empty. Export the workouts from Hevy again.")
    layout, first_row_at = _recognise(lines, header_at)

    performed: list[_PerformedSet] = []
    rejected: list[Rejected] = []
    for row in cut_rows(lines, first_row_at, len(layout.columns)):
        try:
            performed.append(_performed_set(row, layout, timezone))
        except _UnusableRowError as error:
            reason = f"Line {row.line}: {error}."
            rejected.append(Rejected(reason, row.text, source_line=row.line))
    return CsvImport(
        workouts=_workout_records(performed, athlete_id),
        rejected=tuple(rejected),
        rows_read=len(performed) + len(rejected),
        sets_loaded=len(performed),
    )


class _UnusableRowError(ValueError):
    """A row that cannot be loaded; its text is the reason, without line and full stop."""


@dataclass(frozen=True)
class _Layout:
    """A dialect's columns in the order of the file, and the two that carry a unit."""

    columns: tuple[str, ...]
    weight_column: str
    distance_column: str


@dataclass(frozen=True)
class _PerformedSet:
    """One row that was understood. `values` are the set's fields as in the API.

    `written_span` is start and end as the file has them, in the phone's own time.
    """

    title: str
    written_span: tuple[datetime, datetime]
    start_at: datetime
    end_at: datetime
    description: str
    exercise_title: str
    notes: str
    superset_id: int | None
    set_index: int
    values: Mapping[str, Any]


def _text_lines(content: bytes) -> list[str]:
    """The physical lines, all ended by a line feed: a re-saved file must read as the original."""
    try:
        return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig").readlines()
    except UnicodeDecodeError as error:
        raise CsvFormatError(
            "The file is not UTF-8 text, as Hevy writes it. Use the export just as it came from "
            "the app, not a spreadsheet, an archive or a copy saved by another program."
        ) from error


def _recognise(lines: Sequence[str], header_at: int) -> tuple[_Layout, int]:
    """The layout that the header tells, and the place of the first line after it."""
    first_line = lines[header_at].strip()
    names = {name.strip(' "').lower() for name in re.split("[,;\t]", first_line)}
    if names & _STRONG_COLUMNS:
        raise CsvFormatError(
            "This is an export of the app Strong. Strong exports are recognised but not yet "
            "supported."
        )
    if names >= _MEASUREMENT_COLUMNS:
        raise CsvFormatError(
            "This is Hevy's export of body measurements. Choose the export of workouts."
        )
    if "exercise_title" in names and first_line.count(";") > first_line.count(","):
        raise CsvFormatError(
            "This is a Hevy workout export that was saved again with semicolons. Use the file "
            "just as Hevy wrote it, with commas."
        )
    try:
        cells, height = cut_record(lines, header_at)
    except csv.Error as error:
        raise CsvFormatError(
            f"This is no Hevy workout export: its first line {first_line[:120]!r} cannot be read "
            f"as column names ({error})."
        ) from error
    return _layout(tuple(name.strip().lower() for name in cells), first_line), header_at + height


def _layout(columns: tuple[str, ...], first_line: str) -> _Layout:
    needed: list[tuple[str, ...]] = [(name,) for name in _TEXT_COLUMNS + _SET_COLUMNS]
    needed += [tuple(_KG_PER_UNIT), tuple(_METRES_PER_UNIT)]
    missing = [" or ".join(names) for names in needed if not set(names) & set(columns)]
    if missing:
        raise CsvFormatError(
            f"This is no Hevy workout export: it has no column {', '.join(missing)}. "
            f"Its first line is {first_line[:120]!r}."
        )
    needed.append(("superset_id",))
    doubled = [" or ".join(names) for names in needed if sum(map(columns.count, names)) > 1]
    if doubled:
        raise CsvFormatError(
            f"The file has more than one column for {', '.join(doubled)}, so it does not say "
            "which one counts. Use the export just as Hevy wrote it."
        )
    return _Layout(
        columns=columns,
        weight_column=next(name for name in _KG_PER_UNIT if name in columns),
        distance_column=next(name for name in _METRES_PER_UNIT if name in columns),
    )


def _performed_set(row: CsvRow, layout: _Layout, timezone: ZoneInfo) -> _PerformedSet:
    if row.fault is not None:
        raise _UnusableRowError(row.fault)
    cell = dict(zip(layout.columns, row.cells, strict=True))
    exercise_title = cell["exercise_title"].strip()
    if not exercise_title:
        raise _UnusableRowError("exercise_title is empty")
    set_type = cell["set_type"].strip()
    if set_type not in _SET_TYPES:
        raise _UnusableRowError(f"set_type {set_type[:40]!r} is none of {', '.join(_SET_TYPES)}")
    set_index = _whole_number(cell, "set_index")
    if set_index is None:
        raise _UnusableRowError("set_index is empty")
    written_span = _local_time(cell, "start_time"), _local_time(cell, "end_time")
    start_at, end_at = _span(cell, written_span, timezone)
    weight, distance = layout.weight_column, layout.distance_column
    return _PerformedSet(
        title=cell["title"].strip(),
        written_span=written_span,
        start_at=start_at,
        end_at=end_at,
        description=cell["description"],
        exercise_title=exercise_title,
        notes=cell["exercise_notes"],
        superset_id=_whole_number(cell, "superset_id"),
        set_index=set_index,
        values={
            "type": set_type,
            "weight_kg": _number(cell, weight, _KG_PER_UNIT[weight]),
            "reps": _whole_number(cell, "reps"),
            # Some accounts export 0 where nothing was recorded.
            "distance_meters": _number(cell, distance, _METRES_PER_UNIT[distance]) or None,
            "duration_seconds": _whole_number(cell, "duration_seconds") or None,
            "rpe": _rpe(cell),
            "custom_metric": None,
        },
    )


def _number(
    cell: Mapping[str, str], column: str, factor: Decimal = Decimal(1)
) -> int | float | None:
    """The cell times `factor`, whole numbers as the API writes them; None if the cell is blank."""
    text = cell[column].strip()
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise _UnusableRowError(f"{column} {text[:40]!r} is not a number of zero or more")
    value = Decimal(text) * factor
    return int(value) if value == value.to_integral_value() else float(value)


def _whole_number(cell: Mapping[str, str], column: str) -> int | None:
    text = cell.get(column, "").strip()
    if not text:
        return None
    match = _WHOLE_NUMBER.fullmatch(text)
    if match is None:
        raise _UnusableRowError(f"{column} {text[:40]!r} is not a whole number of zero or more")
    return int(match[1])


def _rpe(cell: Mapping[str, str]) -> int | float | None:
    """Hevy offers 6 and 7 to 10 in halves; every half point is kept, others are typing errors."""
    value = _number(cell, "rpe")
    if value is not None and not (0 < value <= 10 and value * 2 == int(value * 2)):
        raise _UnusableRowError(
            f"rpe {cell['rpe'].strip()[:40]!r} is not a whole or half number from 0.5 to 10"
        )
    return value


def _span(
    cell: Mapping[str, str], written: tuple[datetime, datetime], timezone: ZoneInfo
) -> tuple[datetime, datetime]:
    try:
        return utc_span(*written, timezone)
    except ValueError as error:
        span = f"{cell['start_time'][:40]!r} to {cell['end_time'][:40]!r}"
        raise _UnusableRowError(f"{span} is no time span: {error}") from error


def _local_time(cell: Mapping[str, str], column: str) -> datetime:
    try:
        return parse_local_time(cell[column])
    except ValueError as error:
        raise _UnusableRowError(f"{column} {cell[column][:40]!r} is no date: {error}") from error


def _workout_records(performed: Sequence[_PerformedSet], athlete_id: str) -> tuple[Record, ...]:
    by_workout: dict[tuple[str, tuple[datetime, datetime]], list[_PerformedSet]] = {}
    for one in performed:
        by_workout.setdefault((one.title, one.written_span), []).append(one)
    return tuple(_workout_record(sets, athlete_id) for sets in by_workout.values())


def _workout_record(sets: Sequence[_PerformedSet], athlete_id: str) -> Record:
    first = sets[0]
    # The written times identify a workout: read again with its zone corrected it is the same one.
    identity = json.dumps(
        [athlete_id, *(moment.isoformat() for moment in first.written_span), first.title]
    )
    record_id = f"csv-{uuid.uuid5(_RECORD_NAMESPACE, identity)}"
    payload = {
        "id": record_id,
        "title": first.title,
        "routine_id": None,
        "description": first.description,
        "start_time": first.start_at.isoformat(),
        "end_time": first.end_at.isoformat(),
        "exercises": [
            {
                "index": index,
                "title": block[0].exercise_title,
                "notes": block[0].notes,
                "exercise_template_id": None,
                "superset_id": block[0].superset_id,
                "sets": [{"index": place, **one.values} for place, one in enumerate(block)],
            }
            for index, block in enumerate(_exercise_blocks(sets))
        ],
    }
    Workout.model_validate(payload)
    return Record(record_id, canonical_json(payload))


def _exercise_blocks(sets: Sequence[_PerformedSet]) -> list[list[_PerformedSet]]:
    blocks: list[list[_PerformedSet]] = []
    for one in sets:
        before = blocks[-1][-1] if blocks else None
        if (
            before is not None
            and one.exercise_title == before.exercise_title
            and one.set_index > before.set_index
        ):
            blocks[-1].append(one)
        else:
            blocks.append([one])
    return blocks
