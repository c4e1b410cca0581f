"""`spotter` without a command: the next workout, or the first step."""

from contextlib import suppress
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli.debugging import is_debugging
from orchestration.config.durable_files import close_to_others
from orchestration.config.settings import Settings, SettingsError, load_settings


def start(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """An autonomous strength coach for Hevy users.

    Without a command: show the next workout, or start a dialogue to the first one.

    Exit codes: 0 success, 1 failure, 2 invalid input or settings.
    """
    is_debugging.set(debug)
    # Settings that cannot be used are reported by the command itself.
    with suppress(SettingsError):
        settings = load_settings()
        close_to_others(settings.home, _own_paths(settings))
    if version:
        print(f"spotter {installed_version('spotter')}")
    elif context.invoked_subcommand is None:
        _show_next(load_settings(), context)


def _own_paths(settings: Settings) -> list[Path]:
    """Return what only a home of Spotter has; a home may also hold the profiles and the keys."""
    own = (settings.warehouse_path, settings.dagster_home, settings.release_folder)
    beside = (settings.athletes_dir, settings.env_file)
    return [*own, *(each for each in beside if each.is_relative_to(settings.home))]


def _show_next(settings: Settings, context: typer.Context) -> None:
    # Other commands do not need them, and this module is imported for each command.
    from orchestration.cli.commands.first_steps import start_first_time
    from orchestration.cli.commands.plan import current_plans, show_plan_of
    from orchestration.cli.views import terminal
    from orchestration.config.athletes import NoAthletesError, configured_athletes
    from orchestration.storage.warehouse import WarehouseMissingError

    try:
        profiles = configured_athletes(settings)
    except NoAthletesError:
        start_first_time(settings, context)
        return
    try:
        plans = current_plans(settings)
    except WarehouseMissingError:
        terminal.console.print("Nothing was read yet. Run: spotter run", highlight=False)
        return
    for profile in profiles:
        show_plan_of(profile, plans.get(profile.id), settings)
