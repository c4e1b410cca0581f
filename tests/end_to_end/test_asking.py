"""A request of a page reaches Dagster exactly once, even after a lost response."""

import inspect
import subprocess
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from dashboard.asking import ask
from orchestration.config.settings import load_settings
from orchestration.server.dashboard import DASHBOARD_PAGE, dashboard_command
from orchestration.services.requests.athlete_requests import (
    REQUEST_TAG,
    STEP,
    CheckIn,
    Request,
    read_request,
)
from tests.end_to_end.browser import PHONE, needs_chromium, opened_page, running_chromium
from tests.end_to_end.fake_dagster import fake_dagster
from tests.end_to_end.served_dashboard import is_up
from tests.end_to_end.world import ROOT
from tests.ports import free_port
from tests.waiting import wait_until

PATIENCE_S = 60
LONG_ENOUGH_S = 3  # for what must not happen


@dataclass
class Dagster:
    """Launches by the id of their request; a response is lost for each of `losses`.

    A launch sets `has_come` and is answered after `may_answer`; concurrent ones set `beside`.
    """

    losses: int = 0
    has_come: Event = field(default_factory=Event)
    may_answer: Event = field(default_factory=Event)
    beside: Event = field(default_factory=Event)
    launched: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    status: str = "SUCCESS"

    def answer(self, query: str, variables: dict[str, Any]) -> dict[str, Any] | None:
        """Return the response of a GraphQL server; None closes the connection."""
        if self.has_come.is_set() and not self.may_answer.is_set():
            self.beside.set()
        if "runsOrError" in query:
            asked = variables["filter"]
            [tag] = asked["tags"]
            known = [
                each
                for each in self.launched
                if each == tag["value"] or self.status in asked.get("statuses", ())
            ]
            return {"runsOrError": {"results": [self.run(each) for each in known]}}
        if "launchRun" in query:
            tags = {
                tag["key"]: tag["value"] for tag in variables["run"]["executionMetadata"]["tags"]
            }
            self.launched.append(tags[REQUEST_TAG])
            config = variables["run"]["runConfigData"]["ops"][STEP]["config"]
            self.requests.append(read_request(config["request"]))
            self.has_come.set()
            assert self.may_answer.wait(PATIENCE_S)
            if self.losses:
                self.losses -= 1
                return None
            return {
                "launchRun": {
                    "__typename": "LaunchRunSuccess",
                    "run": {"runId": tags[REQUEST_TAG]},
                }
            }
        return {"runOrError": {"status": self.status}}

    def run(self, request_id: str) -> dict[str, Any]:
        """Return a run of a minute ago with the id of its request."""
        tags = [{"key": REQUEST_TAG, "value": request_id}]
        return {"runId": request_id, "creationTime": time.time() - 60, "tags": tags}


@pytest.fixture
def dagster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dagster]:
    dagster = Dagster()
    dagster.may_answer.set()
    with fake_dagster(dagster.answer) as url:
        monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
        monkeypatch.setenv("SPOTTER_DAGSTER_URL", url)
        yield dagster


def script() -> None:
    import streamlit as st

    from dashboard.requests import send, show_request
    from orchestration.config.settings import load_settings
    from orchestration.services.requests.athlete_requests import NextPlan, Reject

    settings = load_settings()
    show_request(settings, "demo")
    if st.button("Plan"):
        send(settings, NextPlan(athlete_id="demo"))
    if st.button("Reject"):
        send(settings, Reject(athlete_id="demo", plan_id="a", because="tired"))
    st.checkbox("Else")


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_function(script, default_timeout=PATIENCE_S).run()


def tap(page: AppTest, label: str) -> None:
    [button] = [each for each in page.button if each.label == label]
    button.click().run()
    assert not page.exception


def test_what_is_sent_again_after_a_lost_answer_is_done_once(
    dagster: Dagster, page: AppTest
) -> None:
    dagster.losses = 1
    tap(page, "Plan")
    [error] = page.error
    assert "Send it again" in error.value
    tap(page, "Plan")
    assert not page.error
    assert len(dagster.launched) == 1


def test_a_secret_in_a_note_is_not_stored_with_the_run(
    dagster: Dagster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dagster keeps the request in the configuration of its run."""
    monkeypatch.setenv("HEVY_API_KEY", "marker-7f3a91")
    ask(load_settings(), CheckIn(athlete_id="demo", note="key marker-7f3a91"), "request-1")
    assert dagster.requests == [CheckIn(athlete_id="demo", note="key ***")]


def test_another_request_after_a_lost_answer_is_another(dagster: Dagster, page: AppTest) -> None:
    dagster.losses = 1
    tap(page, "Plan")
    tap(page, "Reject")
    assert not page.error
    assert len(set(dagster.launched)) == 2
    tap(page, "Plan")
    assert len(dagster.launched) == 2, "the first one had arrived"


def test_the_same_is_done_again_for_who_asks_again_after_its_end(
    dagster: Dagster, page: AppTest
) -> None:
    tap(page, "Plan")
    page.run()
    assert [each.value for each in page.success] == ["Done. This page shows the result."]
    tap(page, "Plan")
    assert len(set(dagster.launched)) == 2


def test_a_page_that_is_loaded_anew_watches_what_is_under_way(
    dagster: Dagster, page: AppTest
) -> None:
    dagster.status = "STARTED"
    tap(page, "Plan")
    anew = AppTest.from_function(script, default_timeout=PATIENCE_S).run()
    [told] = anew.info
    assert told.value.startswith("In progress, 6"), "the seconds since it was asked for"
    tap(anew, "Plan")
    assert len(dagster.launched) == 1, "nothing else is sent meanwhile"
    dagster.status = "SUCCESS"
    anew.run()
    assert [each.value for each in anew.success] == ["Done. This page shows the result."]


def test_a_page_that_is_loaded_anew_after_the_end_says_nothing(
    dagster: Dagster, page: AppTest
) -> None:
    tap(page, "Plan")
    anew = AppTest.from_function(script, default_timeout=PATIENCE_S).run()
    assert not anew.info
    assert not anew.success


@pytest.fixture
def opened(dagster: Dagster, tmp_path: Path) -> Iterator[Page]:
    """Open the same page in a browser, with taps before the response to the last one."""
    file, port = tmp_path / "page.py", free_port()
    file.write_text(textwrap.dedent(inspect.getsource(script)) + "\n\nscript()\n")
    command = dashboard_command(load_settings(), "127.0.0.1", port)
    command[command.index(str(DASHBOARD_PAGE))] = str(file)
    with (tmp_path / "page.log").open("w") as log:
        server = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until(lambda: is_up(f"{url}/_stcore/health"), "the page")
        with running_chromium() as browser, opened_page(browser, width=PHONE) as page:
            page.goto(url)
            expect(page.get_by_role("button", name="Plan")).to_be_visible()
            yield page
    finally:
        dagster.may_answer.set()
        server.terminate()
        server.wait(PATIENCE_S)


@pytest.mark.long
@needs_chromium
@pytest.mark.parametrize(
    "then",
    ["Plan", *(pytest.param(then, marks=pytest.mark.long) for then in ("Reject", "Else"))],
)
def test_what_is_tapped_before_the_answer_loses_nothing_and_sends_nothing_more(
    dagster: Dagster, opened: Page, then: str
) -> None:
    dagster.status = "STARTED"
    dagster.may_answer.clear()
    opened.get_by_role("button", name="Plan").click()
    assert dagster.has_come.wait(PATIENCE_S)
    opened.get_by_text(then, exact=True).click()
    assert not dagster.beside.wait(LONG_ENOUGH_S), "one after the other"
    dagster.may_answer.set()
    expect(opened.get_by_text("In progress, ")).to_be_visible()
    dagster.status = "SUCCESS"
    expect(opened.get_by_text("Done. This page shows the result.")).to_be_visible()
    assert len(dagster.launched) == 1
