"""Maintenance keeps a lake fast and small, and its content unchanged."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text

from orchestration.config.lake import Lake, lake_of
from orchestration.config.postgres import connect_postgres
from orchestration.config.settings import load_settings
from orchestration.services.operations.compaction import compact
from orchestration.storage.lake.upkeep import KEEP_SNAPSHOTS, maintain_lake
from orchestration.storage.warehouse import open_warehouse, rebuild_lock
from tests.end_to_end.test_ui import wait_until
from tests.lakes import LAKE_FOLDER, Lakes
from tests.orchestration.runs.test_dagster_history import ASKED_FOR_THE_LOCK

COMMITS = 6


@pytest.fixture
def lake(lakes: Lakes, tmp_path: Path) -> Lake:
    """Build a lake with a table of several commits."""
    lake = lake_of(lakes.new(tmp_path))
    with open_warehouse(lake) as con:
        con.execute("create table raw.counted (value integer)")
        for number in range(COMMITS):
            con.execute("insert into raw.counted values ($1)", [number])
        con.execute("delete from raw.counted where value = 0")
    return lake


def files(folder: Path) -> list[Path]:
    return sorted((folder / LAKE_FOLDER).rglob("counted/*.parquet"))


def test_small_files_become_few_and_old_ones_go(lake: Lake, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    before = files(tmp_path)
    with open_warehouse(lake) as con:
        first = maintain_lake(con, now)
        assert first.merged_files > 1
        assert (first.snapshots, first.removed_files) == (0, 0)
        later = maintain_lake(con, now + KEEP_SNAPSHOTS + timedelta(days=2))
        assert later.snapshots > COMMITS
        assert later.removed_files > 1
        assert len(files(tmp_path)) < len(before)
        found = con.execute("from raw.counted order by all").fetchall()
    assert found == [(number,) for number in range(1, COMMITS)]


def test_the_catalog_of_an_older_version_is_given_its_index(lake: Lake) -> None:
    catalog = "'__ducklake_metadata_warehouse'"
    indexes = "select indexname::varchar from pg_indexes where indexname like ''spotter%''"
    asked = f"from postgres_query({catalog}, '{indexes}')"
    with open_warehouse(lake) as con:
        assert con.execute(asked).fetchall() == [("spotter_file_column_stats",)]
        con.execute(f"call postgres_execute({catalog}, 'drop index spotter_file_column_stats')")
        assert con.execute(asked).fetchall() == []
        maintain_lake(con, datetime.now(UTC))
        assert con.execute(asked).fetchall() == [("spotter_file_column_stats",)]


def test_a_catalog_of_another_owner_goes_without_its_index(
    lake: Lake, lakes: Lakes, caplog: pytest.LogCaptureFixture
) -> None:
    catalog = "'__ducklake_metadata_warehouse'"
    role = f"guest_{uuid4().hex}"
    with open_warehouse(lake) as con:
        for statement in (
            "drop index spotter_file_column_stats",
            f"create role {role} login password ''{role}''",
            f"grant all on schema public to {role}",
            f"grant all on all tables in schema public to {role}",
        ):
            con.execute(f"call postgres_execute({catalog}, '{statement}')")
    as_guest = replace(
        lake, catalog=lake.catalog.replace("//spotter@", f"//{role}@"), password=role
    )
    with open_warehouse(as_guest) as con:
        assert maintain_lake(con, datetime.now(UTC)).merged_files > 1
    [said] = [text for text in caplog.messages if "index" in text]
    assert said.endswith(
        "create: create index if not exists spotter_file_column_stats "
        "on ducklake_file_column_stats (table_id, column_id)"
    )


def test_a_dry_run_changes_nothing(lake: Lake, tmp_path: Path) -> None:
    before = files(tmp_path)
    with open_warehouse(lake) as con:
        snapshots = con.execute("from warehouse.snapshots()").fetchall()
        later = datetime.now(UTC) + KEEP_SNAPSHOTS + timedelta(days=2)
        assert maintain_lake(con, later, is_dry_run=True).snapshots > COMMITS
        assert con.execute("from warehouse.snapshots()").fetchall() == snapshots
    assert files(tmp_path) == before


def test_it_waits_for_whoever_builds_models(lakes: Lakes, tmp_path: Path) -> None:
    settings = load_settings({"SPOTTER_HOME": str(tmp_path / "home"), **lakes.new(tmp_path)})
    lake = settings.warehouse
    assert isinstance(lake, Lake)
    with open_warehouse(lake):
        pass

    def who_asked() -> int:
        with connect_postgres(lake.catalog, lake.password) as con:
            asked: int = con.execute(text(ASKED_FOR_THE_LOCK)).scalar_one()
            return asked

    with ThreadPoolExecutor() as pool:
        with rebuild_lock(lake):
            compacting = pool.submit(compact, settings, datetime.now(UTC), print)
            wait_until(lambda: who_asked() == 2 or compacting.done(), "it to wait")
            assert not compacting.done()
        assert compacting.result().lake is not None
