"""Requests to Dagster's GraphQL API."""

import ssl
from functools import cache
from typing import Any

import httpx


def post_query(url: str, query: str, patience_s: float, **variables: Any) -> httpx.Response:
    """Send a query to the Dagster at `url`, with a timeout in seconds.

    Raises:
        httpx.TransportError: no complete response in time.
    """
    body = {"query": query, "variables": variables}
    return httpx.post(f"{url}/graphql", json=body, timeout=patience_s, verify=_tls())


@cache
def _tls() -> ssl.SSLContext:
    """Load the trusted certificates once: every page asks, and it takes tens of milliseconds."""
    return httpx.create_ssl_context()
