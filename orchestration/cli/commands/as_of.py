"""`spotter as-of`: the marts as they were known on an earlier date."""

import json
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.releases.as_of import folder_of, release_as_of
from orchestration.services.releases.release_contents import DATABASE_FILE


def show_as_of(
    date: Annotated[
        datetime,
        typer.Argument(metavar="DATE", formats=["%Y-%m-%d"], help="Last day that counts, in UTC."),
    ],
    as_json: AsJson = False,
) -> None:
    """Rebuild the marts as they were known on a date.

    Later workouts, edits, deletions, corrections and plans do not count. The marts are written to
    a folder of their own in the home; those of today stay as they are.
    """
    settings = load_settings()
    day = date.replace(tzinfo=UTC)
    if day > datetime.now(UTC):
        raise SettingsError(f"{day:%Y-%m-%d} is in the future. Choose an earlier date.")
    end = day + timedelta(days=1) - timedelta(microseconds=1)
    with terminal.step_progress("as-of", is_quiet=as_json) as on_step:
        released = release_as_of(settings.warehouse, settings.home, end, on_step)
    path, rows = folder_of(settings.home, end) / DATABASE_FILE, released.manifest.row_counts
    if as_json:
        print(json.dumps({"path": str(path), "row_counts": rows}, indent=2))
        return
    terminal.console.print(
        f"{len(rows)} marts with {sum(rows.values())} rows as known on {day:%Y-%m-%d}: {path}",
        soft_wrap=True,
    )
