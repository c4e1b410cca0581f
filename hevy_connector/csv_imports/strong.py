"""Parse the rows of Strong's export: sets, rests and notes."""

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from hevy_connector.csv_imports.cells import (
    KG_PER,
    METRES_PER,
    RowCells,
    UnusableRowError,
    quantity,
)
from hevy_connector.csv_imports.dialects import (
    NOTE_WORDS,
    REST_WORDS,
    Layout,
)
from hevy_connector.csv_imports.durations import parse_duration
from hevy_connector.csv_imports.neutral import Annotation, Head, SetRow, set_values
from hevy_connector.csv_imports.rows import CsvRow
from hevy_connector.csv_imports.times import (
    DateStyle,
    parse_written_time,
    utc_from_start,
)
from hevy_connector.csv_imports.units import Units
from hevy_connector.schemas import SetType

_LETTERS: Mapping[str, SetType] = {"W": "warmup", "F": "failure", "D": "dropset"}


def read_strong_row(
    row: CsvRow, layout: Layout, units: Units, timezone: ZoneInfo, style: DateStyle
) -> SetRow | Annotation:
    """Parse the set, the rest or the note of one row.

    Strong writes 0 for missing values, in some dialects in every column: weight 0 is body weight,
    and 0 reps are a failed attempt only if there is a weight and no time or distance.

    Raises:
        UnusableRowError: a cell cannot be parsed.
    """
    cells = RowCells(layout, row.cells)
    exercise_title = cells.text("exercise_name")
    if not exercise_title:
        raise UnusableRowError(f"{layout.names['exercise_name']} is empty")
    head = _head(cells, timezone, style)
    order = cells.text("set_order")
    aside = _aside(row, cells, head, exercise_title, order)
    if aside is not None:
        return aside
    letter = _LETTERS.get(order.upper())
    number = None if letter is not None else cells.whole("set_order")
    if letter is None and number is None:
        raise UnusableRowError(f"{layout.names['set_order']} is empty")
    weight_kg = quantity(cells, "weight", units.weight, KG_PER)
    distance_m = quantity(cells, "distance", units.distance, METRES_PER)
    reps = cells.whole("reps")
    duration_s = cells.whole("seconds") or None
    return SetRow(
        row=row,
        head=head,
        description=cells.raw("workout_notes"),
        exercise_title=exercise_title,
        notes=cells.raw("notes"),
        superset_id=None,
        number=number,
        takes_number=letter != "warmup",
        values=set_values(
            letter or "normal",
            weight_kg,
            reps,
            distance_m,
            duration_s,
            cells.rpe() if cells.number("rpe") else None,
        ),
    )


def _aside(
    row: CsvRow, cells: RowCells, head: Head, exercise_title: str, order: str
) -> Annotation | None:
    """Parse a row with a word as set order, by the word or, in another language, by the rest.

    Sets have a number or one letter. A row with a word and only seconds is a rest, one with only a
    text is a note. All other rows are rejected.
    """
    word = order.lower()
    is_word = len(word) > 1 and word.replace(" ", "").isalpha()
    if not is_word:
        return None
    seconds, notes = cells.whole("seconds"), cells.raw("notes")
    is_bare = not any(cells.number(meaning) for meaning in ("weight", "reps", "distance", "rpe"))
    is_rest = word in REST_WORDS or (word not in NOTE_WORDS and is_bare and bool(seconds))
    is_note = word in NOTE_WORDS or (not is_rest and is_bare and bool(notes.strip()))
    if not (is_rest or is_note):
        raise UnusableRowError(f"{cells.shown('set_order')} is no number and none of W, F, D")
    rest_s = None if is_note else seconds or None
    return Annotation(row, head, exercise_title, rest_s, notes, is_note)


def _head(cells: RowCells, timezone: ZoneInfo, style: DateStyle) -> Head:
    try:
        start = parse_written_time(cells.raw("date"), style)
    except ValueError as error:
        raise UnusableRowError(f"{cells.shown('date')} is no date: {error}") from error
    duration_s = _duration_s(cells)
    try:
        start_at, end_at = utc_from_start(start, duration_s, timezone)
    except ValueError as error:
        raise UnusableRowError(f"{cells.shown('date')} is no date: {error}") from error
    written = ("strong", start.isoformat(), duration_s)
    return Head(cells.text("workout_name"), written, start_at, end_at)


def _duration_s(cells: RowCells) -> int | None:
    if cells.layout.units.get("duration") == "s" or not cells.text("duration"):
        return cells.whole("duration")
    try:
        return parse_duration(cells.raw("duration"))
    except ValueError as error:
        raise UnusableRowError(f"{cells.shown('duration')} is no duration: {error}") from error
