"""`spotter connect`: accounts of other services."""

import asyncio
import json

import typer

from health_connector.intervals import IntervalsClient
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import (
    SettingsError,
    intervals_variable,
    load_settings,
    store_key,
)

connect_app = typer.Typer(help="Connect accounts of other services.", no_args_is_help=True)


@connect_app.callback()
def connect() -> None:
    """Connect accounts of other services."""


@connect_app.command("intervals")
def connect_intervals(athlete: Athlete = None, as_json: AsJson = False) -> None:
    """Check and store a key of Intervals.icu.

    The key is at intervals.icu/settings, under Developer Settings. It is asked for unless its
    variable is set, checked at the service, and stored in .env. Each nightly run then reads the
    wellness of the last days.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    variable = intervals_variable(profile.id)
    key = settings.intervals_key(profile.id)
    is_new = key is None
    if key is None:
        if as_json:
            raise SettingsError(f"{variable} is not set. Run: spotter connect intervals")
        key = str(typer.prompt("Key of Intervals.icu", hide_input=True)).strip()
        if not key.isalnum():
            raise SettingsError("A key of Intervals.icu has only letters and digits.")
    name = asyncio.run(_name(key, settings.intervals_url))
    if is_new:
        store_key(settings, variable, key)
    if as_json:
        print(json.dumps({"athlete": profile.id, "variable": variable, "account": name}, indent=2))
        return
    stored = f", stored in {settings.env_file} as {variable}" if is_new else ""
    terminal.console.print(
        f"Connected with the account of {name}{stored}. The next run reads it: spotter run",
        soft_wrap=True,
        highlight=False,
        markup=False,
    )


async def _name(key: str, url: str) -> str:
    async with IntervalsClient(key, base_url=url) as client:
        return await client.athlete_name()
