"""The dashboard as `spotter dashboard` serves it, in a real browser, on a phone and on a desk."""

import copy
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

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
from tests.end_to_end.fake_dagster import fake_dagster
from tests.end_to_end.served_dashboard import make_all_visible, served_dashboard, settled
from tests.end_to_end.world import After, FirstNight, Home

pytestmark = needs_chromium

GRAVE = {"serious", "critical"}
# A wide table scrolls within itself on a phone. An app cannot give Streamlit's element a
# tabindex, but the browser lets the Tab key go to it or into it, as a test below shows.
OPTIONS = {"rules": {"scrollable-region-focusable": {"enabled": False}}}


ROUTINE = "1. Lower_A_ *heavy*"
HOSTILE = '<b id="b">x</b> ![](http://127.0.0.1:9/x.png) [y](/z) $1$ :red[r] `c` a_b_c'


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
def home(after_first_night: After, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """The demo athlete after a night, beside one of whom there is a file alone."""
    with after_first_night(tmp_path_factory.mktemp("dashboard") / "world") as (home, _):
        _add_another(home)
        yield home


def _add_another(home: Home) -> None:
    file = home.folder / "workout_data.csv"
    file.write_text(
        "title,start_time,end_time,exercise_title,superset_id,exercise_notes,description,"
        "set_index,set_type,weight_kg,reps,distance_km,duration_seconds,rpe\n"
        '"A","4 Mar 2026, 18:02","4 Mar 2026, 19:01","Plank",,"","",0,"normal",20,5,,,\n'
        '"A","yesterday","4 Mar 2026, 19:01","Plank",,"","",0,"normal",20,5,,,\n'
    )
    imported = home.spotter("import-csv", file, "--athlete", "other")
    assert imported.returncode == 0, imported.stderr
    # Whose plan has texts that want to be more.
    plans = (home.release.parent / "current" / "plans.json").resolve()
    told = json.loads(plans.read_text())
    told["other"] = copy.deepcopy(told["demo"])
    told["other"]["plan"]["routine_title"] = ROUTINE
    told["other"]["plan"]["slots"][0] |= {"exercise_title": HOSTILE, "note": HOSTILE}
    told["other"]["changes"][0]["exercise_title"] = HOSTILE
    plans.chmod(0o644)
    plans.write_text(json.dumps(told))


@pytest.fixture(scope="module")
def dashboard(home: Home) -> Iterator[str]:
    with served_dashboard(home) as url:
        yield url


def grave_violations(page: Page) -> dict[str, list[str]]:
    """What axe-core finds serious or critical, with the elements that it finds it in."""
    found = Axe().run(page, options=OPTIONS).response["violations"]
    return {
        violation["id"]: [node["html"] for node in violation["nodes"]]
        for violation in found
        if violation["impact"] in GRAVE
    }


# One theme on the phone and the other on the desk, the next page the other way round; the rest of
# the looks is for the long run.
LOOKS = [
    pytest.param(
        name,
        width,
        theme,
        marks=() if (nth + (width == DESK) + (theme == "dark")) % 2 == 0 else pytest.mark.long,
    )
    for nth, name in enumerate(PAGES)
    for width, theme in product((PHONE, DESK), THEMES)
]


@pytest.mark.parametrize(("name", "width", "theme"), LOOKS)
def test_a_page_fits_and_everyone_can_read_it(
    dashboard: str, chromium: Browser, screenshots: Path, name: str, width: int, theme: Theme
) -> None:
    with opened_page(chromium, width=width, height=1400, theme=theme) as page:
        settled(page, f"{dashboard}/{name.lower()}".removesuffix("/today"))
        make_all_visible(page)
        needed = page.evaluate("document.documentElement.scrollWidth")
        background = page.locator(".stApp").evaluate("it => getComputedStyle(it).backgroundColor")
        page.screenshot(path=screenshots / f"{name.lower()}_{width}_{theme}.png")
        violations = grave_violations(page)
    assert needed <= width
    brightness = sum(int(part) for part in re.findall(r"\d+", background)[:3]) / 3
    assert (brightness > 200) if theme == "light" else (brightness < 60), background
    assert violations == {}


def test_what_others_wrote_is_shown_as_they_wrote_it(dashboard: str, chromium: Browser) -> None:
    """A picture in a note would tell its owner who looks and when."""
    with opened_page(chromium) as page:
        asked_for: list[str] = []
        page.on("request", lambda request: asked_for.append(request.url))
        settled(page, dashboard)
        page.get_by_role("combobox", name="Athlete").click()
        page.get_by_role("option", name="other").click()
        expect(page.get_by_role("heading", name=ROUTINE, exact=True)).to_be_visible()
        first = page.get_by_role("heading", level=3).first
        expect(first).to_contain_text(HOSTILE)
        expect(page.get_by_text(HOSTILE, exact=True).first).to_be_visible()
        page.get_by_text("What changed in Hevy").click()
        expect(page.get_by_role("cell", name=HOSTILE, exact=True).first).to_be_visible()
        assert page.locator("#b, a[href='/z'], img[src*='x.png']").count() == 0
    assert not [url for url in asked_for if "x.png" in url]


def a_failed_night(_query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """What Dagster says of its runs when the last one failed and none is under way."""
    if "filter" in variables:
        return {"runsOrError": {"results": []}}
    run = {"jobName": "nightly", "status": "FAILURE", "startTime": 1_795_440_000.0}
    return {"runsOrError": {"results": [run]}}


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("empty", "No training has come in here yet."),
        ("stale", "This was released 3 days ago."),
        ("failed", "The last run of nightly failed"),
    ],
)
def test_a_state_that_is_not_well_is_told_so_that_everyone_can_read_it(
    chromium: Browser,
    first_night: FirstNight,
    tmp_path: Path,
    screenshots: Path,
    state: str,
    words: str,
) -> None:
    home = Home(tmp_path / "world", "http://127.0.0.1:9")
    home.folder.mkdir()
    if state != "empty":
        release = first_night.folder / "home" / "release"
        shutil.copytree(release, home.release.parent, symlinks=True)
    if state == "stale":
        manifest = (home.release.parent / "manifest.json").resolve()
        told = json.loads(manifest.read_text())
        told["released_at"] = (datetime.now(UTC) - timedelta(days=3)).isoformat()
        manifest.chmod(0o644)
        manifest.write_text(json.dumps(told))
    dagster = (
        fake_dagster(a_failed_night) if state == "failed" else nullcontext("http://127.0.0.1:9")
    )
    with dagster as dagster_url, served_dashboard(home, dagster_url) as url:
        for theme in THEMES:
            with opened_page(chromium, width=PHONE, height=900, theme=theme) as page:
                settled(page, url)
                expect(page.locator("body")).to_contain_text(words)
                make_all_visible(page)
                page.screenshot(path=screenshots / f"{state}_{PHONE}_{theme}.png")
                assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
                assert grave_violations(page) == {}


# What can be used. From one of a group of choices the arrow keys go to the others, and the field
# of a list opens it as the arrow beside it does.
USABLE = """
() => [
    ...document.querySelectorAll("button, a[href], input, select, textarea, summary"),
    ...[...document.querySelectorAll("[data-testid=stTable] *")].filter(it =>
        it.scrollWidth > it.clientWidth && getComputedStyle(it).overflowX === "auto"),
]
    .filter(it => it.checkVisibility() && !it.disabled && it.type !== "file")
    .filter(it => !it.closest("[role=radiogroup]") || it.getAttribute("aria-checked") === "true")
    .filter(it => !it.matches("button[aria-haspopup=listbox]"))
    .map((it, place) => (it.dataset.place = place, it.outerHTML.slice(0, 200)))
"""


FOCUSED = "document.activeElement.closest('[data-place]')?.dataset.place"


@pytest.mark.parametrize("width", [PHONE, pytest.param(DESK, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", PAGES)
def test_everything_on_a_page_is_reached_by_the_tab_key(
    dashboard: str, chromium: Browser, name: str, width: int
) -> None:
    with opened_page(chromium, width=width, height=1400) as page:
        settled(page, f"{dashboard}/{name.lower()}".removesuffix("/today"))
        usable = page.evaluate(USABLE)
        reached = set()
        for _ in range(3 * len(usable) + 20):
            page.keyboard.press("Tab")
            reached.add(page.evaluate(FOCUSED))
    missed = [html for place, html in enumerate(usable) if str(place) not in reached]
    assert usable
    assert missed == []


def test_what_is_downloaded_is_what_the_command_writes(
    dashboard: str, chromium: Browser, home: Home, tmp_path: Path
) -> None:
    with opened_page(chromium) as page:
        settled(page, f"{dashboard}/data")
        for button, form, out, file in (
            ("as Hevy exports them", "hevy-csv", "workout_data.csv", "workout_data.csv"),
            ("CSV", "csv", "csv", "csv/fct_set.csv"),
            ("Parquet", "parquet", "parquet", "parquet/fct_set.parquet"),
        ):
            done = home.spotter(
                "export", "--format", form, "--out", tmp_path / out, "--athlete", "demo"
            )
            assert done.returncode == 0, done.stderr
            exact = button.isalpha()
            with page.expect_download() as downloading:
                page.get_by_role("button", name=button, exact=exact).click()
            assert downloading.value.suggested_filename == Path(file).name
            assert downloading.value.path().read_bytes() == (tmp_path / file).read_bytes()
