"""Servers of an athlete and clients for them.

MCP's package is imported when one is made: it is a fifth of the imports of a collection.
"""

from typing import TYPE_CHECKING, Any, Literal

from orchestration.config.settings import Settings
from orchestration.services.releases.own_marts import OwnMarts

if TYPE_CHECKING:
    from mcp import Client
    from mcp.server.mcpserver import MCPServer

Mode = Literal["auto", "legacy"]
URL = "http://127.0.0.1:8713"


def server_of(settings: Settings, athlete: str, own_marts: OwnMarts) -> "MCPServer[Any]":
    """Return the server that `spotter mcp` runs on its standard streams."""
    from orchestration.server.mcp_server import stdio_server

    return stdio_server(settings, athlete, own_marts)


def token_of(settings: Settings, athlete: str) -> str:
    """Return the token that identifies the athlete over HTTP."""
    from orchestration.server import mcp_server

    return mcp_server.token_of(settings, athlete)


def client_of(server: "MCPServer[Any]", mode: Mode = "auto") -> "Client":
    """Return a client of a server in this process."""
    from mcp import Client

    return Client(server, mode=mode)


def http_client_of(http: Any, mode: Mode = "auto") -> "Client":
    """Return a client over HTTP, by an `httpx2.AsyncClient`."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    return Client(streamable_http_client(f"{URL}/mcp", http_client=http), mode=mode)
