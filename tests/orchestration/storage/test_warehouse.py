import threading
from pathlib import Path

import duckdb
import pytest

from orchestration.storage.warehouse import (
    WarehouseBusyError,
    WarehouseMissingError,
    attach_warehouse,
    open_warehouse,
)
from orchestration.storage.warehouse_damage import WarehouseDamagedError
from tests.orchestration.holding import held_by_another_process


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


# Words of a damage message may be part of a path.
@pytest.mark.parametrize("folder", ["home", "corrupt WAL file, checksum"])
def test_a_held_warehouse_is_waited_for_and_then_named(tmp_path: Path, folder: str) -> None:
    path = tmp_path / folder / "warehouse.duckdb"
    with open_warehouse(path):
        pass
    with held_by_another_process(path) as let_go:
        with (
            pytest.raises(WarehouseBusyError, match="held by another process"),
            open_warehouse(path, wait_s=0.5),
        ):
            pass
        with (
            duckdb.connect() as con,
            pytest.raises(WarehouseBusyError, match="held by another process"),
        ):
            attach_warehouse(con, path, wait_s=0.5)
        threading.Timer(0.3, let_go).start()
        with open_warehouse(path, wait_s=30) as con:
            assert con.execute("select 1").fetchall() == [(1,)]


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with pytest.raises(duckdb.CatalogException), open_warehouse(path) as con:
        con.execute("from nowhere")
    with duckdb.connect(path, read_only=True) as con:
        assert con.execute("select 1").fetchall() == [(1,)]


def test_a_damaged_warehouse_is_not_taken_for_a_busy_one(tmp_path: Path) -> None:
    """DuckDB names the damaged block, and that word contains "lock"."""
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as con:
        con.execute("create table many as select range as number from range(100000)")
        con.execute("checkpoint")
    content = bytearray(path.read_bytes())
    for at in range(12_288, len(content), 4096):
        content[at] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(WarehouseDamagedError, match="Corrupt"), open_warehouse(path, wait_s=0.0):
        pass
