"""The dashboard as `spotter dashboard` serves it, in a real browser, on a phone and on a desk."""

import copy
import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import duckdb
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from dashboard.app import PAGES
from dashboard.views import coach, data, history, progress
from hevy_connector.simulator import demo_account, running_simulator
from tests.end_to_end.browser import (
    DESK,
    PHONE,
    THEMES,
    Theme,
    needs_chromium,
    opened_page,
    running_chromium,
    visiting,
)
from tests.end_to_end.fake_dagster import a_failed_night, fake_dagster
from tests.end_to_end.filled_dashboard import add_athlete
from tests.end_to_end.imports import Imports
from tests.end_to_end.served_dashboard import (
    make_all_visible,
    served_dashboard,
    settled,
    until_drawn,
    width_of,
)
from tests.end_to_end.test_asking import Dagster
from tests.end_to_end.world import NOW, Home

pytestmark = [needs_chromium]

# A wide table scrolls within itself on a phone. An app cannot give Streamlit's element a tabindex,
# but the Tab key reaches it or its content, as a test below shows.
OPTIONS = {"rules": {"scrollable-region-focusable": {"enabled": False}}}
# Of axe-core's rules only that of contrast depends on the theme.
RULES: dict[Theme, dict[str, Any]] = {"light": OPTIONS, "dark": {"runOnly": ["color-contrast"]}}
# Streamlit's drop zone for files is named and has no role; its button is usable by keyboard.
STREAMLITS_OWN = {("presentation-role-conflict", "stFileUploaderDropzone")}


ROUTINE = "1. Lower_A_ *heavy*"
HOSTILE = '<b id="b">x</b> ![](http://127.0.0.1:9/x.png) [y](/z) $1$ :red[r] `c` a_b_c'


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Return the folder of screenshots: SPOTTER_SCREENSHOTS, or a temporary one."""
    folder = Path(os.environ.get("SPOTTER_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def home(dashboard_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Return the demo athlete after some nights, with another one."""
    folder = tmp_path_factory.mktemp("dashboard") / "world"
    shutil.copytree(dashboard_home.folder, folder, symlinks=True)
    home = Home(folder, dashboard_home.hevy_url, dashboard_home.extra)
    _add_another(home)
    return home


def _add_another(home: Home) -> None:
    profile = (home.athletes / "demo.toml").read_text()
    (home.athletes / "other.toml").write_text(profile.replace('id = "demo"', 'id = "other"'))
    with duckdb.connect(home.release) as con:
        add_athlete(con, "other", None, "Europe/Berlin")
    # A plan with texts that contain markup.
    plans = (home.release.parent / "current" / "plans.json").resolve()
    told = json.loads(plans.read_text())
    told["other"] = copy.deepcopy(told["demo"])
    told["other"]["plan"]["routine_title"] = ROUTINE
    slots = told["other"]["plan"]["slots"]
    slots[0] |= {"exercise_title": HOSTILE, "note": HOSTILE}
    told["other"]["plan"]["slots"] = [
        {**copy.deepcopy(slots[n % len(slots)]), "exercise_index": n} for n in range(11)
    ]
    told["other"]["changes"][0]["exercise_title"] = HOSTILE
    plans.chmod(0o644)
    plans.write_text(json.dumps(told))


@pytest.fixture(scope="module")
def dashboard(home: Home) -> Iterator[str]:
    with served_dashboard(home) as url:
        yield url


def violations_on(page: Page, options: Mapping[str, Any] = OPTIONS) -> dict[str, list[str]]:
    """Return all findings of axe-core with their elements, but those of Streamlit's own.

    The page is drawn first: a stale element is pale.
    """
    until_drawn(page)
    found = Axe().run(page, options=options).response["violations"]
    elements = {
        violation["id"]: [
            node["html"]
            for node in violation["nodes"]
            if not any(
                violation["id"] == rule and name in node["html"] for rule, name in STREAMLITS_OWN
            )
        ]
        for violation in found
    }
    return {rule: nodes for rule, nodes in elements.items() if nodes}


# Focusable elements. The arrow keys move within a group of choices, the Tab key reaches one of it,
# and the field of a list opens it like its arrow.
USABLE = """
() => [
    ...document.querySelectorAll("button, a[href], input, select, textarea, summary"),
    ...[...document.querySelectorAll("[data-testid=stTable] *")].filter(it =>
        it.scrollWidth > it.clientWidth && getComputedStyle(it).overflowX === "auto"),
]
    .filter(it => it.checkVisibility() && !it.disabled && it.type !== "file")
    .filter(it => !it.closest("[role=radiogroup]") || it.getAttribute("aria-checked") === "true")
    .filter(it => !it.matches("button[aria-haspopup=listbox]"))
    .map((it, place) => {
        (it.closest("[role=radiogroup]") ?? it).dataset.place = place
        return it.outerHTML.slice(0, 200)
    })
"""


# A visitor's theme is that of the system, also when it changes.
HAS_THEME = """
theme => {
    const parts = getComputedStyle(document.querySelector(".stApp")).backgroundColor.match(/\\d+/g)
    const brightness = (+parts[0] + +parts[1] + +parts[2]) / 3
    return theme === "light" ? brightness > 200 : brightness < 60
}
"""


FOCUSED = "document.activeElement.closest('[data-place]')?.dataset.place"


def missed_by_the_tab_key(page: Page) -> tuple[list[str], list[str]]:
    """Return all focusable elements of a page, and those that the Tab key does not reach."""
    usable = page.evaluate(USABLE)
    unreached = {str(place) for place in range(len(usable))}
    for _ in range(3 * len(usable) + 20):
        if not unreached:
            break
        page.keyboard.press("Tab")
        unreached.discard(page.evaluate(FOCUSED))
    return usable, [html for place, html in enumerate(usable) if str(place) in unreached]


ADDRESSES = {
    **{name: name.lower() for name in PAGES},
    **{
        f"{name} {part}": f"{name.lower()}?part={part}"
        for name, parts in (
            ("History", history.PARTS[1:]),
            ("Progress", progress.PARTS[1:]),
            ("Coach", coach.PARTS[1:]),
            ("Data", (*data.PARTS[1:], data.RUNS)),
        )
        for part in parts
    },
    "Today": "",
}


@pytest.fixture(scope="module")
def phone(chromium: Browser) -> Iterator[BrowserContext]:
    """Return one visitor of all pages: a new one would load all of Streamlit's files again."""
    with visiting(chromium, width=PHONE) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def desk(chromium: Browser, dashboard: str) -> Iterator[Page]:
    with opened_page(chromium, width=DESK) as page:
        settled(page, dashboard)
        yield page


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "Today" else pytest.mark.long) for name in ADDRESSES],
)
def test_a_page_fits_a_phone_and_everyone_can_read_and_reach_all_of_it(
    dashboard: str, phone: BrowserContext, screenshots: Path, name: str
) -> None:
    page = phone.new_page()
    settled(page, f"{dashboard}/{ADDRESSES[name]}")
    fits_and_is_usable(page, screenshots / f"{name.lower().replace(' ', '_')}_{PHONE}")
    page.close()


@pytest.mark.long
@pytest.mark.parametrize("name", ADDRESSES)
def test_a_page_fits_a_desk_and_everyone_can_read_and_reach_all_of_it(
    dashboard: str, desk: Page, screenshots: Path, name: str
) -> None:
    """Each page follows another one in the same window, where the state of that one remains."""
    title, _, part = name.partition(" ")
    if urlsplit(desk.url).path.strip("/") != ADDRESSES[title]:
        follow(desk, desk.locator(NAVIGATION).get_by_role("link", name=title))
    parts = desk.locator(PARTS)
    if parts.count():
        chosen = parts.get_by_text(part, exact=True) if part else parts.first
        if not chosen.is_checked():
            follow(desk, chosen)
    fits_and_is_usable(desk, screenshots / f"{name.lower().replace(' ', '_')}_{DESK}")


def show_in(page: Page, theme: Theme) -> None:
    """Change the theme of the system, which the page follows."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(HAS_THEME, arg=theme)
    until_drawn(page)


def fits_and_is_usable(page: Page, picture: Path) -> None:
    """Check width and axe-core's rules in both themes, and the Tab key; leave pictures."""
    width = width_of(page)
    make_all_visible(page)
    for theme in THEMES:
        show_in(page, theme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert links_outside_their_bar(page) == []
        page.screenshot(path=picture.with_name(f"{picture.name}_{theme}.png"))
        assert violations_on(page, RULES[theme]) == {}
    usable, missed = missed_by_the_tab_key(page)
    assert usable
    assert missed == []


def follow(page: Page, to: Locator) -> None:
    """Open another page or part; until the script runs, the former one counts as drawn."""
    former = page.locator(MAIN).inner_text()
    to.click()
    page.wait_for_function(
        "([main, former]) => document.querySelector(main).innerText !== former", arg=[MAIN, former]
    )
    until_drawn(page)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize(("width", "theme"), [(PHONE, THEMES[0]), (DESK, THEMES[1])])
def test_pages_of_files_and_of_fifty_athletes_fit_and_are_usable(
    imports: Imports,
    chromium: Browser,
    screenshots: Path,
    tmp_path: Path,
    width: int,
    theme: Theme,
) -> None:
    """`again` has 62 workouts from a file, `me` has six; Client 7 has none."""
    home = Home(tmp_path / "world", "http://127.0.0.1:9")
    shutil.copytree(imports.folder, home.folder, symlinks=True)
    with duckdb.connect(home.release) as con:
        for number in range(50):
            add_athlete(con, f"client{number}", f"Client {number}", "UTC")
    opened_s: list[float] = []
    with (
        served_dashboard(home) as url,
        opened_page(chromium, width=width, height=1400, theme=theme) as page,
    ):
        settled(page, f"{url}/athletes")
        fits_and_is_usable(page, screenshots / f"fifty_{width}")
        page.emulate_media(color_scheme=theme)
        for athlete in ("again", "me", "Client 7"):
            settled(page, url)
            listed = page.get_by_role("combobox", name="Athlete")
            listed.clear()
            listed.press_sequentially(athlete)
            page.get_by_role("option", name=athlete, exact=True).click()
            until_drawn(page)
            if width == PHONE and athlete == "again":
                page.set_viewport_size({"width": PHONE, "height": PHONE_HEIGHT})
                assert has_three_exercises_on_the_first_screen(page)
            for name in ("History", "Progress", "Coach", "Data", "Today"):
                began = time.perf_counter()
                page.locator(NAVIGATION).get_by_role("link", name=name).click()
                title = expect(page.locator("h1").first)
                if name == "Today":  # its title is that of the plan
                    title.not_to_have_text("Data")
                else:
                    title.to_have_text(name)
                until_drawn(page)
                opened_s.append(time.perf_counter() - began)
                parts = page.locator(PARTS).all_inner_texts() or [""]
                for part in parts:
                    if part != parts[0]:
                        follow(page, page.locator(PARTS).get_by_text(part, exact=True))
                    make_all_visible(page)
                    picture = screenshots / f"{athlete}_{name}_{part}_{width}_{theme}.png"
                    page.screenshot(path=picture)
                    assert page.evaluate("document.documentElement.scrollWidth") <= width
                    assert violations_on(page) == {}
    # Of all pages, since other work of the machine delays single ones.
    assert median(opened_s) < OPEN_WITHIN_S


@pytest.mark.long
def test_the_first_page_of_an_empty_home_fits_and_is_usable(
    chromium: Browser, screenshots: Path, tmp_path: Path
) -> None:
    home = Home(tmp_path, "http://127.0.0.1:9")
    home.athletes.mkdir()
    with (
        served_dashboard(home) as url,
        opened_page(chromium, width=PHONE) as page,
    ):
        settled(page, url)
        fits_and_is_usable(page, screenshots / f"none_{PHONE}")
        expect(page.get_by_role("button", name="Import")).to_be_visible()


NAVIGATION = ".st-key-navigation"
OUTSIDE = """
bar => {
    const outer = bar.getBoundingClientRect()
    return [...bar.querySelectorAll("a")].map(it => it.getBoundingClientRect())
        .filter(it => it.top < outer.top || it.bottom > outer.bottom).map(it => it.toJSON())
}
"""


def links_outside_their_bar(page: Page) -> list[dict[str, float]]:
    """Return the places of navigation links that exceed the bar: their focus ring was cut off.

    An empty home has no bar.
    """
    return [place for bar in page.locator(NAVIGATION).all() for place in bar.evaluate(OUTSIDE)]


MAIN = "[data-testid=stMain]"
PARTS = ".st-key-part [role=radio]"
OPEN_WITHIN_S = 1.0
PHONE_HEIGHT = 844
TALLEST_PX = 2_200


def bottom_of(locator: Locator) -> float:
    box = locator.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def has_three_exercises_on_the_first_screen(page: Page) -> bool:
    """Return whether the third exercise ends above the bar, which is at the bottom of a phone."""
    bar = page.locator(NAVIGATION).bounding_box()
    assert bar is not None
    assert bar["y"] + bar["height"] == pytest.approx(PHONE_HEIGHT, abs=1)
    return bottom_of(page.locator("details.lift").nth(2)) <= bar["y"]


def test_the_workout_is_on_a_phones_first_screen_and_each_task_takes_two_taps(
    dashboard: str, chromium: Browser
) -> None:
    with opened_page(chromium, width=PHONE, height=PHONE_HEIGHT) as page:
        settled(page, dashboard)
        # What do I lift today? No tap.
        assert has_three_exercises_on_the_first_screen(page)
        # Undo the last change in Hevy: one tap to ask, one to confirm.
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(page.get_by_role("button", name="Undo now")).to_be_enabled()
        page.keyboard.press("Escape")
        # When did I last bench, and how? Two taps.
        page.locator(NAVIGATION).get_by_role("link", name="History").click()
        page.get_by_role("radio", name="Exercises").click()
        bench = page.locator(".facts li").filter(has_text="Bench Press (Barbell)").first
        expect(bench).to_contain_text(re.compile(r"\w{3} \d+ \w{3}.*: .*kg × \d"))
        # Eleven exercises.
        settled(page, dashboard)
        page.get_by_role("combobox", name="Athlete").click()
        page.get_by_role("option", name="other").click()
        expect(page.locator("details.lift")).to_have_count(11)
        height = page.locator(MAIN).evaluate("it => it.scrollHeight")
        assert height <= TALLEST_PX


COVERED = """
() => {
    const it = document.activeElement, bar = document.querySelector(".st-key-navigation")
    if (it.closest(".st-key-navigation") || it.contains(bar)) return null
    const place = it.getBoundingClientRect(), edge = bar.getBoundingClientRect()
    const y = (Math.max(place.top, edge.top) + Math.min(place.bottom, edge.bottom)) / 2
    const isBehind = bar.contains(document.elementFromPoint(place.left + place.width / 2, y))
    return isBehind && y < place.bottom && y > place.top ? it.outerHTML.slice(0, 200) : null
}
"""


@pytest.mark.long
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_bar_covers_nothing_that_has_the_focus(
    dashboard: str, chromium: Browser, width: int
) -> None:
    """Fields of the check-in had the focus under the bar at the bottom of a phone."""
    with opened_page(chromium, width=width, height=PHONE_HEIGHT) as page:
        settled(page, dashboard)
        for opened in page.get_by_text("Check in before you train").all():
            opened.click()
        page.locator("h1").first.click()
        covered, reached = [], set()
        for key in ("Tab", "Shift+Tab"):
            for _ in range(45):
                page.keyboard.press(key)
                covered.append(page.evaluate(COVERED))
                reached.add(page.evaluate("document.activeElement.ariaLabel"))
        assert [html for html in covered if html] == []
        assert "Minutes you have" in reached


def check_in(page: Page, url: str) -> None:
    """Send the form, which is below the first screen of a phone."""
    settled(page, url)
    page.get_by_text("Check in before you train").click()
    page.get_by_label("How you feel, in your own words").fill("slept badly")
    page.get_by_role("button", name="Check in", exact=True).click()


@pytest.mark.long
def test_progress_and_result_of_a_form_are_in_view(home: Home, chromium: Browser) -> None:
    """They were at the top of the page."""
    dagster = Dagster(status="STARTED")
    dagster.may_answer.set()
    with (
        fake_dagster(dagster.answer) as dagster_url,
        served_dashboard(home, dagster_url) as url,
        opened_page(chromium, width=PHONE, height=PHONE_HEIGHT) as page,
    ):
        check_in(page, url)
        expect(page.get_by_text("In progress, ").first).to_be_in_viewport()
        dagster.status = "SUCCESS"
        expect(page.get_by_text("Done. This page shows the result.").first).to_be_in_viewport()
        assert violations_on(page) == {}


@pytest.mark.long
def test_progress_and_error_of_a_command_are_in_view(
    home: Home, chromium: Browser, tmp_path: Path
) -> None:
    shutil.copytree(home.folder, tmp_path / "world", symlinks=True)
    with (
        running_simulator(demo_account(seed=1, now=NOW), api_key="another key") as simulator,
        served_dashboard(Home(tmp_path / "world", simulator.url, home.extra)) as url,
        opened_page(chromium, width=PHONE, height=PHONE_HEIGHT) as page,
    ):
        check_in(page, url)
        for words in ("In progress, ", "refused the API key"):
            expect(page.get_by_text(words).first).to_be_in_viewport()
        assert violations_on(page) == {}


@pytest.mark.long
def test_what_others_wrote_is_shown_as_they_wrote_it(dashboard: str, chromium: Browser) -> None:
    """An image in a note would report the visitor to its server."""
    with opened_page(chromium) as page:
        asked_for: list[str] = []
        page.on("request", lambda request: asked_for.append(request.url))
        settled(page, dashboard)
        page.get_by_role("combobox", name="Athlete").click()
        page.get_by_role("option", name="other").click()
        expect(page.get_by_role("heading", name=ROUTINE, exact=True)).to_be_visible()
        first = page.locator("details.lift").first
        expect(first.locator("h2")).to_contain_text(HOSTILE)
        first.locator("summary").click()
        expect(first.get_by_text(HOSTILE, exact=True)).to_be_visible()
        page.get_by_text("What changed in Hevy").click()
        expect(page.get_by_role("cell", name=HOSTILE, exact=True).first).to_be_visible()
        assert page.locator("#b, a[href='/z'], img[src*='x.png']").count() == 0
    assert not [url for url in asked_for if "x.png" in url]


@contextmanager
def replaced(path: Path, content: str | None) -> Iterator[None]:
    """Replace or remove a file of a release until the end."""
    file = path.resolve()
    before = file.read_text()
    file.unlink()
    if content is not None:
        file.write_text(content)
    yield
    file.unlink(missing_ok=True)
    file.write_text(before)


def tells_so_that_everyone_can_read_it(page: Page, url: str, words: str, picture: Path) -> None:
    settled(page, url)
    expect(page.locator("body")).to_contain_text(words)
    make_all_visible(page)
    for theme in THEMES:
        show_in(page, theme)
        page.screenshot(path=picture.with_name(f"{picture.name}_{theme}.png"))
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        assert violations_on(page) == {}


@pytest.mark.long
@pytest.mark.parametrize("state", ["empty", "stale"])
def test_old_or_missing_data_are_told_so_that_everyone_can_read_it(
    dashboard: str, home: Home, chromium: Browser, screenshots: Path, state: str
) -> None:
    manifest = home.release.parent / "manifest.json"
    content, words = None, "No training yet."
    if state == "stale":
        told = json.loads(manifest.read_text())
        told["released_at"] = (datetime.now(UTC) - timedelta(days=3)).isoformat()
        content, words = json.dumps(told), "These data were released 3 days ago."
    with replaced(manifest, content), opened_page(chromium, width=PHONE) as page:
        picture = screenshots / f"{state}_{PHONE}"
        tells_so_that_everyone_can_read_it(page, dashboard, words, picture)


@pytest.mark.long
def test_a_failed_run_is_told_so_that_everyone_can_read_it(
    home: Home, chromium: Browser, screenshots: Path
) -> None:
    with (
        fake_dagster(a_failed_night) as dagster_url,
        served_dashboard(home, dagster_url) as url,
        opened_page(chromium, width=PHONE) as page,
    ):
        picture = screenshots / f"failed_{PHONE}"
        tells_so_that_everyone_can_read_it(page, url, "The last run of nightly failed", picture)


@pytest.mark.long
def test_what_is_downloaded_is_what_the_command_writes(
    dashboard: str, chromium: Browser, home: Home, tmp_path: Path
) -> None:
    with opened_page(chromium) as page:
        settled(page, f"{dashboard}/data?part=Files")
        for button, form, out, file in (
            ("as Hevy exports them", "hevy-csv", "workout_data.csv", "workout_data.csv"),
            ("Download as CSV", "csv", "csv", "csv/fct_set.csv"),
            ("Download as Parquet", "parquet", "parquet", "parquet/fct_set.parquet"),
        ):
            done = home.spotter(
                "export", "--format", form, "--out", tmp_path / out, "--athlete", "demo"
            )
            assert done.returncode == 0, done.stderr
            with page.expect_download() as downloading:
                page.get_by_role("button", name=button).click()
            assert downloading.value.suggested_filename == Path(file).name
            assert downloading.value.path().read_bytes() == (tmp_path / file).read_bytes()
