"""Logins of athletes at Oura: their tokens in `.env`, and the answer of a login on loopback."""

import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from time import monotonic
from urllib.parse import parse_qs, urlsplit

from health_connector.errors import HealthAuthError, HealthLoginExpiredError
from health_connector.oura import OuraClient
from health_connector.oura_login import Tokens, current_tokens, parse_tokens
from health_connector.sync import Reading, Window, read_window
from orchestration.config.settings import OURA_TOKENS, Settings, athlete_variable, store_key
from orchestration.storage.file_lock import serialized

PATH = "/oura"
_LOGIN_TAKES_S = 300.0
_DONE = "You are logged in. You can close this page and return to the terminal."
_NOT_DONE = "The login did not work. The terminal has the reason."


@dataclass(frozen=True)
class AthleteTokens:
    """Tokens of one athlete in `.env`; see `health_connector.oura_login.TokenStore`."""

    settings: Settings
    athlete_id: str

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Exclude other processes and threads from a refresh."""
        path = self.settings.home / f"oura-{self.athlete_id}.lock"
        with serialized(path, "a refresh of the login at Oura"):
            yield

    def load(self) -> Tokens | None:
        """Read the tokens, as they are now; None without a login."""
        text = self.settings.oura_tokens(self.athlete_id)
        return None if text is None else parse_tokens(text)

    def save(self, tokens: Tokens) -> None:
        """Store the tokens; after a kill or a power loss they are the former or the new ones."""
        store_key(self.settings, athlete_variable(OURA_TOKENS, self.athlete_id), tokens.text)


def read_oura(settings: Settings, athlete_id: str, window: Window) -> Reading:
    """Return the days of a window, after a refresh of the login if it is due; blocks.

    Raises:
        HealthError: the read failed; nothing may be concluded about the days.
        SettingsError: the application is not set, or the tokens cannot be stored.
    """
    app, store, url = settings.oura_app, AthleteTokens(settings, athlete_id), settings.oura_url
    tokens = current_tokens(app, store, datetime.now(UTC))
    try:
        return read_window(OuraClient(tokens.access_token, base_url=url), window)
    except HealthLoginExpiredError:
        # It may have been revoked, or been refreshed elsewhere, before its time.
        renewed = current_tokens(app, store, datetime.now(UTC), refused=tokens.access_token)
        return read_window(OuraClient(renewed.access_token, base_url=url), window)


class LoginServer:
    """Receives the answer of a login at `http://127.0.0.1:<port>/oura`, for one `state`.

    Requests with another path or state are refused, and change nothing.
    """

    def __init__(self, port: int, state: str) -> None:
        answers: list[tuple[str | None, str]] = []

        class Handler(BaseHTTPRequestHandler):
            timeout = 5.0

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                is_ours = hmac.compare_digest(query.get("state", "").encode(), state.encode())
                if parts.path != PATH or not is_ours:
                    self.send_error(404)
                    return
                code = query.get("code")
                answers.append((code, query.get("error", "no code")))
                content = (_DONE if code else _NOT_DONE).encode()
                self.send_response(200)
                self.send_header("content-type", "text/plain; charset=utf-8")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Write nothing: the path has the code."""

        self._answers = answers
        self._server = HTTPServer(("127.0.0.1", port), Handler)
        self.redirect_url = f"http://127.0.0.1:{self._server.server_port}{PATH}"

    def __enter__(self) -> "LoginServer":
        return self

    def __exit__(self, *error: object) -> None:
        self._server.server_close()

    def wait(self, within_s: float = _LOGIN_TAKES_S) -> str:
        """Return the code of the login.

        Raises:
            HealthAuthError: the athlete declined, or gave no answer in time.
        """
        deadline = monotonic() + within_s
        while not self._answers:
            if (remaining := deadline - monotonic()) <= 0:
                raise HealthAuthError("The login at Oura timed out. Run the command again.")
            self._server.timeout = remaining
            self._server.handle_request()
        code, reason = self._answers[0]
        if code is None:
            raise HealthAuthError(f"Oura answered the login with: {reason[:80]}.")
        return code
