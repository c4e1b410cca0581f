"""How Dagster's history is, in files of the home or in PostgreSQL; nothing is changed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from orchestration.config.limits import CLOCK_MAY_BE_OFF
from orchestration.config.postgres import PostgresError, PostgresTableMissingError, connected
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.check_result import Finding
from orchestration.storage.file_lock import file_lock
from orchestration.storage.home_files import DAMAGED

_SHARED = ("history/runs.db", "history/runs/index.db", "schedules/schedules.db")
_LATEST_RUNS = 20
"""So many databases of single runs may be read by the status."""

_TICKS = "select max(timestamp) from job_ticks"
_RUNS = "select max(create_timestamp) from runs"


def history(settings: Settings) -> Finding:
    """Whether Dagster's history of runs can be read."""
    if settings.dagster_database:
        return _of_database(settings)
    for path in sorted(settings.dagster_home.rglob("*.db")):
        damage = sqlite_damage(path)
        if damage is not None:
            return Finding(
                name="history",
                state="mend",
                text=f"{path.relative_to(settings.dagster_home)}: {damage}",
                mend="Stop Dagster and restore a backup: spotter restore FILE --replace. Without "
                f"one, move the whole folder {settings.dagster_home} away (docs/operations.md).",
            )
    return Finding(name="history", state="ok", text="Dagster's history is whole")


def sqlite_damage(path: Path) -> str | None:
    """The first problem of a database file of SQLite, None if it is whole.

    SQLite has no checksums: a changed byte within a value stays unnoticed.
    """
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as con:
            told: tuple[str] = con.execute("pragma quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if told[0] == "ok" else told[0]


def quarantine_damaged(settings: Settings, now: datetime) -> Path | None:
    """Move a damaged history away, so that a run begins with a new one; None if it is whole.

    All of `history` or `schedules` goes, as SQLite's logs belong to the files beside them. Of the
    databases of single runs only the latest are read. A history in PostgreSQL is left alone.
    """
    if settings.dagster_database:
        return None
    if not settings.dagster_home.exists():
        return None
    # Servers that begin at the same time must not make databases in what is moved.
    with file_lock(settings.home / "dagster.lock", "putting a history aside", wait_s=60.0):
        return _quarantine(settings.home, settings.dagster_home, now)


def _quarantine(home: Path, dagster_home: Path, now: datetime) -> Path | None:
    single = sorted(
        (path for path in dagster_home.glob("history/runs/*.db") if path.name != "index.db"),
        key=lambda path: path.stat().st_mtime,
    )
    read = [*(dagster_home / name for name in _SHARED), *single[-_LATEST_RUNS:]]
    damaged = {
        path.relative_to(dagster_home).parts[0]
        for path in read
        if path.exists() and sqlite_damage(path) is not None
    }
    if not damaged:
        return None
    aside = home / f"{DAMAGED}{now:%Y%m%dT%H%M%SZ}"
    aside.mkdir()
    for folder in damaged:
        (dagster_home / folder).rename(aside / folder)
    # A new history is made with the tables of this version.
    (dagster_home / "dagster.version").unlink(missing_ok=True)
    return aside


def quarantined(settings: Settings) -> list[Path]:
    """The damaged histories that were put aside and not removed yet."""
    return sorted(settings.home.glob(f"{DAMAGED}*"))


def times(settings: Settings, now: datetime) -> Iterator[Finding]:
    """What is dated in the future, because the clock was wrong: nothing where it never was.

    Dagster's daemon asks a sensor again when the least time since its last tick has passed, and so
    none until the time of a tick from the future is reached.
    """
    ticked = _newest(settings, "schedules/schedules.db", _TICKS)
    if ticked is not None and ticked > now + CLOCK_MAY_BE_OFF:
        place = settings.dagster_database or str(settings.dagster_home / "schedules")
        remove = (
            f"empty the tables job_ticks, instigators and jobs of {place}"
            if settings.dagster_database
            else f"move the folder {place} away"
        )
        yield Finding(
            name="times",
            state="mend",
            text=f"a sensor looked at {ticked:%Y-%m-%d %H:%M} UTC, in the future: the clock was "
            "wrong, and until then nothing begins by itself",
            mend=f"If the clock is right now: stop Dagster, {remove}, "
            "start Dagster again, and run: spotter run (docs/operations.md)",
        )
        return
    begun = _newest(settings, "history/runs.db", _RUNS)
    if begun is not None and begun > now + CLOCK_MAY_BE_OFF:
        yield Finding(
            name="times",
            state="look",
            text=f"a run is dated {begun:%Y-%m-%d %H:%M} UTC, in the future: the clock was wrong",
            mend="If the clock is right now, run: spotter run. What it makes is dated rightly.",
        )


def _of_database(settings: Settings) -> Finding:
    try:
        runs = _told_by_database(settings, "select count(*) from runs")
    except PostgresTableMissingError:
        return Finding(
            name="history",
            state="look",
            text=f"nothing yet in {settings.dagster_database}",
            mend="Run: spotter run",
        )
    except (SettingsError, PostgresError) as error:
        return Finding(
            name="history",
            state="mend",
            text=str(error),
            mend="Start PostgreSQL, or mend SPOTTER_DAGSTER_DATABASE or PGPASSWORD.",
        )
    return Finding(name="history", state="ok", text=f"{runs} runs, {settings.dagster_database}")


def _newest(settings: Settings, file: str, query: str) -> datetime | None:
    """A moment that Dagster's history tells; None if it tells none or cannot be read."""
    try:
        told = (
            _told_by_database(settings, query)
            if settings.dagster_database
            else _told_by_file(settings, file, query)
        )
    except (sqlite3.DatabaseError, SettingsError, PostgresError):
        return None  # whether it is whole is looked at before
    if told is None:
        return None
    moment = told if isinstance(told, datetime) else datetime.fromisoformat(str(told))
    return moment.replace(tzinfo=UTC)


def _told_by_file(settings: Settings, file: str, query: str) -> object:
    path = settings.dagster_home / file
    if not path.exists():
        return None
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as con:
        row: tuple[object] = con.execute(query).fetchone()
        return row[0]


def _told_by_database(settings: Settings, query: str) -> object:
    with connected(settings.dagster_database, settings.postgres_password) as con:
        told: object = con.exec_driver_sql(query).scalar_one()
        return told
