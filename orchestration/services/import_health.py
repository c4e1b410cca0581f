"""Import a plain CSV of recovery and body data into the raw tables."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from health_connector.csv_file import read_health_csv
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
    settings: Settings, source: Path, athlete_id: str | None, now: datetime
) -> HealthImport:
    """Import a file for one athlete, in one transaction.

    Idempotent: the same file again adds nothing, and a corrected row supersedes the former one.

    Raises:
        HealthFileError: the file is unusable; nothing was written.
        SettingsError: the file cannot be opened.
        UnknownAthleteError: there is no such athlete.
        WarehouseBusyError: another process holds the warehouse.
    """
    athlete = find_athlete(settings, athlete_id)
    try:
        content = source.read_bytes()
    except OSError as error:
        raise SettingsError(f"{source} cannot be read: {error.strerror}.") from error
    file = read_health_csv(content, today=now.astimezone(UTC).date())
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
