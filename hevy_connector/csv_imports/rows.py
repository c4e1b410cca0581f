"""Cuts the lines of a CSV file into rows so that one damaged row costs only itself.

A quotation mark too many or too few makes a plain CSV reader take the following rows for text.
Here every row begins at a line of its own, and a row that fails gives the lines after its first
one another chance. Every line that is not blank belongs to exactly one row.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hevy_connector.errors import CsvFormatError

Cells = tuple[str, ...]
# Gives the cells of a row that lost its quotation marks, or None if they cannot be told.
Mend = Callable[[Sequence[str]], Cells | None]

# A note of more lines than this, in a file without quotation marks, is not put together again.
_MOST_MENDED_LINES = 40
# The start and the end stand on the first line of a row, before any note.
_TIMES_OF_A_ROW = 2
# What `spotter export` puts before a text that a spreadsheet would run, and how such a text begins.
_GUARDED = re.compile("'[=+\\-@\t\r\n＝＋－＠]")


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row of a file: the physical line (from 1) on which it begins, its text and its cells.

    `fault` says why the text does not fall into cells; then there are none.
    """

    line: int
    text: str
    cells: Cells
    fault: str | None

    @property
    def last_line(self) -> int:
        """The physical line on which it ends."""
        return self.line + self.text.count("\n")


def text_lines(content: bytes) -> list[str]:
    """The physical lines, all ended by a line feed: a re-saved file must read as the original.

    Raises:
        CsvFormatError: the bytes are no UTF-8 text.
    """
    try:
        return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig").readlines()
    except UnicodeDecodeError as error:
        raise CsvFormatError(
            "The file is not UTF-8 text, as Hevy and Strong write it. Use the export just as it "
            "came from the app, not a spreadsheet, an archive or a copy saved by another program."
        ) from error


def cut_rows(
    lines: Sequence[str], start: int, width: int, delimiter: str = ",", mend: Mend | None = None
) -> Iterator[CsvRow]:
    """Every row of `width` cells from line `start` (from 0) on, blank ones left out.

    `lines` are physical lines with their line feeds. Quoted cells may run over several of them.
    With `mend`, rows that lost their quotation marks are put together again where it can tell
    their cells; over several lines only if the whole file has no quotation mark.
    """
    most_lines = 1 if any('"' in line for line in lines) else _MOST_MENDED_LINES
    at = start
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        cells, height, fault = _row_at(lines, at, width, delimiter)
        if fault is not None and mend is not None:
            mended = _mended_at(lines, at, width, delimiter, mend, most_lines)
            if mended is not None:
                (cells, height), fault = mended, None
        if fault is not None or any(not cell.isspace() for cell in cells if cell):
            text = "".join(lines[at : at + height]).removesuffix("\n")
            yield CsvRow(at + 1, text, cells, fault)
        at += height


def cut_record(lines: Sequence[str], at: int, delimiter: str = ",") -> tuple[Cells, int]:
    """The cells of the record that begins at line `at` (from 0), and how many lines it covers.

    Raises:
        csv.Error: the quotation marks do not match, or a cell is too long.
    """
    reader = csv.reader(
        map(lines.__getitem__, range(at, len(lines))), strict=True, delimiter=delimiter
    )
    cells = next(reader)
    # The reader takes a mark inside an unquoted cell as text; well-formed records pair them all.
    if sum(line.count('"') for line in lines[at : at + reader.line_num]) % 2:
        raise csv.Error("one of them has no partner")
    return tuple(map(_without_guard, cells)), reader.line_num


def _without_guard(cell: str) -> str:
    """The text of a cell that `spotter export` kept from being run as a formula."""
    return cell[1:] if _GUARDED.match(cell) else cell


def _row_at(
    lines: Sequence[str], at: int, width: int, delimiter: str
) -> tuple[Cells, int, str | None]:
    """Cells, number of lines and fault of the row that begins at a line."""
    try:
        cells, height = cut_record(lines, at, delimiter)
    except csv.Error as error:
        return (), 1, f"the quotation marks do not match ({error})"
    if len(cells) == width:
        return cells, height, None
    if any(_is_whole_row(line, width, delimiter) for line in lines[at + 1 : at + height]):
        return (), 1, "a quotation mark is not closed"
    return (), height, f"the row has {len(cells)} cells, the header {width}"


def _is_whole_row(line: str, width: int, delimiter: str) -> bool:
    try:
        return len(cut_record([line], 0, delimiter)[0]) == width
    except csv.Error:
        return False


def _mended_at(
    lines: Sequence[str], at: int, width: int, delimiter: str, mend: Mend, most_lines: int
) -> tuple[Cells, int] | None:
    """The row without quotation marks that begins at a line, up to the next that can be one."""
    if lines[at].count(":") < _TIMES_OF_A_ROW:
        return None
    for height in range(1, min(most_lines, len(lines) - at) + 1):
        last = lines[at + height - 1].removesuffix("\n")
        if '"' in last:
            return None
        if height > 1 and (len(last.split(delimiter)) == width or mend(last.split(delimiter))):
            return None
        text = "".join(lines[at : at + height]).removesuffix("\n")
        cells = mend(text.split(delimiter))
        if cells is not None:
            return cells, height
    return None
