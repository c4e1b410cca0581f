"""Debian's Chromium, limited to this machine, its visitors, and pages with a width and a theme."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium")
PATIENCE_MS = 120_000

# The default of five seconds is too short on a busy machine.
expect.set_options(timeout=PATIENCE_MS)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
PHONE, DESK = 390, 1440


@contextmanager
def running_chromium(*rebound: str) -> Iterator[Browser]:
    """Start a browser that resolves no name but loopback's.

    The names `rebound` resolve to loopback, as with an attacker's DNS.
    """
    rules = [f"MAP {name} 127.0.0.1" for name in rebound]
    rules += ["MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1", "EXCLUDE localhost"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-background-networking",
                f"--host-resolver-rules={', '.join(rules)}",
            ],
        )
        yield browser
        browser.close()


@contextmanager
def visiting(browser: Browser, *, width: int = DESK) -> Iterator[BrowserContext]:
    """Start a new visitor, whose pages share what they have loaded; a narrow one has a phone."""
    context = browser.new_context(
        viewport={"width": width, "height": 1000},
        is_mobile=width < 500,
        has_touch=width < 500,
        reduced_motion="reduce",
        locale="en-GB",
    )
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@contextmanager
def opened_page(
    browser: Browser, *, width: int = DESK, height: int = 1000, theme: Theme = "light"
) -> Iterator[Page]:
    """Open an empty page of a new visitor."""
    with visiting(browser, width=width) as visitor:
        page = visitor.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)
        yield page
