"""An export has the release always, and the memories if the warehouse can be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import duckdb
import pytest

from coach_agent.memory.memories import Memory, Source, Statement
from coach_agent.store.memories import MemoryVersion, record_versions
from orchestration.config.lake import lake_of
from orchestration.config.settings import SettingsError
from orchestration.services.releases.export import Form, export_release
from orchestration.storage.extensions import ExtensionMissingError
from orchestration.storage.warehouse import Connect, open_warehouse
from orchestration.storage.warehouse_damage import WarehouseDamagedError
from tests.lakes import Lakes
from tests.orchestration.holding import held_by_another_process
from tests.orchestration.services.answers.scenario import write_release
from tests.ports import free_port

NOW = datetime(2026, 3, 12, 4, tzinfo=UTC)
DAYS = MemoryVersion(
    number=1,
    version=1,
    memory=Memory(
        athlete_id="ann",
        kind="training_days",
        subject="",
        statement=Statement(weekdays=(0, 3)),
        sources=(Source(mart="fct_workout", key="w", day=NOW.date()),),
    ),
    valid_from=NOW,
    valid_to=None,
    run_id="run",
)
FORMS: tuple[Form, ...] = ("csv", "parquet")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_release(folder)
    with open_warehouse(folder / "warehouse.duckdb") as con:
        record_versions(con, [DAYS])
    return folder


def connect_to(home: Path, *, wait_s: float = 60.0) -> Connect:
    return partial(open_warehouse, home / "warehouse.duckdb", read_only=True, wait_s=wait_s)


def failing(error: Exception) -> Connect:
    @contextmanager
    def connect() -> Iterator[duckdb.DuckDBPyConnection]:
        raise error
        yield

    return connect


@pytest.mark.parametrize("form", FORMS)
def test_memories_are_read_from_the_warehouse(home: Path, tmp_path: Path, form: Form) -> None:
    done = export_release(home / "release", form, tmp_path, connect=connect_to(home))
    assert done.warning is None
    assert sorted(done.files) == sorted(tmp_path.iterdir())
    with duckdb.connect() as con:
        found = con.execute(
            f"select athlete_id, statement->'weekdays' from '{tmp_path}/memories.{form}'"
        ).fetchall()
    assert found == [("ann", "[0,3]")]


@pytest.mark.parametrize("form", FORMS)
def test_while_a_run_holds_the_warehouse_memories_are_left_out(
    home: Path, tmp_path: Path, form: Form
) -> None:
    with held_by_another_process(home / "warehouse.duckdb"):
        busy = connect_to(home, wait_s=0.1)
        done = export_release(home / "release", form, tmp_path, connect=busy)
    assert (done.warning or "").startswith("memories: left out, since another process holds")
    assert sorted(done.files) == sorted(tmp_path.iterdir())
    assert f"fct_set.{form}" in {file.name for file in done.files}
    assert f"memories.{form}" not in {file.name for file in done.files}


def test_memories_are_read_from_a_lake(home: Path, lakes: Lakes, tmp_path: Path) -> None:
    lake = lake_of(lakes.new(tmp_path / "lake"))
    with open_warehouse(lake) as con:
        record_versions(con, [DAYS])
    connect = partial(open_warehouse, lake, read_only=True)
    done = export_release(home / "release", "parquet", tmp_path / "out", connect=connect)
    assert done.warning is None
    with duckdb.connect() as con:
        [(count,)] = con.execute(
            f"select count(*) from '{tmp_path}/out/memories.parquet'"
        ).fetchall()
    assert count == 1


def test_a_catalog_that_does_not_answer_leaves_memories_out(
    home: Path, lakes: Lakes, tmp_path: Path
) -> None:
    lake = lake_of(lakes.new(tmp_path / "lake"))
    away = replace(lake, catalog=f"host=127.0.0.1 port={free_port()} dbname=spotter")
    connect = partial(open_warehouse, away, read_only=True, wait_s=0)
    done = export_release(home / "release", "csv", tmp_path / "out", connect=connect)
    assert "its catalog does not answer" in (done.warning or "")
    assert sorted(done.files) == sorted((tmp_path / "out").iterdir())


def test_memories_of_an_earlier_export_are_told(home: Path, tmp_path: Path) -> None:
    export_release(home / "release", "csv", tmp_path, connect=connect_to(home))
    earlier = (tmp_path / "memories.csv").read_bytes()
    with held_by_another_process(home / "warehouse.duckdb"):
        busy = connect_to(home, wait_s=0.1)
        done = export_release(home / "release", "csv", tmp_path, is_replacing=True, connect=busy)
    assert f"{tmp_path}/memories.csv is of an earlier export." in (done.warning or "")
    assert (tmp_path / "memories.csv").read_bytes() == earlier
    assert tmp_path / "memories.csv" not in done.files


def test_without_a_warehouse_there_are_no_memories(home: Path, tmp_path: Path) -> None:
    nowhere = connect_to(tmp_path / "nowhere")
    done = export_release(home / "release", "csv", tmp_path / "out", connect=nowhere)
    assert done.warning is None
    assert "memories.csv" not in {file.name for file in (tmp_path / "out").iterdir()}


@pytest.mark.parametrize(
    "error", [WarehouseDamagedError("damaged"), ExtensionMissingError("extras")]
)
def test_another_error_of_the_warehouse_writes_nothing(
    home: Path, tmp_path: Path, error: Exception
) -> None:
    out = tmp_path / "out"
    with pytest.raises(type(error), match=str(error)):
        export_release(home / "release", "csv", out, connect=failing(error))
    assert not out.exists()


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_cannot_be_written_is_one_clear_error(
    home: Path, tmp_path: Path, form: Form
) -> None:
    blocked = tmp_path / f"memories.{form}"
    blocked.mkdir()
    with pytest.raises(SettingsError, match=r"cannot be written: .*[Ii]s a directory"):
        export_release(
            *(home / "release", form, tmp_path), is_replacing=True, connect=connect_to(home)
        )
    assert not (tmp_path / f"fct_set.{form}").exists()
