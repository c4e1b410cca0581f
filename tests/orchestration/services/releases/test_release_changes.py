"""A release that continues the former one has the same content as one that is written anew."""

import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration.runs.provenance import Provenance
from orchestration.services.releases import release as releases
from orchestration.services.releases import release_changes, release_contents
from orchestration.services.releases.release import release_marts
from orchestration.services.releases.release_database import RELEASE_STORAGE_VERSION
from orchestration.storage.block_checksums import damage_in
from orchestration.storage.connection import connect_duckdb
from orchestration.storage.warehouse import open_warehouse
from tests.profiles import count, randomized

NOW = datetime(2026, 3, 4, 3, 17, tzinfo=UTC)
PROVENANCE = Provenance(run_id="run-1", git_commit=None, spotter_version="0.1.0")
ATHLETES = [f"athlete-{number}" for number in range(20)]
WORKOUTS_EACH = 60


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        con.execute("create schema marts")
        con.execute("""
            create table marts.fct_set (
                set_key varchar not null, athlete_id varchar not null, workout_id varchar,
                weight_kg double, done struct(reps integer)[]
            );
            create table marts.fct_workout (
                workout_key varchar not null, athlete_id varchar, workout_id varchar,
                started_at timestamp
            );
            create table marts.dim_date (date_key varchar not null, date_day date);
            create table marts.fct_repeated (amount integer);
            comment on table marts.fct_set is 'One row per set.';
            comment on column marts.fct_set.weight_kg is 'Load (kg).';
            insert into marts.dim_date
            select day::varchar, day
            from range(date '2026-01-01', date '2027-01-01', interval 1 day)
                as days(day);
            insert into marts.fct_repeated values (1), (1), (2);
        """)
        for athlete in ATHLETES:
            train(con, athlete, range(WORKOUTS_EACH))
    return path


def train(con: duckdb.DuckDBPyConnection, athlete: str, numbers: range, load: float = 60) -> None:
    con.execute(
        """
        insert into marts.fct_workout
        select
            concat_ws('/', $1, number), $1, number, timestamp '2026-01-01' + to_hours(number)
        from unnest($2::integer[]) as numbered(number)
        """,
        [athlete, list(numbers)],
    )
    con.execute(
        """
        insert into marts.fct_set
        select
            concat_ws('/', $1, number, turn), $1, number, $3 + number, [{reps: turn}, null]
        from unnest($2::integer[]) as numbered(number), range(5) as turns(turn)
        """,
        [athlete, list(numbers), load],
    )


def forget(con: duckdb.DuckDBPyConnection, condition: str) -> None:
    for mart in ("fct_set", "fct_workout"):
        con.execute(f"delete from marts.{mart} where {condition}")


def release(warehouse: Path, folder: Path) -> Path:
    return release_marts(warehouse, folder, PROVENANCE, NOW).folder


def content(folder: Path) -> dict[str, Any]:
    """Return all of a release but its number: rows, definitions, comments and Parquet."""
    found: dict[str, Any] = {}
    with duckdb.connect(folder / "marts.duckdb", read_only=True) as con:
        found["definitions"] = con.execute(
            "select table_name, sql, comment from duckdb_tables() order by all"
        ).fetchall()
        found["columns"] = con.execute(
            "select table_name, column_name, comment from duckdb_columns() "
            "where not internal order by all"
        ).fetchall()
        found["manifest"] = con.execute("from manifest_marts order by all").fetchall()
        for name, _ in found["manifest"]:
            found[name] = con.execute(f'from "{name}" order by all').fetchall()
            parquet = folder / "parquet" / f"{name}.parquet"
            assert con.execute(f"from '{parquet}' order by all").fetchall() == found[name], name
    return found


def inode(folder: Path, mart: str) -> int:
    return (folder / "parquet" / f"{mart}.parquet").stat().st_ino


@pytest.fixture
def rewritten(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the tables that are written anew, in order."""
    names: list[str] = []
    copy = release_contents._copy_tables

    def copy_tables(con: Any, database: Any, marts: Any) -> dict[str, int]:
        names.extend(mart.name for mart in marts)
        return copy(con, database, marts)

    monkeypatch.setattr(release_contents, "_copy_tables", copy_tables)
    return names


@randomized
@pytest.mark.parametrize("seed", range(count(quick=1, thorough=3)))
def test_nights_with_corrections_and_deletions_equal_new_releases(
    warehouse: Path, tmp_path: Path, rewritten: list[str], seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - reproducible
    release(warehouse, tmp_path / "continued")
    rewritten.clear()
    for night in range(5):
        with open_warehouse(warehouse) as con:
            trained = chance.sample(ATHLETES, chance.randint(0, 3))
            for athlete in trained:
                first = WORKOUTS_EACH + 10 * night
                train(con, athlete, range(first, first + chance.randint(1, 3)))
            corrected, number = chance.choice(ATHLETES), chance.randrange(WORKOUTS_EACH)
            forget(con, f"athlete_id = '{corrected}' and workout_id = '{number}'")
            if chance.random() < 0.7:
                train(con, corrected, range(number, number + 1), load=chance.uniform(20, 200))
            if chance.random() < 0.5:
                forget(con, f"athlete_id = '{chance.choice(ATHLETES)}'")
            if chance.random() < 0.5:
                con.execute("update marts.fct_repeated set amount = 2 where amount = 1")
        found = release(warehouse, tmp_path / "continued")
        assert content(found) == content(release(warehouse, tmp_path / f"new {night}"))
        with (found / "marts.duckdb").open("rb") as file:
            assert damage_in(file) is None
    assert "fct_set" in rewritten, "by the releases that are compared"
    assert rewritten.count("fct_set") == 5, "the others were continued"


def test_a_repeated_row_that_replaces_another_is_found(warehouse: Path, tmp_path: Path) -> None:
    release(warehouse, tmp_path)
    with open_warehouse(warehouse) as con:
        con.execute("delete from marts.fct_repeated")
        con.execute("insert into marts.fct_repeated values (1), (2), (2)")
    assert content(release(warehouse, tmp_path))["fct_repeated"] == [(1,), (2,), (2,)]


def test_an_unchanged_table_shares_its_parquet_file(warehouse: Path, tmp_path: Path) -> None:
    first = release(warehouse, tmp_path)
    with open_warehouse(warehouse) as con:
        train(con, ATHLETES[0], range(100, 101))
    second = release(warehouse, tmp_path)
    assert inode(first, "dim_date") == inode(second, "dim_date")
    assert inode(first, "fct_set") != inode(second, "fct_set")


def test_only_a_table_of_another_definition_is_written_anew(
    warehouse: Path, tmp_path: Path, rewritten: list[str]
) -> None:
    release(warehouse, tmp_path / "continued")
    rewritten.clear()
    with open_warehouse(warehouse) as con:
        con.execute("alter table marts.fct_set add column rpe double")
        con.execute("comment on column marts.fct_workout.started_at is 'Start (UTC).'")
        con.execute("drop table marts.fct_repeated")
        con.execute("create table marts.fct_added (added_key varchar)")
    found = release(warehouse, tmp_path / "continued")
    assert rewritten == ["fct_added", "fct_set", "fct_workout"]
    assert content(found) == content(release(warehouse, tmp_path / "new"))


@pytest.mark.parametrize("reason", ["damage", "version", "turn", "missing"])
def test_a_release_is_written_anew(
    warehouse: Path,
    tmp_path: Path,
    rewritten: list[str],
    monkeypatch: pytest.MonkeyPatch,
    reason: str,
) -> None:
    former = release(warehouse, tmp_path) / "marts.duckdb"
    rewritten.clear()
    former.chmod(0o600)
    match reason:
        case "damage":
            whole = bytearray(former.read_bytes())
            whole[-100] ^= 1
            former.write_bytes(whole)
        case "version":
            former.unlink()
            with connect_duckdb() as con:
                con.execute(f"attach '{former}' as marts (storage_version 'v1.5.0')")
        case "turn":
            monkeypatch.setattr(releases, "REWRITTEN_EVERY", 2)
        case "missing":
            former.unlink()
    found = release(warehouse, tmp_path)
    assert rewritten == ["dim_date", "fct_repeated", "fct_set", "fct_workout"]
    with (found / "marts.duckdb").open("rb") as file:
        assert damage_in(file) is None
    with duckdb.connect(found / "marts.duckdb", read_only=True) as con:
        [(tags,)] = con.execute(
            "select tags from duckdb_databases() where database_name = 'marts'"
        ).fetchall()
    assert tags["storage_version"].startswith(RELEASE_STORAGE_VERSION)


def test_a_missing_parquet_file_of_the_former_release_is_written(
    warehouse: Path, tmp_path: Path
) -> None:
    (release(warehouse, tmp_path) / "parquet" / "dim_date.parquet").unlink()
    assert len(content(release(warehouse, tmp_path))["dim_date"]) == 365


@pytest.mark.long
def test_replaced_rows_do_not_let_the_file_grow(
    warehouse: Path, tmp_path: Path, rewritten: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(releases, "REWRITTEN_EVERY", 1000)
    with open_warehouse(warehouse) as con:
        con.execute("""
            create table marts.fct_long as
            select n, sha256(n::varchar) as text from range(300000) as numbers(n)
        """)
    sizes = []
    for night in range(12):
        with open_warehouse(warehouse) as con:
            con.execute(
                "update marts.fct_long set text = sha256(text) where n % 10 = $1", [night % 10]
            )
        sizes.append((release(warehouse, tmp_path) / "marts.duckdb").stat().st_size)
    assert max(sizes) < 3 * sizes[0]
    assert 0 < rewritten.count("fct_long") < 6


def test_an_opened_release_reports_no_difference_of_unchanged_marts(
    warehouse: Path, tmp_path: Path
) -> None:
    """The definitions of the warehouse and of a reopened release have the same text."""
    database = release(warehouse, tmp_path) / "marts.duckdb"
    with connect_duckdb() as con:
        con.execute(f"attach '{warehouse}' as warehouse (read_only)")
        marts = release_contents.marts_of_file(con)
        wanted = release_changes._wanted_definitions(con, marts)
        con.execute(f"attach '{database}' as marts (read_only)")
        present = release_changes._definitions(con)
    assert {name: present[name] for name in wanted} == wanted
