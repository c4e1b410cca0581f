"""Parse variables: numbers, URLs, host names, logins."""

from collections.abc import Mapping
from urllib.parse import urlsplit

COACH = "coach"
"""Name of the login that sees all athletes."""

PROPOSABLE = (
    *("check_in", "swap", "approve", "exclude_workout", "accept_sets", "what_if", "programme"),
)
"""The kinds of wishes (`coach_agent/asking/wish.py`), without an import of pydantic."""


class SettingsError(Exception):
    """A setting is missing or invalid; the message has its name and the allowed values."""


def whole_number(values: Mapping[str, str], variable: str, default: int, *, least: int = 0) -> int:
    """Return a whole number from `least` to 1000.

    Raises:
        SettingsError: the value is no such number.
    """
    text = values.get(variable) or str(default)
    if not (text.isascii() and text.isdigit() and least <= int(text) <= 1000):
        raise SettingsError(f"{variable} is '{text}'; use a whole number from {least} to 1000.")
    return int(text)


def is_host(text: str) -> bool:
    """Return true for a host name or an address, with or without a port."""
    return not set(text) & set("@*/?#\\") and is_http_url(f"http://{text}")


def is_http_url(text: str) -> bool:
    """Return true for a URL with http or https and a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def database_url(values: Mapping[str, str], variable: str, secret: str = "") -> str:
    """Return a database URL in the spelling that all libraries accept; "" if it is not set.

    `secret` is the variable of its password, by default PGPASSWORD.

    Raises:
        SettingsError: it is no URL of PostgreSQL, or has a password.
    """
    url = values.get(variable) or ""
    scheme, _, rest = url.partition("://")
    # A password may contain characters that end a host name, so search before the last @.
    if ":" in rest.rpartition("@")[0] or "password=" in rest:
        raise SettingsError(
            f"{variable} has a password; put it into {secret or 'PGPASSWORD'} instead."
        )
    try:
        parts = urlsplit(url)
        is_postgres = scheme in {"postgresql", "postgres"} and len(parts.path) > 1
        _ = parts.port
    except ValueError:
        is_postgres = False
    if url and not is_postgres:
        raise SettingsError(
            f"{variable} is no URL of a database of PostgreSQL; use one like "
            "postgresql://spotter@127.0.0.1:5432/lake."
        )
    return url.replace("postgres://", "postgresql://", 1)


def dashboard_logins(values: Mapping[str, str]) -> dict[str, str]:
    """Return the passwords by athlete; no password is part of an error message.

    Raises:
        SettingsError: an entry has no athlete or no password, or an athlete has two.
    """
    logins: dict[str, str] = {}
    for place, login in enumerate((values.get("SPOTTER_DASHBOARD_LOGINS") or "").split(), start=1):
        athlete_id, _, password = login.partition(":")
        if not athlete_id or not password:
            problem = "is none"
        elif athlete_id == COACH:
            problem = f"is of {COACH}, with SPOTTER_DASHBOARD_PASSWORD"
        elif athlete_id in logins:
            problem = "is of an athlete who has another one"
        else:
            logins[athlete_id] = password
            continue
        raise SettingsError(
            f"SPOTTER_DASHBOARD_LOGINS: login {place} {problem}; write athlete:password, with "
            "blanks between."
        )
    return logins


def traces(values: Mapping[str, str]) -> str:
    """Return where questions to language models are traced: `file`, `otel`, or "" for nowhere.

    Raises:
        SettingsError: it is none of them.
    """
    found = (values.get("SPOTTER_TRACES") or "").strip()
    if found not in {"", "file", "otel"}:
        raise SettingsError(f"SPOTTER_TRACES is '{found}'; use file or otel, or leave it out.")
    return found


def mcp_proposals(values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the actions that assistants may propose over MCP; none by default.

    Raises:
        SettingsError: one is no action.
    """
    names = tuple((values.get("SPOTTER_MCP_PROPOSALS") or "").split())
    for name in names:
        if name not in PROPOSABLE:
            raise SettingsError(
                f"SPOTTER_MCP_PROPOSALS has '{name}'; allowed are {', '.join(PROPOSABLE)}, with "
                "blanks between."
            )
    return names


def allowed_hosts(values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the host names of the servers, besides loopback.

    Raises:
        SettingsError: one is no host name.
    """
    names = tuple((values.get("SPOTTER_ALLOWED_HOSTS") or "").split())
    for name in names:
        if not is_host(name):
            raise SettingsError(
                f"SPOTTER_ALLOWED_HOSTS has '{name}', which is no host name; use names like "
                "coach.example.org, with blanks between."
            )
    return names
