"""Options shared by many commands."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Athlete = Annotated[
    str | None,
    typer.Option("--athlete", metavar="ID", help="Athlete; optional if there is one."),
]

KeepsFormulas = Annotated[
    bool,
    typer.Option("--keep-formulas", help="Do not escape spreadsheet formulas in CSV."),
]
