"""`spotter serve`: one of Dagster's servers, for containers and systemd."""

from typing import Annotated

import typer

from orchestration.cli.views import terminal
from orchestration.config.settings import load_settings
from orchestration.server.dagster_servers import CODE_PORT, Part, serve


def serve_part(
    part: Annotated[Part, typer.Argument(help="code, daemon or ui.")],
    host: Annotated[str, typer.Option(help="Where `ui` listens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Its port.")] = 3000,
    code_host: Annotated[
        str, typer.Option(help="Where `code` listens, and the others look for it.")
    ] = "127.0.0.1",
    code_port: Annotated[int, typer.Option(min=1, max=65535, help="Its port.")] = CODE_PORT,
) -> None:
    """Be one of Dagster's servers until ended: docs/operations.md has all three together.

    `code` runs the jobs and alone needs keys and athletes, `daemon` has schedules and sensors, `ui`
    is what people see. There is no password: let `ui` listen only where everybody may start runs.
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
