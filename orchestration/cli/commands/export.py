"""`spotter export`: what was released, as files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson, Athlete, KeepsFormulas
from orchestration.cli.views import terminal
from orchestration.config.settings import load_settings
from orchestration.services.export import HEVY_FILE, Form, export_release


def export(
    form: Annotated[
        Form,
        typer.Option(
            "--format", help="Every released table, or an athlete's sets as Hevy exports them."
        ),
    ] = "csv",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER|FILE",
            help=f"A folder, else spotter-export; for hevy-csv a file, else {HEVY_FILE}.",
        ),
    ] = None,
    athlete: Athlete = None,
    is_replacing: Annotated[
        bool, typer.Option("--replace", help="Write over files that are there already.")
    ] = False,
    keeps_formulas: KeepsFormulas = False,
    as_json: AsJson = False,
) -> None:
    """Write what was released into files: every table, or the sets as in Hevy's own export.

    `spotter import-csv` reads the latter back. A text in CSV that begins like a formula gets an
    apostrophe.
    """
    target = out or Path(HEVY_FILE if form == "hevy-csv" else "spotter-export")
    with terminal.step_progress("export", is_quiet=as_json):
        exported = export_release(
            load_settings().release_folder,
            form,
            target.resolve(),
            athlete_id=athlete,
            is_replacing=is_replacing,
            keeps_formulas=keeps_formulas,
        )
    if as_json:
        told = {
            "release_number": exported.release_number,
            "files": [str(file) for file in exported.files],
        }
        print(json.dumps(told, indent=2))
        return
    count = "1 file" if len(exported.files) == 1 else f"{len(exported.files)} files"
    terminal.console.print(
        f"{count} of release {exported.release_number}: {target.resolve()}", soft_wrap=True
    )
