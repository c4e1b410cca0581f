"""The dashboard's server behind the request guard: `python -m dashboard.serve PAGE`."""

import argparse
from collections.abc import Sequence

from starlette.middleware import Middleware
from streamlit.starlette import App

from orchestration.server.dashboard import STREAMLIT_OPTIONS
from orchestration.server.dashboard_guard import RequestGuard


def guarded_page(page: str, allowed: Sequence[str]) -> App:
    """Build an ASGI application of a Streamlit page that serves only its own pages."""
    return App(page, middleware=[Middleware(RequestGuard, allowed)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve a page until stopped."""
    parser = argparse.ArgumentParser(prog="dashboard")
    parser.add_argument("page")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--allow", action="append", default=[])
    given = parser.parse_args(arguments)
    where = {"server.address": given.host, "server.port": given.port}
    guarded_page(given.page, given.allow).run(config={**STREAMLIT_OPTIONS, **where})


if __name__ == "__main__":
    main()
