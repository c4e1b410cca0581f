"""The Dagster UI behind the request guard: `python -m orchestration.server.webserver`.

Dagster's own command has no option for middleware. The seam is here: the context of a workspace is
private to Dagster, and what it makes of it is wrapped before anything listens.
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

# As Dagster's own command: a statement of the history may take 15 s, a connection lives an hour.
_STATEMENT_TIMEOUT_MS, _POOL_RECYCLE_S, _POOL_MAX_OVERFLOW = 15_000, 3_600, 20
# How often a page asks for what is new, in milliseconds.
_POLL_RATE_MS = 2_000


def guarded_ui(context: WorkspaceProcessContext, allowed: Sequence[str]) -> RequestGuard:
    """The Dagster UI as an ASGI application that takes commands from its own pages alone."""
    app = create_app_from_workspace_process_context(context, live_data_poll_rate=_POLL_RATE_MS)
    return RequestGuard(app, allowed, only_json=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the UI of the workspace until ended."""
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
