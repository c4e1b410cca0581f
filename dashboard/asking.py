"""Run a request: in Dagster if it answers, otherwise in a process of this machine."""

import json
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import httpx
import streamlit as st

from coach_agent.domain.secret_values import secrets_scrubber
from dashboard.graphql import post_query
from orchestration.config.settings import Settings
from orchestration.runs.tags import ATHLETE_TAG, TRIGGER_TAG
from orchestration.services.requests.athlete_requests import (
    JOB,
    REQUEST_TAG,
    STEP,
    Request,
    RequestError,
    carry_out,
    read_request,
)
from orchestration.services.requests.request_signing import SignedRequest, request_key

_PATIENCE_S = 20.0
_PAGE_PATIENCE_S = 2.0  # a hanging Dagster must not block a page
_UNENDED = ("QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING")

_RUNS = """
query ($filter: RunsFilter!) { runsOrError(filter: $filter) { __typename
  ... on Runs { results { runId creationTime tags { key value } } }
  ... on PythonError { message } } }
"""
_LAUNCH = """
mutation ($run: ExecutionParams!) { launchRun(executionParams: $run) {
  __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }
"""
_STATE = """
query ($id: ID!) { runOrError(runId: $id) { __typename ... on Run { status
  eventConnection { events { __typename
    ... on ExecutionStepFailureEvent { failureMetadata { description } error { message } } } } } } }
"""


@dataclass(frozen=True)
class Asked:
    """A request that was sent; `run_id` is None if Dagster does not run it.

    `asked_at_s` is the time on the monotonic clock (s).
    """

    request_id: str
    run_id: str | None
    asked_at_s: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Progress:
    """Progress of a request; `why` is the reason of a failure."""

    state: Literal["waiting", "running", "done", "failed"]
    why: str = ""


class AskingError(Exception):
    """A request could not be sent; the text gives the reason. Nothing was done."""


def ask(settings: Settings, request: Request, request_id: str) -> Asked:
    """Run a request. Idempotent: the same id is run only once.

    Raises:
        AskingError: Dagster answers and rejects it.
    """
    # The request is stored with its run.
    request = read_request(secrets_scrubber(settings.keys)(request.model_dump_json()))
    try:
        return Asked(request_id, _launched(settings, request, request_id))
    except (httpx.ConnectError, httpx.ConnectTimeout):
        _here().begin(request.athlete_id, request_id, lambda: carry_out(settings, request, _nobody))
        return Asked(request_id, None)
    except httpx.TransportError as error:
        # It may have arrived: a retry with the same id still runs it once.
        raise AskingError(
            f"Dagster at {settings.dagster_url} did not answer in time. Send it again."
        ) from error


def progress_of(settings: Settings, asked: Asked) -> Progress:
    """Return the progress; while Dagster does not answer the request counts as running."""
    if asked.run_id is None:
        return _here().progress_of(asked.request_id)
    try:
        run = _answer(settings, _STATE, id=asked.run_id)["runOrError"]
    except (httpx.HTTPError, AskingError):
        return Progress("running")
    match run.get("status"):
        case "SUCCESS":
            return Progress("done")
        case "FAILURE" | "CANCELED":
            return Progress("failed", _why(run["eventConnection"]["events"]))
        case "QUEUED" | "NOT_STARTED" | "STARTING":
            return Progress("waiting")
        case None:
            return Progress("failed", "Dagster no longer knows of it.")
        case _:
            return Progress("running")


def under_way(settings: Settings, athlete_id: str) -> Asked | None:
    """Return the athlete's active request, from any page; None without one."""
    wanted = {"statuses": list(_UNENDED), "tags": [{"key": ATHLETE_TAG, "value": athlete_id}]}
    try:
        runs = _answer(settings, _RUNS, _PAGE_PATIENCE_S, filter={"pipelineName": JOB, **wanted})
    except (httpx.ConnectError, httpx.ConnectTimeout):
        return _here().under_way(athlete_id)
    except (httpx.TransportError, AskingError):
        return None
    for run in runs["runsOrError"].get("results", [])[:1]:
        tags = {tag["key"]: tag["value"] for tag in run["tags"]}
        ago_s = max(0.0, time.time() - run["creationTime"])
        return Asked(tags[REQUEST_TAG], run["runId"], time.monotonic() - ago_s)
    return None


def _launched(settings: Settings, request: Request, request_id: str) -> str:
    tags = {REQUEST_TAG: request_id, TRIGGER_TAG: "dashboard", ATHLETE_TAG: request.athlete_id}
    sent = _answer(
        settings,
        _RUNS,
        filter={"tags": [{"key": REQUEST_TAG, "value": request_id}]},
    )["runsOrError"]
    if sent.get("results"):
        return str(sent["results"][-1]["runId"])
    signed = SignedRequest(
        request.model_dump_json(), request_id, str(settings.home), int(time.time())
    )
    asked_for = {**asdict(signed), "signature": signed.signature(request_key(settings.home))}
    run = {
        "selector": {
            "repositoryLocationName": "spotter",
            "repositoryName": "__repository__",
            "jobName": JOB,
        },
        "mode": "default",
        "runConfigData": {"ops": {STEP: {"config": asked_for}}},
        "executionMetadata": {"tags": [{"key": key, "value": tags[key]} for key in tags]},
    }
    launched = _answer(settings, _LAUNCH, run=run)["launchRun"]
    if launched["__typename"] != "LaunchRunSuccess":
        told = launched.get("message") or f"it says {launched['__typename']}"
        raise AskingError(f"Dagster at {settings.dagster_url} did not take it: {told}")
    return str(launched["run"]["runId"])


def _answer(
    settings: Settings, query: str, patience_s: float = _PATIENCE_S, **variables: Any
) -> dict[str, Any]:
    answer = post_query(settings.dagster_url, query, patience_s, **variables)
    try:
        data: dict[str, Any] | None = answer.raise_for_status().json().get("data")
    except (httpx.HTTPStatusError, json.JSONDecodeError, AttributeError) as error:
        raise AskingError(f"What answers at {settings.dagster_url} is no Dagster.") from error
    if data is None:
        raise AskingError(f"Dagster at {settings.dagster_url} does not know this request.")
    return data


def _why(events: list[dict[str, Any]]) -> str:
    """Return the reason that the step logged, otherwise Dagster's message."""
    for event in events:
        if event["__typename"] == "ExecutionStepFailureEvent":
            told = (event.get("failureMetadata") or {}).get("description")
            return str(told or (event.get("error") or {}).get("message") or "")
    return ""


class _Here:
    """Requests that this server runs itself, one after another."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "request")
        self._begun: dict[str, Future[None]] = {}
        self._latest: dict[str, Asked] = {}

    def begin(self, athlete_id: str, request_id: str, work: Callable[[], None]) -> None:
        """Start the work, unless the request was started before."""
        if request_id not in self._begun:
            self._begun[request_id] = self._pool.submit(work)
            self._latest[athlete_id] = Asked(request_id, None)

    def under_way(self, athlete_id: str) -> Asked | None:
        """Return the athlete's latest request, unless it has ended."""
        latest = self._latest.get(athlete_id)
        return None if latest is None or self._begun[latest.request_id].done() else latest

    def progress_of(self, request_id: str) -> Progress:
        """Return the progress; requests of an earlier server process are unknown."""
        begun = self._begun.get(request_id)
        if begun is None:
            return Progress("failed", "The dashboard was started anew meanwhile.")
        if not begun.done():
            return Progress("running" if begun.running() else "waiting")
        error = begun.exception()
        if error is None:
            return Progress("done")
        if isinstance(error, RequestError):
            return Progress("failed", str(error))
        raise error


@st.cache_resource(show_spinner=False)
def _here() -> _Here:
    return _Here()


def _nobody(line: str) -> None:
    """Discard a log line: private training data must not be in a log."""
