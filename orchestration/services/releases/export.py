"""Export a release as files: its tables, and training in the format of Hevy's own export."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import duckdb

from orchestration.config.athletes import UnknownAthleteError
from orchestration.config.durable_files import sync
from orchestration.config.settings import SettingsError
from orchestration.services.queries.sql_output import csv_lines, escape_formula
from orchestration.services.queries.sql_session import ReleaseMissingError, open_release
from orchestration.services.releases.release_contents import DATABASE_FILE, PARQUET_FOLDER
from orchestration.services.releases.release_manifest import read_manifest
from orchestration.storage.warehouse import Connect, WarehouseBusyError, WarehouseMissingError

Form = Literal["csv", "parquet", "hevy-csv"]

HEVY_FILE = "workout_data.csv"
"""File name of Hevy's own export."""

_METRES_PER_KM = 1000

_ATHLETES = "select athlete_id, timezone from dim_athlete order by athlete_id"
_SETS = """
    select
        fct_workout.title, fct_workout.started_at, fct_workout.ended_at, fct_set.exercise_title,
        fct_set.superset_id, fct_set.set_index, fct_set.set_type, fct_set.weight_kg, fct_set.reps,
        fct_set.distance_m, fct_set.duration_s, fct_set.rpe
    from fct_set inner join fct_workout using (athlete_id, workout_id)
    where athlete_id = $1
    order by
        fct_workout.started_at desc, workout_id, fct_set.exercise_index, fct_set.set_index
"""

# All rows are read before the first one is written.
_COPY_MEMORIES = """
    create temp table exported_memories as
    from coach.memories
    order by athlete_id, memory_number, version
"""
_LEFT_OUT = (
    "memories: left out, since another process holds the warehouse, such as a run in progress, or "
    "its catalog does not answer. When `spotter memory` shows them, export again with --replace."
)


@dataclass(frozen=True)
class ExportResult:
    """Written files, in order, and the number of their release.

    `warning` has the reason if memories are left out.
    """

    release_number: int
    files: tuple[Path, ...]
    warning: str | None = None


def export_release(
    release_folder: Path,
    form: Form,
    target: Path,
    *,
    athlete_id: str | None = None,
    is_replacing: bool = False,
    keeps_formulas: bool = False,
    connect: Connect | None = None,
) -> ExportResult:
    """Write every released table into the folder `target`, or one athlete's sets into that file.

    All files are of one release, but `memories`, which has the current rows of the warehouse that
    `connect` opens, if there is one. They are left out while it is busy; its other errors are
    raised before a file is written. `athlete_id` applies to Hevy's format and is optional for a
    single athlete. Unless `keeps_formulas`, CSV text that starts like a spreadsheet formula is
    escaped.

    Raises:
        ReleaseMissingError: there is no release yet.
        UnknownAthleteError: the release has no such athlete, or several and `athlete_id` is None.
        SettingsError: a file exists and must not be replaced, or cannot be written.
    """
    folder = (release_folder / "current").resolve()
    manifest = read_manifest(folder)
    if manifest is None:
        raise ReleaseMissingError(
            f"There are no released marts in {release_folder} yet. Run: spotter run"
        )
    names = list(manifest.row_counts)
    files = (target,) if form == "hevy-csv" else tuple(target / f"{name}.{form}" for name in names)
    memories = target / f"memories.{form}"
    connect = None if form == "hevy-csv" else connect
    expected = files if connect is None else (*files, memories)
    there = [file for file in expected if file.exists()]
    if there and not is_replacing:
        raise SettingsError(f"{there[0]} is there already; --replace writes over it.")
    warning = None
    try:
        if connect is not None:
            is_written, warning = _write_memories(
                connect, memories, form, keeps_formulas=keeps_formulas
            )
            expected = (*files, memories) if is_written else files
        files[0].parent.mkdir(parents=True, exist_ok=True)
        if form == "parquet":
            for name, file in zip(names, files, strict=True):
                shutil.copyfile(parquet_file(folder, name), file)
        else:
            with open_release(folder / DATABASE_FILE) as con:
                if form == "csv":
                    for name, file in zip(names, files, strict=True):
                        lines = table_lines(con, name, keeps_formulas=keeps_formulas)
                        _write(file, lines)
                else:
                    lines = hevy_lines(con, athlete_id, keeps_formulas=keeps_formulas)
                    _write(target, lines)
    except OSError as error:
        raise SettingsError(f"{target} cannot be written: {error.strerror}.") from error
    return ExportResult(manifest.release_number, expected, warning)


def parquet_file(folder: Path, name: str) -> Path:
    """Return the path of a table's Parquet file in the folder of a release."""
    return folder / PARQUET_FOLDER / f"{name}.parquet"


def table_lines(
    con: duckdb.DuckDBPyConnection, name: str, *, keeps_formulas: bool = False
) -> Iterator[str]:
    """Yield a table of a release as CSV lines, header first."""
    return csv_lines(con.table(f'"{name}"'), keeps_formulas=keeps_formulas)


def hevy_lines(
    con: duckdb.DuckDBPyConnection, athlete_id: str | None, *, keeps_formulas: bool = False
) -> Iterator[str]:
    """Yield an athlete's sets as lines of Hevy's export format, newest workout first.

    Times are in the athlete's time zone, to the minute; loads in kg, unrounded. A workout without
    an end gets its start as end. Notes and floors are not in the marts. Excluded workouts and sets
    are left out.

    Raises:
        UnknownAthleteError: the release has no such athlete, or several and `athlete_id` is None.
    """
    athlete_id, zone = _athlete(con, athlete_id)
    found = con.execute(_SETS, [athlete_id])
    names = [column[0] for column in found.description or ()]
    yield ",".join(f'"{name}"' for name in _HEVY_COLUMNS)
    for values in found.fetchall():
        cells = values if keeps_formulas else map(_inert_cell, values)
        yield _hevy_line(dict(zip(names, cells, strict=True)), zone)


def _write_memories(
    connect: Connect, file: Path, form: Form, *, keeps_formulas: bool
) -> tuple[bool, str | None]:
    """Return whether the memories were written, and a warning if the warehouse is busy."""
    try:
        with connect() as con:
            con.execute(_COPY_MEMORIES)
            found = con.sql("from temp.exported_memories")
            file.parent.mkdir(parents=True, exist_ok=True)
            if form == "parquet":
                _write_parquet(file, found)
            else:
                _write(file, csv_lines(found, keeps_formulas=keeps_formulas))
    except WarehouseMissingError:
        return False, None
    except WarehouseBusyError:
        earlier = f" {file} is of an earlier export." if file.exists() else ""
        return False, _LEFT_OUT + earlier
    return True, None


def _athlete(con: duckdb.DuckDBPyConnection, athlete_id: str | None) -> tuple[str, ZoneInfo]:
    zones: dict[str, str] = dict(con.execute(_ATHLETES).fetchall())
    known = ", ".join(zones) or "nobody"
    if athlete_id is None:
        if len(zones) != 1:
            raise UnknownAthleteError(f"Choose an athlete with --athlete: {known}.")
        [athlete_id] = zones
    if athlete_id not in zones:
        raise UnknownAthleteError(f"The release has no athlete '{athlete_id}', but {known}.")
    return athlete_id, ZoneInfo(zones[athlete_id])


def _hevy_line(performed: Mapping[str, Any], zone: ZoneInfo) -> str:
    distance = performed["distance_m"]
    cells = {
        **performed,
        "start_time": _minute_text(performed["started_at"], zone),
        "end_time": _minute_text(performed["ended_at"] or performed["started_at"], zone),
        "distance_km": None if distance is None else Decimal(repr(distance)) / _METRES_PER_KM,
        "duration_seconds": performed["duration_s"],
    }
    return ",".join(write(cells.get(name)) for name, write in _HEVY_COLUMNS.items())


def _minute_text(moment: datetime, zone: ZoneInfo) -> str:
    """Format a time of the marts (UTC) like Hevy: `9 Mar 2025, 22:24`."""
    local = moment.replace(tzinfo=UTC).astimezone(zone)
    return f"{local.day} {local:%b %Y, %H:%M}"


def _inert_cell(value: Any) -> Any:
    return escape_formula(value) if isinstance(value, str) else value


def _text_cell(text: str | None) -> str:
    return '"' + (text or "").replace('"', '""') + '"'


def _number_cell(value: float | Decimal | None) -> str:
    """Format a number without an exponent; empty for None."""
    return "" if value is None else format(Decimal(str(value)).normalize(), "f")


_HEVY_COLUMNS: dict[str, Callable[[Any], str]] = {
    "title": _text_cell,
    "start_time": _text_cell,
    "end_time": _text_cell,
    "description": _text_cell,
    "exercise_title": _text_cell,
    "superset_id": _number_cell,
    "exercise_notes": _text_cell,
    "set_index": _number_cell,
    "set_type": _text_cell,
    "weight_kg": _number_cell,
    "reps": _number_cell,
    "distance_km": _number_cell,
    "duration_seconds": _number_cell,
    "rpe": _number_cell,
}


def _write_parquet(file: Path, found: duckdb.DuckDBPyRelation) -> None:
    try:
        found.write_parquet(str(file))
    except duckdb.IOException as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise SettingsError(f"{file} cannot be written: {reason}.") from error


def _write(file: Path, lines: Iterator[str]) -> None:
    # Written next to the target and renamed, so the previous file stays complete until then.
    draft = file.with_name(f"{file.name}.part")
    with draft.open("w", encoding="utf-8", newline="") as target:
        target.writelines(f"{line}\n" for line in lines)
    sync(draft)
    draft.replace(file)
