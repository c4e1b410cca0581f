"""The Dagster UI as `make dev` opens it, in a real browser."""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from tests.end_to_end.world import ROOT, SPOTTER, Home

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None, reason="chromium and chromedriver are not installed"
)

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
    """The UI of a fresh demo home."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def is_up(self) -> bool:
        try:
            return httpx.get(f"{self.url}/server_info").is_success
        except httpx.TransportError:
            return False

    def state(self) -> Any:
        return self.ask(STATE)

    def runs(self) -> list[str]:
        """How all runs stand, the newest first."""
        return [run["status"] for run in self.ask(RUNS)["runsOrError"]["results"]]

    def ask(self, query: str, **variables: Any) -> Any:
        body = {"query": query, "variables": variables}
        return httpx.post(f"{self.url}/graphql", json=body, timeout=60).json()["data"]

    def launch(self, job: str) -> str:
        """Start a job as the button of its page does; the id of the run."""
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


def wait_until(is_done: Callable[[], bool], what: str, seconds: float = 600) -> None:
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not is_done():
        assert time.monotonic() < deadline, f"{what} took more than {seconds} s"
        pause.wait(0.5)


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ui]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
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
            served = Ui(port)
            wait_until(served.is_up, "starting the UI")
            yield served
        finally:
            process.terminate()
            process.wait(60)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1600,1000",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    driver = webdriver.Chrome(options, webdriver.ChromeService(str(DRIVER)))
    yield driver
    driver.quit()


def click(browser: webdriver.Chrome, label: str) -> None:
    """Click the button as soon as the page, which redraws itself while it loads, lets us."""

    def try_click(page: webdriver.Chrome) -> bool:
        # An invitation to subscribe may cover a new profile's first page, at any moment.
        for skip in page.find_elements(By.XPATH, "//button[normalize-space()='Skip']"):
            skip.click()
        # The number of assets may follow.
        button = f"//button[starts-with(normalize-space(), '{label}')]"
        page.find_element(By.XPATH, button).click()
        return True

    WebDriverWait(browser, 120, ignored_exceptions=[WebDriverException]).until(try_click)


def shows(browser: webdriver.Chrome, *texts: str) -> None:
    """Wait until the page, with what it opens, has all these texts."""
    for text in texts:
        WebDriverWait(browser, 120, ignored_exceptions=[WebDriverException]).until(
            lambda page, wanted=text: wanted in page.find_element(By.TAG_NAME, "body").text,
            f"the page does not say: {text}",
        )


def launch(browser: webdriver.Chrome, ui: Ui, label: str) -> str:
    """Click until it leads to a run, and wait for its end; how it ended.

    A page that redraws itself at that moment drops the click.
    """
    before = len(ui.runs())

    def has_begun(page: webdriver.Chrome) -> bool:
        click(page, label)
        try:
            wait_until(lambda: len(ui.runs()) > before, "beginning the run", 30)
        except AssertionError:
            return False
        return True

    WebDriverWait(browser, 240).until(has_begun, f"no run began: {label}")
    wait_until(lambda: ui.runs()[0] in {"SUCCESS", "FAILURE"}, "the run")
    return ui.runs()[0]


@pytest.fixture(scope="module")
def built(ui: Ui, browser: webdriver.Chrome) -> Ui:
    """The UI after everything was materialised from its graph of the assets."""
    browser.get(f"{ui.url}/asset-groups")
    for group in ("raw", "staging", "snapshots", "intermediate", "marts", "release", "coach"):
        WebDriverWait(browser, 120).until(
            lambda page, name=group: page.find_elements(
                By.XPATH, f"//*[normalize-space()='{name}']"
            ),
            f"the asset graph shows no group {group}",
        )
    assert launch(browser, ui, "Materialize all") == "SUCCESS"
    return ui


def test_everything_is_materialised_from_the_ui_and_all_checks_are_green(
    built: Ui, browser: webdriver.Chrome, tmp_path: Path
) -> None:
    state = built.state()
    ours = [node for node in state["assetNodes"] if node["opNames"]]
    assert len(ours) > 20
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
    browser.get(f"{built.url}/asset-groups")
    assert browser.save_screenshot(str(tmp_path / "assets.png"))


@pytest.mark.long
def test_one_asset_can_be_materialised_by_hand(built: Ui, browser: webdriver.Chrome) -> None:
    browser.get(f"{built.url}/assets/marts/fct_workout")
    assert launch(browser, built, "Materialize") == "SUCCESS"


def open_markdown(browser: webdriver.Chrome, name: str) -> None:
    """Open what an asset's page keeps behind a link beside the name of the metadata."""
    link = f"//*[normalize-space()='{name}']/ancestor::tr//*[contains(text(), 'Show Markdown')]"

    def try_open(page: webdriver.Chrome) -> bool:
        found = page.find_element(By.XPATH, link)
        page.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()
        return True

    WebDriverWait(browser, 120, ignored_exceptions=[WebDriverException]).until(try_open)


def test_the_page_of_the_plan_has_the_plan_and_a_plot_of_the_progress(
    built: Ui, browser: webdriver.Chrome
) -> None:
    browser.get(f"{built.url}/assets/coach/next_workout")
    shows(browser, "The next workout of each athlete", "docs/coach.md")
    # What is short is shown at once.
    shows(browser, "e1RM", "Volume of the last", "█")
    open_markdown(browser, "plan of demo")
    shows(browser, "last time", "why")


def test_the_checks_of_a_mart_say_what_holds(built: Ui, browser: webdriver.Chrome) -> None:
    browser.get(f"{built.url}/assets/marts/coach_context?view=checks")
    shows(
        browser,
        "This is a blocking asset check",
        "Every athlete_id is there in dim_athlete as athlete_id.",
    )


@pytest.mark.long
def test_a_failed_night_explains_itself(built: Ui, browser: webdriver.Chrome) -> None:
    with duckdb.connect(ROOT / ".spotter" / "dev" / "warehouse.duckdb") as con:
        con.execute("""
            insert into raw.hevy_workouts by name
            select * replace (
                'nobody' as athlete_id, 'mystery' as origin, now()::timestamp as loaded_at
            )
            from raw.hevy_workouts limit 1
        """)
    run_id = built.launch("marts")
    wait_until(lambda: built.status(run_id) in {"SUCCESS", "FAILURE"}, "the run")
    assert built.status(run_id) == "FAILURE"
    reason = "1 row breaks the rule: origin is api or csv."
    browser.get(f"{built.url}/runs/{run_id}")
    shows(browser, f"fct_workout: {reason}", "readers keep the release before")
    browser.get(f"{built.url}/assets/marts/fct_workout?view=checks")
    shows(browser, reason, "Failed")
