"""Write a query result as a table for a terminal, as JSON or as CSV."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice

import duckdb
from rich.console import Console
from rich.table import Table
from rich.text import Text

_MOST_ROWS = 200
_FETCHED_ROWS = 10_000
# Minimum width of a column; below it, rows are printed one below the other.
_READABLE_WIDTH = 16
_PADDING = 3

FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters of formulas in spreadsheets, including full-width forms."""

# Numbers, times and booleans cannot be formulas, and -2.5 must stay a number.
_HARMLESS = ("DATE", "TIME", "BOOLEAN", "HUGEINT", "UHUGEINT")

Row = tuple[str | None, ...]


def write_json(relation: duckdb.DuckDBPyRelation) -> None:
    """Write an array of objects, one row per line. Duplicate column names get a number."""
    rows = _rows(relation.set_alias("result_row").project("to_json(result_row)"))
    print("[", end="")
    for index, (row,) in enumerate(rows):
        print("\n" if index == 0 else ",\n", _valid_json(row or "null"), sep="", end="")
    print("\n]")


def write_csv(relation: duckdb.DuckDBPyRelation, *, keeps_formulas: bool = False) -> None:
    """Write a header and a line for each row, in the format of `csv_lines`."""
    for line in csv_lines(relation, keeps_formulas=keeps_formulas):
        print(line)


def csv_lines(relation: duckdb.DuckDBPyRelation, *, keeps_formulas: bool = False) -> Iterator[str]:
    """Yield a header and a line for each row. Null is empty, an empty text is `""`.

    Text that a spreadsheet would run as a formula is escaped, see `escape_formula`.
    """
    is_text = [not (keeps_formulas or _is_harmless(str(kind))) for kind in relation.types]
    yield ",".join(map(_csv_field, map(escape_formula, relation.columns)))
    for row in _rows(_as_text(relation)):
        cells = (
            escape_formula(value) if text else value
            for value, text in zip(row, is_text, strict=True)
        )
        yield ",".join(map(_csv_field, cells))


def escape_formula(value: str | None) -> str | None:
    """Escape a text that starts like a spreadsheet formula with an apostrophe.

    Source: OWASP, CSV injection.
    """
    return f"'{value}" if value is not None and value.startswith(FORMULA_BEGINS) else value


def write_table(relation: duckdb.DuckDBPyRelation, console: Console) -> None:
    """Print the first rows as a table, or one below the other if the columns do not fit."""
    columns = relation.columns
    is_number = [_is_number(str(kind)) for kind in relation.types]
    rows = list(islice(_rows(_as_text(relation)), _MOST_ROWS + 1))
    shown = rows[:_MOST_ROWS]
    if _fits(columns, shown, console.width):
        console.print(_table(columns, is_number, shown))
    else:
        for number, row in enumerate(shown, start=1):
            console.print(_record(number, columns, row), end="\n\n")
    if len(rows) > _MOST_ROWS:
        console.print(f"The first {_MOST_ROWS} rows; --csv and --json print all.", style="dim")
    else:
        console.print("1 row" if len(rows) == 1 else f"{len(rows)} rows", style="dim")


def _table(columns: Sequence[str], is_number: Sequence[bool], rows: Sequence[Row]) -> Table:
    table = Table()
    for name, is_right in zip(columns, is_number, strict=True):
        table.add_column(Text(name), justify="right" if is_right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(_cell, row))
    return table


def _record(number: int, columns: Sequence[str], row: Row) -> Table:
    record = Table(f"row {number}", "", min_width=40, box=None, pad_edge=False)
    for name, value in zip(columns, row, strict=True):
        record.add_row(Text(name), _cell(value))
    return record


def _cell(value: str | None) -> Text:
    return Text("null", style="dim") if value is None else Text(value)


def _fits(columns: Sequence[str], rows: Sequence[Row], width: int) -> bool:
    longest = [
        max(len(text or "null") for text in (name, *values))
        for name, *values in zip(columns, *rows, strict=True)
    ]
    needed = sum(min(length, _READABLE_WIDTH) + _PADDING for length in longest) + 1
    return needed <= width


def _is_number(kind: str) -> bool:
    return kind.startswith(("DECIMAL", "DOUBLE", "FLOAT")) or kind.endswith(("INT", "INTEGER"))


def _is_harmless(kind: str) -> bool:
    return _is_number(kind) or kind.startswith(_HARMLESS)


def _as_text(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Cast every column to text by DuckDB."""
    return relation.project("columns(*)::varchar")


def _rows(relation: duckdb.DuckDBPyRelation) -> Iterator[Row]:
    while rows := relation.fetchmany(_FETCHED_ROWS):
        yield from rows


def _valid_json(row: str) -> str:
    """Replace NaN and Infinity, which DuckDB writes but JSON lacks, by null."""
    if "NaN" not in row and "Infinity" not in row:
        return row
    return json.dumps(json.loads(row, parse_constant=lambda _: None), ensure_ascii=False)


def _csv_field(value: str | None) -> str:
    if value is None:
        return ""
    if value == "" or any(character in value for character in ',"\r\n'):
        return '"' + value.replace('"', '""') + '"'
    return value
