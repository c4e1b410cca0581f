"""Dagster's runs from its GraphQL API."""

from dataclasses import dataclass
from datetime import UTC, datetime

import httpx

from dashboard.graphql import post_query

_QUERY = "{ runsOrError(limit: 5) { ... on Runs { results { jobName status startTime } } } }"
_PATIENCE_S = 2.0


@dataclass(frozen=True)
class Run:
    """One run: its job, its state in words, and its start (UTC), None before it."""

    job: str
    state: str
    began_at: datetime | None


def recent_runs(url: str) -> list[Run] | None:
    """Return the last five runs, newest first; None if Dagster does not answer."""
    try:
        answer = post_query(url, _QUERY, _PATIENCE_S).raise_for_status()
        results = answer.json()["data"]["runsOrError"].get("results", [])
    except (httpx.HTTPError, ValueError):
        return None
    return [
        Run(
            job="assets by hand" if run["jobName"].startswith("__") else run["jobName"],
            state=run["status"].replace("_", " ").lower(),
            began_at=(
                None if run["startTime"] is None else datetime.fromtimestamp(run["startTime"], UTC)
            ),
        )
        for run in results
    ]
