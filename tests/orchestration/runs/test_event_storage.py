"""The history of a night: written through pooled connections, read by Dagster's servers."""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionsFilter
from sqlalchemy import event
from sqlalchemy.engine import Engine

from orchestration.config.settings import Settings, load_settings
from orchestration.runs.dagster_history import dagster_instance

_ASSETS = 20


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("DAGSTER_HOME", "")  # is put back after the test
    return load_settings({"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "who"}, tmp_path)


def run(settings: Settings) -> str:
    """Run many small assets and a check; return the run's id."""

    @dg.multi_asset(
        specs=[dg.AssetSpec(f"asset_{number}") for number in range(_ASSETS)],
        check_specs=[dg.AssetCheckSpec("is_whole", asset="asset_0")],
    )
    def everything() -> Any:
        for number in range(_ASSETS):
            yield dg.MaterializeResult(asset_key=f"asset_{number}", metadata={"rows": number})
        yield dg.AssetCheckResult(asset_key="asset_0", passed=True)

    with dagster_instance(settings) as instance:
        return dg.materialize([everything], instance=instance).run_id


def test_each_file_of_events_is_opened_once(settings: Settings) -> None:
    opened: Counter[str] = Counter()

    def note(connection: Any, record: Any) -> None:
        [(_, _, file)] = connection.execute("pragma database_list").fetchall()
        opened[Path(file).name] += 1

    event.listen(Engine, "connect", note)
    try:
        run_id = run(settings)
    finally:
        event.remove(Engine, "connect", note)
    assert opened[f"{run_id}.db"] == 1
    # Dagster checks a new file once for its tables, on a separate connection.
    assert opened["index.db"] < 10


def test_the_schema_of_the_history_is_not_read_again_for_each_event(settings: Settings) -> None:
    lookups: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if 'info("asset_keys")' in statement:
            lookups.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        run(settings)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    # Without a cache there is a lookup for each event of each asset.
    assert 0 < len(lookups) < _ASSETS


def test_dagsters_own_storage_reads_what_was_written(settings: Settings) -> None:
    run_id = run(settings)
    files = settings.dagster_home / "history" / "runs"
    assert not list(files.glob("*-wal")), "a file was left open"
    with dg.DagsterInstance.from_config(str(settings.dagster_home)) as servers:
        assert type(servers.event_log_storage).__name__ == "SqliteEventLogStorage"
        last = servers.get_latest_materialization_event(dg.AssetKey("asset_7"))
        assert last is not None
        assert last.asset_materialization is not None
        assert last.asset_materialization.metadata["rows"].value == 7
        stored = servers.get_records_for_run(run_id).records
        assert len({record.storage_id for record in stored}) == len(stored) > 2 * _ASSETS


@pytest.mark.long
def test_servers_write_between_the_events_of_a_run(settings: Settings) -> None:
    """With an open read on a pooled connection, the next write would conflict."""
    with (
        dagster_instance(settings) as kept,
        dg.DagsterInstance.from_config(str(settings.dagster_home)) as servers,
    ):
        assert type(kept.event_log_storage) is not type(servers.event_log_storage)
        for number in range(10):
            for instance, name in ((kept, "ours"), (servers, "theirs")):
                told = dg.AssetMaterialization(name, metadata={"number": number})
                instance.report_runless_asset_event(told)
                for reader in (kept, servers):
                    last = reader.get_latest_materialization_event(dg.AssetKey(name))
                    assert last is not None
                    assert last.asset_materialization is not None
                    assert last.asset_materialization.metadata["number"].value == number
        for reader in (kept, servers):
            assert len(reader.fetch_materializations(dg.AssetKey("ours"), limit=99).records) == 10


@pytest.mark.long
def test_a_history_of_an_older_dagster_gets_what_this_one_needs(settings: Settings) -> None:
    run_id = run(settings)
    history = settings.dagster_home / "history"
    # As Dagster 1.9 left it: a column, a table and the revision are from 1.10 on.
    with closing(sqlite3.connect(history / "runs.db")) as runs:
        [(head,)] = runs.execute("select version_num from alembic_version").fetchall()
        runs.execute("alter table bulk_actions drop column job_name")
        runs.execute("drop table backfill_tags")
        runs.execute("update alembic_version set version_num = '1aca709bba64'")
        runs.commit()
    (settings.dagster_home / "dagster.version").write_text("1.9.0")
    with dagster_instance(settings) as instance:
        assert instance.get_backfills(filters=BulkActionsFilter(job_name="nightly")) == []
        assert instance.get_run_by_id(run_id) is not None
        assert instance.get_latest_materialization_event(dg.AssetKey("asset_3")) is not None
    with closing(sqlite3.connect(history / "runs.db")) as runs:
        assert runs.execute("select version_num from alembic_version").fetchall() == [(head,)]
    assert (settings.dagster_home / "dagster.version").read_text() == dg.__version__
