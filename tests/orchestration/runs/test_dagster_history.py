"""Dagster's history in a PostgreSQL shared by several machines."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from orchestration.config.postgres import PostgresError, advisory_lock, connect_postgres
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.history import delete_runs, outdated_runs, recent_runs
from orchestration.storage.local_postgres import LocalPostgres
from tests.end_to_end.test_ui import wait_until

ASKED_FOR_THE_LOCK = """
select count(*) from pg_stat_activity
where datname = current_database() and query like '%pg_try_advisory_lock%'
and pid <> pg_backend_pid() and state = 'idle'
"""
TABLES = "select count(*) from pg_tables where schemaname = 'public'"


def machine(monkeypatch: pytest.MonkeyPatch, folder: Path, url: str, password: str) -> Settings:
    """Return the settings of a machine; Dagster gets the same from variables in this test."""
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


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Settings, Path]:
    """Return the settings of a home without variables, and the configuration of one with some."""
    own = tmp_path / "own.yaml"
    own.write_text("run_monitoring:\n  start_timeout_seconds: 77\n")
    variables = {"SPOTTER_HOME": str(tmp_path / "home")}
    settings = load_settings(variables)
    monkeypatch.setenv("DAGSTER_HOME", str(settings.dagster_home))
    with dagster_instance(load_settings({**variables, "SPOTTER_DAGSTER_CONFIG": str(own)})):
        pass
    return settings, settings.dagster_home / "dagster.yaml"


def test_a_reader_with_other_variables_keeps_the_configuration_of_the_servers(
    configured: tuple[Settings, Path],
) -> None:
    """The status of a shell without the variables of the daemon undid the daemon's."""
    settings, path = configured
    before = path.read_text()
    assert "start_timeout_seconds: 77" in before
    recent_runs(settings)
    assert outdated_runs(settings, datetime.now(UTC)) == []
    delete_runs(settings, [])
    assert path.read_text() == before
    with dagster_instance(settings):
        assert "start_timeout_seconds: 77" not in path.read_text()


def test_an_equal_configuration_is_not_written_again(configured: tuple[Settings, Path]) -> None:
    settings, path = configured
    with dagster_instance(settings):
        written = path.stat()
    with dagster_instance(settings):
        assert (path.stat().st_ino, path.stat().st_mtime_ns) == (
            written.st_ino,
            written.st_mtime_ns,
        )


def counted(settings: Settings, question: str) -> int:
    with connect_postgres(settings.dagster_database, settings.postgres_password) as con:
        return con.execute(text(question)).scalar_one()


def run_count(settings: Settings) -> int:
    with dagster_instance(settings) as instance:
        return len(instance.get_run_ids())


def assert_tables_wait_for_the_lock(settings: Settings) -> None:
    with ThreadPoolExecutor() as pool:
        with advisory_lock(
            settings.dagster_database, settings.postgres_password, what="making tables"
        ):
            begun = pool.submit(run_count, settings)
            wait_until(
                lambda: counted(settings, ASKED_FOR_THE_LOCK) == 2 or begun.done(),
                "the machine to wait",
            )
            assert counted(settings, TABLES) == 0
        assert begun.result() == 0
    assert counted(settings, TABLES) > 0


@pytest.mark.long
def test_a_machine_makes_no_tables_while_another_does(
    postgres: LocalPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_database("shared_history")
    settings = machine(monkeypatch, tmp_path, url, postgres.password)

    assert_tables_wait_for_the_lock(settings)


def test_who_waits_for_the_lock_holds_up_nothing_in_the_database(postgres: LocalPostgres) -> None:
    url = postgres.new_database("busy_history")

    def wait() -> None:
        with advisory_lock(url, postgres.password, what="making tables", wait_s=10.0):
            raise AssertionError("the lock is another's")

    with connect_postgres(url, postgres.password) as con, ThreadPoolExecutor() as pool:
        con = con.execution_options(isolation_level="AUTOCOMMIT")
        con.execute(text("create table large (id integer)"))
        with advisory_lock(url, postgres.password, what="making tables"):
            waiting = pool.submit(wait)
            wait_until(lambda: con.execute(text(ASKED_FOR_THE_LOCK)).scalar_one() == 2, "who waits")
            # It waits for all earlier transactions of other connections.
            con.execute(text("set statement_timeout = '60s'"))
            con.execute(text("create index concurrently by_id on large (id)"))
            with pytest.raises(PostgresError, match="another process has been making tables"):
                waiting.result()


@pytest.mark.long
def test_a_history_that_was_made_anew_has_its_tables(
    postgres: LocalPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_database("lost_history")
    settings = machine(monkeypatch, tmp_path, url, postgres.password)
    assert run_count(settings) == 0
    with connect_postgres(url, postgres.password) as con:
        con.execute(text("drop schema public cascade"))
        con.execute(text("create schema public"))
        con.commit()
    assert_tables_wait_for_the_lock(settings)


def test_a_database_that_lets_nothing_be_made_is_told(
    postgres: LocalPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_database("closed_history")
    with connect_postgres(url, postgres.password) as con:
        con.execute(text("create role reader login password 'reads'"))
        con.commit()
    refused = machine(monkeypatch, tmp_path, url.replace("//spotter@", "//reader@"), "reads")
    with pytest.raises(SettingsError, match="cannot be used: permission denied") as told:
        run_count(refused)
    assert "SPOTTER_DAGSTER_DATABASE" in str(told.value)


def test_a_new_moved_home_keeps_its_own_profiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its history may come before its first profile."""
    root, home = tmp_path / "project", tmp_path / "elsewhere"
    monkeypatch.setenv("DAGSTER_HOME", str(home / "dagster"))  # restored at the end
    (root / "athletes").mkdir(parents=True)
    moved = {"SPOTTER_HOME": str(home)}
    with dagster_instance(load_settings(moved, root)):
        pass
    assert load_settings(moved, root).athletes_dir == home / "athletes"
