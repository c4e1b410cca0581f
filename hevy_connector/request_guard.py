"""Protection against cross-site requests and DNS rebinding for all HTTP servers of Spotter.

A browser sends requests to loopback on behalf of any page. The pages that Spotter serves have no
other protection: the Dagster UI has no login, and the browser attaches the cookie of a login.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hevy_connector.http.addresses import is_loopback_host

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_GRAPHQL = "/graphql"


@dataclass(frozen=True)
class Incoming:
    """The parts of a request that decide about its acceptance.

    `hosts` and `origins` hold every header of that name, `content_type` its media type alone.
    `fetch_site`, `fetch_mode` and `fetch_dest` are Fetch Metadata, which browsers send to loopback
    and over TLS. `server_address` is the local address of the connection.
    """

    method: str
    path: str
    query: str
    hosts: tuple[str, ...]
    origins: tuple[str, ...]
    content_type: str
    fetch_site: str
    fetch_mode: str
    fetch_dest: str
    server_address: str
    is_websocket: bool


@dataclass(frozen=True)
class Refusal:
    """The response to a rejected request."""

    status: int
    reason: str


def refusal(incoming: Incoming, allowed: Collection[str], *, only_json: bool) -> Refusal | None:
    """Return the rejection of a request, or None.

    `allowed` are the host names of the operator, each with or without a port. `only_json` is for
    servers that take commands as JSON: a form or a link cannot send it, and a script of another
    origin needs a preflight, which is never granted.
    """
    host = _host(incoming.hosts)
    if host is None or not _is_own(host, allowed, incoming.server_address):
        return Refusal(421, "This host is not served here. SPOTTER_ALLOWED_HOSTS adds host names.")
    if any(not _is_same_origin(origin, host, allowed) for origin in incoming.origins):
        return Refusal(403, "Requests of another origin are refused.")
    if _is_cross_site(incoming):
        return Refusal(403, "Requests of another site are refused.")
    if only_json and not incoming.is_websocket:
        return _command_refusal(incoming)
    return None


def _command_refusal(incoming: Incoming) -> Refusal | None:
    is_safe = incoming.method in _SAFE_METHODS
    if is_safe and incoming.path.endswith(_GRAPHQL) and incoming.query:
        return Refusal(405, "GraphQL accepts only POST.")
    if not is_safe and incoming.content_type != "application/json":
        return Refusal(415, "The body must be JSON, with the content type application/json.")
    return None


def _is_cross_site(incoming: Incoming) -> bool:
    """Apply the resource isolation policy: another site may link to a page, and no more.

    Source: W3C Fetch Metadata Request Headers; web.dev/fetch-metadata.
    """
    if incoming.fetch_site in {"", "same-origin", "none"}:
        return False
    is_link = incoming.fetch_mode == "navigate" and incoming.fetch_dest in {"", "document"}
    return not (is_link and incoming.method in _SAFE_METHODS)


@dataclass(frozen=True)
class _Host:
    """A host name without the trailing dot, and an explicit port."""

    name: str
    port: int | None


def _host(headers: tuple[str, ...]) -> _Host | None:
    """Parse the one Host header; None where it is missing, repeated or malformed."""
    if len(headers) != 1:
        return None
    return _parse_host(headers[0])


def _parse_host(text: str) -> _Host | None:
    try:
        parts = urlsplit(f"//{text}")
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    is_host_alone = text == parts.netloc and "@" not in text
    if not is_host_alone or name is None:
        return None
    return _Host(name.removesuffix("."), port)


def _is_own(host: _Host, allowed: Collection[str], server_address: str) -> bool:
    """Return whether the Host header names this server.

    A rebound name belongs to the attacker, an address does not: the local address of the connection
    is always accepted.
    """
    return (
        is_loopback_host(host.name)
        or host.name == server_address.lower()
        or any(known.name == host.name for known in _parse_hosts(allowed))
    )


def _is_same_origin(origin: str, host: _Host, allowed: Collection[str]) -> bool:
    """Return whether a page of this server sent the request.

    The port is compared too: on loopback another port may be another program's page. A proxy with
    TLS may send its own name as the host, so the operator's names count as origins.
    """
    scheme, _, rest = origin.partition("://")
    parsed = _parse_host(rest)
    if scheme not in _DEFAULT_PORTS or parsed is None:
        return False
    port = parsed.port or _DEFAULT_PORTS[scheme]
    if parsed.name == host.name and port == (host.port or _DEFAULT_PORTS[scheme]):
        return True
    return any(
        known.name == parsed.name and port == (known.port or _DEFAULT_PORTS[scheme])
        for known in _parse_hosts(allowed)
    )


def _parse_hosts(allowed: Collection[str]) -> Iterator[_Host]:
    return (host for host in map(_parse_host, map(str.lower, allowed)) if host is not None)


class RequestGuard:
    """ASGI middleware in front of a whole server: rejects a request before the application sees it.

    Pages cannot be embedded in a frame of another site, against clickjacking.
    """

    def __init__(
        self, app: ASGIApp, allowed: Collection[str] = (), *, only_json: bool = False
    ) -> None:
        self._app = app
        self._allowed = tuple(allowed)
        self._only_json = only_json

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request or pass it on."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        refused = refusal(_incoming(scope), self._allowed, only_json=self._only_json)
        if refused is None:
            await self._app(scope, receive, _without_frames(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refused.reason})
        else:
            await PlainTextResponse(refused.reason, refused.status)(scope, receive, send)


def _without_frames(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)["X-Frame-Options"] = "SAMEORIGIN"
        await send(message)

    return sent


def _incoming(scope: Scope) -> Incoming:
    headers = Headers(scope=scope)
    server: Any = scope.get("server") or ("", None)
    return Incoming(
        method=scope.get("method", "GET"),
        path=scope["path"].rstrip("/"),
        query=scope.get("query_string", b"").decode("latin-1"),
        hosts=tuple(headers.getlist("host")),
        origins=tuple(headers.getlist("origin")),
        content_type=headers.get("content-type", "").partition(";")[0].strip().lower(),
        fetch_site=headers.get("sec-fetch-site", ""),
        fetch_mode=headers.get("sec-fetch-mode", ""),
        fetch_dest=headers.get("sec-fetch-dest", ""),
        server_address=server[0] or "",
        is_websocket=scope["type"] == "websocket",
    )
