"""`spotter dev` and `spotter webhook`: the servers of this machine."""

from typing import Annotated

import typer

from orchestration.server.dev import serve_ui, serve_webhook

_WEBHOOK_PORT = 8712


def dev(
    simulated: Annotated[
        bool, typer.Option("--demo", help="Use the simulator and the demo athlete.")
    ] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the UI on loopback.")] = 3000,
    dashboard_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of the dashboard; default: 8501 or free."),
    ] = None,
    webhook: Annotated[
        bool, typer.Option("--webhook", help="Receive Hevy's webhook on loopback, too.")
    ] = False,
    webhook_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the webhook; 0: a free one.")
    ] = _WEBHOOK_PORT,
) -> None:
    """Serve Dagster UI and dashboard until Ctrl-C.

    Both listen on loopback; the daemon runs the schedules. With --demo it uses a separate home with
    the simulated athlete, and runs a night of it first.
    """
    code = serve_ui(
        port,
        dashboard_port=dashboard_port,
        is_simulated=simulated,
        webhook_port=webhook_port if webhook else None,
    )
    raise typer.Exit(code)


def receive_webhook(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; 0: a free one.")
    ] = _WEBHOOK_PORT,
    host: Annotated[str, typer.Option(help="Listen address; use a proxy for TLS.")] = "127.0.0.1",
) -> None:
    """Receive Hevy's webhook until Ctrl-C.

    A delivery is stored immediately and starts the nightly job of its athlete once `spotter dev` of
    the same home is running. Each athlete needs a token: docs/webhook.md
    """
    serve_webhook(host, port)
