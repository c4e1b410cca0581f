"""Start the dashboard: on loopback, or elsewhere with a password."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from hevy_connector.http.addresses import is_loopback_host
from orchestration.config.locations import DASHBOARD_PAGE
from orchestration.config.settings import Settings, SettingsError

DASHBOARD_PORT = 8501

# No telemetry, no file watcher, no prompts, and our own theme.
STREAMLIT_OPTIONS: Mapping[str, str | bool | list[str] | list[int]] = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.toolbarMode": "minimal",
    "global.developmentMode": False,
    # By default a click starts a second script run in parallel: both would send a request.
    "runner.fastReruns": False,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.showEmailPrompt": False,
    # Both separately: a shared colour would disable following the system's light or dark mode.
    # Captions use 60 % of the text colour and need a contrast of 4.5:1.
    "theme.light.primaryColor": "#175A8C",
    "theme.light.textColor": "#161514",
    "theme.light.backgroundColor": "#F8F6F2",
    "theme.light.secondaryBackgroundColor": "#FFFFFF",
    "theme.light.borderColor": "#D5D0C7",
    "theme.dark.primaryColor": "#5AA9E0",
    "theme.dark.textColor": "#ECEAE6",
    "theme.dark.backgroundColor": "#14161A",
    "theme.dark.secondaryBackgroundColor": "#1E2126",
    "theme.dark.borderColor": "#3A3F47",
    **{
        f"theme.{mode}.{name}": value
        for mode in ("light", "dark")
        for name, value in (
            ("showWidgetBorder", True),
            ("headingFontSizes", ["1.6rem", "1.2rem", "1.05rem"]),
            ("headingFontWeights", [700, 700, 600]),
        )
    },
}


def requires_password(host: str | None) -> bool:
    """Return true if other machines can reach a server at this address; None is any address."""
    return not is_loopback_host(host or "")


def has_password(settings: Settings) -> bool:
    """Return whether visitors of the dashboard need a login."""
    return bool(settings.dashboard_password or settings.dashboard_logins)


def dashboard_command(settings: Settings, host: str, port: int) -> list[str]:
    """Return the command that serves the dashboard.

    Raises:
        SettingsError: other machines could reach it, and there is no password.
    """
    if requires_password(host) and not has_password(settings):
        raise SettingsError(
            f"At {host} others can reach the dashboard: put SPOTTER_DASHBOARD_PASSWORD=<a long "
            "password> into .env, or leave it at 127.0.0.1."
        )
    module = [sys.executable, "-m", "dashboard.serve", str(DASHBOARD_PAGE)]
    allowed = (f"--allow={name}" for name in settings.allowed_hosts)
    return [*module, f"--host={host}", f"--port={port}", *allowed]


def serve_dashboard(settings: Settings, command: list[str]) -> None:
    """Replace this process by the dashboard's server; does not return."""
    os.chdir(dashboard_folder(settings))
    os.execv(command[0], command)  # noqa: S606 - our own interpreter and arguments


def dashboard_folder(settings: Settings) -> Path:
    """Return the server's working directory: only the home is writable in a read-only project."""
    settings.home.mkdir(parents=True, exist_ok=True)
    return settings.home
