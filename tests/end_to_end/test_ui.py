"""The Dagster UI as `make dev` opens it, in a real browser."""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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
  runsOrError { ... on Runs { results { status } } }
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
        answer = httpx.post(f"{self.url}/graphql", json={"query": STATE}, timeout=60).json()
        return answer["data"]


def wait_until(is_done: Callable[[], bool], what: str, seconds: float = 180) -> None:
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


def test_everything_is_materialised_from_the_ui_and_all_checks_are_green(
    ui: Ui, browser: webdriver.Chrome, tmp_path: Path
) -> None:
    browser.get(f"{ui.url}/asset-groups")
    for group in ("raw", "staging", "snapshots", "intermediate", "marts", "release", "coach"):
        WebDriverWait(browser, 120).until(
            lambda page, name=group: page.find_elements(
                By.XPATH, f"//*[normalize-space()='{name}']"
            ),
            f"the asset graph shows no group {group}",
        )
    click(browser, "Materialize all")

    def statuses() -> list[str]:
        return [run["status"] for run in ui.state()["runsOrError"]["results"]]

    wait_until(lambda: bool(statuses()), "launching the run")
    wait_until(lambda: not {"SUCCESS", "FAILURE"}.isdisjoint(statuses()), "the run")
    state = ui.state()
    assert statuses() == ["SUCCESS"]
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
    browser.get(f"{ui.url}/asset-groups")
    assert browser.save_screenshot(str(tmp_path / "assets.png"))


def test_one_asset_can_be_materialised_by_hand(ui: Ui, browser: webdriver.Chrome) -> None:
    before = len(ui.state()["runsOrError"]["results"])
    browser.get(f"{ui.url}/assets/marts/fct_workout")
    click(browser, "Materialize")
    wait_until(lambda: len(ui.state()["runsOrError"]["results"]) > before, "launching the run")

    def latest() -> str:
        return str(ui.state()["runsOrError"]["results"][0]["status"])

    wait_until(lambda: latest() in {"SUCCESS", "FAILURE"}, "the run")
    assert latest() == "SUCCESS"
