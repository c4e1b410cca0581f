"""`spotter connect`: accounts of other services."""

import asyncio
import json
import webbrowser
from datetime import UTC, datetime
from typing import Annotated

import typer

from health_connector.intervals import IntervalsClient
from health_connector.oura_login import exchange_code, login_url, new_state
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import (
    INTERVALS_KEY,
    OURA_TOKENS,
    SettingsError,
    athlete_variable,
    load_settings,
    store_key,
)
from orchestration.services.ingestion.oura_login import AthleteTokens, LoginServer

OURA_PORT = 8730
"""Port of the redirect URI, which Oura compares with the registered one."""

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
    variable = athlete_variable(INTERVALS_KEY, profile.id)
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
    _show(f"Connected with the account of {name}{stored}. The next run reads it: spotter run")


@connect_app.command("oura")
def connect_oura(
    athlete: Athlete = None,
    port: Annotated[
        int, typer.Option(min=1024, max=65535, help="Port of the redirect URI.")
    ] = OURA_PORT,
    opens_browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page of the login.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Log in at Oura and store the login.

    The application of OURA_CLIENT_ID needs the redirect URI http://127.0.0.1:8730/oura. The login
    is stored in .env. Each nightly run then reads the nights of the last days.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    app, variable = settings.oura_app, athlete_variable(OURA_TOKENS, profile.id)
    state = new_state()
    try:
        server = LoginServer(port, state)
    except OSError as error:
        raise SettingsError(
            f"Port {port} of this machine is in use ({error.strerror}). Choose another one with "
            "--port, and register it at Oura."
        ) from error
    with server:
        page = login_url(app, server.redirect_url, state)
        typer.echo(f"Log in at this address within five minutes: {page}", err=True)
        if opens_browser:
            webbrowser.open(page)
        code = server.wait()
    store = AthleteTokens(settings, profile.id)
    with store.lock():
        store.save(exchange_code(app, code, server.redirect_url, datetime.now(UTC)))
    if as_json:
        print(json.dumps({"athlete": profile.id, "variable": variable}, indent=2))
        return
    _show(
        f"Connected with Oura, stored in {settings.env_file} as {variable}. The next run reads it: "
        "spotter run"
    )


def _show(text: str) -> None:
    terminal.console.print(text, soft_wrap=True, highlight=False, markup=False)


async def _name(key: str, url: str) -> str:
    async with IntervalsClient(key, base_url=url) as client:
        return await client.athlete_name()
