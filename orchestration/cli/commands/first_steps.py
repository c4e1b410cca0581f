"""The first start: a dialogue that leads to the first plan."""

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import typer

from hevy_connector.errors import HevyError, UnitMissingError
from orchestration.cli.views import terminal
from orchestration.config.athletes import hevy_client
from orchestration.config.new_profile import NewProfile, system_timezone
from orchestration.config.settings import Settings, store_key

_ID = "me"

_WAYS = """Welcome. There are four ways to start:

  1  a file exported from Hevy, Strong or another app; no key, nothing leaves this machine
  2  your Hevy account; needs an API key of Hevy Pro
  3  just look, with a simulated athlete
  4  nothing yet: build a programme for your week
"""

_COMMANDS = """No athlete is configured yet. There are four ways to start:

  spotter demo        try it with a simulated athlete, without any key
  spotter init        for your Hevy account: asks, and writes a profile
  spotter import-csv workout_data.csv --athlete me
                      from a file of Hevy, Strong or another app, without any key
  spotter program new --days 3
                      build a programme for your week, without any training so far"""


def start_first_time(settings: Settings, context: typer.Context) -> None:
    """Ask for the source of the training and show the first plan; list the ways without a terminal.

    Raises:
        HevyError, SettingsError: as the commands that it runs.
    """
    if not sys.stdin.isatty():
        terminal.console.print(_COMMANDS, highlight=False, markup=False)
        return
    terminal.console.print(_WAYS, highlight=False, markup=False)
    way = typer.prompt("Your choice", default="1", value_proc=_way)
    if way == "1":
        _import_file(context)
        _run(context, "run")
    elif way == "2":
        _connect_account(settings)
        _run(context, "init", "--athlete", _ID, "--yes")
        _run(context, "run")
    elif way == "3":
        _run(context, "demo")
    else:
        _run(context, "program", "new")


def _way(text: str) -> str:
    if text.strip() not in {"1", "2", "3", "4"}:
        raise typer.BadParameter("Enter 1, 2, 3 or 4.")
    return text.strip()


def _run(context: typer.Context, *arguments: str) -> None:
    """Run a command of this program in this process; a failure ends the dialogue."""
    code = context.command.main(list(arguments), prog_name="spotter", standalone_mode=False)
    if code:
        raise typer.Exit(code)


def _import_file(context: typer.Context) -> None:
    terminal.console.print(
        "In Hevy: Profile, Settings, Export & Import Data. In Strong: Settings, Export Data.\n"
        "Any other table of sets: save it as CSV UTF-8.",
        highlight=False,
    )
    path: Path = typer.prompt("Path of the file", value_proc=_file)
    units: dict[str, str] = {}
    while True:
        try:
            _run(context, "import-csv", str(path), "--athlete", _ID, *_options(units))
        except UnitMissingError as error:
            units[error.measure] = _ask_unit(error)
        else:
            return


def _options(units: Mapping[str, str]) -> list[str]:
    return [f"--{measure}-unit={unit}" for measure, unit in units.items()]


def _ask_unit(error: UnitMissingError) -> str:
    def read(text: str) -> str:
        unit = text.strip().lower()
        if unit not in error.choices:
            raise typer.BadParameter(f"Enter {' or '.join(error.choices)}.")
        return unit

    question = f"The file does not name its {error.measure} unit: {' or '.join(error.choices)}"
    unit: str = typer.prompt(question, default=error.likely, value_proc=read)
    return unit


def _file(text: str) -> Path:
    path = Path(text.strip().strip("'\"")).expanduser()
    if not path.is_file():
        raise typer.BadParameter(f"There is no file {path}.")
    return path


def _connect_account(settings: Settings) -> None:
    """Ask for a key until the account accepts it, and store it for the owner only.

    Raises:
        SettingsError: the key cannot be stored.
    """
    variable = NewProfile.api_key_env
    if settings.keys.get(variable, "").strip():
        return
    terminal.console.print("Create a key at hevy.com/settings?developer", highlight=False)
    profile = NewProfile(_ID, timezone=system_timezone(settings.keys)).checked(
        settings.athletes_dir / f"{_ID}.toml"
    )
    while True:
        key = typer.prompt("Key (hidden)", hide_input=True).strip()
        if not re.fullmatch(r"[\w-]+", key, re.ASCII):
            terminal.show_error("A key has only letters, digits and hyphens.")
            continue
        asking = replace(settings, keys={**settings.keys, variable: key})
        try:
            with hevy_client(asking, profile) as hevy:
                count = len(hevy.routines())
        except HevyError as error:
            terminal.show_error(str(error))
        else:
            break
    terminal.console.print(f"The account has {count} routines.", highlight=False)
    store_key(settings, variable, key)
