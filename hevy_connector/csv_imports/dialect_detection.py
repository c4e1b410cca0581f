"""Detect the dialect of a file from its header."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extractOne

from hevy_connector.csv_imports.column_words import guess_mapping
from hevy_connector.csv_imports.dialects import (
    APPS,
    LANGUAGES,
    MEASUREMENT_COLUMNS,
    STRONG,
    UNITS_OF,
    App,
    Column,
    Layout,
    find_column,
    is_person_column,
    plain_name,
)
from hevy_connector.csv_imports.rows import CsvRow, cut_record
from hevy_connector.csv_imports.table_mapping import TableMapping
from hevy_connector.csv_imports.times import is_written_time
from hevy_connector.csv_imports.unit_words import find_unit
from hevy_connector.errors import CsvFormatError

_DELIMITERS = (",", ";", "\t")
_EXCEL_DELIMITER = re.compile(r'"?sep=.?"?', re.IGNORECASE)
# A header with fewer of an app's names is probably another table, not a damaged export.
_FEWEST_KNOWN_NAMES = 3
# Similarity (0 to 100) from which a column is suggested.
_SIMILAR = 60


def detect_layout(lines: Sequence[str]) -> Layout:
    """Return the layout of a file with these physical lines.

    Raises:
        CsvFormatError: the file is empty, no export, or lacks columns that its app always writes.
    """
    delimiter, names, header_at, first_row_at = _read_header(lines)
    first_line = lines[header_at].strip()[:120]
    plain = [plain_name(name) for name in names]
    if set(plain) >= MEASUREMENT_COLUMNS:
        raise CsvFormatError(
            "This is Hevy's export of body measurements. Choose the export of workouts."
        )
    if headerless := _layout_without_header(delimiter, names, header_at):
        return headerless
    app = max(APPS, key=lambda app: len(_meanings(app, plain)))
    if len(_meanings(app, plain)) < _FEWEST_KNOWN_NAMES:
        raise CsvFormatError(
            f"This is no export of Hevy, Strong or FitNotes: its first line is {first_line!r}. "
            "Hevy's begins with title,start_time,end_time, FitNotes' with Date,Exercise,Category; "
            f"Strong's with the date and the workout's name in {', '.join(LANGUAGES[:-1])} or "
            f"{LANGUAGES[-1]}. If your app speaks another language, set it to English and export "
            "again. For any other table, name the columns date, exercise, weight and reps, or "
            "describe them with --columns."
        )
    return _layout(app, delimiter, names, first_row_at, first_line)


def guess_table(lines: Sequence[str]) -> TableMapping | None:
    """Return the mapping of a table that no app exports, by its columns' names; None if unknown.

    Raises:
        CsvFormatError: the file has no header.
    """
    delimiter, names, header_at, first_row_at = _read_header(lines)
    plain = [plain_name(name) for name in names]
    if any(_meanings(app, plain) >= set(app.required) for app in APPS):
        return None
    if _layout_without_header(delimiter, names, header_at):
        return None
    return guess_mapping(names, lines, first_row_at, delimiter)


def _read_header(lines: Sequence[str]) -> tuple[str, tuple[str, ...], int, int]:
    """Return delimiter and names of a header, its line and that of the first row (from 0)."""
    header_at = next((at for at, line in enumerate(lines) if _is_content(line)), None)
    if header_at is None:
        raise CsvFormatError("The file is empty. Export the workouts again.")
    first_line = lines[header_at].strip()[:120]
    headers: list[tuple[str, tuple[str, ...], int]] = []
    fault = "it has no columns"
    for delimiter in _DELIMITERS:
        try:
            names, height = cut_record(lines, header_at, delimiter)
        except csv.Error as error:
            fault = str(error)
        else:
            headers.append((delimiter, names, header_at + height))
    if not headers:
        raise CsvFormatError(
            f"This is no export of Hevy, Strong or FitNotes: its first line {first_line!r} "
            f"cannot be read as column names ({fault})."
        )
    delimiter, names, first_row_at = max(headers, key=lambda header: len(header[1]))
    return delimiter, names, header_at, first_row_at


def _is_content(line: str) -> bool:
    """Return whether a line is neither blank nor Excel's name of the delimiter, `sep=;`."""
    return bool(line.strip()) and not _EXCEL_DELIMITER.fullmatch(line.strip())


def has_columns(lines: Sequence[str], mapping: TableMapping) -> bool:
    """Return whether a file has all columns of a mapping.

    Raises:
        CsvFormatError: the file has no header.
    """
    _, names, _, _ = _read_header(lines)
    return set(map(plain_name, mapping.columns.values())) <= set(map(plain_name, names))


def mapped_layout(lines: Sequence[str], mapping: TableMapping) -> Layout:
    """Return the layout of a table whose columns a mapping names.

    Raises:
        CsvFormatError: the file is empty, or lacks a column of the mapping, or has it twice.
    """
    delimiter, names, header_at, first_row_at = _read_header(lines)
    counts = Counter(map(plain_name, names))
    for meaning, column in mapping.columns.items():
        count = counts[plain_name(column)]
        if count == 1:
            continue
        place = mapping.places.get(meaning, f"columns.{meaning}")
        if count:
            raise CsvFormatError(f"{place}: the file has {count} columns {column!r}.")
        nearest = extractOne(
            column, names, scorer=ratio, processor=plain_name, score_cutoff=_SIMILAR
        )
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise CsvFormatError(
            f"{place}: the file has no column {column!r}.{hint} "
            f"Its columns are {', '.join(repr(name) for name in names)}."
        )
    return _layout(mapping.app(), delimiter, names, first_row_at, lines[header_at].strip()[:120])


def refuse_several_people(layout: Layout, rows: Sequence[CsvRow]) -> None:
    """Reject a file whose rows belong to several people: an import is for one athlete.

    Raises:
        CsvFormatError: a column that identifies people holds several values.
    """
    for name, place in layout.extras.items():
        if not is_person_column(name):
            continue
        people = Counter(row.cells[place].strip().casefold() for row in rows if row.fault is None)
        del people[""]
        if len(people) > 1:
            shown = ", ".join(repr(one[:40]) for one, _ in people.most_common(3))
            raise CsvFormatError(
                f"The file holds the training of {len(people)} people: its column {name!r} holds "
                f"{shown}{' and others' if len(people) > 3 else ''}. Split it into one file for "
                "each athlete, or remove the column if it means something else."
            )


def refuse_several_exports(layout: Layout, rows: Sequence[CsvRow]) -> None:
    """Reject a file with a second, different header: the rows below it would be misread.

    A repetition of the same header is harmless and fails later as an unreadable row.

    Raises:
        CsvFormatError: a row holds the column names of an export, unlike the file's header.
    """
    for row in rows:
        if _is_another_header(layout, row):
            raise CsvFormatError(
                f"The file holds several exports: line {row.line} is the header of another one, "
                f"{row.text[:120]!r}. Split it into one file for each export."
            )


def _is_another_header(layout: Layout, row: CsvRow) -> bool:
    if row.fault is not None:
        # A line with the same number of cells can only be another header.
        return any(map(_is_header, _possible_names(row.text.partition("\n")[0])))
    # Skips rows with numbers, for speed: a header has words there.
    if "reps" in layout.places and not any(map(str.isalpha, row.cells[layout.places["reps"]])):
        return False
    if not _is_header(row.cells):
        return False
    return any(
        plain_name(row.cells[place]) != plain_name(layout.names[meaning])
        for meaning, place in layout.places.items()
    )


def _is_header(cells: Sequence[str]) -> bool:
    plain = [plain_name(cell) for cell in cells]
    return any(
        len(_meanings(app, plain) & set(app.required)) * 2 > len(app.required) for app in APPS
    )


def _possible_names(line: str) -> Iterator[Sequence[str]]:
    for delimiter in _DELIMITERS:
        try:
            yield cut_record([line], 0, delimiter)[0]
        except csv.Error:
            continue


def _meanings(app: App, plain: Sequence[str]) -> set[str]:
    return {column.meaning for name in plain if (column := find_column(app, name)) is not None}


def _layout(
    app: App, delimiter: str, names: Sequence[str], first_row_at: int, first_line: str
) -> Layout:
    plain = [plain_name(name) for name in names]
    missing = [
        _column_names(app, needed) for needed in app.required if needed not in _meanings(app, plain)
    ]
    if missing:
        raise CsvFormatError(
            f"This is no complete export of {app.name}: it has no column {', '.join(missing)}. "
            f"Its first line is {first_line!r}."
        )
    known: list[tuple[int, Column]] = [
        (place, column)
        for place, name in enumerate(plain)
        if (column := find_column(app, name)) is not None
    ]
    counts = Counter(column.meaning for _, column in known)
    doubled = [_column_names(app, meaning) for meaning, count in counts.items() if count > 1]
    if doubled:
        raise CsvFormatError(
            f"The file has more than one column for {', '.join(doubled)}, so it does not say "
            f"which one counts. Use the export just as {app.name} wrote it."
        )
    return Layout(
        app=app,
        delimiter=delimiter,
        width=len(names),
        first_row_at=first_row_at,
        places={column.meaning: place for place, column in known},
        names={column.meaning: names[place].strip() for place, column in known},
        units={column.meaning: column.unit for _, column in known if column.unit is not None},
        language=next((column.language for _, column in known if column.language), None),
        extras={name: place for place, name in enumerate(plain) if find_column(app, name) is None},
    )


def _column_names(app: App, meaning: str) -> str:
    """Return an app's names of a column, at most two: "weight_kg or weight_lbs"."""
    names = (
        name
        for name, column in app.columns.items()
        if column.meaning == meaning and column.language is None
    )
    return " or ".join(islice(names, 2))


def _layout_without_header(
    delimiter: str, cells: Sequence[str], first_row_at: int
) -> Layout | None:
    """Return the layout of a file without a header, if its first line is unambiguous."""
    for meanings in STRONG.headerless:
        cell = dict(zip(meanings, cells, strict=False))
        if (
            len(cells) == len(meanings)
            and is_written_time(cell["date"])
            and (
                not cell["weight_unit"].strip()
                or find_unit(cell["weight_unit"], UNITS_OF["weight"])
            )
        ):
            return Layout(
                app=STRONG,
                delimiter=delimiter,
                width=len(meanings),
                first_row_at=first_row_at,
                places={meaning: place for place, meaning in enumerate(meanings)},
                names={meaning: meaning.replace("_", " ") for meaning in meanings},
                has_header=False,
            )
    return None
