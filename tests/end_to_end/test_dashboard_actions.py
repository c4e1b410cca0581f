"""Requests on the dashboard, with a real browser, Dagster and Hevy's simulator."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from hevy_connector.simulator import RunningSimulator
from orchestration.runs.tags import ATHLETE_TAG
from orchestration.services.requests.athlete_requests import REQUEST_TAG
from tests.end_to_end.browser import (
    PATIENCE_MS,
    PHONE,
    needs_chromium,
    opened_page,
    running_chromium,
)
from tests.end_to_end.exports import push_and_pull
from tests.end_to_end.served_dashboard import is_up, served_dashboard, until_drawn
from tests.end_to_end.world import (
    ROOT,
    SPOTTER,
    Home,
    put_count,
    routines,
    simulated_world,
)
from tests.ports import free_port
from tests.waiting import tls, wait_until

pytestmark = [needs_chromium, pytest.mark.long, pytest.mark.alone]

TRIES = 3  # as a person would
RUNS = """{ runsOrError { ... on Runs { results { jobName status tags { key value } } } } }"""


@dataclass(frozen=True)
class Served:
    """A home with the servers of `spotter dev`, and its Hevy service."""

    home: Home
    simulator: RunningSimulator
    url: str
    dagster_url: str

    def requests(self) -> list[dict[str, Any]]:
        """Return the runs of requests, newest first."""
        url, body = f"{self.dagster_url}/graphql", {"query": RUNS}
        answer = httpx.post(url, json=body, timeout=60, verify=tls())
        runs = answer.json()["data"]["runsOrError"]["results"]
        return [run for run in runs if run["jobName"] == "athlete_request"]

    def asked(self) -> set[str]:
        """Return the ids of requests; after a lost response a request may have two runs."""
        return {tags_of(run)[REQUEST_TAG] for run in self.requests()}


def tags_of(run: dict[str, Any]) -> dict[str, str]:
    return {tag["key"]: tag["value"] for tag in run["tags"]}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with simulated_world(tmp_path_factory.mktemp("asked")) as (home, simulator):
        profile = home.athletes / "demo.toml"
        profile.write_text(profile.read_text().replace('mode = "auto"', 'mode = "approve"'))
        home.spotter_json("run")
        ui, dashboard = free_port(), free_port()
        command = [SPOTTER, "dev", "--port", str(ui), "--dashboard-port", str(dashboard)]
        with (home.folder / "dev.log").open("w") as log:
            servers = subprocess.Popen(
                command, env=home.env, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT
            )
        try:
            served = Served(
                home, simulator, f"http://127.0.0.1:{dashboard}", f"http://127.0.0.1:{ui}"
            )
            wait_until(lambda: is_up(f"{served.dagster_url}/server_info"), "Dagster")
            wait_until(lambda: is_up(f"{served.url}/_stcore/health"), "the dashboard")
            yield served
        finally:
            servers.terminate()
            servers.wait(120)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def page(served: Served, chromium: Browser) -> Iterator[Page]:
    with opened_page(chromium, width=PHONE) as page:
        page.goto(served.url)
        expect(page.get_by_role("button", name="Plan again")).to_be_visible(timeout=PATIENCE_MS)
        until_drawn(page)
        yield page


def told_error(page: Page) -> Locator:
    """Return the error of a request; the error of its run may be shown too."""
    return page.get_by_test_id("stAlertContentError").filter(has_not_text="The last run of")


def tap(button: Locator, told: Locator) -> None:
    """Tap until the expected element appears: a tap on a moving page may miss."""
    for _ in range(TRIES):
        until_drawn(button.page)
        button.click()
        try:
            expect(told.first).to_be_visible(timeout=PATIENCE_MS / 4)
            return
        except AssertionError:
            pass
    expect(told.first).to_be_visible(timeout=PATIENCE_MS / 4)


def choose(page: Page, label: str, option: str) -> None:
    """Open a list and select an option."""
    until_drawn(page)
    found = page.get_by_role("option", name=option)
    tap(page.get_by_role("combobox", name=label), found)
    found.click()


def add_choice(page: Page, label: str, option: str) -> None:
    """Type and select an option of a multiselect until it is shown: a list may close by itself."""
    box = page.get_by_role("combobox", name=label)
    chosen = page.get_by_role("button", name=f"Remove {option}")
    for _ in range(TRIES):
        box.fill(option)
        box.press("Enter")
        box.press("Escape")  # the list stays open, over what is below it
        try:
            expect(chosen).to_be_visible(timeout=PATIENCE_MS / 12)
            return
        except AssertionError:
            pass
    expect(chosen).to_be_visible()


def under_way(page: Page) -> Locator:
    """Return the progress message of a request."""
    return page.get_by_text("In progress, ").or_(page.get_by_text("Waiting to start"))


def carry_out(page: Page, button: Locator, *, taps: int = 1) -> None:
    """Tap until the page answers, since a tap on a moving page may miss; wait for the end.

    During a request another tap sends nothing: the button is disabled.
    """
    for _ in range(TRIES):
        until_drawn(page)
        button.click(click_count=taps)
        try:
            expect(under_way(page)).to_be_visible(timeout=PATIENCE_MS / 4)
            break
        except AssertionError:
            if not button.is_enabled():
                break
    wait_for_the_end(page)


def wait_for_the_end(page: Page) -> None:
    expect(page.get_by_text("Done. This page shows the result.")).to_be_visible(
        timeout=3 * PATIENCE_MS
    )


def test_a_check_in_makes_another_plan(served: Served, page: Page) -> None:
    before = served.home.spotter_json("plan", "show")["plan"]
    check_in = page.get_by_role("button", name="Check in", exact=True)
    tap(page.get_by_text("Check in before you train"), check_in)
    tap(check_in, page.get_by_text("Fill in at least one field."))
    assert not served.requests()
    until_drawn(page)
    page.get_by_label("Minutes you have").fill("30")
    add_choice(page, "What hurts", "Knee")
    carry_out(page, check_in)
    pains = served.home.query("select pains from fct_check_in", served.home.release)
    assert pains == [("knee: mild",)]
    after = served.home.spotter_json("plan", "show")["plan"]
    assert after["minutes"]["minutes"] <= 30 < before["minutes"]["minutes"]
    expect(page.get_by_text(f"about {after['minutes']['minutes']:.0f} min")).to_be_visible()
    assert put_count(served.simulator) == 0, "nothing is sent that was not approved"


def test_a_goal_is_written_into_the_profile_and_told(served: Served, page: Page) -> None:
    path = served.home.athletes / "demo.toml"
    before = path.read_text()
    save = page.get_by_role("button", name="Save")
    tap(page.get_by_text("Goal and profile", exact=True), save)
    tap(save, page.get_by_text("Nothing was changed."))
    page.get_by_label("Event", exact=True).fill("Spring meet")
    tap(save, under_way(page).or_(told_error(page)))
    expect(told_error(page)).to_contain_text("goal", timeout=PATIENCE_MS)
    assert path.read_text() == before, "an event needs its day"
    until_drawn(page)
    page.get_by_label("Minutes per workout").fill("45")
    page.get_by_label("Event", exact=True).fill("")
    carry_out(page, save)
    told = served.home.spotter_json("profile", "show")
    [minutes] = [each for each in told["values"] if each["key"] == "session_minutes"]
    assert minutes["value"] == 45
    assert set(before.splitlines()) <= set(path.read_text().splitlines())


def test_a_plan_that_was_rejected_is_not_sent_and_says_why(served: Served, page: Page) -> None:
    because = "too <b>long</b> for *me*"
    why = page.get_by_label("Reason for the coach")
    tap(page.get_by_role("button", name="Reject"), why)
    why.fill(because)
    carry_out(page, page.get_by_role("button", name="Send"))
    assert because in json.dumps(served.home.spotter_json("plan", "show")["rejections"])
    until_drawn(page)
    page.get_by_text("on this plan").click()
    expect(page.get_by_text(f'("{because}")')).to_be_visible()
    assert put_count(served.simulator) == 0


def test_the_next_plan_is_made_at_once_when_asked_for(served: Served, page: Page) -> None:
    asked_before = served.asked()
    carry_out(page, page.get_by_role("button", name="Plan again"))
    assert len(served.asked() - asked_before) == 1
    assert served.requests()[0]["status"] == "SUCCESS"


def test_an_approval_changes_the_routine_once_however_often_it_is_tapped(
    served: Served, page: Page
) -> None:
    before, asked_before = routines(served.simulator), served.asked()
    carry_out(page, page.get_by_role("button", name="Approve"), taps=2)
    assert len(served.asked() - asked_before) == 1
    assert put_count(served.simulator) == 1
    changed = [one for one, was in before.items() if routines(served.simulator)[one] != was]
    assert len(changed) == 1
    expect(page.get_by_text("published to Hevy")).to_be_visible()
    # And back again.
    now = page.get_by_role("button", name="Undo now")
    tap(page.get_by_role("button", name="Undo", exact=True), now)
    carry_out(page, now)
    assert routines(served.simulator) == before
    assert put_count(served.simulator) == 2


def test_who_has_only_a_file_is_led_to_a_plan(tmp_path: Path, chromium: Browser) -> None:
    """Without a key, without Dagster, and from an empty home."""
    home = Home(tmp_path, "http://127.0.0.1:9")
    file = tmp_path / "workout_data.csv"
    file.write_text(push_and_pull(datetime.now(UTC).date() - timedelta(days=18)))
    with served_dashboard(home) as url, opened_page(chromium, width=PHONE) as page:
        page.goto(url)
        expect(page.get_by_text("Welcome to Spotter")).to_be_visible()
        page.locator("input[type=file]").set_input_files(file)
        expect(page.get_by_text("workout_data.csv")).to_be_visible()
        tap(page.get_by_role("button", name="Import"), under_way(page))
        expect(page.get_by_text("Your next workout, about")).to_be_visible(timeout=3 * PATIENCE_MS)
        plan = home.spotter_json("plan", "show")["plan"]
        assert plan["routine_title"] == "Push"
        [slot] = plan["slots"]
        expect(page.get_by_role("heading", name="Push", exact=True)).to_be_visible()
        assert slot["sets"][0]["weight_kg"] >= 65
        assert not list((tmp_path / "home" / "uploads").iterdir())
        page.goto(f"{url}/data?part=Fixes")
        why = page.get_by_label("Reason for the correction").first
        tap(page.get_by_text("Correct your history"), why)
        why.fill("it was my brother's")
        carry_out(page, page.get_by_role("button", name="Correct", exact=True).first)
    assert home.query("select count(*) from marts.fct_workout", home.release) == [(5,)]


def test_a_request_that_cannot_be_done_says_why(served: Served, page: Page) -> None:
    asked_before = served.asked()
    profile = served.home.athletes / "demo.toml"
    text = profile.read_text()
    profile.write_text(f"{text}\n[nonsense]\n")
    try:
        again = page.get_by_role("button", name="Plan again")
        tap(again, under_way(page).or_(told_error(page)))
        expect(told_error(page)).to_contain_text("nonsense", timeout=3 * PATIENCE_MS)
    finally:
        profile.write_text(text)
    wait_until(lambda: served.requests()[0]["status"] == "FAILURE", "its end")
    assert len(served.asked() - asked_before) == 1


def test_each_of_two_athletes_asks_for_their_own(
    served: Served, page: Page, tmp_path: Path
) -> None:
    def plan_of(athlete: str) -> Any:
        return served.home.spotter_json("plan", "show", "--athlete", athlete)

    file = tmp_path / "workout_data.csv"
    file.write_text(push_and_pull(datetime.now(UTC).date() - timedelta(days=18)))
    for athlete in ("ann", "zoe"):
        imported = served.home.spotter("import-csv", file, "--athlete", athlete)
        assert imported.returncode == 0, imported.stderr
    ran = served.home.spotter("run", "--wait")
    assert ran.returncode == 0, ran.stderr
    others, own = plan_of("ann"), plan_of("zoe")
    page.reload()
    choose(page, "Athlete", "zoe")
    expect(page.get_by_text("Next workout of zoe")).to_be_visible(timeout=PATIENCE_MS)
    until_drawn(page)
    check_in = page.get_by_role("button", name="Check in", exact=True)
    tap(page.get_by_text("Check in before you train"), check_in)
    very_low = page.get_by_label("Energy").get_by_role("radio", name="Very low", exact=True)
    very_low.click()
    expect(very_low).to_be_checked()
    carry_out(page, check_in)
    assert plan_of("zoe")["plan_id"] != own["plan_id"]
    assert plan_of("ann") == others
    assert tags_of(served.requests()[0])[ATHLETE_TAG] == "zoe"
    # And another file for an athlete with data.
    file.write_text(push_and_pull(datetime.now(UTC).date() - timedelta(days=40)))
    asked_before = served.asked()
    page.goto(f"{served.url}/data?part=Files")
    choose(page, "Athlete", "zoe")
    until_drawn(page)
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("workout_data.csv")).to_be_visible()
    carry_out(page, page.get_by_role("button", name="Import"))
    assert len(served.asked() - asked_before) == 1
    counted = "select count(*) from fct_workout where athlete_id = 'zoe'"
    assert served.home.query(counted, served.home.release) == [(12,)]
    page.get_by_role("radio", name="Fixes").click()
    until_drawn(page)
    why = page.get_by_label("Reason for the correction").first
    tap(page.get_by_text("Correct your history"), why)
    why.fill("it was my brother's")
    carry_out(page, page.get_by_role("button", name="Correct", exact=True).first)
    assert served.home.query(counted, served.home.release) == [(11,)]
    assert plan_of("ann") == others
