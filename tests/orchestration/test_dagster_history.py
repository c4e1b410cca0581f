"""Dagster's history in a PostgreSQL that several machines share."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text

from orchestration.lib.dagster_history import dagster_instance
from orchestration.lib.local_postgres import LocalPostgres
from orchestration.lib.postgres import connected, one_at_a_time
from orchestration.lib.run_status import HistoryLostError
from orchestration.lib.settings import Settings, load_settings
from tests.end_to_end.test_ui import wait_until

WAITING = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
TABLES = "select count(*) from pg_tables where schemaname = 'public'"


def machine(monkeypatch: pytest.MonkeyPatch, folder: Path, url: str, password: str) -> Settings:
    """The settings of a machine; for this test alone Dagster is told the same by variables."""
    variables = {
        "SPOTTER_HOME": str(folder / "home"),
        "SPOTTER_DAGSTER_DATABASE": url,
        "PGPASSWORD": password,
    }
    settings = load_settings(variables)
    monkeypatch.setenv("DAGSTER_HOME", str(settings.dagster_home))
    for variable, value in settings.postgres_variables.items():
        monkeypatch.setenv(variable, value)
    return settings


def run_count(settings: Settings) -> int:
    with dagster_instance(settings) as instance:
        return len(instance.get_run_ids())


def test_a_machine_makes_no_tables_while_another_does(
    postgres: LocalPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_database("shared_history")
    settings = machine(monkeypatch, tmp_path, url, postgres.password)

    def counted(question: str) -> int:
        with connected(settings, url) as con:
            return con.execute(text(question)).scalar_one()

    with ThreadPoolExecutor() as pool:
        with one_at_a_time(settings, url):
            begun = pool.submit(run_count, settings)
            wait_until(lambda: counted(WAITING) == 1 or begun.done(), "the machine to wait")
            assert counted(TABLES) == 0
        assert begun.result() == 0
    assert counted(TABLES) > 0


def test_a_database_that_lets_nothing_be_made_is_told(
    postgres: LocalPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_database("closed_history")
    ours = machine(monkeypatch, tmp_path, url, postgres.password)
    with connected(ours, url) as con:
        con.execute(text("create role reader login password 'reads'"))
        con.commit()
    refused = machine(monkeypatch, tmp_path, url.replace("//spotter@", "//reader@"), "reads")
    with pytest.raises(HistoryLostError, match="cannot be used: permission denied") as told:
        run_count(refused)
    assert "SPOTTER_DAGSTER_DATABASE" in str(told.value)
