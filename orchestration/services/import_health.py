"""Import recovery and body data, a CSV or an Apple Health export, into the raw tables."""

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from health_connector.apple_export import Progress, is_apple_export
from health_connector.apple_health import read_apple_health
from health_connector.csv_file import HealthFile, read_health_csv
from health_connector.landing import LandedDays, land_days
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, SettingsError
from orchestration.storage.warehouse import open_warehouse


@dataclass(frozen=True)
class HealthImport:
    """Result of an import: counts of days, the reasons of impossible values, unread columns."""

    athlete_id: str
    days: LandedDays
    impossible: tuple[str, ...]
    ignored_columns: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """Return the result for JSON."""
        return {
            "athlete": self.athlete_id,
            "days": asdict(self.days),
            "impossible_values": list(self.impossible),
            "ignored_columns": list(self.ignored_columns),
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
        file = _read(source, now.astimezone(UTC).date(), progress)
    except OSError as error:
        raise SettingsError(f"{source} cannot be read: {error.strerror}.") from error
    run_id = f"health-import-{uuid4()}"
    with open_warehouse(settings.warehouse) as con:
        landed = run_in_transaction(
            con,
            lambda: land_days(
                con,
                athlete.id,
                file.days,
                covered=file.covered,
                now=now,
                run_id=run_id,
                origin="csv",
            ),
        )
    return HealthImport(
        athlete_id=athlete.id,
        days=landed,
        impossible=tuple(one.reason for day in file.days for one in day.impossible),
        ignored_columns=file.ignored_columns,
    )


def _read(source: Path, today: date, progress: Progress) -> HealthFile:
    """Read a file by its content: a zip or XML is an Apple Health export, anything else a CSV."""
    with source.open("rb") as file:
        head = file.read(64)
    if is_apple_export(head):
        return read_apple_health(source, today=today, progress=progress)
    return read_health_csv(source.read_bytes(), today=today)
