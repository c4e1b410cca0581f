"""`spotter logs`: the log of a run."""

from typing import Annotated

import typer
from rich.text import Text

from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.settings import load_settings
from orchestration.runs.log import find_log, read_log

_STYLES = {"ERROR": "red", "CRITICAL": "red", "WARNING": "yellow"}


def show_log(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Start of the run id; default: latest.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the log of a run.

    With --json one JSON object per line, as stored. Secrets are redacted.
    """
    path = find_log(load_settings(), run)
    for line in read_log(path):
        if as_json:
            print(line.model_dump_json(exclude_none=True))
            continue
        where = f"{line.at:%H:%M:%S}  {line.step or line.job or ''}"
        text = "\n".join(each for each in (line.message, line.error) if each)
        terminal.console.print(Text(f"{where}  {text}", style=_STYLES.get(line.level, "")))
