"""Compare a page of the dashboard with an empty Streamlit app, in a real browser."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import httpx
from playwright.sync_api import Browser, Page, expect

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    Account,
    SimulatedClock,
    demo_account,
    demo_state,
    running_simulator,
)
from orchestration.config.settings import load_settings
from orchestration.server.dashboard import dashboard_command
from tests.bench.service import environment_of, run_command
from tests.end_to_end.browser import PATIENCE_MS, PHONE, opened_page
from tests.end_to_end.served_dashboard import until_drawn
from tests.ports import free_port

LONG_HISTORY, MANY_ATHLETES = 2_000, 50

PAGES = ("History", "Progress", "Coach", "Data")

_EMPTY = f"""
import streamlit as st

def page(name):
    return st.Page(lambda: st.title(name), title=name, url_path=name.lower())

first = st.Page(lambda: st.title("Today"), title="Today", default=True)
st.navigation([first, *map(page, {PAGES})], position="top").run()
"""


@dataclass(frozen=True)
class Seen:
    """Seconds from opening the URL to the first page, and from a tap to the slowest other one."""

    first_page: float
    next_page: float


def long_history(folder: Path) -> dict[str, str]:
    """Return the environment of a home with the release of a long history."""
    state = demo_state(1, datetime.now(UTC), workouts=LONG_HISTORY)
    account = Account(state, clock=SimulatedClock(None))
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        environment = environment_of(folder, simulator.url)
        run_command(["run"], environment)
    return environment


def many_athletes(folder: Path) -> dict[str, str]:
    """Return the environment of a home with many copies of the demo athlete in its release."""
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        environment = environment_of(folder, simulator.url)
        run_command(["run"], environment)
    release = folder / "home" / "release" / "current" / "marts.duckdb"
    single = release.with_name("single.duckdb")
    release.rename(single)
    with duckdb.connect(release) as con:
        con.execute(f"attach '{single}' as single (read_only)")
        tables = con.execute("""
            select table_name, bool_or(column_name = 'athlete_id') from duckdb_columns()
            where database_name = 'single' group by table_name
        """).fetchall()
        for table, is_of_athletes in tables:
            con.execute(f"create table {table} as from single.{table}")
            if is_of_athletes:
                con.execute(
                    f"insert into {table} by name "
                    "select one.* replace ('a' || others.n as athlete_id) "
                    f"from single.{table} as one, range(1, {MANY_ATHLETES}) as others(n)"
                )
    return environment


@contextmanager
def dashboard(environment: dict[str, str]) -> Iterator[str]:
    """Start the dashboard of a home and yield its URL."""
    settings = load_settings({**environment, "SPOTTER_DAGSTER_URL": "http://127.0.0.1:9"})
    port = free_port()
    command = dashboard_command(settings, "127.0.0.1", port)
    with _running(command, settings.home, environment, port) as url:
        yield url


@contextmanager
def empty_app(folder: Path) -> Iterator[str]:
    """Start an app of two pages with only a title and yield its URL."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "empty.py"
    script.write_text(_EMPTY)
    port = free_port()
    options = ["--server.headless=true", "--browser.gatherUsageStats=false"]
    options += ["--server.fileWatcherType=none", f"--server.port={port}"]
    command = [sys.executable, "-m", "streamlit", "run", str(script), *options]
    with _running(command, folder, {}, port) as url:
        yield url


def seen(browser: Browser, url: str) -> Seen:
    """Measure the first page and the slowest of the others for a new visitor."""
    with opened_page(browser, width=PHONE + 1000) as page:
        began = time.perf_counter()
        page.goto(url)
        _wait_for_title(page)
        first = time.perf_counter() - began
        return Seen(first, max(_seconds_to(page, name) for name in PAGES))


def _seconds_to(page: Page, name: str) -> float:
    began = time.perf_counter()
    page.get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible(timeout=PATIENCE_MS)
    until_drawn(page)
    return time.perf_counter() - began


def _wait_for_title(page: Page) -> None:
    expect(page.locator("h1").first).to_be_visible(timeout=PATIENCE_MS)


@contextmanager
def _running(
    command: list[str], folder: Path, environment: dict[str, str], port: int
) -> Iterator[str]:
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None:
            try:
                if httpx.get(f"{url}/_stcore/health").is_success:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(60)
