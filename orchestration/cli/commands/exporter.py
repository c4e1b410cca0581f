"""`spotter exporter`: metrics for Prometheus."""

from contextlib import suppress
from typing import Annotated

import typer

from orchestration.cli.views.terminal import console
from orchestration.config.settings import SettingsError, load_settings


def export_metrics(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: a free one.")] = 8713,
    host: Annotated[str, typer.Option(help="Listen address; there is no password.")] = "127.0.0.1",
) -> None:
    """Serve metrics for Prometheus until Ctrl-C.

    Seconds, rows, write conflicts, retries and lag of each part and partition of the nightly run,
    from Dagster's history. It needs the package's extra "metrics". See docs/operations.md.
    """
    from orchestration.server.supervisor import interrupt_on_signal

    try:
        from orchestration.server.metrics import running_metrics
    except ModuleNotFoundError as error:
        if error.name != "prometheus_client":
            raise
        raise SettingsError(
            "Metrics need prometheus-client, which is not installed. Run: make install, or pip "
            "install 'spotter[metrics]'"
        ) from error
    interrupt_on_signal()
    with suppress(KeyboardInterrupt), running_metrics(load_settings(), host=host, port=port) as own:
        url, thread = own
        console.print(f"Metrics: {url}  (Ctrl-C ends it)", soft_wrap=True)
        thread.join()
