"""Content of a release: the marts as one database and as Parquet, with a manifest.

plans.json holds the active plans of the same moment: future workouts are not part of a mart.
programmes.json holds the programmes that athletes follow, with the check of their week.

The file is named marts.duckdb and uses the default schema: DuckDB names an attached file by its
stem, so both `marts.fct_set` and `fct_set` work, like in the warehouse. With a schema `marts` in
it, readers would have to write `marts.marts.fct_set`.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb

from coach_agent.journal.current_plans import read_current_plans
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.check_ins import read_open_red_flags_of, with_red_flags_of
from coach_agent.store.tables import has_table
from hevy_connector.raw.transactions import transaction
from orchestration.config.lake import Lake
from orchestration.dbt.mart_definitions import MartDefinition, marts_of_file, marts_of_lake
from orchestration.runs.provenance import Provenance
from orchestration.services.programmes.programme_check import (
    read_followed_weeks,
)
from orchestration.services.releases.release_changes import NOTHING, continue_release
from orchestration.services.releases.release_database import attach_copy, source_of
from orchestration.services.releases.release_manifest import MANIFEST_FILE, Manifest, write_manifest
from orchestration.storage.connection import connect_duckdb, quoted_path
from orchestration.storage.warehouse import Warehouse, attach_warehouse

DATABASE_FILE = "marts.duckdb"
PARQUET_FOLDER = "parquet"
PLANS_FILE = "plans.json"
RED_FLAGS_FILE = "red_flags.json"
PROGRAMMES_FILE = "programmes.json"

# Rows after which the copy is closed and reopened. An index stays in memory until then: one insert
# of 24 million sets with keys takes over 2 GB, this 1.1 GB in the same time.
_CHUNK_ROWS = 1_000_000


def write_contents(
    warehouse: Warehouse,
    draft: Path,
    number: int,
    provenance: Provenance,
    now: datetime,
    athletes: Sequence[AthleteProfile],
    former: Path | None = None,
) -> Manifest:
    """Write the tables of the schema `marts` into `draft`.

    The red flags of the athletes' profiles are added to those of check-ins. What equals the release
    in the folder `former` is taken from there.

    Tables keep their keys and comments. The content is consistent: a warehouse file is locked, a
    lake is read at one snapshot, and Parquet is written from the copy.

    Raises:
        WarehouseMissingError, WarehouseBusyError, duckdb.Error, OSError: `draft` is incomplete.
    """
    (draft / PARQUET_FOLDER).mkdir(parents=True)
    database = draft / DATABASE_FILE
    settings: dict[str, str | bool | int] = {
        "memory_limit": "2GB",
        "threads": 2,
        "preserve_insertion_order": False,
        "temp_directory": str(draft / "spill"),
    }
    with connect_duckdb(settings=settings) as con:
        attach_warehouse(con, warehouse)
        marts = marts_of_lake(con) if isinstance(warehouse, Lake) else marts_of_file(con)
        continued = NOTHING
        if former is not None and (former / DATABASE_FILE).exists():
            continued = continue_release(con, former / DATABASE_FILE, database, marts)
        rewritten = [mart for mart in marts if mart.name not in continued.row_counts]
        counted = {**continued.row_counts, **_copy_tables(con, database, rewritten)}
        row_counts = {mart.name: counted[mart.name] for mart in marts}
        manifest = Manifest(
            release_number=number,
            run_id=provenance.run_id,
            git_commit=provenance.git_commit,
            spotter_version=provenance.spotter_version,
            released_at=now.astimezone(UTC),
            data_until=_latest_workout(con),
            row_counts=row_counts,
        )
        with attach_copy(con, database):
            with transaction(con):  # each commit waits for the disk
                for statement in chain.from_iterable(
                    mart.comments("marts.main") for mart in rewritten
                ):
                    con.execute(statement)
                write_manifest(con, manifest)
            for name in row_counts:
                file = Path(PARQUET_FOLDER, f"{name}.parquet")
                if former is not None and name in continued.unchanged and (former / file).exists():
                    (draft / file).hardlink_to(former / file)
                    continue
                con.execute(
                    f"copy marts.main.\"{name}\" to '{quoted_path(draft / file)}' "
                    "(format parquet, compression zstd, compression_level 1)"
                )
        red_flags = with_red_flags_of(_open_red_flags(con, now), athletes)
        unflagged = [each for each in athletes if each.id not in red_flags]
        programmes = _followed_programmes(con, now, unflagged)
        plans = {each: plan for each, plan in _active_plans(con).items() if each not in red_flags}
    (draft / MANIFEST_FILE).write_text(manifest.model_dump_json(indent=2) + "\n")
    (draft / PLANS_FILE).write_text(json.dumps(plans) + "\n")
    (draft / RED_FLAGS_FILE).write_text(json.dumps(red_flags) + "\n")
    (draft / PROGRAMMES_FILE).write_text(json.dumps(programmes) + "\n")
    return manifest


def _active_plans(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Return each athlete's active plan as a `PlanReport`; empty before the first."""
    with _coach_table(con, "current_plans") as exists:
        plans = read_current_plans(con) if exists else {}
    return {athlete_id: plan.summary() for athlete_id, plan in plans.items()}


def _open_red_flags(con: duckdb.DuckDBPyConnection, now: datetime) -> dict[str, tuple[str, ...]]:
    """Return the red flags that are not cleared, by athlete; empty before the first check-in."""
    with _coach_table(con, "check_in_notes") as exists:
        return read_open_red_flags_of(con, None, now) if exists else {}


def _followed_programmes(
    con: duckdb.DuckDBPyConnection, now: datetime, athletes: Sequence[AthleteProfile]
) -> dict[str, Any]:
    """Return each athlete's programme as a `FollowedWeek`; empty before the first."""
    with _coach_table(con, "followed_programmes") as exists:
        found = read_followed_weeks(con, athletes, now) if exists else {}
    return {athlete_id: week.model_dump(mode="json") for athlete_id, week in found.items()}


@contextmanager
def _coach_table(con: duckdb.DuckDBPyConnection, name: str) -> Iterator[bool]:
    """Make the warehouse the default catalog, and yield whether it has the table of `coach`."""
    con.execute("use warehouse")
    try:
        yield has_table(con, f"coach.{name}")
    finally:
        con.execute("use memory")


def _copy_tables(
    con: duckdb.DuckDBPyConnection, database: Path, marts: Sequence[MartDefinition]
) -> dict[str, int]:
    """Copy the marts with their keys; return their row counts by name."""
    row_counts = dict.fromkeys([mart.name for mart in marts], 0)
    for chunks in _attachments(list(_chunks(con, marts))):
        with attach_copy(con, database), transaction(con):
            for mart, rows in chunks:
                if rows.start == 0:
                    con.execute(mart.keyed_statement)  # creates `marts.<name>`, here in the copy
                inserted: list[tuple[int]] = con.execute(
                    f'insert into marts.main."{mart.name}" from {source_of(mart)} '
                    "where rowid >= $1 and rowid < $2",
                    [rows.start, rows.stop],
                ).fetchall()
                row_counts[mart.name] += inserted[0][0]
    return row_counts


def _chunks(
    con: duckdb.DuckDBPyConnection, marts: Sequence[MartDefinition]
) -> Iterator[tuple[MartDefinition, range]]:
    """Return each mart with ranges of its row ids, the first of them also without a row."""
    for mart in marts:
        past: list[tuple[int]] = con.execute(
            f"select coalesce(max(rowid) + 1, 0) from {source_of(mart)}"  # noqa: S608 - a mart
        ).fetchall()
        for first in range(0, max(past[0][0], 1), _CHUNK_ROWS):
            yield mart, range(first, min(first + _CHUNK_ROWS, past[0][0]))


def _attachments(
    chunks: Sequence[tuple[MartDefinition, range]],
) -> Iterator[list[tuple[MartDefinition, range]]]:
    """Group the chunks that are written before the copy is closed."""
    together: list[tuple[MartDefinition, range]] = []
    for mart, rows in chunks:
        if sum(len(each) for _, each in together) + len(rows) > _CHUNK_ROWS:
            yield together
            together = []
        together.append((mart, rows))
    yield together


def _latest_workout(con: duckdb.DuckDBPyConnection) -> datetime | None:
    rows: list[tuple[datetime | None]] = con.execute(
        "select max(started_at) from warehouse.marts.fct_workout"
    ).fetchall()
    latest = rows[0][0]
    return None if latest is None else latest.replace(tzinfo=UTC)
