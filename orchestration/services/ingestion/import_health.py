"""Import recovery and body data and sessions of a file into the raw tables."""

import signal
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final
from uuid import uuid4
from zoneinfo import ZoneInfo

from health_connector.apple_export import Progress, is_apple_export
from health_connector.apple_health import read_apple_health
from health_connector.archive import GZIP, open_archive
from health_connector.csv_file import read_health_csv
from health_connector.errors import HealthFileError
from health_connector.fit_file import is_fit_archive, is_fit_file, read_fit
from health_connector.garmin_export import is_garmin_export, read_garmin_export
from health_connector.health_file import HealthFile
from health_connector.landing import LandedRecords, kept_values, land_file
from health_connector.strava_export import is_strava_export, is_strava_table, read_strava_export
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, SettingsError
from orchestration.storage.warehouse import open_warehouse

LARGE: Final = 100_000_000  # bytes; a smaller file is read in seconds


@dataclass(frozen=True)
class HealthImport:
    """Result of an import: counts, the reasons of impossible values, and what was left out.

    `kept` counts the known values of each kind of which an export has none: they stay. `notes` are
    those of the file.
    """

    athlete_id: str
    days: LandedRecords
    sessions: LandedRecords
    impossible: tuple[str, ...]
    ignored_columns: tuple[str, ...]
    unread: tuple[str, ...]
    kept: Mapping[str, int]
    notes: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """Return the result for JSON."""
        return {
            "athlete": self.athlete_id,
            "days": asdict(self.days),
            "sessions": asdict(self.sessions),
            "impossible_values": list(self.impossible),
            "ignored_columns": list(self.ignored_columns),
            "unread": list(self.unread),
            "kept": dict(self.kept),
            "notes": list(self.notes),
        }


def import_health(
    settings: Settings,
    source: Path,
    athlete_id: str | None,
    now: datetime,
    *,
    progress: Progress = lambda read, size: None,
) -> HealthImport:
    """Import a file for one athlete, in one transaction.

    Idempotent: the same file again adds nothing, and a corrected row supersedes the former one.
    `progress` receives the bytes of an Apple Health export that are read, and its size.

    Raises:
        HealthFileError: the file is unusable; nothing was written.
        SettingsError: the file cannot be opened.
        UnknownAthleteError: there is no such athlete.
        WarehouseBusyError: another process holds the warehouse.
    """
    athlete = find_athlete(settings, athlete_id)
    try:
        file = _read(source, now.astimezone(UTC).date(), ZoneInfo(athlete.timezone), progress)
    except OSError as error:
        raise SettingsError(f"{source} cannot be read: {error.strerror}.") from error
    run_id = f"health-import-{uuid4()}"
    with open_warehouse(settings.warehouse) as con:

        def work() -> tuple[LandedRecords, LandedRecords, dict[str, int]]:
            kept = kept_values(con, athlete.id, file)
            return (*land_file(con, athlete.id, file, now=now, run_id=run_id), kept)

        days, sessions, kept = run_in_transaction(con, work)
    return HealthImport(
        athlete_id=athlete.id,
        days=days,
        sessions=sessions,
        impossible=tuple(one.reason for each in file.records for one in each.impossible),
        ignored_columns=file.ignored_columns,
        unread=file.unread,
        kept=kept,
        notes=file.notes,
    )


def import_health_in_child(
    settings: Settings,
    source: Path,
    athlete_id: str | None,
    now: datetime,
    *,
    progress: Progress = lambda read, size: None,
) -> HealthImport:
    """Import a file as `import_health` does, in a child process that returns its memory.

    For a command that builds the marts afterwards: the heap of a large export would stay.

    Raises:
        HealthFileError: as above, or the child was killed.
    """
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    arguments = (sender, settings, source, athlete_id, now)
    child = context.Process(target=_send_import, args=arguments, daemon=True)
    child.start()
    sender.close()
    try:
        while True:
            received = receiver.recv()
            if isinstance(received, HealthImport):
                return received
            if isinstance(received, Exception):
                raise received
            progress(*received)
    except EOFError:
        child.join()
        raise HealthFileError(
            f"The process that imports the file ended with code {child.exitcode}. Import it again: "
            "what is stored already is known."
        ) from None
    finally:
        receiver.close()
        child.kill()
        child.join()


def _send_import(
    sender: Connection, settings: Settings, source: Path, athlete_id: str | None, now: datetime
) -> None:
    """Send the progress of an import, then its result or error."""
    # Ctrl-C reaches the parent as well, which then kills this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def progress(read: int, size: int) -> None:
        sender.send((read, size))

    result: HealthImport | Exception
    try:
        result = import_health(settings, source, athlete_id, now, progress=progress)
    except Exception as error:  # raised again by the parent
        result = error
    sender.send(result)


def _read(source: Path, today: date, zone: ZoneInfo, progress: Progress) -> HealthFile:
    """Read a file by its content: a zip by the files in it, XML, FIT, or else a CSV."""
    if source.name.lower().removesuffix(".gz").endswith((".gpx", ".tcx")):
        raise HealthFileError(
            f"{source.name} is a GPX or TCX file, which is not read. Export the session as a FIT "
            "file: 'Export Original' in Garmin Connect and Strava."
        )
    with source.open("rb") as file:
        head = file.read(64)
    if head.startswith(b"PK\x03\x04"):
        with open_archive(source) as archive:
            is_garmin, is_strava = is_garmin_export(archive), is_strava_export(archive)
            is_fit = is_fit_archive(archive)
        if is_garmin:
            return read_garmin_export(source, today=today)
        if is_strava:
            return read_strava_export(source, today=today)
        if is_fit:
            return read_fit(source, zone, today=today)
    if is_fit_file(head) or head.startswith(GZIP):
        return read_fit(source, zone, today=today)
    if is_apple_export(head):
        return read_apple_health(source, today=today, progress=progress)
    if is_strava_table(head):
        return read_strava_export(source, today=today)
    return read_health_csv(source.read_bytes(), today=today)
