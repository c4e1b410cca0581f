"""`spotter export`: write a release to files."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson, Athlete, KeepsFormulas
from orchestration.cli.views import terminal
from orchestration.config.settings import load_settings
from orchestration.services.releases.export import HEVY_FILE, Form, export_release
from orchestration.storage.warehouse import open_warehouse

MEMORIES_WAIT_S = 10.0
"""Time to wait for a busy warehouse before memories are left out (s)."""


def export(
    form: Annotated[
        Form,
        typer.Option("--format", help="Every table, or sets in Hevy's format."),
    ] = "csv",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER|FILE",
            help=f"Target; default: spotter-export, for hevy-csv {HEVY_FILE}.",
        ),
    ] = None,
    athlete: Athlete = None,
    is_replacing: Annotated[
        bool, typer.Option("--replace", help="Overwrite existing files.")
    ] = False,
    keeps_formulas: KeepsFormulas = False,
    as_json: AsJson = False,
) -> None:
    """Export a release as CSV, Parquet or Hevy's format.

    `spotter import-csv` reads Hevy's format. CSV text that starts like a spreadsheet formula gets
    an apostrophe.
    """
    settings = load_settings()
    connect = partial(open_warehouse, settings.warehouse, read_only=True, wait_s=MEMORIES_WAIT_S)
    target = out or Path(HEVY_FILE if form == "hevy-csv" else "spotter-export")
    with terminal.step_progress("export", is_quiet=as_json):
        exported = export_release(
            settings.release_folder,
            form,
            target.resolve(),
            athlete_id=athlete,
            is_replacing=is_replacing,
            keeps_formulas=keeps_formulas,
            connect=connect,
        )
    if as_json:
        told = {
            "release_number": exported.release_number,
            "files": [str(file) for file in exported.files],
            "warnings": [] if exported.warning is None else [exported.warning],
        }
        print(json.dumps(told, indent=2))
        return
    count = "1 file" if len(exported.files) == 1 else f"{len(exported.files)} files"
    terminal.console.print(
        f"{count} of release {exported.release_number}: {target.resolve()}", soft_wrap=True
    )
    if exported.warning is not None:
        terminal.show_warning(exported.warning)
