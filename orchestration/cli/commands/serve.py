"""`spotter serve`: one of Dagster's servers, for containers and systemd."""

from typing import Annotated

import typer

from orchestration.cli.views import terminal
from orchestration.config.settings import load_settings
from orchestration.server.dagster_servers import CODE_PORT, Part, serve


def serve_part(
    part: Annotated[Part, typer.Argument(help="code, daemon or ui.")],
    host: Annotated[str, typer.Option(help="Listen address of `ui`.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of `ui`.")] = 3000,
    code_host: Annotated[str, typer.Option(help="Address of `code`.")] = "127.0.0.1",
    code_port: Annotated[int, typer.Option(min=1, max=65535, help="Port of `code`.")] = CODE_PORT,
) -> None:
    """Run one of Dagster's servers until stopped.

    `code` runs the jobs and is the only one that needs keys and athletes, `daemon` runs schedules
    and sensors, `ui` is the web UI. There is no password: expose `ui` only to people who may start
    runs. See docs/operations.md.
    """
    serve(
        part,
        load_settings(),
        host=host,
        port=port,
        code_host=code_host,
        code_port=code_port,
        on_damage=terminal.show_damaged_history,
    )
