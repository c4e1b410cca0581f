"""Parse the cells of one row as texts, numbers and quantities in the units of the API."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from hevy_connector.csv_imports.dialects import Layout
from hevy_connector.csv_imports.durations import parse_set_duration
from hevy_connector.csv_imports.times import plain_digits
from hevy_connector.csv_imports.unit_words import FileUnit, find_unit

KG_PER: Mapping[FileUnit, Decimal] = {"kg": Decimal(1), "lb": Decimal("0.45359237")}
METRES_PER: Mapping[FileUnit, Decimal] = {
    "m": Decimal(1),
    "km": Decimal(1000),
    "mi": Decimal("1609.344"),
    "ft": Decimal("0.3048"),
    "yd": Decimal("0.9144"),
    "cm": Decimal("0.01"),
    "in": Decimal("0.0254"),
}

# Fifteen digits are exact in a double and, converted to metres, fit a 64-bit integer.
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]+)?")
# Many languages write 72,5. Three digits after the comma may be thousands instead.
_COMMA_NUMBER = re.compile(r"([0-9]{1,15}),([0-9]{1,2}|[0-9]{4,})|(0),([0-9]+)")
# 1 234,5 and 1.234,5 and 1,234.5; a point or comma alone with three digits is no group.
_GROUPED = re.compile(
    r"([0-9]{1,3})((?P<mark>[ '\u2019\u066c\xa0\u2009\u202f.,])[0-9]{3}"
    r"(?:(?P=mark)[0-9]{3})*)(?:([.,\u066b])([0-9]+))?"
)
_WITH_UNIT = re.compile(r"(?P<number>.*\d)\s*(?P<unit>[^\W\d_]+\.?)")
# Nine digits fit the warehouse's INTEGER.
_WHOLE_NUMBER = re.compile(r"([0-9]{1,9})(?:\.0+|,00?)?")

# People enter two decimals at most. Apps that convert units write full floats with noise in the
# last digits. A float this close to an entered number is rounded to it.
_ENTERED_STEP = Decimal("0.01")
_FLOAT_NOISE = Decimal("1e-6")
_FEWEST_DIGITS_OF_A_FLOAT = 5


class UnusableRowError(ValueError):
    """A row that cannot be loaded; its text is the reason, without line number and full stop."""


@dataclass(frozen=True, slots=True)
class RowCells:
    """The cells of one row, by the meaning of their columns.

    A column that the file does not have is blank in every row.
    """

    layout: Layout
    cells: tuple[str, ...]

    def raw(self, meaning: str) -> str:
        """Return the text unchanged."""
        place = self.layout.places.get(meaning)
        return "" if place is None else self.cells[place]

    def text(self, meaning: str) -> str:
        """Return the text without outer white space."""
        return self.raw(meaning).strip()

    def shown(self, meaning: str) -> str:
        """Return name and content of a cell for a message: `reps 'many'`."""
        return f"{self.layout.names[meaning]} {self.raw(meaning).strip()[:40]!r}"

    def number(self, meaning: str) -> Decimal | None:
        """Parse a number of zero or more; None if the cell is blank."""
        text = self._number_text(meaning)
        if not text:
            return None
        if "," in text:
            text = ".".join(filter(None, _comma_parts(text))) or text
        if not _NUMBER.fullmatch(text):
            raise UnusableRowError(f"{self.shown(meaning)} is not a number of zero or more")
        return Decimal(text)

    def whole(self, meaning: str) -> int | None:
        """Parse an integer of zero or more; None if the cell is blank."""
        text = self._number_text(meaning)
        if not text:
            return None
        match = _WHOLE_NUMBER.fullmatch(text)
        if match is None:
            raise UnusableRowError(f"{self.shown(meaning)} is not a whole number of zero or more")
        return int(match[1])

    def unit(self, meaning: str) -> str:
        """Return the word after the number of a cell, as in "72.5 kg"; empty without one."""
        match = _WITH_UNIT.fullmatch(self.text(meaning))
        return match["unit"] if match else ""

    def without_unit(self, meaning: str) -> "RowCells":
        """Return the cells with the number alone in one of them."""
        match = _WITH_UNIT.fullmatch(self.text(meaning))
        if match is None:
            return self
        place = self.layout.places[meaning]
        return RowCells(
            self.layout, (*self.cells[:place], match["number"], *self.cells[place + 1 :])
        )

    def rpe(self) -> int | float | None:
        """Parse any number above zero; unusual values are flagged later, not changed."""
        value = self.number("rpe")
        if value is None:
            return None
        if not value:
            raise UnusableRowError(f"{self.shown('rpe')} is not a number above zero")
        return plain_number(value)

    def _number_text(self, meaning: str) -> str:
        text = self.text(meaning)
        # pandas writes NaN for a blank cell.
        return "" if text.lower() == "nan" else _ungrouped(plain_digits(text))


def set_duration_s(cells: RowCells) -> int | None:
    """Parse the time of a set, such as 0:01:30, into seconds; None for 0 or a blank cell."""
    text = cells.text("duration")
    try:
        return (parse_set_duration(text) or None) if text else None
    except ValueError as error:
        raise UnusableRowError(f"{cells.shown('duration')} is no duration: {error}") from error


def quantity(
    cells: RowCells,
    meaning: str,
    unit: FileUnit | None,
    factors: Mapping[FileUnit, Decimal],
) -> int | float | None:
    """Return kilograms or metres; None for 0, which means not recorded.

    A unit in the row, one of `factors`, takes precedence over the `unit` of the file.
    """
    value = cells.number(meaning)
    if not value:
        return None
    written = cells.text(f"{meaning}_unit")
    own = find_unit(written, factors) if written else unit
    if own is None:
        raise UnusableRowError(
            f"{cells.shown(f'{meaning}_unit')} is no unit; known are {', '.join(factors)}"
            if written
            else f"{cells.shown(meaning)} has no unit"
        )
    return plain_number(in_base_unit(value, factors[own]))


def plain_number(value: Decimal) -> int | float:
    """Return the number as the API writes it: integers without a fraction."""
    return int(value) if value == value.to_integral_value() else float(value)


def in_base_unit(value: Decimal, factor: Decimal) -> Decimal:
    """Convert a quantity to kilograms or metres; one unit of the file is `factor`.

    Floats from an app's conversion are rounded to the entered number, in the file's unit or in the
    base unit: with pounds, 44.09245243697551 is 20 kg and 185.00000000000003 is 185 lb. The apps
    convert with the exact pound of 0.45359237 kg, so the result is exact to the last digit.
    """
    if not is_converted_float(value):
        return value * factor
    entered = _nearest_entry(value)
    if entered is not None:
        return entered * factor
    return _nearest_entry(value * factor) or value * factor


def is_converted_float(value: Decimal) -> bool:
    """Return whether a number has more digits than people enter."""
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and -exponent >= _FEWEST_DIGITS_OF_A_FLOAT


def entry_in_other_unit(value: Decimal, factor: Decimal) -> Decimal | None:
    """Return the entered number of a converted float in the other unit; `factor` is one of its own.

    None if the float is equally close to a number that people enter, or its conversion is close to
    none.
    """
    if not is_converted_float(value) or _nearest_entry(value) is not None:
        return None
    return _nearest_entry(value * factor)


def _nearest_entry(value: Decimal) -> Decimal | None:
    """Return the number of two decimals that a float is close to, or None."""
    near = value.quantize(_ENTERED_STEP)
    return near if near and abs(near - value) <= near * _FLOAT_NOISE else None


def _comma_parts(text: str) -> tuple[str | None, ...]:
    match = _COMMA_NUMBER.fullmatch(text)
    return match.groups() if match else ()


def _ungrouped(text: str) -> str:
    """Return a number without marks of thousands, where they are no decimal marks."""
    match = _GROUPED.fullmatch(text)
    if match is None:
        return text.replace("\u066b", ".")
    first, groups, mark, point, fraction = match[1], match[2], match["mark"], match[4], match[5]
    if point == mark or (mark in ".," and point is None and groups.count(mark) == 1):
        return text
    return first + groups.replace(mark, "") + (f".{fraction}" if fraction else "")
