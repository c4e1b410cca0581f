"""`spotter import-csv`: import workouts from files, then build the marts."""

import json
from pathlib import Path
from typing import Annotated

import typer

from hevy_connector.csv_imports.dialects import DistanceUnit, Unit
from orchestration.cli.commands.options import AsJson
from orchestration.cli.run_job import run_with_progress
from orchestration.cli.views import terminal
from orchestration.cli.views.changes import show_import
from orchestration.config.column_mapping import load_mapping
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.ingestion.import_csv import ImportOptions, import_files
from orchestration.services.ingestion.import_report import no_workouts_text


def import_csv(
    files: Annotated[
        list[Path],
        typer.Argument(help="Exports of Hevy, Strong or FitNotes, or tables.", metavar="FILE..."),
    ],
    athlete: Annotated[
        str,
        typer.Option(metavar="ID", help="Athlete; a new id creates one."),
    ],
    timezone: Annotated[
        str | None,
        typer.Option(
            metavar="ZONE",
            help="Time zone of the phone; default: the athlete's, or this machine's.",
        ),
    ] = None,
    weight_unit: Annotated[
        Unit | None, typer.Option(help="Weight unit of a file without units.")
    ] = None,
    distance_unit: Annotated[
        DistanceUnit | None, typer.Option(help="Distance unit of a file without units.")
    ] = None,
    columns: Annotated[
        Path | None,
        typer.Option(metavar="TOML", help="Mapping of the columns of any other table."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the result without writing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import workouts from files, then build the marts.

    Files of different apps and units are imported together; an invalid one stores nothing of any.
    Idempotent: known workouts add nothing, from the same file, a later export, or the Hevy account.
    Unreadable rows go to raw.quarantine with their line number; if no workout is readable, the
    import fails. --timezone also corrects the times of an earlier import.
    """
    settings = load_settings()
    options = ImportOptions(
        timezone,
        weight_unit,
        distance_unit,
        is_dry_run=dry_run,
        mapping=None if columns is None else load_mapping(columns),
    )
    with terminal.step_progress("import", is_quiet=as_json) as on_step:
        imported = import_files(settings, files, athlete, options, on_step)
    for file, result in () if as_json else zip(files, imported, strict=True):
        if len(files) > 1:
            terminal.console.print(str(file), highlight=False, markup=False, soft_wrap=True)
        show_import(result)
    has_workouts = any(result.has_workouts for result in imported)
    is_built = has_workouts and not dry_run
    outcome = run_with_progress("marts", settings, is_quiet=as_json) if is_built else None
    if as_json:
        reports = [result.summary() for result in imported]
        print(json.dumps(reports if len(files) > 1 else reports[0], indent=2))
    elif outcome is not None:
        terminal.show_warnings(outcome)
        terminal.console.print(f"Marts: {settings.release_path}", soft_wrap=True)
        terminal.console.print("The next workout: spotter run")
    if not has_workouts:
        raise SettingsError(no_workouts_text(imported))
