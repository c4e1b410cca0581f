"""The Dagster UI behind the request guard: `python -m orchestration.server.webserver`.

Dagster's own command has no option for middleware. This module uses Dagster's private workspace
context and wraps the ASGI application created from it.
"""

import argparse
from collections.abc import Sequence

import dagster as dg
import uvicorn
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import WorkspaceFileTarget
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__

from hevy_connector.request_guard import RequestGuard

# Like Dagster's own command: statement timeout 15 s, connection lifetime 1 h.
_STATEMENT_TIMEOUT_MS, _POOL_RECYCLE_S, _POOL_MAX_OVERFLOW = 15_000, 3_600, 20
# Polling interval of a page for new events, in milliseconds.
_POLL_RATE_MS = 2_000


def guarded_ui(context: WorkspaceProcessContext, allowed: Sequence[str]) -> RequestGuard:
    """Return the Dagster UI as an ASGI application that accepts commands only from its pages."""
    app = create_app_from_workspace_process_context(context, live_data_poll_rate=_POLL_RATE_MS)
    return RequestGuard(app, allowed, only_json=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the UI of the workspace until stopped."""
    parser = argparse.ArgumentParser(prog="webserver")
    parser.add_argument("--workspace", required=True)
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--allow", action="append", default=[])
    given = parser.parse_args(arguments)
    with dg.DagsterInstance.get() as instance:
        instance.optimize_for_webserver(_STATEMENT_TIMEOUT_MS, _POOL_RECYCLE_S, _POOL_MAX_OVERFLOW)
        with WorkspaceProcessContext(
            instance,
            workspace_load_target=WorkspaceFileTarget([given.workspace]),
            version=__version__,
        ) as context:
            uvicorn.run(
                guarded_ui(context, given.allow),
                host=given.host,
                port=given.port,
                lifespan="off",
                log_level="warning",
            )


if __name__ == "__main__":
    main()
