"""Parse the rows of a table: one row is one set, or several."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from zoneinfo import ZoneInfo

from hevy_connector.body_load import folded
from hevy_connector.csv_imports.cells import (
    KG_PER,
    METRES_PER,
    RowCells,
    UnusableRowError,
    plain_number,
    quantity,
    set_duration_s,
)
from hevy_connector.csv_imports.column_words import body_words
from hevy_connector.csv_imports.dialects import Layout
from hevy_connector.csv_imports.neutral import UNTITLED, Head, SetRow, set_values
from hevy_connector.csv_imports.rows import CsvRow
from hevy_connector.csv_imports.table_mapping import TableMapping
from hevy_connector.csv_imports.times import (
    DateStyle,
    at_noon,
    is_date_alone,
    parse_written_time,
    utc_from_start,
    with_clock,
)
from hevy_connector.csv_imports.unit_words import FileUnit, find_unit
from hevy_connector.csv_imports.units import Units
from hevy_connector.schemas import SetType

_MOST_RPE = 10
_MOST_SETS = 30
_TIMES = re.compile(r"(?P<count>\d{1,2})\s*[x\u00d7*]\s*(?P<reps>\d{1,3})", re.IGNORECASE)
# Two numbers with a dash may be a range.
_EACH = re.compile(r"\d{1,3}(?:\s*[,/;+]\s*\d{1,3})+|\d{1,3}(?:\s*-\s*\d{1,3}){2,}")


def read_table_row(
    row: CsvRow,
    layout: Layout,
    units: Units,
    timezone: ZoneInfo,
    style: DateStyle,
    mapping: TableMapping,
) -> SetRow:
    """Parse the set of one row.

    Raises:
        UnusableRowError: a cell cannot be parsed.
    """
    cells = RowCells(layout, row.cells)
    exercise_title = cells.text("exercise")
    if not exercise_title:
        raise UnusableRowError(f"{layout.names['exercise']} is empty")
    weight_kg = None if _is_body_alone(cells) else _quantity(cells, "weight", units.weight, KG_PER)
    distance_m = _quantity(cells, "distance", units.distance, METRES_PER)
    reps, duration_s = _reps(cells)[0], set_duration_s(cells)
    return SetRow(
        row=row,
        head=_head(cells, timezone, style, mapping),
        description=cells.raw("workout_notes"),
        exercise_title=exercise_title,
        notes=cells.raw("notes"),
        superset_id=None,
        number=None,
        takes_number=True,
        values=set_values(
            _set_type(cells, mapping.set_types),
            weight_kg,
            reps,
            distance_m,
            duration_s,
            _rpe(cells),
        ),
    )


def repeat_set(one: SetRow, layout: Layout) -> list[SetRow]:
    """Return the sets of a row that has several, the effort with the last; or the set itself.

    A row has the number of its sets, or the repetitions of each: "3x8", "8/8/7".

    Raises:
        UnusableRowError: the count is no number of sets.
    """
    cells = RowCells(layout, one.row.cells)
    reps = _reps(cells)
    if len(reps) == 1:
        return [one]
    *others, last = [replace(one, values={**one.values, "reps": each}) for each in reps]
    return [*(replace(each, values={**each.values, "rpe": None}) for each in others), last]


def _reps(cells: RowCells) -> list[int | None]:
    """Return the repetitions of each set of a row."""
    text, count = cells.text("reps"), cells.whole("sets")
    reps: int | None
    if match := _TIMES.fullmatch(text):
        count, reps = int(match["count"]), int(match["reps"])
    elif _EACH.fullmatch(text):
        return [int(each) for each in re.findall(r"\d+", text)]
    else:
        reps = cells.whole("reps")
    if count is not None and not 1 <= count <= _MOST_SETS:
        shown = cells.shown("sets" if cells.text("sets") else "reps")
        raise UnusableRowError(f"{shown} is no number of sets from 1 to {_MOST_SETS}")
    return [reps] * (count or 1)


def written_start(cells: RowCells) -> str:
    """Return date and time of a row as one text; a date with a word and no time is at midnight."""
    date, clock = cells.text("date"), cells.text("time")
    return f"{date} {clock}" if clock else with_clock(date)


def _quantity(
    cells: RowCells, meaning: str, unit: FileUnit | None, factors: Mapping[FileUnit, Decimal]
) -> int | float | None:
    """Return kilograms or metres; a unit after the number takes precedence over the file's."""
    own = find_unit(cells.unit(meaning), factors)
    if own is None:
        return quantity(cells, meaning, unit, factors)
    return quantity(cells.without_unit(meaning), meaning, own, factors)


def _is_body_alone(cells: RowCells) -> bool:
    """Return whether the cell of the load has a word for the body, or a dash."""
    return folded(cells.text("weight")).strip(" .()") in body_words()


def _rpe(cells: RowCells) -> int | float | None:
    """Return the rated effort, also from the repetitions that were left."""
    if cells.number("rpe"):
        return cells.rpe()
    left = cells.number("rir")
    return None if left is None or left >= _MOST_RPE else plain_number(_MOST_RPE - left)


def _set_type(cells: RowCells, set_types: Mapping[str, SetType]) -> SetType:
    """Return the type of the set; a blank cell is a normal set."""
    word = cells.text("set_type").casefold()
    if not word:
        return "normal"
    if word not in set_types:
        raise UnusableRowError(
            f"{cells.shown('set_type')} is not in set_types of the mapping, which has "
            f"{', '.join(set_types)}"
        )
    return set_types[word]


def _head(cells: RowCells, timezone: ZoneInfo, style: DateStyle, mapping: TableMapping) -> Head:
    text = written_start(cells)
    try:
        start = parse_written_time(text, style)
        if mapping.is_workout_a_day:
            start = at_noon(start if start.tzinfo is None else start.astimezone(timezone))
        elif not cells.text("time") and is_date_alone(start):
            start = at_noon(start)
        start_at, _ = utc_from_start(start, None, timezone)
    except ValueError as error:
        raise UnusableRowError(f"{text[:40]!r} is no date: {error}") from error
    title = cells.text("workout") or UNTITLED
    return Head(title, ("table", start.isoformat()), start_at, None)
