"""Parse the rows of a mapped table: one row is one set."""

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
)
from hevy_connector.csv_imports.unit_words import FileUnit, find_unit
from hevy_connector.csv_imports.units import Units
from hevy_connector.schemas import SetType

_MOST_RPE = 10
_MOST_SETS = 30


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
    reps, duration_s = cells.whole("reps"), set_duration_s(cells)
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
    """Return the sets of a row that counts them, the effort with the last; or the set itself.

    Raises:
        UnusableRowError: the count is no number of sets.
    """
    if "sets" not in layout.places:
        return [one]
    cells = RowCells(layout, one.row.cells)
    count = cells.whole("sets")
    if count is not None and not 1 <= count <= _MOST_SETS:
        raise UnusableRowError(f"{cells.shown('sets')} is no number of sets from 1 to {_MOST_SETS}")
    others = [replace(one, values={**one.values, "rpe": None}) for _ in range((count or 1) - 1)]
    return [*others, one]


def written_start(cells: RowCells) -> str:
    """Return date and time of a row as one text."""
    date, clock = cells.text("date"), cells.text("time")
    return f"{date} {clock}" if clock else date


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
