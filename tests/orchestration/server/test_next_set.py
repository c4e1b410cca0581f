"""`POST /next-set` and `spotter next-set`: authentication and answers."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
from starlette.applications import Starlette

from coach_agent.domain.pain import Pain
from coach_agent.planning.between_sets import Day
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.check_ins import CheckIn, record_check_in
from hevy_connector.raw.tables import create_raw_tables
from orchestration.config.settings import load_settings
from orchestration.server.next_set import next_set_route
from orchestration.server.request_body import LARGEST_BODY_BYTES
from orchestration.server.webhook import create_app, running_webhook
from orchestration.services.planning.day import day_of
from orchestration.storage.warehouse import open_warehouse
from tests.end_to_end.world import ROOT, Home, new_home
from tests.orchestration.holding import held_by_another_process

BENCH = "Bench Press (Barbell)"
QUESTION = {"exercise": BENCH, "target": "100x5@8", "done": ["100x5@6"]}
TOKENS = {"anna": "marker-of-anna", "bob": "marker-of-bob", "bea": "marker-of-bob"}
ANNA = {"authorization": "marker-of-anna"}
BOB = {"authorization": "marker-of-bob"}
PROFILES = {
    "anna": AthleteProfile(id="anna"),
    "bob": AthleteProfile.model_validate({"id": "bob", "limits": {"jump_pct": 2.5}}),
    "bea": AthleteProfile(id="bea"),
}


@pytest.fixture
def app() -> Starlette:
    def refuse(*_: str) -> None:
        raise AssertionError("this is no delivery")

    return create_app(TOKENS, refuse, routes=[next_set_route(TOKENS, PROFILES, lambda _: Day())])


def ask(
    app: Starlette,
    question: Any = QUESTION,
    headers: Mapping[str, Any] = ANNA,
    *,
    method: str = "POST",
) -> httpx.Response:
    content = question if isinstance(question, bytes) else json.dumps(question).encode()

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://webhook"
        ) as client:
            return await client.request(method, "/next-set", headers=headers, content=content)

    return asyncio.run(send())


def test_the_next_set_is_answered_as_json(app: Starlette) -> None:
    found = ask(app)
    assert found.status_code == 200
    assert found.json() == {
        "action": "more",
        "weight_kg": 105.0,
        "reps_low": 5,
        "reps_high": 5,
        "duration_s": None,
        "rpe": 8.0,
        "codes": ["above_target"],
        "reason": "5 reps at RPE 6, the aim is RPE 8: up to 105 kg.",
        "exercise": BENCH,
        "load": "105 kg",
        "assumption": None,
    }
    held = ask(app, {**QUESTION, "may_increase": False})
    assert (held.json()["action"], held.json()["weight_kg"]) == ("same", 100)


def test_athletes_who_share_a_token_say_who_is_meant(app: Starlette) -> None:
    assert ask(app, {**QUESTION, "athlete": "bob"}, BOB).json()["weight_kg"] == 102.5
    assert ask(app, {**QUESTION, "athlete": "bea"}, BOB).json()["weight_kg"] == 105
    nobody = ask(app, QUESTION, BOB)
    assert (nobody.status_code, "name one" in nobody.text) == (400, True)


@pytest.mark.parametrize(
    ("headers", "question"),
    [
        ({}, QUESTION),
        ({"authorization": ""}, QUESTION),
        ({"authorization": "marker-of-ann"}, QUESTION),
        ({"authorization": b"m\xe4rker\xff"}, QUESTION),
        (ANNA, {**QUESTION, "athlete": "bob"}),
        (ANNA, {**QUESTION, "athlete": "carl"}),
    ],
    ids=["no token", "empty", "beginning", "not ASCII", "another's athlete", "no such athlete"],
)
def test_who_shows_no_right_token_learns_nothing(
    app: Starlette, headers: Mapping[str, Any], question: Any
) -> None:
    found = ask(app, question, headers)
    assert (found.status_code, found.text) == (401, "Not authorized.")


def test_the_body_of_a_stranger_is_not_read() -> None:
    sent: list[Mapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        raise AssertionError("somebody reads")

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    app = Starlette(routes=[next_set_route(TOKENS, PROFILES, lambda _: Day())])
    scope = {"type": "http", "method": "POST", "path": "/next-set", "headers": []}
    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == 401


@pytest.mark.parametrize(
    ("body", "status", "expected"),
    [
        (b"", 400, "It is no JSON object"),
        (b"[" * 60_000, 400, "It is no JSON object"),
        (b"\xff", 400, "It is no JSON object"),
        ({}, 400, "exercise: Field required"),
        ({**QUESTION, "done": []}, 400, "done: Tuple should have at least 1 item"),
        ({**QUESTION, "done": ["5"] * 51}, 400, "done: Tuple should have at most 50"),
        ({**QUESTION, "done": "100x5"}, 400, "done: "),
        ({**QUESTION, "set": 1}, 400, "set: Extra inputs"),
        ({**QUESTION, "exercise": " "}, 400, "exercise: "),
        ({**QUESTION, "target": "heavy"}, 422, '"heavy" is no set. Write one like'),
        ({**QUESTION, "done": ["60s"]}, 422, "must both be repetitions or both be a time"),
    ],
)
def test_a_question_that_cannot_be_read_is_refused_in_a_sentence(
    app: Starlette, body: Any, status: int, expected: str
) -> None:
    found = ask(app, body)
    assert (found.status_code, expected in found.text) == (status, True), found.text
    assert len(found.text) < 300


@pytest.mark.parametrize(("too_many", "expected"), [(0, 200), (1, 413)], ids=["largest", "larger"])
def test_a_large_body_is_refused(app: Starlette, too_many: int, expected: int) -> None:
    body = json.dumps(QUESTION).encode().ljust(LARGEST_BODY_BYTES + too_many)
    assert ask(app, body).status_code == expected


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError("never")

    sent: list[Mapping[str, Any]] = []

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    app = Starlette(routes=[next_set_route(TOKENS, PROFILES, lambda _: Day(), timeout_s=0.01)])
    headers = [(b"authorization", b"marker-of-anna")]
    scope = {"type": "http", "method": "POST", "path": "/next-set", "headers": headers}
    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == 408


def test_only_posts_are_taken(app: Starlette) -> None:
    found = ask(app, method="GET")
    assert (found.status_code, found.headers["allow"]) == (405, "POST")


def test_the_service_of_the_webhook_answers_as_its_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")  # is put back after the test
    page = (ROOT / "docs" / "webhook.md").read_text()
    [body] = re.findall(r"next-set .*?-d '(.*?)'", page, flags=re.S)
    athletes = tmp_path / "home" / "athletes"
    athletes.mkdir(parents=True)
    (athletes / "me.toml").write_text('id = "me"')
    settings = load_settings({"SPOTTER_HOME": "home", "HEVY_WEBHOOK_TOKEN": "marker"}, tmp_path)
    with running_webhook(settings, port=0) as webhook:
        found = httpx.post(
            f"{webhook.url}/next-set", headers={"authorization": "marker"}, content=body
        )
    [told] = re.findall(r'"reason": "(.*?)"', page)
    assert (found.status_code, found.json()["reason"]) == (200, told)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path, "http://127.0.0.1:9")


def test_the_command_answers_as_its_page_says(home: Home) -> None:
    """Without a warehouse, and without a service."""
    page = (ROOT / "docs" / "webhook.md").read_text()
    [block] = re.findall(r"```sh\n(\.venv/bin/spotter next-set.*?)```\n\n```\n(.*?)```", page, re.S)
    command, shown = block
    done = subprocess.run(
        ["sh", "-c", command],
        env=home.env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, shown), done.stderr
    assert not (home.folder / "home").exists()


def test_the_command_prints_json(home: Home) -> None:
    arguments = ["--exercise", "Plank", "--target", "60s", "--done", "60s", "--done", "40s"]
    found = home.spotter_json("next-set", *arguments)
    assert (found["action"], found["duration_s"], found["exercise"]) == ("stop", None, "Plank")
    assert found["reason"].startswith("From 60 to 40 s")


def test_an_unknown_exercise_is_said(home: Home) -> None:
    done = home.spotter(
        "next-set", "--exercise", "My Press", "--target", "40x8-12", "--done", "40x9"
    )
    assert done.stdout.splitlines()[:2] == ["Same: 40 kg × 8-12", "9 reps: stay at 40 kg."]
    assert "is not in Hevy's catalogue" in done.stdout


def test_a_check_in_of_today_counts_for_command_and_service(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")  # is put back after the test
    sore = ["check-in", "--pain", "left shoulder:moderate"]
    asked = ["next-set", "--exercise", BENCH, "--target", "100x5@8", "--done", "100x5@6"]
    assert home.spotter_json(*asked)["action"] == "more"
    assert home.spotter(*sore).returncode == 0
    assert home.spotter_json(*asked)["codes"] == ["held"]
    settings = load_settings({**home.env, "HEVY_WEBHOOK_TOKEN": "marker"}, home.folder)
    with running_webhook(settings, port=0) as webhook:
        found = httpx.post(
            f"{webhook.url}/next-set", headers={"authorization": "marker"}, json=QUESTION
        )
    assert (found.status_code, found.json()["action"]) == (200, "same")


def test_a_day_is_read_without_waiting_long_for_a_run(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    assert day_of(path, "anna") == Day()
    said = CheckIn(checked_in_at=datetime.now(UTC), pain=(Pain(part="knee", level="severe"),))
    with open_warehouse(path) as con:
        record_check_in(con, "anna", said)
    found = day_of(path, "anna")
    assert (found.said, found.plan, found.unknown) == (said, None, None)
    assert day_of(path, "bob") == Day()
    today = datetime.now(UTC).date()
    with open_warehouse(path) as con:
        create_raw_tables(con)
        for days, weight in ((3, 82.5), (400, 90)):
            measured_on = today - timedelta(days=days)
            con.execute(
                "insert into raw.hevy_body_measurements values "
                "($1, $2, $3, '', null, now(), 'run', 'api', false)",
                ["anna" if days < 365 else "bob", f"{measured_on}", f'{{"weight_kg": {weight}}}'],
            )
    assert day_of(path, "anna").body_kg == 82.5
    assert day_of(path, "bob") == Day()
    with held_by_another_process(path):
        busy = day_of(path, "anna", wait_s=0.1)
    assert busy.said is None
    assert "was not looked at" in (busy.unknown or "")


def test_a_warehouse_of_an_earlier_version_says_nothing_of_the_day(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with duckdb.connect(path) as con:
        con.execute("create schema coach")
    assert day_of(path, "anna") == Day()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--target", "x", "--done", "100x5"], '"x" is no set. Write one like'),
        (["--target", "100x5", "--done", "100x4-5"], "has one number of repetitions"),
        (["--target", "", "--done", "100x5"], "--target: string should have at least 1"),
        (["--target", "5", "--done", "5", "--athlete", "carl"], "There is no athlete 'carl'"),
    ],
)
def test_bad_input_is_one_clear_error(home: Home, arguments: list[str], expected: str) -> None:
    done = home.spotter("next-set", "--exercise", BENCH, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_needs_neither_dagster_nor_dbt(home: Home) -> None:
    code = (
        "import sys\n"
        "from orchestration.cli.app import app\n"
        "try:\n"
        f"    app(['next-set', '--exercise', '{BENCH}', '--target', '100x5', '--done', '100x5'])\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "print([name for name in ('dagster', 'dbt', 'metricflow') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=home.env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "[]"
