"""The MCP server: over stdio for one athlete, or over HTTP on loopback with a token for each.

The token identifies the athlete. It is an HMAC of the id with the key of the home, so that no
secret is stored or configured; a new key ends all tokens.
"""

import hmac
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from types import FrameType
from typing import Any

import duckdb
import uvicorn
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.types import ASGIApp

from coach_agent.asking.wish import Wish
from coach_agent.domain.red_flags import how_to_clear, stop_text
from coach_agent.journal.current_plans import read_current_plan
from coach_agent.store.briefings import read_latest_briefing
from hevy_connector.request_guard import RequestGuard
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, SettingsError
from orchestration.server.mcp_proposals import Proposed, add_proposal_tools
from orchestration.server.mcp_tools import (
    INSTRUCTIONS,
    Reads,
    add_prompts,
    add_resources,
    add_tools,
)
from orchestration.services.answers.proposals import proposal_text, propose, request_of
from orchestration.services.answers.training import Training, read_training
from orchestration.services.memory.memories import current_memories
from orchestration.services.releases.own_marts import OwnMarts
from orchestration.services.releases.released import require_current_release
from orchestration.services.requests.request_signing import request_key
from orchestration.services.search.search import search
from orchestration.storage.warehouse import open_warehouse

MCP_PORT = 8713
HOST = "127.0.0.1"
_SCOPE = "spotter:read"


def token_of(settings: Settings, athlete_id: str) -> str:
    """Return the athlete's token: HMAC-SHA256 of the id with the key of the home."""
    key = request_key(settings.home)
    return hmac.new(key, f"mcp\0{athlete_id}".encode(), sha256).hexdigest()


def stdio_server(settings: Settings, athlete_id: str, own_marts: OwnMarts) -> MCPServer[Any]:
    """Return a server for one athlete."""
    return _server(settings, lambda: athlete_id, own_marts)


def http_app(
    settings: Settings, athlete_ids: tuple[str, ...], own_marts: OwnMarts, port: int
) -> ASGIApp:
    """Return the ASGI application for these athletes, behind the request guard.

    Each request is handled for its own token: there is no session that another could continue.
    """
    tokens = {athlete_id: token_of(settings, athlete_id) for athlete_id in athlete_ids}
    url = f"http://{HOST}:{port}"
    auth = AuthSettings(
        issuer_url=AnyHttpUrl(url),
        resource_server_url=AnyHttpUrl(f"{url}/mcp"),
        required_scopes=[_SCOPE],
        validate_token_resource=False,
    )
    server = _server(settings, _caller, own_marts, token_verifier=_Tokens(tokens), auth=auth)
    app = server.streamable_http_app(
        stateless_http=True,
        # The request guard has the same checks, with the operator's host names.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return RequestGuard(app, settings.allowed_hosts)


def serve_http(settings: Settings, athlete_ids: tuple[str, ...], port: int) -> None:
    """Serve until Ctrl-C or SIGTERM on loopback.

    Raises:
        SystemExit: the port is taken.
    """
    with _own_marts() as own_marts:
        app = http_app(settings, athlete_ids, own_marts, port)
        config = uvicorn.Config(app, host=HOST, port=port, log_config=None, access_log=False)
        uvicorn.Server(config).run()


def serve_stdio(settings: Settings, athlete_id: str) -> None:
    """Serve one athlete on stdin and stdout until the client closes them, or SIGTERM."""
    with _own_marts() as own_marts:
        stdio_server(settings, athlete_id, own_marts).run("stdio")


@contextmanager
def _own_marts() -> Iterator[OwnMarts]:
    """Yield copies that are deleted at the end, also when SIGTERM ends the process."""
    own_marts = OwnMarts()

    def end(number: int, frame: FrameType | None) -> None:
        try:
            own_marts.close()
        finally:
            # An exception would wait for the thread that reads stdin.
            os._exit(128 + number)

    former = signal.signal(signal.SIGTERM, end)
    try:
        yield own_marts
    finally:
        signal.signal(signal.SIGTERM, former)
        own_marts.close()


class _Tokens(TokenVerifier):
    """Compares a token with those of all athletes, in constant time."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._tokens = tokens

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the athlete of the token; None for an unknown one."""
        offered = token.encode()
        matches = [
            athlete_id
            for athlete_id, own in self._tokens.items()
            if hmac.compare_digest(offered, own.encode())
        ]
        if not matches:
            return None
        return AccessToken(token=token, client_id=matches[0], scopes=[_SCOPE], subject=matches[0])


def _caller() -> str:
    """Return the athlete of the request's token."""
    token = get_access_token()
    if token is None or token.subject is None:
        raise SettingsError("There is no token in this request.")
    return token.subject


def _server(
    settings: Settings, athlete_of: Callable[[], str], own_marts: OwnMarts, **more: Any
) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer(
        "spotter", instructions=INSTRUCTIONS, log_level="WARNING", **more
    )
    reads = Reads(
        training=lambda: _training(settings, athlete_of()),
        briefing=lambda: _briefing(settings, athlete_of()),
        search=lambda query, kinds, limit: search(
            settings, find_athlete(settings, athlete_of()), query, kinds=kinds, limit=limit
        ),
        own_marts=own_marts,
    )
    add_tools(server, reads)
    add_resources(server, reads)
    add_prompts(server)
    add_proposal_tools(
        server, lambda wish: _propose(settings, athlete_of(), wish), settings.mcp_proposals
    )
    return server


def _propose(settings: Settings, athlete_id: str, wish: Wish) -> Proposed:
    """Store a wish as a proposal of the athlete."""
    now = datetime.now(UTC)
    profile = find_athlete(settings, athlete_id)
    request = request_of(wish, _training(settings, athlete_id), profile)
    with open_warehouse(settings.warehouse) as con:
        stored = propose(con, request, proposed_by="mcp", now=now)
    return Proposed(
        number=stored.number,
        text=proposal_text(request),
        accept=f"spotter ask --accept {stored.number} --athlete {athlete_id}",
        expires_at=stored.expires_at,
    )


def _training(settings: Settings, athlete_id: str) -> Training:
    profile = find_athlete(settings, athlete_id)
    released = require_current_release(settings.release_folder)
    known = partial(current_memories, settings.warehouse, profile)
    found = partial(search, settings, profile)
    return read_training(released, athlete_id, profile, datetime.now(UTC), known, found)


def _briefing(settings: Settings, athlete_id: str) -> str:
    """Return the latest briefing; with an open red flag only the instructions to stop.

    Raises:
        SettingsError: there is none, or its plan is no longer the active one.
    """
    if codes := _training(settings, athlete_id).red_flags:
        return f"{stop_text(codes)} {how_to_clear()}"
    with open_warehouse(settings.warehouse, read_only=True) as con:
        try:
            written = read_latest_briefing(con, athlete_id)
        except duckdb.CatalogException:
            written = None  # a warehouse older than briefings
        if written is None:
            raise SettingsError("There is no briefing yet. Run: spotter run")
        current = read_current_plan(con, athlete_id)
    if written.plan_id != (None if current is None else current.plan_id):
        raise SettingsError(
            "The briefing is outdated: the plan has changed since. Run: spotter run"
        )
    return written.markdown
