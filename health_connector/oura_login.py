"""Log in at Oura with OAuth 2, and keep the tokens of an athlete.

A refresh token is valid once: each refresh returns the next one. It is stored before the access
token is used, under a lock, because a lost one requires a new login. The known one is stored again
before the refresh, which verifies that the store can be written. Source: RFC 6749, and the
OpenAPI description of the Oura API 1.37.
"""

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol
from urllib.parse import parse_qs, urlencode

import httpx

from health_connector.addresses import OuraApp
from health_connector.days import is_number
from health_connector.errors import (
    HealthAuthError,
    HealthConfigError,
    HealthResponseError,
    HealthUnavailableError,
)
from hevy_connector.canonical_json import read_json
from hevy_connector.http.transport import HEADERS, UnencryptedUrlError, open_sender

NEEDED_SCOPES = ("daily",)
"""Permissions without which nothing is read: sleep and readiness."""

SCOPES = (*NEEDED_SCOPES, "workout")
"""Permissions that are requested."""

_EARLY = timedelta(minutes=10)  # an access token is renewed before a read of that length
_LOG_IN = "Log in again: spotter connect oura"


@dataclass(frozen=True)
class Tokens:
    """Tokens of one athlete; `text` is one line of URL-encoded fields."""

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: datetime

    @property
    def text(self) -> str:
        """Return the tokens as text without blanks and quotes, see `parse_tokens`."""
        return urlencode(
            {
                "access_token": self.access_token,
                "refresh_token": self.refresh_token,
                "expires_at": int(self.expires_at.timestamp()),
            }
        )


class TokenStore(Protocol):
    """Tokens of one athlete. `lock` excludes other processes; `save` is atomic and durable."""

    def lock(self) -> AbstractContextManager[None]: ...  # noqa: D102 - see the class
    def load(self) -> Tokens | None: ...  # noqa: D102
    def save(self, tokens: Tokens) -> None: ...  # noqa: D102


def parse_tokens(text: str) -> Tokens:
    """Parse `Tokens.text`.

    Raises:
        HealthConfigError: the text is damaged.
    """
    fields = {name: values[0] for name, values in parse_qs(text).items()}
    try:
        return Tokens(
            fields["access_token"],
            fields["refresh_token"],
            datetime.fromtimestamp(int(fields["expires_at"]), UTC),
        )
    except (KeyError, ValueError, OverflowError, OSError):
        raise HealthConfigError(f"The stored login at Oura is damaged. {_LOG_IN}") from None


def new_state() -> str:
    """Return a random value that ties the answer of a login to its request."""
    return secrets.token_urlsafe(24)


def login_url(app: OuraApp, redirect_url: str, state: str) -> str:
    """Return the address of the page on which the athlete logs in."""
    query = {
        "response_type": "code",
        "client_id": app.client_id,
        "redirect_uri": redirect_url,
        "scope": " ".join(SCOPES),
        "state": state,
    }
    return f"{app.authorize_url}?{urlencode(query)}"


def exchange_code(app: OuraApp, code: str, redirect_url: str, now: datetime) -> Tokens:
    """Exchange the code of a login for tokens; blocks.

    Raises:
        HealthAuthError: the code was refused, or the athlete did not allow daily data.
        HealthUnavailableError: no usable response.
        HealthResponseError: the response has no tokens.
    """
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_url}
    answer = _request(app, form, "Oura refused the code of this login")
    # Some applications get scopes with a prefix, and an answer may lack them.
    granted = str(answer.get("scope") or " ".join(SCOPES)).replace(",", " ").split()
    if missing := set(NEEDED_SCOPES) - {one.removeprefix("extapi:") for one in granted}:
        raise HealthAuthError(
            f"The login does not allow {', '.join(sorted(missing))} data. Allow it at: "
            "spotter connect oura"
        )
    return _tokens(answer, "", now)


def current_tokens(
    app: OuraApp, store: TokenStore, now: datetime, *, refused: str | None = None
) -> Tokens:
    """Return tokens with a valid access token; refresh and store them first if needed. Blocks.

    `refused` is an access token that the service no longer accepts. Another process may have stored
    newer tokens: these count.

    Raises:
        HealthAuthError: no login, or the refresh token was refused.
        HealthConfigError: the stored tokens are damaged.
        HealthUnavailableError: no usable response.
        HealthResponseError: the response has no tokens.
    """
    with store.lock():
        known = store.load()
        if known is None:
            raise HealthAuthError("There is no login at Oura. Run: spotter connect oura")
        if known.access_token != refused and now + _EARLY < known.expires_at:
            return known
        # The request uses up the token, so it is not sent if its successor cannot be stored.
        store.save(known)
        form = {"grant_type": "refresh_token", "refresh_token": known.refresh_token}
        answer = _request(app, form, "Oura no longer accepts the stored login")
        renewed = _tokens(answer, known.refresh_token, now)
        store.save(renewed)
        return renewed


def _request(app: OuraApp, form: Mapping[str, str], refused: str) -> dict[str, object]:
    """Send a form to the token address, and return the JSON object that it answers."""
    fields = {**form, "client_id": app.client_id, "client_secret": app.client_secret}

    async def send() -> httpx.Response:
        sender = open_sender(app.token_url)
        try:
            # A repeated request would use a token twice, so it is sent once.
            return await sender.send("POST", app.token_url, headers=HEADERS, form=fields)
        finally:
            await sender.aclose()

    try:
        response = asyncio.run(send())
    except UnencryptedUrlError as error:
        raise HealthConfigError(f"OURA_TOKEN_URL: {error}") from None
    except (httpx.TransportError, httpx.DecodingError) as error:
        raise HealthUnavailableError(
            f"Oura cannot be reached at {app.token_url} ({type(error).__name__}). Try again later."
        ) from error
    if response.status_code in (400, 401, 403):
        raise HealthAuthError(
            f"{refused}. {_LOG_IN}. If that fails, too, check OURA_CLIENT_ID, OURA_CLIENT_SECRET "
            "and OURA_TOKEN_URL: docs/health.md"
        )
    if not response.is_success:
        raise HealthUnavailableError(
            f"Oura answered {response.status_code} to a login. Try again later."
        )
    try:
        answer = read_json(response.content)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise HealthResponseError("Oura answered a login without JSON.")
    return answer


def _tokens(answer: Mapping[str, object], former_refresh_token: str, now: datetime) -> Tokens:
    access, seconds = answer.get("access_token"), answer.get("expires_in")
    refresh = answer.get("refresh_token") or former_refresh_token
    if not isinstance(access, str) or not isinstance(refresh, str) or not (access and refresh):
        raise HealthResponseError("Oura answered a login without tokens.")
    # Without a lifetime it is that of the shortest one that Oura documents.
    lifetime = min(seconds, 365 * 86_400) if is_number(seconds) and seconds > 0 else 86_400
    return Tokens(access, refresh, now + timedelta(seconds=float(lifetime)))
