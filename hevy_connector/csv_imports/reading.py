"""Reads the export files of Hevy and Strong into workouts as the API would answer them.

Steps that know nothing of each other: the header tells the dialect; the lines are cut into rows;
rows become sets in one neutral form; copies are set aside; sets become workouts.

The files carry no ids. A workout's record id comes from athlete, start, end and title, so the
same file read twice gives the same records. To see that two different exports tell of one workout
needs the workouts already known, and is beyond this reader.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Literal
from zoneinfo import ZoneInfo

from hevy_connector.csv_imports.asides import attach_asides
from hevy_connector.csv_imports.cells import UnusableRowError
from hevy_connector.csv_imports.dialects import HEVY, DistanceUnit, Layout, Unit
from hevy_connector.csv_imports.headers import (
    recognise,
    refuse_several_exports,
    refuse_several_people,
)
from hevy_connector.csv_imports.hevy import mend_hevy_cells, read_hevy_row
from hevy_connector.csv_imports.neutral import Aside, Flag, Repeated, SetRow, rejected
from hevy_connector.csv_imports.oddities import flag_oddities
from hevy_connector.csv_imports.repeats import OpensWorkout, set_copies_aside
from hevy_connector.csv_imports.rows import CsvRow, cut_rows, text_lines
from hevy_connector.csv_imports.strong import read_strong_row
from hevy_connector.csv_imports.times import day_comes_first
from hevy_connector.csv_imports.units import Units, find_telltale, settle_units
from hevy_connector.csv_imports.workouts import FileWorkout, build_workout
from hevy_connector.raw.plausible import implausible_start
from hevy_connector.raw.quarantine import Rejected

_Item = SetRow | Aside | Rejected


@dataclass(frozen=True)
class CsvImport:
    """What one file holds: workouts in file order, and what became of every other row.

    `app` wrote the file; `dialect` is for people; `is_in_pounds`: its loads were marked in them.
    `attached` are the lines of rows that are no sets
    and whose content went to one. Every row is counted once: `rows_read` is the sum of the
    workouts' lines, the rejected, the repeated and the attached. `flags` name some of the loaded
    lines.
    """

    app: Literal["Hevy", "Strong"]
    dialect: str
    is_in_pounds: bool
    workouts: tuple[FileWorkout, ...]
    rejected: tuple[Rejected, ...]
    repeated: tuple[Repeated, ...]
    attached: tuple[int, ...]
    flags: tuple[Flag, ...]
    rows_read: int


def read_export(
    content: bytes,
    *,
    athlete_id: str,
    timezone: ZoneInfo,
    weight_unit: Unit | None = None,
    distance_unit: DistanceUnit | None = None,
) -> CsvImport:
    """The workouts of an export of Hevy or Strong, in kilograms, metres, seconds and UTC.

    Rows belong to one workout if title, start and end are equal, wherever they stand; which rows
    are copies is told in `repeats`. A row that cannot be read is rejected with its line, and the
    rest of its workout is loaded.

    `timezone` is the zone of the phone that wrote the file; times that name their zone ignore it.
    The units are for files that name none.

    Raises:
        CsvFormatError: the file is no such export, is several of them, belongs to several people,
            or needs a unit that was not given; nothing of it was read.
    """
    lines = text_lines(content)
    layout = recognise(lines)
    mend = partial(mend_hevy_cells, layout=layout) if layout.app is HEVY else None
    rows = list(cut_rows(lines, layout.first_row_at, layout.width, layout.delimiter, mend))
    refuse_several_exports(layout, rows)
    refuse_several_people(layout, rows)
    units = settle_units(layout, rows, weight_unit, distance_unit)

    read_row = _row_reader(layout, units, timezone, rows)
    now = datetime.now(UTC)
    found = attach_asides(items := [_read(row, read_row, now) for row in rows])
    workouts: list[FileWorkout] = []
    kept: list[tuple[SetRow, ...]] = []
    repeated: list[Repeated] = list(found.repeated)
    flags: list[Flag] = []
    first_number = min((one.number for one in found.sets if one.number is not None), default=1)
    for runs in _runs_by_workout(found.sets):
        unique = set_copies_aside(runs, _workout_mark(layout))
        workouts.append(build_workout(unique.rows, athlete_id, min(first_number, 1)))
        kept.append(unique.rows)
        repeated += unique.repeated
        flags += unique.flags
    flags += _unit_doubts(layout, units, [one.row for sets in kept for one in sets])
    unread = [item for item in items if isinstance(item, Rejected)]
    return CsvImport(
        app="Hevy" if layout.app is HEVY else "Strong",
        dialect=str(layout),
        is_in_pounds=units.weight == "lb",
        workouts=tuple(workouts),
        rejected=tuple(sorted([*unread, *found.rejected], key=lambda one: one.source_line or 0)),
        repeated=tuple(sorted(repeated, key=lambda one: one.line)),
        attached=tuple(sorted(line for sets in kept for one in sets for line in one.attached)),
        flags=tuple(sorted([*flags, *flag_oddities(kept)], key=lambda one: one.line)),
        rows_read=len(rows),
    )


def _row_reader(
    layout: Layout, units: Units, timezone: ZoneInfo, rows: Sequence[CsvRow]
) -> Callable[[CsvRow], SetRow | Aside]:
    times = ("start_time", "end_time") if layout.app is HEVY else ("date",)
    is_day_first = day_comes_first(
        row.cells[layout.places[meaning]] for row in rows if row.fault is None for meaning in times
    )
    if layout.app is HEVY:
        return partial(read_hevy_row, layout=layout, timezone=timezone, is_day_first=is_day_first)
    return partial(
        read_strong_row, layout=layout, units=units, timezone=timezone, is_day_first=is_day_first
    )


def _read(row: CsvRow, read_row: Callable[[CsvRow], SetRow | Aside], now: datetime) -> _Item:
    if row.fault is not None:
        return rejected(row, row.fault)
    try:
        item = read_row(row)
    except UnusableRowError as error:
        return rejected(row, str(error))
    reason = implausible_start(item.head.start_at, now)
    return item if reason is None else rejected(row, reason)


def _runs_by_workout(sets: Sequence[SetRow]) -> list[list[list[SetRow]]]:
    """The sets of each workout, in the order of the file and in the runs in which they stand."""
    by_workout: dict[tuple[str | int | None, ...], list[list[SetRow]]] = {}
    for key, run in groupby(sets, key=lambda one: one.head.key):
        by_workout.setdefault(key, []).append(list(run))
    return list(by_workout.values())


def _workout_mark(layout: Layout) -> OpensWorkout:
    """Strong quotes the workout's note on the first row of a workout, and bares it on others."""
    place = layout.places.get("workout_notes")
    if place is None:
        return lambda row: False
    cell = rf'(?:"(?:[^"]|"")*"|[^{layout.delimiter}"]*)'
    marked = re.compile(rf'(?:{cell}{layout.delimiter}){{{place}}}"')
    return lambda row: marked.match(row.text) is not None


def _unit_doubts(layout: Layout, units: Units, rows: Sequence[CsvRow]) -> list[Flag]:
    """What speaks against the unit that the user named for the weights of a file without one."""
    if layout.units.get("weight") is not None or units.weight is None:
        return []
    tale = find_telltale(layout, rows)
    if tale is None or tale.unit == units.weight:
        return []
    return [Flag(tale.line, f"the weights were read in {units.weight}, but {tale}")]
