"""Cut the lines of a CSV file into rows so that a damaged row affects only itself.

With an unbalanced quotation mark, a plain CSV reader treats the following rows as text. Here every
row starts on its own line, and after a row that fails, parsing resumes on its second line. Every
non-blank line belongs to exactly one row.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hevy_connector.errors import CsvFormatError

Cells = tuple[str, ...]
# Repairs the cells of a row without its quotation marks, or returns None if they are ambiguous.
Mend = Callable[[Sequence[str]], Cells | None]

# A longer note, in a file without quotation marks, is not joined.
_MOST_MENDED_LINES = 40
# Start and end are on the first line of a row, before any note.
_TIMES_OF_A_ROW = 2
# Prefix that `spotter export` writes before a text that a spreadsheet would run as a formula, and
# the first characters of such texts.
_GUARDED = re.compile("'[=+\\-@\t\r\n＝＋－＠]")


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row of a file: its first physical line (from 1), its text and its cells.

    `fault` is the reason why the text cannot be split into cells; then there are none.
    """

    line: int
    text: str
    cells: Cells
    fault: str | None

    @property
    def last_line(self) -> int:
        """Physical line of its end."""
        return self.line + self.text.count("\n")


def text_lines(content: bytes) -> list[str]:
    """Decode a file into physical lines with normalized line feeds, as re-saved files differ.

    Raises:
        CsvFormatError: the bytes are not UTF-8.
    """
    try:
        return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig").readlines()
    except UnicodeDecodeError as error:
        raise CsvFormatError(
            "The file is not UTF-8 text, as Hevy and Strong write it. Use the export just as it "
            "came from the app, not an archive or a copy saved by another program. Save a "
            "spreadsheet as CSV UTF-8."
        ) from error


def cut_rows(
    lines: Sequence[str], start: int, width: int, delimiter: str = ",", repair: Mend | None = None
) -> Iterator[CsvRow]:
    """Return every row of `width` cells from line `start` (from 0) on, without blank rows.

    `lines` are physical lines with their line feeds. Quoted cells may span several of them. With
    `repair`, rows that lost their quotation marks are joined if it can identify their cells; over
    several lines only if the whole file has no quotation mark.
    """
    most_lines = 1 if any('"' in line for line in lines) else _MOST_MENDED_LINES
    at = start
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        cells, height, fault = _row_at(lines, at, width, delimiter)
        if fault is not None and repair is not None:
            mended = _repaired_row_at(lines, at, width, delimiter, repair, most_lines)
            if mended is not None:
                (cells, height), fault = mended, None
        if fault is not None or any(not cell.isspace() for cell in cells if cell):
            text = "".join(lines[at : at + height]).removesuffix("\n")
            yield CsvRow(at + 1, text, cells, fault)
        at += height


def cut_record(lines: Sequence[str], at: int, delimiter: str = ",") -> tuple[Cells, int]:
    """Parse the record at line `at` (from 0); return its cells and number of lines.

    Raises:
        csv.Error: the quotation marks do not match, or a cell is too long.
    """
    reader = csv.reader(
        map(lines.__getitem__, range(at, len(lines))), strict=True, delimiter=delimiter
    )
    cells = next(reader)
    # The reader accepts a mark inside an unquoted cell as text; well-formed records pair all marks.
    if sum(line.count('"') for line in lines[at : at + reader.line_num]) % 2:
        raise csv.Error("one of them has no partner")
    return tuple(map(_without_guard, cells)), reader.line_num


def _without_guard(cell: str) -> str:
    """Remove the formula guard that `spotter export` adds to a cell."""
    return cell[1:] if _GUARDED.match(cell) else cell


def _row_at(
    lines: Sequence[str], at: int, width: int, delimiter: str
) -> tuple[Cells, int, str | None]:
    """Return cells, number of lines and fault of the row at a line."""
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


def _repaired_row_at(
    lines: Sequence[str], at: int, width: int, delimiter: str, repair: Mend, most_lines: int
) -> tuple[Cells, int] | None:
    """Return the row without quotation marks at a line, up to the next possible row."""
    if lines[at].count(":") < _TIMES_OF_A_ROW:
        return None
    for height in range(1, min(most_lines, len(lines) - at) + 1):
        last = lines[at + height - 1].removesuffix("\n")
        if '"' in last:
            return None
        if height > 1 and (len(last.split(delimiter)) == width or repair(last.split(delimiter))):
            return None
        text = "".join(lines[at : at + height]).removesuffix("\n")
        cells = repair(text.split(delimiter))
        if cells is not None:
            return cells, height
    return None
