"""The dashboard as `spotter dashboard` serves it, in a real browser, on a phone and on a desk."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from dashboard.app import PAGES
from tests.end_to_end.browser import (
    DESK,
    PHONE,
    THEMES,
    Theme,
    needs_chromium,
    opened_page,
    running_chromium,
)
from tests.end_to_end.served_dashboard import served_dashboard, settled
from tests.end_to_end.world import FirstNight, Home

pytestmark = needs_chromium

GRAVE = {"serious", "critical"}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Where pictures of the pages go: SPOTTER_SCREENSHOTS, to be looked at, or a folder of now."""
    folder = Path(os.environ.get("SPOTTER_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def dashboard(first_night: FirstNight, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("dashboard")
    shutil.copytree(
        first_night.folder / "home" / "release", folder / "home" / "release", symlinks=True
    )
    shutil.copytree(first_night.folder / "athletes", folder / "athletes")
    with served_dashboard(Home(folder, "http://127.0.0.1:9")) as url:
        yield url


def grave_violations(page: Page) -> dict[str, list[str]]:
    """What axe-core finds serious or critical, with the elements that it finds it in."""
    found = Axe().run(page).response["violations"]
    return {
        violation["id"]: [node["html"] for node in violation["nodes"]]
        for violation in found
        if violation["impact"] in GRAVE
    }


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_everyone_can_read_it(
    dashboard: str, chromium: Browser, screenshots: Path, name: str, width: int, theme: Theme
) -> None:
    with opened_page(chromium, width=width, height=1400, theme=theme) as page:
        settled(page, f"{dashboard}/{name.lower()}".removesuffix("/today"))
        needed = page.evaluate("document.documentElement.scrollWidth")
        background = page.locator(".stApp").evaluate("it => getComputedStyle(it).backgroundColor")
        page.screenshot(path=screenshots / f"{name.lower()}_{width}_{theme}.png")
        violations = grave_violations(page)
    assert needed <= width
    brightness = sum(int(part) for part in re.findall(r"\d+", background)[:3]) / 3
    assert (brightness > 200) if theme == "light" else (brightness < 60), background
    assert violations == {}


def test_what_is_downloaded_is_what_the_command_writes(
    dashboard: str, chromium: Browser, first_night: FirstNight, tmp_path: Path
) -> None:
    home = Home(first_night.folder, "http://127.0.0.1:9")
    with opened_page(chromium) as page:
        settled(page, f"{dashboard}/data")
        for button, form, out, file in (
            ("as Hevy exports them", "hevy-csv", "workout_data.csv", "workout_data.csv"),
            ("CSV", "csv", "csv", "csv/fct_set.csv"),
            ("Parquet", "parquet", "parquet", "parquet/fct_set.parquet"),
        ):
            done = home.spotter("export", "--format", form, "--out", tmp_path / out)
            assert done.returncode == 0, done.stderr
            exact = button.isalpha()
            with page.expect_download() as downloading:
                page.get_by_role("button", name=button, exact=exact).click()
            assert downloading.value.suggested_filename == Path(file).name
            assert downloading.value.path().read_bytes() == (tmp_path / file).read_bytes()
