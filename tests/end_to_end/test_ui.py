"""The Dagster UI in a real browser, of servers started like containers and by `make dev`."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.browser import PATIENCE_MS, needs_chromium, opened_page, running_chromium
from tests.end_to_end.served_dagster import Servers
from tests.end_to_end.world import ROOT, SPOTTER, Home
from tests.ports import free_port
from tests.waiting import tls, wait_until

pytestmark = [needs_chromium]

GROUPS = {"raw", "staging", "snapshots", "marts", "release", "coach"}

STATE = """
{
  assetNodes {
    assetKey { path }
    groupName
    opNames
    assetMaterializations(limit: 1) { timestamp }
    assetChecksOrError {
      ... on AssetChecks { checks { name executionForLatestMaterialization { status } } }
    }
  }
  schedulesOrError(
    repositorySelector: {
      repositoryName: "__repository__", repositoryLocationName: "spotter"
    }
  ) { ... on Schedules { results { name scheduleState { status } } } }
}
"""


# A page of Dagster requests the state of all assets and runs again and again.
NO_PAGE = "about:blank"

RUNS = "{ runsOrError { ... on Runs { results { status } } } }"

LAUNCH = """
mutation ($run: ExecutionParams!) {
  launchPipelineExecution(executionParams: $run) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
  }
}
"""


class Ui:
    """A UI, and its GraphQL API."""

    def __init__(self, url: str) -> None:
        self.url = url

    def is_up(self) -> bool:
        try:
            return httpx.get(f"{self.url}/server_info", verify=tls()).is_success
        except httpx.TransportError:
            return False

    def state(self) -> Any:
        return self.ask(STATE)

    def runs(self) -> list[str]:
        """Return the states of all runs, newest first."""
        return [run["status"] for run in self.ask(RUNS)["runsOrError"]["results"]]

    def ask(self, query: str, **variables: Any) -> Any:
        body = {"query": query, "variables": variables}
        answer = httpx.post(f"{self.url}/graphql", json=body, timeout=60, verify=tls())
        return answer.json()["data"]

    def launch(self, job: str) -> str:
        """Start a job like the button of its page; return the id of the run."""
        selector = {
            "repositoryLocationName": "spotter",
            "repositoryName": "__repository__",
            "jobName": job,
        }
        run = {"selector": selector, "runConfigData": {}, "mode": "default"}
        launched = self.ask(LAUNCH, run=run)["launchPipelineExecution"]
        return str(launched["run"]["runId"])

    def status(self, run_id: str) -> str:
        query = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
        return str(self.ask(query, id=run_id)["runOrError"]["status"])


@pytest.fixture(scope="module")
def ui(servers: Servers) -> Ui:
    """Return the UI of a home after its first night."""
    return Ui(servers.url)


@pytest.fixture(scope="class")
def dev(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ui]:
    """Return the UI of a fresh demo home."""
    port = free_port()
    folder = tmp_path_factory.mktemp("ui")
    home = Home(folder, "http://127.0.0.1:9")
    with (folder / "dev.log").open("w") as log:
        process = subprocess.Popen(
            [SPOTTER, "dev", "--demo", "--port", str(port)],
            env=home.env,
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            served = Ui(f"http://127.0.0.1:{port}")
            wait_until(served.is_up, "starting the UI")
            yield served
        finally:
            process.terminate()
            process.wait(300)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with running_chromium() as browser, opened_page(browser, width=1600) as page:
        # An invitation to subscribe may cover a new profile's first page, at any moment.
        skip = page.get_by_role("button", name="Skip", exact=True)
        page.add_locator_handler(skip, lambda button: button.click())
        yield page


def shows(page: Page, *texts: str) -> None:
    """Wait until the page, with its opened parts, has all these texts."""
    for text in texts:
        expect(page.locator("body")).to_contain_text(text, timeout=PATIENCE_MS, use_inner_text=True)


def launch(page: Page, ui: Ui, label: str) -> str:
    """Click until it leads to a run, and wait for its end; return its status.

    A page that redraws itself at that moment drops the click.
    """
    before = len(ui.runs())
    # The number of assets may follow.
    button = page.locator("button", has_text=re.compile(rf"^\s*{label}")).first

    def has_begun() -> bool:
        button.click()
        try:
            wait_until(lambda: len(ui.runs()) > before, "beginning the run", 30)
        except AssertionError:
            return False
        return True

    wait_until(has_begun, f"beginning a run: {label}", 240)
    page.goto(NO_PAGE)
    wait_until(lambda: ui.runs()[0] in {"SUCCESS", "FAILURE"}, "the run")
    return ui.runs()[0]


@pytest.fixture(scope="class")
def built(dev: Ui, page: Page) -> Ui:
    """Return the UI after a materialization of all assets from the graph."""
    page.goto(f"{dev.url}/asset-groups")
    for group in GROUPS:
        expect(page.get_by_text(group, exact=True).first).to_be_attached(timeout=PATIENCE_MS)
    assert launch(page, dev, "Materialize all") == "SUCCESS"
    return dev


def everything_is_green(ui: Ui, *, but: str = "") -> None:
    state = ui.state()
    ours = [
        node
        for node in state["assetNodes"]
        if node["opNames"] and "/".join(node["assetKey"]["path"]) != but
    ]
    assert len(ours) > 20
    assert {node["groupName"] for node in ours} >= GROUPS
    assert all(node["assetMaterializations"] for node in ours)
    checks = {
        (*node["assetKey"]["path"], check["name"]): check["executionForLatestMaterialization"]
        for node in ours
        for check in node["assetChecksOrError"].get("checks", [])
    }
    assert len(checks) > 30
    assert {name: check for name, check in checks.items() if check["status"] != "SUCCEEDED"} == {}
    schedules = state["schedulesOrError"]["results"]
    assert {each["name"].split("_")[0] for each in schedules} == {"nightly", "maintenance"}
    assert {each["scheduleState"]["status"] for each in schedules} == {"RUNNING"}


@pytest.mark.long
class TestDemo:
    """The servers of `spotter dev --demo`, which have ended before those of the other tests start.

    Servers that nobody uses still run their sensors.
    """

    def test_the_demo_has_a_plan_before_its_servers_answer(self, dev: Ui) -> None:
        assert dev.runs()[-1] == "SUCCESS"
        assert (ROOT / ".spotter" / "dev" / "release" / "current" / "plans.json").exists()

    def test_everything_is_materialised_from_the_ui_and_all_checks_are_green(
        self, built: Ui, page: Page, tmp_path: Path
    ) -> None:
        everything_is_green(built)
        page.goto(f"{built.url}/asset-groups")
        page.screenshot(path=tmp_path / "assets.png")

    def test_a_failed_night_explains_itself(self, built: Ui, page: Page) -> None:
        with duckdb.connect(ROOT / ".spotter" / "dev" / "warehouse.duckdb") as con:
            con.execute("""
                insert into raw.hevy_workouts by name
                select * replace (
                    'nobody' as athlete_id, 'mystery' as origin, now()::timestamp as loaded_at
                )
                from raw.hevy_workouts limit 1
            """)
        page.goto(NO_PAGE)
        run_id = built.launch("marts")
        wait_until(lambda: built.status(run_id) in {"SUCCESS", "FAILURE"}, "the run")
        assert built.status(run_id) == "FAILURE"
        reason = "1 row breaks the rule: origin is api or csv."
        page.goto(f"{built.url}/runs/{run_id}")
        shows(page, f"fct_workout: {reason}", "readers keep the previous release")
        page.goto(f"{built.url}/assets/marts/fct_workout?view=checks")
        page.get_by_text("rules_of_fct_workout").first.click()
        shows(page, reason, "Failed")


@pytest.mark.long
def test_a_night_materialises_all_but_imports_and_all_checks_are_green(ui: Ui) -> None:
    everything_is_green(ui, but="raw/imported_files")


@pytest.mark.long
def test_one_asset_can_be_materialised_by_hand(ui: Ui, page: Page) -> None:
    page.goto(f"{ui.url}/assets/marts/fct_workout")
    assert launch(page, ui, "Materialize") == "SUCCESS"


def open_markdown(page: Page, name: str) -> None:
    """Open the content behind a link next to the name of the metadata."""
    row = page.locator("tr").filter(has=page.get_by_text(name, exact=True))
    row.get_by_text("Show Markdown").last.click()


@pytest.mark.long
def test_the_page_of_the_plan_has_the_plan_and_a_plot_of_the_progress(ui: Ui, page: Page) -> None:
    page.goto(f"{ui.url}/assets/coach/next_workout")
    shows(page, "The next workout of each athlete", "docs/coach.md")
    # Short content is shown at once.
    shows(page, "e1RM", "Volume of the last", "█")
    open_markdown(page, "plan of demo")
    shows(page, "last time", "why")


@pytest.mark.long
def test_the_checks_of_a_mart_say_what_holds(ui: Ui, page: Page) -> None:
    page.goto(f"{ui.url}/assets/marts/coach_context?view=checks")
    shows(
        page,
        "This is a blocking asset check",
        "Every athlete_id exists in dim_athlete as athlete_id.",
    )
