"""Dagster's history: in files of the home, or in a PostgreSQL shared by several machines."""

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import dagster as dg
import sqlalchemy.exc
from dagster._core.instance import InstanceRef
from dagster_shared.yaml_utils import dump_run_config_yaml, load_run_config_yaml
from yaml import YAMLError

from orchestration.config.durable_files import replace_file
from orchestration.config.locations import PROJECT_FILES
from orchestration.config.postgres import (
    PostgresError,
    PostgresRefusedError,
    PostgresTableMissingError,
    advisory_lock,
    connect_postgres,
    missing_driver_error,
    sqlalchemy_url,
)
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.event_log_storage import PooledSqliteEventLogStorage
from orchestration.runs.status import HistoryDamagedError, HistoryLostError
from orchestration.storage.file_lock import file_lock

# A long-running listener reconnects after a restart of the server.
_RECYCLE_S = 60
_CONNECTIONS = 20

_DAMAGE = re.compile("malformed|not a database|disk image|file is encrypted")


@contextmanager
def dagster_instance(
    settings: Settings, *, keeps_configuration: bool = False
) -> Iterator[dg.DagsterInstance]:
    """Yield Dagster's instance of this home, created with the project's configuration if missing.

    With `keeps_configuration` an existing configuration stays: for a reader whose variables may
    differ from those of the servers that start runs.

    Raises:
        SettingsError: the history is in PostgreSQL, and its driver is not installed or its user
            lacks rights.
        HistoryLostError: the history is in PostgreSQL, which does not answer.
        HistoryDamagedError: the history is in files, and one of them is damaged.
    """
    if settings.athletes_dir.parent == settings.home and not settings.dagster_home.exists():
        # A home with a history and without this folder is of an earlier version.
        settings.athletes_dir.mkdir(parents=True, exist_ok=True)
    settings.dagster_home.mkdir(parents=True, exist_ok=True)
    os.environ["DAGSTER_HOME"] = str(settings.dagster_home)
    if not settings.dagster_database:
        try:
            with _open_instance(
                settings, _pooled_storage(settings), keeps_configuration
            ) as instance:
                yield instance
        except (sqlite3.DatabaseError, sqlalchemy.exc.DatabaseError) as error:
            if not _DAMAGE.search(str(error)):
                raise
            raise HistoryDamagedError(
                f"Dagster's history in {settings.dagster_home} is damaged ({_why(error)}). Run: "
                "spotter run, which puts it aside and goes on; or restore a backup: spotter "
                "restore FILE --replace"
            ) from error
        return
    try:
        from dagster_postgres.utils import DagsterPostgresException
    except ImportError as error:
        raise missing_driver_error() from error
    os.environ.update(settings.postgres_variables)
    try:
        with _open_instance(settings, {}, keeps_configuration) as instance:
            # By default it reconnects for each of the 1,900 writes of a nightly run: half of its
            # time.
            instance.optimize_for_webserver(
                statement_timeout=0, pool_recycle=_RECYCLE_S, max_overflow=_CONNECTIONS
            )
            yield instance
    except (sqlalchemy.exc.ProgrammingError, PostgresRefusedError) as error:
        raise SettingsError(
            f"{_unusable_message(settings, error)} Let its user make and change tables there, or "
            "fix SPOTTER_DAGSTER_DATABASE."
        ) from error
    except (sqlalchemy.exc.OperationalError, DagsterPostgresException, PostgresError) as error:
        raise HistoryLostError(
            f"{_unusable_message(settings, error)} Start PostgreSQL, or fix "
            "SPOTTER_DAGSTER_DATABASE or PGPASSWORD; what was not finished is done by the next run."
        ) from error


@contextmanager
def _open_instance(
    settings: Settings, overrides: Mapping[str, Any], keeps_configuration: bool
) -> Iterator[dg.DagsterInstance]:
    # Two processes that create its databases at the same time corrupt them.
    with file_lock(settings.home / "dagster.lock", "making Dagster's history", wait_s=60.0):
        path = settings.dagster_home / "dagster.yaml"
        if not (keeps_configuration and path.exists()):
            wanted = (_configuration(settings) + _storage(settings)).encode()
            if not path.exists() or path.read_bytes() != wanted:
                # Replaced atomically for servers that read it at the same time.
                replace_file(path, wanted)
        _migrate_history(settings)
        ref = InstanceRef.from_dir(str(settings.dagster_home), overrides=overrides)
        instance = dg.DagsterInstance.from_ref(ref)
    with instance:
        yield instance


def _configuration(settings: Settings) -> str:
    """Return the project's configuration; with partitions as many runs may be in progress.

    Only runs with the tags of a partitioned night are retried, if their process was lost. Sections
    of the operator's file are added.
    """
    text = (PROJECT_FILES / "dagster.yaml").read_text(encoding="utf-8")
    own = _own_configuration(settings)
    if settings.partitions == 1 and not own:
        return text
    found: dict[str, Any] = dict(load_run_config_yaml(text))
    if settings.partitions > 1:
        _add_partitions(found, settings.partitions)
    return dump_run_config_yaml(_merged(found, own))


def has_own_launcher(settings: Settings) -> bool:
    """Return true if the operator's file has a launcher: runs may outlive the code server."""
    return "run_launcher" in _own_configuration(settings)


def _own_configuration(settings: Settings) -> Mapping[str, Any]:
    """Return the sections of the operator's file.

    Raises:
        SettingsError: it cannot be read, or has a section that another setting decides.
    """
    path = settings.dagster_config
    if path is None:
        return {}
    try:
        found = load_run_config_yaml(path.read_text(encoding="utf-8"))
    except (OSError, YAMLError) as error:
        raise SettingsError(f"SPOTTER_DAGSTER_CONFIG {path} cannot be read: {error}.") from error
    if not isinstance(found, dict):
        raise SettingsError(f"SPOTTER_DAGSTER_CONFIG {path} has no sections.")
    if "storage" in found:
        raise SettingsError(
            f"SPOTTER_DAGSTER_CONFIG {path} has the section storage: use SPOTTER_DAGSTER_DATABASE."
        )
    return found


def _merged(ours: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return both; a section that names a class replaces ours."""
    merged = dict(ours)
    for name, value in own.items():
        before = merged.get(name)
        if isinstance(before, dict) and isinstance(value, dict) and "class" not in value:
            merged[name] = _merged(before, value)
        else:
            merged[name] = value
    return merged


def _add_partitions(found: dict[str, Any], partitions: int) -> None:
    found["concurrency"]["runs"]["max_concurrent_runs"] = partitions
    found["run_monitoring"] |= {"poll_interval_seconds": 10}
    found["run_retries"] = {
        "enabled": True,
        "max_retries": 0,
        "retry_on_asset_or_op_failure": False,
    }
    found["run_coordinator"] = {
        "module": "dagster._core.run_coordinator.queued_run_coordinator",
        "class": "QueuedRunCoordinator",
        "config": {
            "dequeue_interval_seconds": 1,
            "dequeue_use_threads": True,
            "dequeue_num_workers": 4,
            "max_user_code_failure_retries": 3,
            "user_code_failure_retry_delay": 10,
        },
    }


def _storage(settings: Settings) -> str:
    """Return the storage section for a history in PostgreSQL, without a password."""
    if not settings.dagster_database:
        return ""
    url = json.dumps(sqlalchemy_url(settings.dagster_database))
    return f"storage:\n  postgres:\n    postgres_url: {url}\n"


def _pooled_storage(settings: Settings) -> Mapping[str, Any]:
    return {
        "event_log_storage": {
            "module": PooledSqliteEventLogStorage.__module__,
            "class": PooledSqliteEventLogStorage.__name__,
            # The path at which Dagster's servers, with their own storage class, expect it.
            "config": {"base_dir": str(settings.dagster_home / "history" / "runs")},
        }
    }


def _migrate_history(settings: Settings) -> None:
    """Migrate a history of another Dagster version to this one."""
    folder, database = settings.dagster_home, settings.dagster_database
    stamp = folder / "dagster.version"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == _version(settings):
        return
    if database or (folder / "history").exists():
        # Concurrent migrations conflict, and other machines do not share our file lock.
        lock = (
            advisory_lock(database, settings.postgres_password, what="making tables")
            if database
            else nullcontext()
        )
        with lock, dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(folder))) as instance:
            instance.upgrade()
    stamp.write_text(_version(settings), encoding="utf-8")


def _version(settings: Settings) -> str:
    """Return the version of Dagster; for a database also its location and schema revision.

    A database may be recreated or restored while the home stays.
    """
    database = settings.dagster_database
    if not database:
        return dg.__version__
    try:
        with connect_postgres(database, settings.postgres_password) as connection:
            tables = connection.execute(sqlalchemy.text("select version_num from alembic_version"))
            revision = tables.scalar()
    except PostgresTableMissingError:
        revision = None
    return f"{dg.__version__} {database} {revision}"


def _unusable_message(settings: Settings, error: Exception) -> str:
    return f"Dagster's history in {settings.dagster_database} cannot be used: {_why(error)}."


def _why(error: Exception) -> str:
    """Return the first line of the innermost error, which is PostgreSQL's."""
    while error.__cause__ is not None and isinstance(error.__cause__, Exception):
        error = error.__cause__
    told = str(error).strip().splitlines()
    return told[0] if told else type(error).__name__
