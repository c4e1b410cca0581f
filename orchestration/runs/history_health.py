"""Check Dagster's history, in files of the home or in PostgreSQL, and quarantine damage."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from orchestration.config.limits import CLOCK_MAY_BE_OFF
from orchestration.config.postgres import PostgresError, PostgresTableMissingError, connect_postgres
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.check_result import CheckResult
from orchestration.storage.file_lock import file_lock
from orchestration.storage.home_files import DAMAGED

_SHARED = ("history/runs.db", "history/runs/index.db", "schedules/schedules.db")
_LATEST_RUNS = 20
"""Limit of run databases that the status may read."""

_TICKS = "select max(timestamp) from job_ticks"
_RUNS = "select max(create_timestamp) from runs"


def history(settings: Settings) -> CheckResult:
    """Check that Dagster's run history can be read."""
    if settings.dagster_database:
        return _check_database(settings)
    for path in sorted(settings.dagster_home.rglob("*.db")):
        damage = sqlite_damage(path)
        if damage is not None:
            return CheckResult(
                name="history",
                state="fail",
                text=f"{path.relative_to(settings.dagster_home)}: {damage}",
                fix="Stop Dagster and restore a backup: spotter restore FILE --replace. Without "
                f"one, move the whole folder {settings.dagster_home} away (docs/operations.md).",
            )
    return CheckResult(name="history", state="ok", text="Dagster's history is intact")


def sqlite_damage(path: Path) -> str | None:
    """Return the first problem of an SQLite file, None if it is intact.

    SQLite has no checksums: a changed byte within a value is not detected.
    """
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as con:
            told: tuple[str] = con.execute("pragma quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if told[0] == "ok" else told[0]


def quarantine_damaged(settings: Settings, now: datetime) -> Path | None:
    """Move a damaged history away, so that a run starts with a new one; None if it is intact.

    The whole folder `history` or `schedules` is moved, since SQLite's logs belong to their
    databases. Only the latest run databases are checked. A history in PostgreSQL is not touched.
    """
    if settings.dagster_database:
        return None
    if not settings.dagster_home.exists():
        return None
    # Servers that start at the same time must not create databases in the moved folder.
    with file_lock(settings.home / "dagster.lock", "putting a history aside", wait_s=60.0):
        return _quarantine(settings.home, settings.dagster_home, now)


def is_history_damaged(dagster_home: Path) -> bool:
    """Return true if a run would move the history in these files away."""
    return bool(_damaged_folders(dagster_home))


def _damaged_folders(dagster_home: Path) -> set[str]:
    single = sorted(
        (path for path in dagster_home.glob("history/runs/*.db") if path.name != "index.db"),
        key=lambda path: path.stat().st_mtime,
    )
    read = [*(dagster_home / name for name in _SHARED), *single[-_LATEST_RUNS:]]
    return {
        path.relative_to(dagster_home).parts[0]
        for path in read
        if path.exists() and sqlite_damage(path) is not None
    }


def _quarantine(home: Path, dagster_home: Path, now: datetime) -> Path | None:
    damaged = _damaged_folders(dagster_home)
    if not damaged:
        return None
    aside = home / f"{DAMAGED}{now:%Y%m%dT%H%M%SZ}"
    aside.mkdir()
    for folder in damaged:
        (dagster_home / folder).rename(aside / folder)
    # The new history is created with the tables of this version.
    (dagster_home / "dagster.version").unlink(missing_ok=True)
    return aside


def quarantine_folders(settings: Settings) -> list[Path]:
    """Return the damaged histories that were moved away and not yet removed."""
    return sorted(settings.home.glob(f"{DAMAGED}*"))


def times(settings: Settings, now: datetime) -> Iterator[CheckResult]:
    """Report timestamps in the future, caused by a wrong clock.

    Dagster's daemon waits for the minimum interval since a sensor's last tick, so after a tick from
    the future the sensor does not run until then.
    """
    ticked = _newest(settings, "schedules/schedules.db", _TICKS)
    if ticked is not None and ticked > now + CLOCK_MAY_BE_OFF:
        place = settings.dagster_database or str(settings.dagster_home / "schedules")
        remove = (
            f"empty the tables job_ticks, instigators and jobs of {place}"
            if settings.dagster_database
            else f"move the folder {place} away"
        )
        yield CheckResult(
            name="times",
            state="fail",
            text=f"a sensor looked at {ticked:%Y-%m-%d %H:%M} UTC, in the future: the clock was "
            "wrong, and until then no run starts automatically",
            fix=f"If the clock is right now: stop Dagster, {remove}, "
            "start Dagster again, and run: spotter run (docs/operations.md)",
        )
        return
    begun = _newest(settings, "history/runs.db", _RUNS)
    if begun is not None and begun > now + CLOCK_MAY_BE_OFF:
        yield CheckResult(
            name="times",
            state="warn",
            text=f"a run is dated {begun:%Y-%m-%d %H:%M} UTC, in the future: the clock was wrong",
            fix="If the clock is right now, run: spotter run. What it makes is dated rightly.",
        )


def _check_database(settings: Settings) -> CheckResult:
    try:
        runs = _query_database(settings, "select count(*) from runs")
    except PostgresTableMissingError:
        return CheckResult(
            name="history",
            state="warn",
            text=f"nothing yet in {settings.dagster_database}",
            fix="Run: spotter run",
        )
    except (SettingsError, PostgresError) as error:
        return CheckResult(
            name="history",
            state="fail",
            text=str(error),
            fix="Start PostgreSQL, or fix SPOTTER_DAGSTER_DATABASE or PGPASSWORD.",
        )
    return CheckResult(name="history", state="ok", text=f"{runs} runs, {settings.dagster_database}")


def _newest(settings: Settings, file: str, query: str) -> datetime | None:
    """Return a timestamp of Dagster's history; None if there is none or it cannot be read."""
    try:
        told = (
            _query_database(settings, query)
            if settings.dagster_database
            else _query_file(settings, file, query)
        )
    except (sqlite3.DatabaseError, SettingsError, PostgresError):
        return None  # `history` reports damage
    if told is None:
        return None
    moment = told if isinstance(told, datetime) else datetime.fromisoformat(str(told))
    return moment.replace(tzinfo=UTC)


def _query_file(settings: Settings, file: str, query: str) -> object:
    path = settings.dagster_home / file
    if not path.exists():
        return None
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as con:
        row: tuple[object] = con.execute(query).fetchone()
        return row[0]


def _query_database(settings: Settings, query: str) -> object:
    with connect_postgres(settings.dagster_database, settings.postgres_password) as con:
        told: object = con.exec_driver_sql(query).scalar_one()
        return told
