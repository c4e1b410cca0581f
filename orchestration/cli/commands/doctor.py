"""`spotter doctor`: check the machine and the home before a nightly run."""

import json

import typer
from rich.markup import escape

from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.settings import load_settings
from orchestration.runs.check_result import CheckResult
from orchestration.services.operations.doctor import examine

_MARKS = {"ok": "[green]ok  [/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}


def doctor(as_json: AsJson = False) -> None:
    """Check the installation and suggest fixes.

    Versions, home and disk, clock, profiles, keys by a harmless request, every block of the
    warehouse, Dagster's history, the release, and the UI's port. Nothing is changed. Exits with 1
    if something must be fixed.
    """
    settings = load_settings()
    with terminal.step_progress("looking", is_quiet=as_json) as on_step:
        found = examine(settings, on_step)
    if as_json:
        print(json.dumps([each.model_dump() for each in found], indent=2))
    else:
        for each in found:
            _show(each)
    if any(each.state == "fail" for each in found):
        raise typer.Exit(1)


def _show(found: CheckResult) -> None:
    terminal.console.print(
        f"{_MARKS[found.state]} [bold]{escape(found.name)}[/]: {escape(found.text)}",
        highlight=False,
        soft_wrap=True,
    )
    if found.fix is not None:
        terminal.console.print(f"     {escape(found.fix)}", highlight=False, soft_wrap=True)
