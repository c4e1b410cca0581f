"""Parse the rows of Hevy's "Export workouts": one row is one set."""

from collections.abc import Sequence
from datetime import datetime
from typing import get_args
from zoneinfo import ZoneInfo

from hevy_connector.csv_imports.cells import (
    KG_PER,
    METRES_PER,
    RowCells,
    UnusableRowError,
    in_base_unit,
    plain_number,
)
from hevy_connector.csv_imports.dialects import Layout
from hevy_connector.csv_imports.neutral import Head, SetRow
from hevy_connector.csv_imports.rows import Cells, CsvRow
from hevy_connector.csv_imports.times import (
    DateStyle,
    is_written_time,
    parse_written_time,
    utc_span,
)
from hevy_connector.schemas import SetType

_SET_TYPES = get_args(SetType)

# Longer than any written time, short enough to try every cell of a broken row.
_LONGEST_TIME = 40
_TIMES_OF_A_ROW = 2


def read_hevy_row(row: CsvRow, layout: Layout, timezone: ZoneInfo, style: DateStyle) -> SetRow:
    """Parse the set of one row.

    Raises:
        UnusableRowError: a cell cannot be parsed.
    """
    cells = RowCells(layout, row.cells)
    exercise_title = cells.text("exercise_title")
    if not exercise_title:
        raise UnusableRowError("exercise_title is empty")
    set_type = cells.text("set_type")
    if set_type not in _SET_TYPES:
        raise UnusableRowError(f"{cells.shown('set_type')} is none of {', '.join(_SET_TYPES)}")
    set_index = cells.whole("set_index")
    if set_index is None:
        raise UnusableRowError("set_index is empty")
    weight, distance = cells.number("weight"), cells.number("distance")
    weight_unit, distance_unit = layout.units["weight"], layout.units["distance"]
    return SetRow(
        row=row,
        head=_head(cells, timezone, style),
        description=cells.raw("description"),
        exercise_title=exercise_title,
        notes=cells.raw("exercise_notes"),
        superset_id=cells.whole("superset_id"),
        number=set_index,
        takes_number=True,
        values={
            "type": set_type,
            "weight_kg": None
            if weight is None
            else plain_number(in_base_unit(weight, KG_PER[weight_unit])),
            "reps": cells.whole("reps"),
            # Some accounts export 0 for values that were not recorded.
            "distance_meters": plain_number(in_base_unit(distance, METRES_PER[distance_unit]))
            if distance
            else None,
            "duration_seconds": cells.whole("duration_seconds") or None,
            "rpe": cells.rpe(),
            "custom_metric": None,
        },
    )


def repair_hevy_cells(cells: Sequence[str], layout: Layout) -> Cells | None:
    """Repair the cells of a row that lost its quotation marks; None if they are ambiguous.

    Without the marks, the commas in dates and titles split their cells. Dates are recognised by
    their form, and the text before the first of them is the title. A comma in a note leaves an
    extra cell at an unknown position. A third time, or a line feed before the second, is the
    beginning of another row.
    """
    title_at, start_at, end_at = (
        layout.places[meaning] for meaning in ("title", "start_time", "end_time")
    )
    joined = _with_dates_joined(cells, layout.delimiter)
    if sum(map(_is_time, joined)) != _TIMES_OF_A_ROW:
        return None
    excess = len(joined) - layout.width
    if excess > 0 and start_at == title_at + 1:
        title = layout.delimiter.join(joined[title_at : start_at + excess])
        joined = [*joined[:title_at], title, *joined[start_at + excess :]]
    if (
        len(joined) == layout.width
        and _is_time(joined[start_at])
        and _is_time(joined[end_at])
        and not any("\n" in cell for cell in joined[: end_at + 1])
        and joined[layout.places["set_type"]].strip() in _SET_TYPES
    ):
        return tuple(joined)
    return None


def _with_dates_joined(cells: Sequence[str], delimiter: str) -> list[str]:
    joined: list[str] = []
    at = 0
    while at < len(cells):
        # "Jun 11, 2026, 1:01 PM" splits into three cells, "11 Jun 2026, 13:01" into two.
        # The clock is in the last of them.
        parts = next(
            (
                count
                for count in (3, 2)
                if any(":" in cell for cell in cells[at + count - 1 : at + count])
                and _is_time(delimiter.join(cells[at : at + count]))
            ),
            1,
        )
        joined.append(delimiter.join(cells[at : at + parts]))
        at += parts
    return joined


def _is_time(text: str) -> bool:
    return ":" in text and len(text) <= _LONGEST_TIME and is_written_time(text)


def _head(cells: RowCells, timezone: ZoneInfo, style: DateStyle) -> Head:
    start, end = (_written_time(cells, meaning, style) for meaning in ("start_time", "end_time"))
    try:
        start_at, end_at = utc_span(start, end, timezone)
    except ValueError as error:
        span = f"{cells.raw('start_time')[:40]!r} to {cells.raw('end_time')[:40]!r}"
        raise UnusableRowError(f"{span} is no time span: {error}") from error
    return Head(cells.text("title"), (start.isoformat(), end.isoformat()), start_at, end_at)


def _written_time(cells: RowCells, meaning: str, style: DateStyle) -> datetime:
    try:
        return parse_written_time(cells.raw(meaning), style)
    except ValueError as error:
        raise UnusableRowError(f"{cells.shown(meaning)} is no date: {error}") from error
