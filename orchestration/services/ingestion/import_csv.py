"""Import files of training into the raw tables."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import duckdb

from coach_agent.profile.model import AthleteProfile
from hevy_connector.csv_imports import (
    CsvImport,
    Flag,
    Repeated,
    exercise_keys,
    inferred_routines,
    read_export,
)
from hevy_connector.csv_imports.alias_proposals import AliasProposal
from hevy_connector.csv_imports.dialects import DistanceUnit, Unit
from hevy_connector.csv_imports.imported_files import record_file
from hevy_connector.csv_imports.merging import Merge, State, merge_file
from hevy_connector.csv_imports.table_mapping import TableMapping
from hevy_connector.csv_imports.titles import normalised_title
from hevy_connector.csv_imports.workout_matches import read_known, save_matches
from hevy_connector.errors import CsvFormatError
from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.raw.landing import LandResult, land
from hevy_connector.raw.tables import create_raw_tables, known_records
from hevy_connector.raw.transactions import run_in_transaction
from hevy_connector.schemas import Workout
from orchestration.config.athletes import UnknownAthleteError
from orchestration.config.athletes_table import find_profile
from orchestration.config.new_profile import NewProfile, system_timezone, write_new
from orchestration.config.settings import Settings, SettingsError
from orchestration.services.ingestion.exercise_aliases import read_proposals
from orchestration.services.ingestion.import_outcome import (
    Clock,
    ImportOutcome,
    NamedLine,
    RowCounts,
    WorkoutCounts,
)
from orchestration.storage.connection import connect_duckdb
from orchestration.storage.warehouse import WarehouseMissingError, open_warehouse

_ATHLETE_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True)
class ImportOptions:
    """Options for what a file does not contain.

    `timezone` is that of the phone that wrote the file. The default is the athlete's, of a new one
    this machine's. Units apply to a file without units. With `is_dry_run` nothing is written. A
    `mapping` reads any other table.
    """

    timezone: str | None = None
    weight_unit: Unit | None = None
    distance_unit: DistanceUnit | None = None
    is_dry_run: bool = False
    mapping: TableMapping | None = None


@dataclass(frozen=True)
class _ParsedFile:
    source: Path
    content: bytes
    parsed: CsvImport


def import_csv(
    settings: Settings,
    source: Path,
    athlete_id: str,
    options: ImportOptions,
    on_step: Callable[[str], None],
) -> ImportOutcome:
    """Import one file: see `import_files`."""
    [outcome] = import_files(settings, [source], athlete_id, options, on_step)
    return outcome


def import_files(
    settings: Settings,
    sources: Sequence[Path],
    athlete_id: str,
    options: ImportOptions,
    on_step: Callable[[str], None],
) -> list[ImportOutcome]:
    """Import files of training into one athlete's raw tables, in order, in one transaction.

    Idempotent: known workouts add nothing, whichever file or account they came from. A new athlete
    gets a profile in the unit of the first file; if no file has a readable workout, nothing is
    written for a new athlete. Of several files, units and mapping are for those
    that need them. `on_step` receives the name of each step.

    Raises:
        CsvFormatError: a file is unusable, or needs an option; nothing of any file was written.
        SettingsError: a file cannot be opened, or the time zone is invalid.
        UnknownAthleteError: the athlete id is invalid.
        ProfileError: the athlete's profile is invalid.
        WarehouseBusyError: another process holds the warehouse.
    """
    if not _ATHLETE_ID.fullmatch(athlete_id):
        raise UnknownAthleteError(
            f"'{athlete_id}' is no athlete id: use lower-case letters, digits, - and _."
        )
    contents = [_read_content(source) for source in sources]
    profile_path = settings.athletes_dir / f"{athlete_id}.toml"
    profile = find_profile(settings, athlete_id)
    own_zone = profile.timezone if profile else system_timezone(settings.keys)
    timezone = _zone(own_zone if options.timezone is None else options.timezone)

    files = []
    for source, content in zip(sources, contents, strict=True):
        on_step("reading the file" if len(sources) == 1 else f"reading {source.name}")
        parsed = _parse(
            source, content, athlete_id, timezone, options, is_one_of_several=len(sources) > 1
        )
        files.append(_ParsedFile(source, content, parsed))
    is_empty = not any(file.parsed.workouts for file in files)
    is_stored = not (options.is_dry_run or (profile is None and is_empty))
    with _warehouse(settings, athlete_id, is_copy=not is_stored) as con:
        on_step("loading what is new")
        loaded = _load(con, athlete_id, files, profile, is_zone_given=options.timezone is not None)
        unknown = read_proposals(con, athlete_id, profile.exercise_aliases if profile else {})
    if profile is None and is_stored:
        unit = "lb" if files[0].parsed.is_in_pounds else "kg"
        new = NewProfile(athlete_id, timezone=timezone.key, account="none", unit=unit)
        write_new(profile_path, new)
    return [
        ImportOutcome(
            athlete_id=athlete_id,
            dialect=file.parsed.dialect,
            timezone=timezone.key,
            is_dry_run=options.is_dry_run,
            rows=_row_counts(file.parsed, merge),
            workouts=_workout_counts(merge),
            clock=Clock(
                merge.reference, merge.shifts, options.timezone is not None, merge.moved_count
            ),
            quarantined=[NamedLine(one.source_line, one.reason) for one in file.parsed.rejected],
            newly_quarantined_count=landed.quarantined,
            repeated=_by_line(file.parsed.repeated),
            flagged=_by_line(file.parsed.flags),
            unknown_titles=_titles_of(file.parsed, unknown),
            new_profile=(
                profile_path if profile is None and not is_empty and file is files[0] else None
            ),
            is_refused=profile is None and is_empty,
            unread_columns=file.parsed.unread_columns,
        )
        for file, (merge, landed) in zip(files, loaded, strict=True)
    ]


def _read_content(source: Path) -> bytes:
    try:
        return source.read_bytes()
    except OSError as error:
        raise SettingsError(f"{source} cannot be read: {error.strerror}.") from error


def _parse(
    source: Path,
    content: bytes,
    athlete_id: str,
    timezone: ZoneInfo,
    options: ImportOptions,
    *,
    is_one_of_several: bool,
) -> CsvImport:
    try:
        return read_export(
            content,
            athlete_id=athlete_id,
            timezone=timezone,
            weight_unit=options.weight_unit,
            distance_unit=options.distance_unit,
            mapping=options.mapping,
            is_one_of_several=is_one_of_several,
        )
    except CsvFormatError as error:
        if not is_one_of_several:
            raise
        raise CsvFormatError(f"{source}: {error} No file was imported.") from error


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise SettingsError(
            f"--timezone '{name}' is no time zone; use a name like 'Europe/Berlin'."
        ) from error


@contextmanager
def _warehouse(
    settings: Settings, athlete_id: str, *, is_copy: bool
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the warehouse, or an in-memory copy of the athlete's raw data."""
    if not is_copy:
        with open_warehouse(settings.warehouse) as con:
            yield con
        return
    with connect_duckdb() as copy:
        create_raw_tables(copy)
        with (
            suppress(WarehouseMissingError),
            open_warehouse(settings.warehouse, read_only=True) as con,
        ):
            _copy_raw(con, copy, athlete_id)
        yield copy


def _copy_raw(
    con: duckdb.DuckDBPyConnection, copy: duckdb.DuckDBPyConnection, athlete_id: str
) -> None:
    tables = con.execute(
        "select table_name from duckdb_tables() where schema_name = 'raw'"
    ).fetchall()
    for (table,) in tables:
        rows = con.execute(
            f"select * from raw.{table} where athlete_id = $1",  # noqa: S608 - our own tables
            [athlete_id],
        ).to_arrow_table()
        copy.register("rows_to_copy", rows)
        copy.execute(f"insert into raw.{table} by name select * from rows_to_copy")  # noqa: S608
        copy.unregister("rows_to_copy")


def _load(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    files: Sequence[_ParsedFile],
    profile: AthleteProfile | None,
    *,
    is_zone_given: bool,
) -> list[tuple[Merge, LandResult]]:
    """Merge and land the files in order; each is compared with those before it."""

    def work() -> list[tuple[Merge, LandResult]]:
        loaded = [_load_file(con, athlete_id, file, is_zone_given=is_zone_given) for file in files]
        if profile is None or profile.hevy.account == "none":
            aliases = profile.exercise_aliases if profile else {}
            land(
                con,
                "hevy_routines",
                athlete_id,
                inferred_routines(
                    _known_workouts(con, athlete_id),
                    athlete_id,
                    exercise_keys(built_in_templates(), aliases),
                ),
                now=datetime.now(UTC),
                run_id=f"import-{uuid4()}",
                origin="csv",
                is_complete=True,
            )
        return loaded

    return run_in_transaction(con, work)


def _load_file(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    file: _ParsedFile,
    *,
    is_zone_given: bool,
) -> tuple[Merge, LandResult]:
    now, run_id = datetime.now(UTC), f"import-{uuid4()}"
    merge = merge_file(
        [workout.record for workout in file.parsed.workouts],
        read_known(con, athlete_id),
        is_zone_given=is_zone_given,
        other_app=None if file.parsed.app == "Hevy" else file.parsed.app,
    )
    landed = land(
        con,
        "hevy_workouts",
        athlete_id,
        [workout.record for workout in merge.workouts],
        now=now,
        run_id=run_id,
        origin="csv",
        rejected=file.parsed.rejected,
    )
    save_matches(con, athlete_id, merge.new_matches, now=now, run_id=run_id)
    record_file(con, athlete_id, file.content, now=now)
    return merge, landed


def _known_workouts(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[Workout]:
    rows = con.execute(
        f"select payload from ({known_records('hevy_workouts')}) where not is_deleted",  # noqa: S608
        {"athlete_id": athlete_id},
    ).fetchall()
    return [Workout.model_validate_json(payload) for (payload,) in rows]


def _row_counts(parsed: CsvImport, merge: Merge) -> RowCounts:
    by_state: Counter[State] = Counter()
    for workout, merged in zip(parsed.workouts, merge.workouts, strict=True):
        by_state[merged.state] += len(workout.lines)
    return RowCounts(
        read=parsed.rows_read,
        loaded=by_state["new"] + by_state["changed"],
        known=by_state["unchanged"],
        in_account=by_state["matched"],
        repeated=len(parsed.repeated),
        attached=len(parsed.attached),
        quarantined=len(parsed.rejected),
    )


def _workout_counts(merge: Merge) -> WorkoutCounts:
    states = Counter(workout.state for workout in merge.workouts)
    return WorkoutCounts(
        new=states["new"],
        changed=states["changed"],
        unchanged=states["unchanged"],
        matched=states["matched"],
        in_account=sum(workout.hevy_record_id is not None for workout in merge.workouts),
    )


def _by_line(named: Iterable[Flag | Repeated]) -> list[NamedLine]:
    """Group the reasons by line."""
    reasons: dict[int, list[str]] = {}
    for one in named:
        reasons.setdefault(one.line, []).append(one.reason)
    return [NamedLine(line, f"Line {line}: {'; '.join(said)}.") for line, said in reasons.items()]


def _titles_of(parsed: CsvImport, unknown: Iterable[AliasProposal]) -> tuple[AliasProposal, ...]:
    in_file = {
        normalised_title(exercise["title"])
        for workout in parsed.workouts
        for exercise in json.loads(workout.record.payload)["exercises"]
    }
    return tuple(one for one in unknown if normalised_title(one.title) in in_file)
