"""Cuts the lines of a CSV file into rows so that one damaged row costs only itself.

A quotation mark too many or too few makes a plain CSV reader take the following rows for text.
Here every row begins at a line of its own, and a row that fails gives the lines after its first
one another chance.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class CsvRow:
    """One row of a file: the physical line (from 1) on which it begins, its text and its cells.

    `fault` says why the text does not fall into cells; then there are none.
    """

    line: int
    text: str
    cells: tuple[str, ...]
    fault: str | None


def cut_rows(lines: Sequence[str], start: int, width: int) -> Iterator[CsvRow]:
    """Every row of `width` cells from line `start` (from 0) on, blank lines left out.

    `lines` are physical lines with their line feeds. Quoted cells may run over several of them.
    """
    at = start
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        cells, height, fault = _row_at(lines, at, width)
        text = "".join(lines[at : at + height]).removesuffix("\n")
        yield CsvRow(at + 1, text, cells, fault)
        at += height


def cut_record(lines: Sequence[str], at: int) -> tuple[tuple[str, ...], int]:
    """The cells of the record that begins at line `at` (from 0), and how many lines it covers.

    Raises:
        csv.Error: the quotation marks do not match.
    """
    reader = csv.reader(map(lines.__getitem__, range(at, len(lines))), strict=True)
    cells = next(reader)
    # The reader takes a mark inside an unquoted cell as text; well-formed records pair them all.
    if sum(line.count('"') for line in lines[at : at + reader.line_num]) % 2:
        raise csv.Error("one of them has no partner")
    return tuple(cells), reader.line_num


def _row_at(lines: Sequence[str], at: int, width: int) -> tuple[tuple[str, ...], int, str | None]:
    """Cells, number of lines and fault of the row that begins at a line."""
    try:
        cells, height = cut_record(lines, at)
    except csv.Error as error:
        return (), 1, f"the quotation marks do not match ({error})"
    if len(cells) == width:
        return cells, height, None
    if any(_is_whole_row(line, width) for line in lines[at + 1 : at + height]):
        return (), 1, "a quotation mark is not closed"
    return (), height, f"the row has {len(cells)} cells, the header {width}"


def _is_whole_row(line: str, width: int) -> bool:
    try:
        return len(cut_record([line], 0)[0]) == width
    except csv.Error:
        return False
