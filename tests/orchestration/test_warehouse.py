import multiprocessing
import threading
from multiprocessing.connection import Connection
from pathlib import Path

import duckdb
import pytest

from orchestration.lib.release import release_marts
from orchestration.lib.warehouse import WarehouseBusyError, WarehouseMissingError, open_warehouse

SPAWN = multiprocessing.get_context("spawn")


def hold(path: Path, ready: Connection) -> None:
    """In another process: hold the file until told to let go."""
    with duckdb.connect(path):
        ready.send("held")
        ready.recv()


def test_a_new_warehouse_has_its_tables_and_the_slim_format(tmp_path: Path) -> None:
    path = tmp_path / "home" / "warehouse.duckdb"
    with open_warehouse(path) as con:
        tables = con.execute(
            "select schema_name || '.' || table_name from duckdb_tables() order by all"
        ).fetchall()
        [(tags,)] = con.execute(
            "select tags from duckdb_databases() where database_name = 'warehouse'"
        ).fetchall()
    assert ("raw.hevy_workouts",) in tables
    assert ("coach.publications",) in tables
    assert tags["storage_version"].startswith("v1.5")
    assert [file.name for file in path.parent.iterdir()] == ["warehouse.duckdb"]


def test_reading_does_not_create_a_warehouse(tmp_path: Path) -> None:
    with (
        pytest.raises(WarehouseMissingError, match="spotter run"),
        open_warehouse(tmp_path / "warehouse.duckdb", read_only=True),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_held_warehouse_is_waited_for_and_then_named(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path):
        pass
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=hold, args=(path, theirs))
    process.start()
    assert ours.recv() == "held"
    with (
        pytest.raises(WarehouseBusyError, match="held by another process"),
        open_warehouse(path, wait_s=0.5),
    ):
        pass
    release = threading.Timer(0.3, ours.send, args=("let go",))
    release.start()
    with open_warehouse(path, wait_s=30) as con:
        assert con.execute("select 1").fetchall() == [(1,)]
    process.join()


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with pytest.raises(duckdb.CatalogException), open_warehouse(path) as con:
        con.execute("from nowhere")
    with duckdb.connect(path, read_only=True) as con:
        assert con.execute("select 1").fetchall() == [(1,)]


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        con.execute("create schema marts")
        con.execute("""
            create table marts.fct_set (
                set_key varchar primary key, weight_kg double, done struct(reps integer)[]
            )
        """)
        con.execute("comment on table marts.fct_set is 'One row per lifter''s set.'")
        con.execute("comment on column marts.fct_set.weight_kg is 'Load (kg).'")
        con.execute("insert into marts.fct_set values ('a', 82.5, [{reps: 5}]), ('b', null, [])")
        con.execute("create view marts.not_a_table as select 1 as one")
    return path


def test_a_release_holds_the_marts_with_keys_and_comments(warehouse: Path, tmp_path: Path) -> None:
    release = release_marts(warehouse, tmp_path / "release" / "marts.duckdb")
    assert release.row_counts == {"fct_set": 2}
    with duckdb.connect(release.path, read_only=True) as con:
        assert con.execute("from marts.fct_set order by set_key").fetchall() == [
            ("a", 82.5, [{"reps": 5}]),
            ("b", None, []),
        ]
        assert con.execute(
            "select schema_name, table_name, comment from duckdb_tables()"
        ).fetchall() == [("main", "fct_set", "One row per lifter's set.")]
        assert con.execute(
            "select comment from duckdb_columns() where column_name = 'weight_kg'"
        ).fetchall() == [("Load (kg).",)]
        assert con.execute(
            "select count(*) from duckdb_constraints() where constraint_type = 'PRIMARY KEY'"
        ).fetchall() == [(1,)]
    assert [file.name for file in release.path.parent.iterdir()] == ["marts.duckdb"]


def test_an_open_reader_keeps_its_release_while_the_next_one_comes(
    warehouse: Path, tmp_path: Path
) -> None:
    target = tmp_path / "release" / "marts.duckdb"
    release_marts(warehouse, target)
    with duckdb.connect(target, read_only=True) as reader:
        with open_warehouse(warehouse) as con:
            con.execute("delete from marts.fct_set")
        release_marts(warehouse, target)
        assert reader.execute("select count(*) from marts.fct_set").fetchall() == [(2,)]
    with duckdb.connect(target, read_only=True) as reader:
        assert reader.execute("select count(*) from marts.fct_set").fetchall() == [(0,)]


def test_a_release_that_fails_leaves_the_old_one(warehouse: Path, tmp_path: Path) -> None:
    target = tmp_path / "release" / "marts.duckdb"
    release_marts(warehouse, target)
    with pytest.raises(duckdb.Error):
        release_marts(tmp_path / "missing.duckdb", target)
    with duckdb.connect(target, read_only=True) as reader:
        assert reader.execute("select count(*) from marts.fct_set").fetchall() == [(2,)]
