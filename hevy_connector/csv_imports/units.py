"""Resolve the units of a file: from its header, its rows or the given options.

Some of Strong's exports name no unit. None is assumed: 100 may be a squat of 100 kg or of 100 lb.
The error message includes the evidence in the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from hevy_connector.csv_imports.cells import KG_PER, RowCells, UnusableRowError, entry_in_other_unit
from hevy_connector.csv_imports.dialects import APPS, DistanceUnit, Layout, Unit
from hevy_connector.csv_imports.rows import CsvRow
from hevy_connector.csv_imports.unit_words import FileUnit
from hevy_connector.errors import CsvFormatError, UnitMissingError

_OTHER: dict[FileUnit, FileUnit] = {"kg": "lb", "lb": "kg"}


@dataclass(frozen=True)
class Units:
    """Units of a file's numbers; None if each row names its own or no number needs one."""

    weight: FileUnit | None
    distance: FileUnit | None


@dataclass(frozen=True)
class UnitHint:
    """A number that only fits one unit, because it was converted: `written` in `unit` is `entered`.

    The weight was entered in the other of the two units.
    """

    line: int
    written: str
    unit: FileUnit
    entered: str

    def __str__(self) -> str:
        return f"{self.written} {self.unit} is {self.entered} {_OTHER[self.unit]} converted"


def resolve_units(
    layout: Layout,
    rows: Sequence[CsvRow],
    weight_unit: Unit | None,
    distance_unit: DistanceUnit | None,
    *,
    are_defaults: bool = False,
) -> Units:
    """Return the units of a file from its header, or the given ones.

    With `are_defaults` the given ones are ignored if the header names others.

    Raises:
        CsvFormatError: a required unit is missing, or contradicts the header.
    """
    if are_defaults:
        weight_unit = None if "weight" in layout.units else weight_unit
        distance_unit = None if "distance" in layout.units else distance_unit
    return Units(
        weight=_resolve_unit(layout, rows, "weight", ("kg", "lb"), weight_unit),
        distance=_resolve_unit(layout, rows, "distance", ("km", "mi"), distance_unit),
    )


def find_unit_hint(layout: Layout, rows: Sequence[CsvRow]) -> UnitHint | None:
    """Return the first weight that shows the unit of the file, if most such weights agree."""
    found = [hint for row in rows if (hint := _unit_hint(layout, row)) is not None]
    for unit in ("kg", "lb"):
        of_unit = [hint for hint in found if hint.unit == unit]
        if len(of_unit) * 2 > len(found):
            return of_unit[0]
    return None


def _resolve_unit(
    layout: Layout,
    rows: Sequence[CsvRow],
    meaning: str,
    choices: tuple[FileUnit, FileUnit],
    given: Unit | DistanceUnit | None,
) -> FileUnit | None:
    named = layout.units.get(meaning)
    if named is not None:
        # The options exclude metres: a user of miles may have a file in metres.
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
    hint = find_unit_hint(layout, rows) if meaning == "weight" else None
    advice = "" if hint is None else f" Line {hint.line} suggests {hint.unit}: {hint}."
    reason = f": {layout.app.name} writes the unit of its settings" if layout.app in APPS else ""
    raise UnitMissingError(
        f"The file does not name the unit of its column {layout.names[meaning]!r} (line {line} "
        f"is the first to hold a number there){reason}. Name it with --{meaning}-unit {choices[0]} "
        f"or --{meaning}-unit {choices[1]}.{advice}",
        measure=meaning,
        choices=choices,
        likely=None if hint is None else hint.unit,
    )


def _holds_number(layout: Layout, row: CsvRow, meaning: str) -> bool:
    return bool(_readable_number(layout, row, meaning))


def _unit_hint(layout: Layout, row: CsvRow) -> UnitHint | None:
    value = _readable_number(layout, row, "weight")
    if not value:
        return None
    for unit, other in _OTHER.items():
        entered = entry_in_other_unit(value, KG_PER[unit] / KG_PER[other])
        if entered is not None:
            whole = f"{entered.normalize():f}"
            return UnitHint(row.line, RowCells(layout, row.cells).text("weight"), unit, whole)
    return None


def _readable_number(layout: Layout, row: CsvRow, meaning: str) -> Decimal | None:
    if row.fault is not None:
        return None
    try:
        return RowCells(layout, row.cells).number(meaning)
    except UnusableRowError:
        return None
