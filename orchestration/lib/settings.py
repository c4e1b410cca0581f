"""Where things are: the only place that reads the environment and `.env`.

| variable               | meaning                                           |
| ---------------------- | ------------------------------------------------- |
| `HEVY_API_KEY`         | key of the account; an athlete may name another   |
| `HEVY_API_URL`         | the service; by default https://api.hevyapp.com   |
| `SPOTTER_HOME`         | everything that Spotter writes; `.spotter/home`   |
| `SPOTTER_ATHLETES_DIR` | one TOML file for each athlete; `athletes`        |
| `SPOTTER_TIMEZONE`     | zone of the nightly schedule; UTC                 |

Relative paths start at the project's folder.
"""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dotenv import dotenv_values

from hevy_connector.client import HEVY_URL

PROJECT_ROOT = Path(__file__).resolve().parents[2]


class SettingsError(Exception):
    """A setting is missing or cannot be used; the text says which and what is allowed."""


@dataclass(frozen=True)
class Settings:
    """The settings of one run. `keys` are the variables from which API keys may be taken."""

    home: Path
    athletes_dir: Path
    hevy_url: str
    timezone: str
    keys: Mapping[str, str] = field(repr=False)

    @property
    def warehouse_path(self) -> Path:
        """The pipeline's own database; nobody else should hold it open."""
        return self.home / "warehouse.duckdb"

    @property
    def release_path(self) -> Path:
        """The copy of the marts that people and dashboards open."""
        return self.home / "release" / "marts.duckdb"

    @property
    def dagster_home(self) -> Path:
        """Dagster's run history and its configuration."""
        return self.home / "dagster"

    @property
    def dbt_target(self) -> Path:
        """What dbt writes while it builds."""
        return self.home / "dbt"

    @property
    def is_loopback(self) -> bool:
        """Whether the API is on this machine, as the simulator is."""
        host = urlsplit(self.hevy_url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def api_key(self, variable: str) -> str:
        """The key that `variable` holds.

        Raises:
            SettingsError: it is not set.
        """
        key = self.keys.get(variable, "").strip()
        if not key:
            raise SettingsError(
                f"{variable} is not set. Put the key from hevy.com/settings?developer into .env: "
                f"{variable}=<your key>"
            )
        return key


def load_settings(environ: Mapping[str, str] | None = None, root: Path = PROJECT_ROOT) -> Settings:
    """The settings of this machine: the environment, then `.env` beside the project.

    Raises:
        SettingsError: a value cannot be used.
    """
    from_file = {name: value for name, value in dotenv_values(root / ".env").items() if value}
    values = {**from_file, **(os.environ if environ is None else environ)}
    timezone = values.get("SPOTTER_TIMEZONE") or "UTC"
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise SettingsError(
            f"SPOTTER_TIMEZONE is '{timezone}', which is no time zone; use a name like "
            "'Europe/Berlin'."
        ) from error
    hevy_url = (values.get("HEVY_API_URL") or HEVY_URL).rstrip("/")
    if not _is_http_url(hevy_url):
        raise SettingsError(f"HEVY_API_URL is '{hevy_url}', which is no URL; use {HEVY_URL}.")
    return Settings(
        home=(root / (values.get("SPOTTER_HOME") or ".spotter/home")).resolve(),
        athletes_dir=(root / (values.get("SPOTTER_ATHLETES_DIR") or "athletes")).resolve(),
        hevy_url=hevy_url,
        timezone=timezone,
        keys=values,
    )


def _is_http_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
