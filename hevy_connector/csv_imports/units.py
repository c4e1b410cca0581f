"""Which units the numbers of a file are in: its header's, its rows', or those the user names.

Some of Strong's exports name no unit. It is never assumed: 100 may be a squat of 100 kg or of
100 lb. What the file gives away is told with the question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from hevy_connector.csv_imports.cells import KG_PER, RowCells, UnusableRowError, entered_in
from hevy_connector.csv_imports.dialects import DistanceUnit, FileUnit, Layout, Unit
from hevy_connector.csv_imports.rows import CsvRow
from hevy_connector.errors import CsvFormatError

_OTHER: dict[FileUnit, FileUnit] = {"kg": "lb", "lb": "kg"}


@dataclass(frozen=True)
class Units:
    """The units of a file's numbers; None where each row names its own or no number needs one."""

    weight: FileUnit | None
    distance: FileUnit | None


@dataclass(frozen=True)
class Telltale:
    """A number that only makes sense if it was converted: `written` in `unit` is `entered`.

    The weight was entered in the other unit of the two.
    """

    line: int
    written: str
    unit: FileUnit
    entered: str

    def __str__(self) -> str:
        return f"{self.written} {self.unit} is {self.entered} {_OTHER[self.unit]} converted"


def settle_units(
    layout: Layout,
    rows: Sequence[CsvRow],
    weight_unit: Unit | None,
    distance_unit: DistanceUnit | None,
) -> Units:
    """The units of a file, which names them itself or leaves them to the user.

    Raises:
        CsvFormatError: a unit is needed and not given, or given against what the header says.
    """
    return Units(
        weight=_settled(layout, rows, "weight", ("kg", "lb"), weight_unit),
        distance=_settled(layout, rows, "distance", ("km", "mi"), distance_unit),
    )


def find_telltale(layout: Layout, rows: Sequence[CsvRow]) -> Telltale | None:
    """The first weight that betrays its unit, if most that betray one agree with it."""
    found = [tale for row in rows if (tale := _telltale(layout, row)) is not None]
    for unit in ("kg", "lb"):
        of_unit = [tale for tale in found if tale.unit == unit]
        if len(of_unit) * 2 > len(found):
            return of_unit[0]
    return None


def _settled(
    layout: Layout,
    rows: Sequence[CsvRow],
    meaning: str,
    choices: tuple[FileUnit, FileUnit],
    given: Unit | DistanceUnit | None,
) -> FileUnit | None:
    named = layout.units.get(meaning)
    if named is not None:
        # Metres are no choice of the user: whoever measures in miles may have a file in metres.
        if given is not None and given != named and named in choices:
            raise CsvFormatError(
                f"The file's own header names the unit of {meaning} ({layout.names[meaning]}), "
                f"so --{meaning}-unit {given} cannot be right. Leave the option out."
            )
        return named
    if given is not None or f"{meaning}_unit" in layout.places:
        return given
    line = next((row.line for row in rows if _holds_number(layout, row, meaning)), None)
    if line is None:
        return None
    tale = find_telltale(layout, rows) if meaning == "weight" else None
    hint = "" if tale is None else f" Line {tale.line} speaks for {tale.unit}: {tale}."
    raise CsvFormatError(
        f"The file does not say in which unit its column {layout.names[meaning]!r} is (line {line} "
        f"is the first to hold a number there): {layout.app.name} writes what the app is set to. "
        f"Say it with --{meaning}-unit {choices[0]} or --{meaning}-unit {choices[1]}.{hint}"
    )


def _holds_number(layout: Layout, row: CsvRow, meaning: str) -> bool:
    return bool(_readable_number(layout, row, meaning))


def _telltale(layout: Layout, row: CsvRow) -> Telltale | None:
    value = _readable_number(layout, row, "weight")
    if not value:
        return None
    for unit, other in _OTHER.items():
        entered = entered_in(value, KG_PER[unit] / KG_PER[other])
        if entered is not None:
            whole = f"{entered.normalize():f}"
            return Telltale(row.line, RowCells(layout, row.cells).text("weight"), unit, whole)
    return None


def _readable_number(layout: Layout, row: CsvRow, meaning: str) -> Decimal | None:
    if row.fault is not None:
        return None
    try:
        return RowCells(layout, row.cells).number(meaning)
    except UnusableRowError:
        return None
