"""A warehouse of an earlier version is migrated to this version, without loss."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from coach_agent.journal.current_plans import read_current_plans
from orchestration.storage.migrations import (
    MIGRATIONS,
    SCHEMA_VERSION,
    Migration,
    WarehouseNewerError,
    migrate,
    schema_version,
)
from orchestration.storage.warehouse import open_warehouse
from tests.former_versions import FORMER_VERSIONS, make_former_warehouse
from tests.orchestration.holding import held_by_another_process

KEPT = ("raw", "coach", "snapshots")

# Digest of the tables of a new warehouse at the latest step. If it fails: append a step to
# orchestration/storage/migrations.py that changes those of older warehouses equally, then update
# the digest.
DIGEST_OF_SCHEMA = (17, "dd516f6e6a5f8950c0847441ae1c6512")

Row = tuple[object, ...]


def columns(con: duckdb.DuckDBPyConnection) -> set[Row]:
    return set(
        con.execute(
            """
            select schema_name, table_name, column_name, data_type, is_nullable, column_default
            from duckdb_columns()
            where not internal and schema_name in ('raw', 'coach', 'meta')
            """
        ).fetchall()
    )


def contents(con: duckdb.DuckDBPyConnection) -> dict[str, list[dict[str, str]]]:
    """Return the stored rows by table, each with its values by column."""
    found: dict[str, list[dict[str, str]]] = {}
    tables = con.execute(
        "select schema_name, table_name from duckdb_tables() where not internal"
    ).fetchall()
    for schema, table in tables:
        if schema in KEPT:
            rows = con.execute(f'select * from "{schema}"."{table}"')
            names = [column[0] for column in rows.description or ()]
            found[f"{schema}.{table}"] = [
                dict(zip(names, map(str, row), strict=True)) for row in rows.fetchall()
            ]
    return found


@pytest.fixture(params=FORMER_VERSIONS)
def former(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "warehouse.duckdb"
    make_former_warehouse(request.param, path)
    return path


def test_all_that_was_kept_is_there_in_the_tables_of_today(former: Path, tmp_path: Path) -> None:
    with duckdb.connect(former) as con:
        before = contents(con)
    with open_warehouse(former) as con, open_warehouse(tmp_path / "new.duckdb") as new:
        after = contents(con)
        assert columns(con) == columns(new)
        assert schema_version(con) == schema_version(new) == SCHEMA_VERSION
        plans = read_current_plans(con)
    assert plans["kim"].state == "published"
    assert plans["kim"].plan.slots
    assert before["coach.decisions"]
    assert before["raw.hevy_workouts"]
    for table, rows in before.items():
        known = [{name: row[name] for name in rows[0]} for row in after[table]] if rows else []
        assert sorted(known, key=str) == sorted(rows, key=str), table


def test_a_warehouse_of_schema_2_comes_to_know_imported_files(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        today = columns(con)
        con.execute("drop table raw.imported_files")
        con.execute("delete from meta.migrations where version > 2")
    with open_warehouse(path) as con:
        assert columns(con) == today
        assert schema_version(con) == SCHEMA_VERSION


def test_a_warehouse_without_memories_gets_their_tables_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        today = columns(con)
        con.execute("drop table coach.memories")
        con.execute("drop table coach.forgotten_memories")
        con.execute("delete from meta.migrations where version > 11")
        con.execute("insert into coach.current_plans values ('ann', 'plan', now(), 'run')")
        before = contents(con)
    with open_warehouse(path) as con:
        assert columns(con) == today
        assert schema_version(con) == SCHEMA_VERSION
        gained = {"coach.memories": [], "coach.forgotten_memories": []}
        assert contents(con) == {**before, **gained}
        assert before["coach.current_plans"]


def test_a_mart_that_was_renamed_leaves_no_table_under_its_old_name(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        con.execute("create schema if not exists marts")
        con.execute("create table marts.fct_rejected_record as select 1 as line")
        con.execute("create table marts.fct_set as select 1 as line")
        con.execute("delete from meta.migrations where version > 13")
    with open_warehouse(path) as con:
        marts = con.execute("select table_name from duckdb_tables() where schema_name = 'marts'")
        assert marts.fetchall() == [("fct_set",)]


def test_it_is_brought_up_to_date_also_to_be_read(former: Path) -> None:
    with open_warehouse(former, read_only=True) as con:
        assert schema_version(con) == SCHEMA_VERSION
        with pytest.raises(duckdb.InvalidInputException, match="read-only"):
            con.execute("delete from coach.decisions")


def test_a_current_warehouse_is_opened_without_a_step(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        before = con.execute("from meta.migrations order by version").fetchall()
    with open_warehouse(path) as con:
        assert con.execute("from meta.migrations order by version").fetchall() == before
        assert migrate(con) == []
    assert len(before) == SCHEMA_VERSION


@pytest.mark.parametrize("is_read_only", [True, False])
def test_a_newer_warehouse_is_left_as_it_is(tmp_path: Path, is_read_only: bool) -> None:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        con.execute("insert into meta.migrations values (99, 'of later', '9.0.0', now())")
    before = path.read_bytes()
    with (
        pytest.raises(WarehouseNewerError, match="Update Spotter"),
        open_warehouse(path, read_only=is_read_only),
    ):
        pass
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["warehouse.duckdb"]


def test_a_step_that_fails_changes_nothing(former: Path) -> None:
    def fail(con: duckdb.DuckDBPyConnection) -> None:
        con.execute("delete from coach.decisions")
        con.execute("alter table coach.plans add column half_done integer")
        raise OSError("disk full")

    with duckdb.connect(former) as con:
        before = contents(con)["coach.decisions"]
        behind = max(1, schema_version(con))
        with pytest.raises(OSError, match="disk full"):
            migrate(con, (*MIGRATIONS[:behind], Migration("fails", fail)))
        assert schema_version(con) == behind
        for row, known in zip(contents(con)["coach.decisions"], before, strict=True):
            assert {name: row[name] for name in known} == known
        assert "half_done" not in {column for _, _, column, *_ in columns(con)}
    with open_warehouse(former) as con:
        assert schema_version(con) == SCHEMA_VERSION


# One process imports everything, and a fork of it upgrades each warehouse until it is killed.
KILLED_UPGRADES = """
import os, signal, sys, duckdb
from orchestration.storage.migrations import MIGRATIONS, Migration, migrate

def upgrade(path, killed_at):
    def killed(con):
        MIGRATIONS[killed_at].apply(con)
        os.kill(os.getpid(), signal.SIGKILL)
    steps = list(MIGRATIONS)
    steps[killed_at] = Migration("killed", killed)
    migrate(duckdb.connect(path), tuple(steps))

for argument in sys.argv[1:]:
    killed_at, _, path = argument.partition(":")
    child = os.fork()
    if not child:
        try:
            upgrade(path, int(killed_at))
        finally:
            os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


# Between the first and the last step each one is alike; all are in the long run.
@pytest.mark.parametrize(
    "steps",
    [
        pytest.param((0, SCHEMA_VERSION // 2, SCHEMA_VERSION - 1), id="three"),
        pytest.param(tuple(range(SCHEMA_VERSION)), id="all", marks=pytest.mark.long),
    ],
)
def test_a_killed_upgrade_goes_on_at_the_next_opening(
    tmp_path: Path, steps: tuple[int, ...]
) -> None:
    former = tmp_path / "former.duckdb"
    make_former_warehouse(FORMER_VERSIONS[0], former)
    with duckdb.connect(former) as con:
        before = contents(con)
    paths = {killed_at: tmp_path / f"{killed_at}.duckdb" for killed_at in steps}
    for path in paths.values():
        shutil.copyfile(former, path)
    arguments = [f"{killed_at}:{path}" for killed_at, path in paths.items()]
    ended = subprocess.run(
        [sys.executable, "-c", KILLED_UPGRADES, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split() == [str(-signal.SIGKILL)] * len(steps), ended.stderr
    for killed_at, path in paths.items():
        with duckdb.connect(path, read_only=True) as con:
            assert schema_version(con) == killed_at
        with open_warehouse(path) as con:
            assert schema_version(con) == SCHEMA_VERSION
            after = contents(con)
        for table, rows in before.items():
            assert len(after[table]) == len(rows), (killed_at, table)


def test_who_cannot_upgrade_yet_waits_and_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    make_former_warehouse(FORMER_VERSIONS[-1], path)
    with (
        held_by_another_process(path),
        pytest.raises(Exception, match="held by another process"),
        open_warehouse(path, read_only=True, wait_s=0.5),
    ):
        pass


def test_whoever_changes_a_table_writes_a_step(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "new.duckdb") as con:
        told = con.execute(
            "select md5(string_agg(each, ';' order by each)) from unnest($1) as one(each)",
            [sorted(map(str, columns(con)))],
        ).fetchall()
    assert (SCHEMA_VERSION, told[0][0]) == DIGEST_OF_SCHEMA
