"""The dashboard of a home as `spotter dashboard` serves it, and helpers to wait for its pages."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from playwright.sync_api import Page, expect

from tests.end_to_end.browser import PATIENCE_MS
from tests.end_to_end.world import ROOT, SPOTTER, Home
from tests.ports import free_port
from tests.waiting import tls, wait_until


def is_up(url: str) -> bool:
    """Return whether a server answers there correctly."""
    try:
        return httpx.get(url, verify=tls()).is_success
    except httpx.TransportError:
        return False


@contextmanager
def served_dashboard(home: Home, dagster_url: str = "http://127.0.0.1:9") -> Iterator[str]:
    """Serve the dashboard of a home and yield its URL; Dagster is off unless named."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with (home.folder / "dashboard.log").open("w") as log:
        process = subprocess.Popen(
            [SPOTTER, "dashboard", "--port", str(port)],
            env={**home.env, "SPOTTER_DAGSTER_URL": dagster_url},
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_until(lambda: is_up(f"{url}/_stcore/health"), "starting the dashboard")
            yield url
        finally:
            process.terminate()
            process.wait(300)


_IN_TRANSITION = """() => document.getAnimations().some(
    each => each instanceof CSSTransition && each.playState === "running"
)"""


def settled(page: Page, url: str) -> None:
    """Open a page and wait until it is drawn."""
    page.goto(url)
    until_drawn(page)


def until_drawn(page: Page) -> None:
    """Wait until the script has ended, no stale element is left, and the charts are drawn.

    A stale element is pale, and gets its colour back in a transition.
    """
    app = page.locator("[data-testid=stApp][data-test-script-state=notRunning]")
    expect(app).to_be_attached(timeout=PATIENCE_MS)
    expect(page.locator("h1").first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("[data-stale=true], [data-testid=stSkeleton]")).to_have_count(0)
    for chart in page.locator("[data-testid=stVegaLiteChart]").all():
        expect(chart.locator("canvas, svg").first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("[data-testid=stException]")).to_have_count(0)
    page.wait_for_function(f"!({_IN_TRANSITION})()", timeout=PATIENCE_MS)


def make_all_visible(page: Page) -> None:
    """Resize the window to the page: axe checks no colours outside the viewport."""
    height = page.locator("[data-testid=stMain]").evaluate("it => it.scrollHeight")
    page.set_viewport_size({"width": width_of(page), "height": height})


def width_of(page: Page) -> int:
    """Return the width of the window in CSS pixels; a phone lays out an empty page at 980."""
    assert page.viewport_size is not None
    return page.viewport_size["width"]
