"""Parse the rows of FitNotes' spreadsheet export: one row is one set, a day is one workout."""

from decimal import Decimal
from zoneinfo import ZoneInfo

from hevy_connector.csv_imports.cells import (
    KG_PER,
    METRES_PER,
    RowCells,
    UnusableRowError,
    in_base_unit,
    plain_number,
    quantity,
    set_duration_s,
)
from hevy_connector.csv_imports.dialects import Layout
from hevy_connector.csv_imports.neutral import UNTITLED, Head, SetRow, set_values
from hevy_connector.csv_imports.performed import WEIGHT_TOLERANCE_KG
from hevy_connector.csv_imports.rows import CsvRow
from hevy_connector.csv_imports.times import (
    DateStyle,
    at_noon,
    is_date_alone,
    parse_written_time,
    utc_from_start,
)
from hevy_connector.csv_imports.units import Units

_KG_STEP, _LB_STEP = Decimal("0.25"), Decimal("0.5")


def read_fitnotes_row(
    row: CsvRow, layout: Layout, units: Units, timezone: ZoneInfo, style: DateStyle
) -> SetRow:
    """Parse the set of one row.

    The file has no titles, times of day, set numbers or set types: a day is one workout at noon,
    and equal rows are sets.

    Raises:
        UnusableRowError: a cell cannot be parsed, or both weights of a row differ.
    """
    cells = RowCells(layout, row.cells)
    exercise_title = cells.text("exercise_name")
    if not exercise_title:
        raise UnusableRowError(f"{layout.names['exercise_name']} is empty")
    weight_kg = _weight_in_both_units(cells) or quantity(cells, "weight", units.weight, KG_PER)
    distance_m = quantity(cells, "distance", units.distance, METRES_PER)
    reps, duration_s = cells.whole("reps"), set_duration_s(cells)
    return SetRow(
        row=row,
        head=_head(cells, timezone, style),
        description="",
        exercise_title=exercise_title,
        notes=cells.raw("notes"),
        superset_id=None,
        number=None,
        takes_number=True,
        values=set_values("normal", weight_kg, reps, distance_m, duration_s),
    )


def _weight_in_both_units(cells: RowCells) -> int | float | None:
    """Return kilograms from the unit in which the weight was entered: the rounder number.

    Both numbers are rounded to hundredths, so 135 lb are 61.23 kg.
    """
    kg, lb = cells.number("weight_kg"), cells.number("weight_lb")
    if not (kg and lb):
        return (plain_number(kg) if kg else None) or (
            plain_number(in_base_unit(lb, KG_PER["lb"])) if lb else None
        )
    if abs(float(kg - lb * KG_PER["lb"])) > WEIGHT_TOLERANCE_KG:
        raise UnusableRowError(
            f"{cells.shown('weight_kg')} and {cells.shown('weight_lb')} are different weights"
        )
    is_pounds = _is_rounder_in_pounds(kg, lb)
    return plain_number(in_base_unit(lb, KG_PER["lb"]) if is_pounds else kg)


def is_entered_in_pounds(cells: RowCells) -> bool:
    """Return whether a weight that the row has in both units, or in pounds alone, is in pounds."""
    kg, lb = cells.number("weight_kg"), cells.number("weight_lb")
    return _is_rounder_in_pounds(kg, lb) if kg and lb else bool(lb)


def _is_rounder_in_pounds(kg: Decimal, lb: Decimal) -> bool:
    return not lb % _LB_STEP and bool(kg % _KG_STEP)


def _head(cells: RowCells, timezone: ZoneInfo, style: DateStyle) -> Head:
    try:
        start = parse_written_time(cells.raw("date"), style)
        if is_date_alone(start):
            start = at_noon(start)
        start_at, _ = utc_from_start(start, None, timezone)
    except ValueError as error:
        raise UnusableRowError(f"{cells.shown('date')} is no date: {error}") from error
    return Head(UNTITLED, ("fitnotes", start.isoformat()), start_at, None)
