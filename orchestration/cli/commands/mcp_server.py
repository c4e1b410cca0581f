"""`spotter mcp`: serve your training to an assistant."""

from typing import Annotated

import typer

from orchestration.cli.commands.options import Athlete
from orchestration.cli.views import terminal
from orchestration.config.athletes import configured_athletes, find_athlete
from orchestration.config.ports import require_free
from orchestration.config.settings import load_settings


def serve_mcp(
    athlete: Athlete = None,
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP instead of stdio.")] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on loopback.")] = 8713,
    show_token: Annotated[
        bool, typer.Option("--show-token", help="Print the athlete's token and exit.")
    ] = False,
) -> None:
    """Serve your training to an assistant over MCP.

    Tools read; those that the operator enables by SPOTTER_MCP_PROPOSALS propose actions, which you
    accept with `spotter ask --accept`. Over stdio it serves one athlete until the assistant closes
    it. With --http it serves all athletes on this machine, and the token in the request's
    Authorization header identifies the athlete.
    """
    # mcp takes half a second to import, which other commands must not pay.
    from orchestration.server.mcp_server import HOST, serve_http, serve_stdio, token_of

    settings = load_settings()
    if show_token:
        print(token_of(settings, find_athlete(settings, athlete).id))
        return
    if not http:
        serve_stdio(settings, find_athlete(settings, athlete).id)
        return
    athletes = configured_athletes(settings)
    require_free(port, HOST)
    terminal.console.print(
        f"MCP: http://{HOST}:{port}/mcp  (Ctrl-C ends it). Token: spotter mcp --show-token",
        soft_wrap=True,
    )
    serve_http(settings, tuple(each.id for each in athletes), port)
