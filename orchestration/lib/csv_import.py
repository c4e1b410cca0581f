"""Bringing a file of training into the raw tables."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from coach_agent.profile import load_profile, load_profiles
from hevy_connector.csv_exports import CsvImport, read_hevy_csv
from hevy_connector.landing import Landed, land
from hevy_connector.quarantine import Rejected
from orchestration.lib.athletes import UnknownAthleteError
from orchestration.lib.settings import Settings, SettingsError
from orchestration.lib.warehouse import open_warehouse

_ATHLETE_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")

_NEW_PROFILE = """\
id = "{athlete_id}"
timezone = "UTC"  # where you train, such as "Europe/Berlin": it decides what a day is

[hevy]
account = "none"  # training comes from files; "hevy" once HEVY_API_KEY stands in .env
"""


@dataclass(frozen=True)
class ImportOutcome:
    """What an import did; `rows_read` = `sets_loaded` + `len(rejected)`.

    Of the `workout_count` workouts in the file, `added` were new or had changed; the others were
    known already. `new_profile` is the file that was written for an athlete who had none.
    """

    athlete_id: str
    rows_read: int
    sets_loaded: int
    workout_count: int
    added: int
    quarantined: int
    rejected: tuple[Rejected, ...]
    new_profile: Path | None

    def summary(self) -> dict[str, Any]:
        """The same as plain values, with the line and the reason of each rejected row."""
        return {
            "athlete": self.athlete_id,
            "rows_read": self.rows_read,
            "sets_loaded": self.sets_loaded,
            "workouts": self.workout_count,
            "workouts_new_or_changed": self.added,
            "rows_rejected": [
                {"line": reject.source_line, "reason": reject.reason} for reject in self.rejected
            ],
            "rows_newly_quarantined": self.quarantined,
            "new_profile": None if self.new_profile is None else str(self.new_profile),
        }


def import_csv(settings: Settings, source: Path, athlete_id: str) -> ImportOutcome:
    """Read a Hevy export into the raw tables of one athlete; the same file again adds nothing.

    An athlete who is not known yet gets a profile: a file of training is enough to begin.

    Raises:
        CsvFormatError: the file is no Hevy export; nothing was written.
        SettingsError: the file cannot be opened.
        UnknownAthleteError: the id cannot be one.
        ProfileError: the athlete's profile cannot be used.
        WarehouseBusyError: another process holds the warehouse.
    """
    if not _ATHLETE_ID.fullmatch(athlete_id):
        raise UnknownAthleteError(
            f"'{athlete_id}' is no athlete id: use lower-case letters, digits, - and _."
        )
    try:
        content = source.read_bytes()
    except OSError as error:
        raise SettingsError(f"{source} cannot be read: {error.strerror}.") from error
    profile_path = settings.athletes_dir / f"{athlete_id}.toml"
    is_known = profile_path.exists()
    timezone = ZoneInfo(load_profile(profile_path).timezone if is_known else "UTC")
    load_profiles(settings.athletes_dir)  # the marts need all of them: better to fail before
    parsed = read_hevy_csv(content, athlete_id=athlete_id, timezone=timezone)
    landed = _land(settings, athlete_id, parsed)
    if not is_known:
        profile_path.parent.mkdir(parents=True, exist_ok=True)
        profile_path.write_text(_NEW_PROFILE.format(athlete_id=athlete_id))
    return ImportOutcome(
        athlete_id=athlete_id,
        rows_read=parsed.rows_read,
        sets_loaded=parsed.sets_loaded,
        workout_count=len(parsed.workouts),
        added=landed.added,
        quarantined=landed.quarantined,
        rejected=parsed.rejected,
        new_profile=None if is_known else profile_path,
    )


def _land(settings: Settings, athlete_id: str, parsed: CsvImport) -> Landed:
    with open_warehouse(settings.warehouse_path) as con:
        con.begin()
        try:
            landed = land(
                con,
                "hevy_workouts",
                athlete_id,
                parsed.workouts,
                now=datetime.now(UTC),
                run_id=f"import-{uuid4()}",
                origin="csv",
                rejected=parsed.rejected,
            )
        except BaseException:
            con.rollback()
            raise
        con.commit()
    return landed
