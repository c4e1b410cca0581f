"""Parse the export files of Hevy, Strong and FitNotes into workouts in the format of the API.

The steps are independent: detect the dialect from the header; cut the lines into rows; parse rows
into sets in one neutral form; remove copies; group sets into workouts.

The files carry no ids. A workout's record id is derived from athlete, start, end and title, so the
same file gives the same records each time. The match of workouts in two different exports needs the
known workouts and is done in `merging`.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby, pairwise
from zoneinfo import ZoneInfo

from hevy_connector.csv_imports.annotations import attach_annotations
from hevy_connector.csv_imports.cells import KG_PER, RowCells, UnusableRowError
from hevy_connector.csv_imports.dialect_detection import (
    detect_layout,
    guess_table,
    has_columns,
    mapped_layout,
    refuse_several_exports,
    refuse_several_people,
)
from hevy_connector.csv_imports.dialects import APPS, FITNOTES, HEVY, DistanceUnit, Layout, Unit
from hevy_connector.csv_imports.duplicate_rows import OpensWorkout, deduplicate_rows
from hevy_connector.csv_imports.fitnotes import is_entered_in_pounds, read_fitnotes_row
from hevy_connector.csv_imports.hevy import read_hevy_row, repair_hevy_cells
from hevy_connector.csv_imports.neutral import Annotation, Flag, Repeated, SetRow, reject_row
from hevy_connector.csv_imports.oddities import flag_oddities
from hevy_connector.csv_imports.rows import CsvRow, cut_rows, text_lines
from hevy_connector.csv_imports.strong import read_strong_row
from hevy_connector.csv_imports.table import read_table_row, repeat_set, written_start
from hevy_connector.csv_imports.table_mapping import TableMapping
from hevy_connector.csv_imports.times import detect_date_style
from hevy_connector.csv_imports.unit_words import find_unit
from hevy_connector.csv_imports.units import Units, find_unit_hint, resolve_units
from hevy_connector.csv_imports.workouts import FileWorkout, build_workout
from hevy_connector.plausible import implausible_start
from hevy_connector.records import Rejected

_Item = SetRow | Annotation | Rejected


@dataclass(frozen=True)
class CsvImport:
    """Parsed content of one file: workouts in file order, and the outcome of every other row.

    `app` wrote the file. `dialect` is for display. `is_in_pounds`: its loads were marked in pounds.
    `attached` are the lines of rows that are no sets and were merged into one. Every row is counted
    once: `rows_read` is the sum of the workouts' lines, the rejected, the repeated and the
    attached. `flags` name some of the loaded lines. `unread_columns` have texts and no meaning.
    """

    app: str
    dialect: str
    is_in_pounds: bool
    workouts: tuple[FileWorkout, ...]
    rejected: tuple[Rejected, ...]
    repeated: tuple[Repeated, ...]
    attached: tuple[int, ...]
    flags: tuple[Flag, ...]
    rows_read: int
    unread_columns: tuple[str, ...] = ()


def read_export(
    content: bytes,
    *,
    athlete_id: str,
    timezone: ZoneInfo,
    weight_unit: Unit | None = None,
    distance_unit: DistanceUnit | None = None,
    mapping: TableMapping | None = None,
    is_one_of_several: bool = False,
) -> CsvImport:
    """Parse an export into workouts in kilograms, metres, seconds and UTC.

    Rows belong to one workout if title, start and end are equal, wherever they are in the file; the
    rules for copies are in `duplicate_rows`. A file whose sets are numbered downwards is read from
    its end. An unreadable row is rejected with its line, and the other rows of its workout are
    loaded.

    `timezone` is the zone of the phone that wrote the file; it is ignored for times with a zone.
    The units apply to files without units. With a `mapping` the file is any table of sets; without
    one, a table whose columns have usual names is read by them. If it
    `is_one_of_several`, the units and the mapping are for those files that need them.

    Raises:
        CsvFormatError: the file is no such export, is several of them, belongs to several people,
            or needs a unit that was not given; nothing of it was loaded.
    """
    lines = text_lines(content)
    if mapping is not None and is_one_of_several and not has_columns(lines, mapping):
        mapping = None
    mapping = mapping or guess_table(lines)
    layout = detect_layout(lines) if mapping is None else mapped_layout(lines, mapping)
    repair = partial(repair_hevy_cells, layout=layout) if layout.app is HEVY else None
    rows = list(cut_rows(lines, layout.first_row_at, layout.width, layout.delimiter, repair))
    refuse_several_exports(layout, rows)
    refuse_several_people(layout, rows)
    units = resolve_units(layout, rows, weight_unit, distance_unit, are_defaults=is_one_of_several)

    read_row = _row_reader(layout, units, timezone, rows, mapping)
    now = datetime.now(UTC)
    items = [item for row in rows for item in _read(row, layout, read_row, now)]
    if _is_reversed(items):
        items.reverse()
    found = attach_annotations(items)
    workouts: list[FileWorkout] = []
    kept: list[tuple[SetRow, ...]] = []
    repeated: list[Repeated] = list(found.repeated)
    flags: list[Flag] = []
    first_number = min((one.number for one in found.sets if one.number is not None), default=1)
    for runs in _group_by_workout(found.sets):
        unique = deduplicate_rows(runs, _workout_mark(layout))
        workouts.append(build_workout(unique.rows, athlete_id, min(first_number, 1)))
        kept.append(unique.rows)
        repeated += unique.repeated
        flags += unique.flags
    is_in_pounds = _is_in_pounds(layout, units, kept)
    flags += flag_oddities(kept, is_in_pounds=is_in_pounds)
    flags += _unit_warnings(layout, units, [one.row for sets in kept for one in sets])
    unread = [item for item in items if isinstance(item, Rejected)]
    return CsvImport(
        app=layout.app.name,
        dialect=str(layout),
        is_in_pounds=is_in_pounds,
        workouts=tuple(workouts),
        rejected=tuple(sorted([*unread, *found.rejected], key=lambda one: one.source_line or 0)),
        repeated=tuple(sorted(repeated, key=lambda one: one.line)),
        attached=tuple(sorted(line for sets in kept for one in sets for line in one.attached)),
        flags=tuple(sorted(flags, key=lambda one: one.line)),
        rows_read=len(rows),
        unread_columns=_unread_columns(layout, rows),
    )


def _unread_columns(layout: Layout, rows: Sequence[CsvRow]) -> tuple[str, ...]:
    """Return the names of columns without a meaning that have a text in a readable row."""
    readable = [row.cells for row in rows if row.fault is None]
    return tuple(
        name
        for name, place in layout.extras.items()
        if any(cells[place].strip() for cells in readable)
    )


def _is_in_pounds(layout: Layout, units: Units, kept: Sequence[Sequence[SetRow]]) -> bool:
    """Return whether most loads were written in pounds: each row may have its own unit."""
    if units.weight is not None and "weight_unit" not in layout.places:
        return units.weight == "lb"
    loaded = [
        RowCells(layout, one.row.cells) for sets in kept for one in sets if one.values["weight_kg"]
    ]
    return 2 * sum(_is_row_in_pounds(cells, units) for cells in loaded) > len(loaded)


def _is_row_in_pounds(cells: RowCells, units: Units) -> bool:
    if written := cells.text("weight_unit") or cells.unit("weight"):
        return find_unit(written, KG_PER) == "lb"
    return units.weight == "lb" or is_entered_in_pounds(cells)


def _row_reader(
    layout: Layout,
    units: Units,
    timezone: ZoneInfo,
    rows: Sequence[CsvRow],
    mapping: TableMapping | None,
) -> Callable[[CsvRow], SetRow | Annotation]:
    times = ("start_time", "end_time") if layout.app is HEVY else ("date",)
    readable = [(row.line, RowCells(layout, row.cells)) for row in rows if row.fault is None]
    if mapping is not None:
        style = detect_date_style((line, written_start(cells)) for line, cells in readable)
        return partial(
            read_table_row,
            layout=layout,
            units=units,
            timezone=timezone,
            style=style,
            mapping=mapping,
        )
    style = detect_date_style(
        (line, cells.raw(meaning)) for line, cells in readable for meaning in times
    )
    if layout.app is HEVY:
        return partial(read_hevy_row, layout=layout, timezone=timezone, style=style)
    read_row = read_fitnotes_row if layout.app is FITNOTES else read_strong_row
    return partial(read_row, layout=layout, units=units, timezone=timezone, style=style)


def _read(
    row: CsvRow,
    layout: Layout,
    read_row: Callable[[CsvRow], SetRow | Annotation],
    now: datetime,
) -> Sequence[_Item]:
    if row.fault is not None:
        return [reject_row(row, row.fault)]
    try:
        item = read_row(row)
        if layout.app in APPS or isinstance(item, Annotation):
            items: Sequence[SetRow | Annotation] = [item]
        else:
            items = repeat_set(item, layout)
    except UnusableRowError as error:
        return [reject_row(row, str(error))]
    reason = implausible_start(item.head.start_at, now)
    return items if reason is None else [reject_row(row, reason)]


def _is_reversed(items: Sequence[_Item]) -> bool:
    """Return whether the sets of the exercises are mostly listed last to first."""
    steps = Counter(
        after.number - before.number
        for before, after in pairwise(items)
        if isinstance(before, SetRow) and isinstance(after, SetRow)
        if before.number is not None and after.number is not None
        if (before.head.key, before.exercise_title) == (after.head.key, after.exercise_title)
    )
    return steps[-1] > steps[1]


def _group_by_workout(sets: Sequence[SetRow]) -> list[list[list[SetRow]]]:
    """Group the sets by workout, in file order, split into contiguous runs."""
    by_workout: dict[tuple[str | int | None, ...], list[list[SetRow]]] = {}
    for key, run in groupby(sets, key=lambda one: one.head.key):
        by_workout.setdefault(key, []).append(list(run))
    return list(by_workout.values())


def _workout_mark(layout: Layout) -> OpensWorkout:
    """Return the test for a workout's first row: only there Strong quotes the workout's note."""
    place = layout.places.get("workout_notes")
    if place is None:
        return lambda row: False
    cell = rf'(?:"(?:[^"]|"")*"|[^{layout.delimiter}"]*)'
    marked = re.compile(rf'(?:{cell}{layout.delimiter}){{{place}}}"')
    return lambda row: marked.match(row.text) is not None


def _unit_warnings(layout: Layout, units: Units, rows: Sequence[CsvRow]) -> list[Flag]:
    """Flag evidence against the unit that was given for the weights of a file without units."""
    if layout.units.get("weight") is not None or units.weight is None:
        return []
    hint = find_unit_hint(layout, rows)
    if hint is None or hint.unit == units.weight:
        return []
    return [Flag(hint.line, f"the weights were read in {units.weight}, but {hint}")]
