"""`spotter health`: recovery and body data."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from zipfile import is_zipfile

import typer

from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.run_job import run_with_progress
from orchestration.cli.views import terminal
from orchestration.config.settings import load_settings
from orchestration.services.ingestion.import_health import (
    LARGE,
    HealthImport,
    import_health,
    import_health_in_child,
)
from orchestration.services.ingestion.import_report import SHOWN_LINES

health_app = typer.Typer(help="Import recovery and body data.", no_args_is_help=True)


@health_app.command("import")
def health_import(
    file: Annotated[Path, typer.Argument(help="CSV, FIT, or export of an app.", metavar="FILE")],
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Import recovery and body data, then build the marts.

    Also sessions: of FIT files, or a zip of them, the account export of Garmin, and the bulk export
    of Strava. The export of Apple Health is export.zip, or export.xml in it. The columns of a CSV
    are date and any of source, sleep_minutes, hrv_ms, hrv_method, resting_hr, readiness, weight_kg
    and body_fat_pct: docs/health.md. The same file again changes nothing, and a corrected row
    replaces the former one. A CSV with faults is not imported at all; of an export what is damaged
    is listed. Physically impossible values go to raw.quarantine.
    """
    settings = load_settings()
    with terminal.step_progress("import", is_quiet=as_json) as show:
        work = import_health_in_child if _is_large(file) else import_health
        imported = work(settings, file, athlete, datetime.now(UTC), progress=_by_percent(show))
    if as_json:
        print(json.dumps(imported.summary(), indent=2))
    else:
        for line in _report(imported):
            terminal.console.print(line, soft_wrap=True, highlight=False, markup=False)
    run_with_progress("marts", settings, is_quiet=as_json)


def _is_large(file: Path) -> bool:
    """Return whether a file is large, or a zip that may hold a large one."""
    with suppress(OSError):
        return file.stat().st_size > (LARGE // 50 if is_zipfile(file) else LARGE)
    return False


def _by_percent(show: Callable[[str], None]) -> Callable[[int, int], None]:
    """Return a receiver of progress in bytes: each percent, without a terminal each tenth."""
    is_live = terminal.console.is_terminal
    shown = 0

    def progress(read: int, size: int) -> None:
        nonlocal shown
        percent = 100 * read // max(size, 1)
        text = f"{percent} % of {size / 1e6:,.0f} MB"
        if is_live:
            show(text)
        elif percent // 10 > shown and size > LARGE:
            shown = percent // 10
            terminal.error_console.print(f"import: {text}", highlight=False)

    return progress


def _report(imported: HealthImport) -> Iterator[str]:
    for name, landed in (("days", imported.days), ("sessions", imported.sessions)):
        known = landed.seen - landed.added - landed.removed
        if landed.seen or name == "days":
            yield (
                f"{landed.seen} {name} read = {landed.added} new or corrected + "
                f"{landed.removed} removed + {known} known"
            )
    if imported.kept:
        kinds = ", ".join(f"{count} of {kind}" for kind, count in imported.kept.items())
        yield f"Kept, since the export has none of their kind: {kinds} (docs/health.md)"
    yield from imported.notes
    yield from _cut_list("Left out:", imported.unread)
    yield from _cut_list("Impossible values, kept in quarantine:", imported.impossible)
    if imported.ignored_columns:
        yield f"Columns that are not read: {', '.join(imported.ignored_columns)}"


def _cut_list(title: str, reasons: Sequence[str]) -> Iterator[str]:
    if reasons:
        yield title
        yield from (f"  {reason}" for reason in reasons[:SHOWN_LINES])
    if len(reasons) > SHOWN_LINES:
        yield f"  and {len(reasons) - SHOWN_LINES} more, all of them with --json"
