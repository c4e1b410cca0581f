"""The dashboard as `spotter dashboard` serves it, in a real browser, on a phone and on a desk."""

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from tests.end_to_end.test_ui import wait_until
from tests.end_to_end.world import ROOT, SPOTTER, FirstNight, Home

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None, reason="chromium and chromedriver are not installed"
)

DRAWN = {
    "today": "[data-testid=stTable] table",
    "progress": "[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg",
    "volume": "[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg",
    "data": "[data-testid=stTable] table",
}


@pytest.fixture(scope="module")
def dashboard(first_night: FirstNight, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("dashboard")
    shutil.copytree(
        first_night.folder / "home" / "release", folder / "home" / "release", symlinks=True
    )
    shutil.copytree(first_night.folder / "athletes", folder / "athletes")
    home = Home(folder, "http://127.0.0.1:9", {"SPOTTER_DAGSTER_URL": "http://127.0.0.1:9"})
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    url = f"http://127.0.0.1:{port}"

    def is_up() -> bool:
        try:
            return httpx.get(f"{url}/_stcore/health").is_success
        except httpx.TransportError:
            return False

    with (folder / "dashboard.log").open("w") as log:
        process = subprocess.Popen(
            [SPOTTER, "dashboard", "--port", str(port)],
            env=home.env,
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_until(is_up, "starting the dashboard")
            yield url
        finally:
            process.terminate()
            process.wait(60)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_is_drawn_and_fits_a_phone_and_a_desk(
    dashboard: str, theme: str, tmp_path: Path
) -> None:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}",
    ):
        options.add_argument(argument)
    browser = webdriver.Chrome(options, webdriver.ChromeService(str(DRIVER)))
    backgrounds = set()
    try:
        feature = {"name": "prefers-color-scheme", "value": theme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        for width in (390, 1440):
            browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 1400, "deviceScaleFactor": 1, "mobile": width < 500},
            )
            for page, drawn in DRAWN.items():
                browser.get(f"{dashboard}/{page}".removesuffix("/today"))
                WebDriverWait(browser, 60).until(
                    lambda seen, what=drawn: seen.find_elements(By.CSS_SELECTOR, what),
                    f"{page} was not drawn",
                )
                assert not browser.find_elements(By.CSS_SELECTOR, "[data-testid=stException]")
                needed = browser.execute_script("return document.documentElement.scrollWidth")
                assert needed <= width, page
                backgrounds.add(
                    browser.execute_script(
                        "return getComputedStyle(document.querySelector('.stApp')).backgroundColor"
                    )
                )
                assert browser.save_screenshot(str(tmp_path / f"{page}_{width}_{theme}.png"))
    finally:
        browser.quit()
    [background] = backgrounds
    brightness = sum(int(part) for part in re.findall(r"\d+", background)[:3]) / 3
    assert (brightness > 200) if theme == "light" else (brightness < 60), background
