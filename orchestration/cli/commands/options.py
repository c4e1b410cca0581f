"""Options that many commands have."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Athlete = Annotated[
    str | None,
    typer.Option("--athlete", metavar="ID", help="Which athlete; not needed if there is one."),
]

KeepsFormulas = Annotated[
    bool,
    typer.Option("--keep-formulas", help="Leave texts in CSV that spreadsheets would run."),
]
