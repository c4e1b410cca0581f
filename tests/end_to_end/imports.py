"""A night of athletes with files and without accounts."""

import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from orchestration.config.settings import load_settings
from orchestration.services.ingestion.import_csv import ImportOptions, import_csv
from tests.end_to_end.exports import HEADER, push_and_pull
from tests.end_to_end.world import ROOT, Home, new_home

LOGS = ROOT.parent / "shared" / "data"
LOG = LOGS / "hevy-ferreira-mit" / "hevy_workouts_raw.csv"
SHORT_LOG = LOGS / "hevy-mouadja02" / "workout_data.csv"

HAS_LOGS = LOG.exists()

TYPED = 846
LOADS = (86, 86, 88, 88, TYPED)
"""Loads of five days of squats; the last one is a typing error."""


@dataclass(frozen=True)
class Imports:
    """Output of each command for `me`, and the import results of the others.

    `again` has the demo athlete's export, `ann` the squats of LOADS and a plank of hours; with the
    real logs, `log1` has the long one, twice, and `log2` one with a broken line.
    """

    folder: Path
    imported: subprocess.CompletedProcess[str]
    ran: subprocess.CompletedProcess[str]
    shown: subprocess.CompletedProcess[str]
    exported: Any
    reports: dict[str, Any]
    broken_line: int | None


def import_and_run(folder: Path, variables: dict[str, str], demo: Home) -> Imports:
    """Import the files in a new home in the folder, and run its night."""
    home = new_home(folder, "http://127.0.0.1:9", **variables)
    (home.athletes / "demo.toml").unlink()
    # The commands of docs/quick-start.md and docs/importing.md.
    file = folder / "workout_data.csv"
    file.write_text(push_and_pull(datetime.now(UTC).date() - timedelta(days=18)))
    imported = home.spotter("import-csv", file, "--athlete", "me")

    exported = demo.spotter_json("export", "--format", "hevy-csv", "--out", folder / "exported.csv")
    (folder / "ann.csv").write_text(_squats())
    reports = {
        "again": _import(home, "again", folder / "exported.csv", timezone="Europe/Berlin"),
        "ann": _import(home, "ann", folder / "ann.csv"),
    }
    broken_line = None
    if HAS_LOGS:
        text, broken_line = _broken()
        (folder / "broken.csv").write_text(text)
        reports |= {
            "log1": _import(home, "log1", LOG),
            "log1 again": _import(home, "log1", LOG),
            "log2": _import(home, "log2", folder / "broken.csv"),
        }
    return Imports(
        folder,
        imported=imported,
        ran=home.spotter("run"),
        shown=home.spotter("plan", "show", "--athlete", "me"),
        exported=exported,
        reports=reports,
        broken_line=broken_line,
    )


def _import(home: Home, athlete: str, file: Path, *, timezone: str | None = None) -> Any:
    """Import like the command, without the build of the marts."""
    settings = load_settings(home.env)
    options = ImportOptions(timezone=timezone)
    return import_csv(settings, file, athlete, options, lambda _: None).summary()


def _squats() -> str:
    rows = (
        f'"A","{day} Feb 2026, 18:02","{day} Feb 2026, 19:01","","Squat (Barbell)",,"",0,"normal",'
        f"{load},8,,,\n"
        for day, load in enumerate(LOADS, start=1)
    )
    plank = '"5 Feb 2026, 18:02","5 Feb 2026, 19:01","","Plank",,"",0,"normal",,,,6000,'
    return f'{HEADER}{"".join(rows)}"5",{plank}\n'


def _broken() -> tuple[str, int]:
    """Return the short log with an unreadable row, and the number of its line."""
    lines = SHORT_LOG.read_text().split("\n")
    at = next(index for index in range(200, len(lines)) if lines[index].count('"normal"') == 1)
    lines[at] = lines[at].replace('"normal"', '"strange"')
    return "\n".join(lines), at + 1
