"""`spotter dashboard`: serve the dashboard."""

from typing import Annotated

import typer

from orchestration.cli.views import terminal
from orchestration.config.ports import require_free
from orchestration.config.settings import load_settings
from orchestration.server.dashboard import DASHBOARD_PORT, dashboard_command, serve_dashboard


def dashboard(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port.")] = DASHBOARD_PORT,
    host: Annotated[
        str,
        typer.Option(help="Listen address; except loopback, needs SPOTTER_DASHBOARD_PASSWORD."),
    ] = "127.0.0.1",
) -> None:
    """Serve the dashboard until Ctrl-C.

    It shows the next workout, progress, volume and data freshness. It reads only the released
    marts, so it can run during a run.
    """
    settings = load_settings()
    command = dashboard_command(settings, host, port)
    require_free(port, host)
    terminal.console.print(f"Dashboard: http://{host}:{port}  (Ctrl-C ends it)", soft_wrap=True)
    serve_dashboard(settings, command)
