"""Hevy's webhook over HTTP: authentication, and the stored events."""

import asyncio
import json
import logging
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import httpx
import pytest
from sqlalchemy.exc import OperationalError
from starlette.applications import Starlette

from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.defs.automation import hevy_webhook
from orchestration.runs.dagster_history import dagster_instance
from orchestration.server.request_body import LARGEST_BODY_BYTES
from orchestration.server.webhook import (
    addressee,
    create_app,
    read_addressees,
    running_webhook,
)
from orchestration.services.ingestion.webhook_events import new_deliveries, record_delivery
from tests.end_to_end.world import ROOT, SPOTTER, Home

WORKOUT = "f1085cdb-32b2-4003-967d-53a3af8eaecb"
BODY = json.dumps({"workoutId": WORKOUT}).encode()
TOKENS = {"anna": "marker-of-anna", "bob": "marker-of-bob"}
ANNA = {"authorization": "marker-of-anna"}


class Kept(list[tuple[str, str]]):
    """The delivered events, as (athlete, workout)."""

    def record(self, athlete_id: str, workout_id: str) -> None:
        self.append((athlete_id, workout_id))


@pytest.fixture
def kept() -> Kept:
    return Kept()


async def deliver(
    app: Starlette,
    path: str = "/hevy/anna",
    headers: Mapping[str, Any] = ANNA,
    content: bytes = BODY,
    method: str = "POST",
) -> httpx.Response:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://webhook"
    ) as client:
        return await client.request(method, path, headers=headers, content=content)


@pytest.fixture
def app(kept: Kept) -> Starlette:
    return create_app(TOKENS, kept.record)


def settings_of(
    folder: Path, profiles: Mapping[str, str], variables: Mapping[str, str]
) -> Settings:
    athletes = folder / "athletes"
    athletes.mkdir()
    for athlete_id, rest in profiles.items():
        (athletes / f"{athlete_id}.toml").write_text(f'id = "{athlete_id}"\n{rest}')
    return load_settings(
        {"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "athletes", **variables}, folder
    )


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Build a home with one athlete with a token."""
    monkeypatch.setenv("DAGSTER_HOME", "")  # is put back after the test
    return settings_of(tmp_path, {"anna": ""}, {"HEVY_WEBHOOK_TOKEN": TOKENS["anna"]})


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"workoutId": WORKOUT}, id="today's form"),
        pytest.param({"id": "1", "payload": {"workoutId": WORKOUT}}, id="envelope of 2025"),
        pytest.param({"workoutId": WORKOUT, "event": "created"}, id="with something new"),
    ],
)
def test_a_delivery_in_each_form_is_kept(app: Starlette, kept: Kept, body: dict[str, Any]) -> None:
    answer = asyncio.run(deliver(app, content=json.dumps(body).encode()))
    assert answer.status_code == 200
    assert kept == [("anna", WORKOUT)]


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        pytest.param("/hevy/anna", {}, id="no token"),
        pytest.param("/hevy/anna", {"authorization": ""}, id="empty token"),
        pytest.param("/hevy/anna", {"authorization": "wrong"}, id="wrong token"),
        pytest.param("/hevy/anna", {"authorization": "marker-of-ann"}, id="beginning of it"),
        pytest.param("/hevy/anna", {"authorization": "marker-of-anna1"}, id="more than it"),
        pytest.param("/hevy/anna", {"authorization": "Bearer marker-of-anna"}, id="scheme added"),
        pytest.param("/hevy/anna", {"authorization": b"m\xe4rker\xff"}, id="not ASCII"),
        pytest.param("/hevy/anna", {"authorization": "marker-of-bob"}, id="another's token"),
        pytest.param("/hevy/carl", ANNA, id="no such athlete"),
        pytest.param("/hevy/carl", {}, id="neither athlete nor token"),
        pytest.param("/hevy/carl", {"authorization": ""}, id="no athlete and an empty token"),
        pytest.param("/", ANNA, id="several athletes and none named"),
        pytest.param("/hevy", ANNA, id="several athletes and none named under hevy"),
        pytest.param("/hevy/anna/x", ANNA, id="deeper path"),
        pytest.param("/v1/workouts", ANNA, id="another path"),
    ],
)
def test_who_shows_no_right_token_learns_nothing(
    app: Starlette, kept: Kept, path: str, headers: Mapping[str, Any]
) -> None:
    answer = asyncio.run(deliver(app, path, headers))
    assert (answer.status_code, answer.text) == (401, "Not authorized.")
    assert set(answer.headers) == {"content-length", "content-type"}
    assert kept == []


def test_the_body_of_a_stranger_is_not_read() -> None:
    sent: list[Mapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        raise AssertionError("somebody reads")

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/hevy/anna", "headers": []}
    asyncio.run(create_app(TOKENS, Kept().record)(scope, receive, send))
    assert sent[0]["status"] == 401


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"workoutId=1", id="no JSON"),
        pytest.param(b"\xff\xfe", id="no text"),
        pytest.param(b"[" * 60_000, id="deep"),
        pytest.param(b"null", id="null"),
        pytest.param(b'["workoutId"]', id="a list"),
        pytest.param(b"{}", id="no id"),
        pytest.param(b'{"payload": "workoutId"}', id="payload is text"),
        pytest.param(b'{"payload": {"id": "1"}}', id="payload without id"),
        pytest.param(b'{"workoutId": null}', id="id is null"),
        pytest.param(b'{"workoutId": 7}', id="id is a number"),
        pytest.param(b'{"workoutId": ""}', id="id is empty"),
        pytest.param(b'{"workoutId": "../1"}', id="id is a path"),
        pytest.param(b'{"workoutId": "\\ud800"}', id="id is half a character"),
        pytest.param(b'{"workoutId": "' + b"1" * 65 + b'"}', id="id is long"),
    ],
)
def test_a_body_without_a_workout_is_refused_in_a_sentence(
    app: Starlette, kept: Kept, body: bytes
) -> None:
    answer = asyncio.run(deliver(app, content=body))
    assert answer.status_code == 400
    assert answer.text == 'The body must be JSON like {"workoutId": "<id>"}.'
    assert kept == []


@pytest.mark.parametrize(("too_many", "expected"), [(0, 200), (1, 413)], ids=["largest", "larger"])
def test_a_large_body_is_refused(app: Starlette, too_many: int, expected: int) -> None:
    body = BODY.ljust(LARGEST_BODY_BYTES + too_many)
    assert asyncio.run(deliver(app, content=body)).status_code == expected


@pytest.mark.parametrize("path", ["/", "/hevy/anna", "/hevy/carl", "/elsewhere"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_only_posts_are_taken_wherever_they_go(app: Starlette, path: str, method: str) -> None:
    answer = asyncio.run(deliver(app, path, method=method))
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("path", "athletes", "expected"),
    [
        ("", ["anna"], "anna"),
        ("hevy", ["anna"], "anna"),
        ("hevy/", ["anna"], "anna"),
        ("hevy/anna", ["anna"], "anna"),
        ("hevy/anna/", ["anna", "bob"], "anna"),
        ("hevy/carl", ["anna"], None),
        ("anna", ["anna"], None),
        ("", ["anna", "bob"], None),
        ("hevy", ["anna", "bob"], None),
    ],
)
def test_the_path_names_the_athlete_unless_there_is_only_one(
    path: str, athletes: list[str], expected: str | None
) -> None:
    assert addressee(path, athletes) == expected


def _locked(*_: str) -> None:
    raise OperationalError("INSERT …", {"event": "secret"}, sqlite3.OperationalError("is locked"))


def _full(*_: str) -> None:
    raise OSError("No space left on device")


@pytest.mark.parametrize(
    ("record", "reason"),
    [(_locked, "OperationalError: (sqlite3.OperationalError) is locked"), (_full, "OSError: No")],
    ids=["database is locked", "disk is full"],
)
def test_what_cannot_be_kept_is_asked_for_again(
    record: Callable[[str, str], None], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = asyncio.run(deliver(create_app(TOKENS, record)))
    assert answer.status_code == 503
    assert reason in caplog.text
    assert "anna" in caplog.text
    assert "marker" not in caplog.text + answer.text
    assert "secret" not in caplog.text


def test_the_answer_does_not_wait_for_a_slow_disk() -> None:
    go_on = threading.Event()

    def record(*_: str) -> None:
        go_on.wait(60)

    async def deliver_and_go_on() -> httpx.Response:
        answer = await deliver(create_app(TOKENS, record, timeout_s=0.05))
        go_on.set()
        return answer

    assert asyncio.run(deliver_and_go_on()).status_code == 503


def test_a_delivery_during_a_lock_is_new_exactly_once_when_it_is_repeated(home: Settings) -> None:
    with dagster_instance(home) as instance:
        record_delivery(instance, "anna", "earlier")
        _, cursor = new_deliveries(instance, None)
        record = partial(record_delivery, instance)

        async def deliver_during_a_lock() -> httpx.Response:
            database = home.dagster_home / "history" / "runs" / "index.db"
            with closing(sqlite3.connect(database, isolation_level=None)) as lock:
                lock.execute("begin immediate")
                return await deliver(create_app(TOKENS, record, timeout_s=0.1))

        assert asyncio.run(deliver_during_a_lock()).status_code == 503
        assert asyncio.run(deliver(create_app(TOKENS, record))).status_code == 200
        newest, cursor = new_deliveries(instance, cursor)
        assert newest == {"anna": WORKOUT}
        assert new_deliveries(instance, cursor) == ({}, cursor)


def test_each_athlete_has_the_token_of_the_variable_that_the_profile_names(tmp_path: Path) -> None:
    found = read_addressees(
        settings_of(
            tmp_path,
            {
                "anna": "",
                "bob": '[hevy]\nwebhook_token_env = "BOBS_TOKEN"',
                "carl": '[hevy]\nwebhook_token_env = "CARLS_TOKEN"',
                "dora": '[hevy]\naccount = "none"',
            },
            {"HEVY_WEBHOOK_TOKEN": " marker-of-anna ", "BOBS_TOKEN": "marker-of-bob"},
        )
    )
    assert found.tokens == TOKENS
    assert [problem.split(". ")[0] for problem in found.problems] == [
        "No webhook for carl: CARLS_TOKEN is not set"
    ]
    assert "marker" not in repr(found)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("", r"HEVY_WEBHOOK_TOKEN is not set.*HEVY_WEBHOOK_TOKEN=.*authorization header"),
        ('[hevy]\naccount = "none"', "No athlete has a Hevy account"),
    ],
    ids=["no token", "no account"],
)
def test_it_does_not_start_where_nobody_could_deliver(
    tmp_path: Path, profile: str, expected: str
) -> None:
    settings = settings_of(tmp_path, {"anna": profile}, {"HEVY_WEBHOOK_TOKEN": "  "})
    with pytest.raises(SettingsError, match=expected), running_webhook(settings, port=0):
        pass


def test_a_taken_port_is_a_problem_of_the_settings(home: Settings) -> None:
    with running_webhook(home, port=0) as webhook:
        port = int(webhook.url.rsplit(":", 1)[1])
        with (
            pytest.raises(SettingsError, match=f"127.0.0.1, port {port} cannot be used"),
            running_webhook(home, port=port),
        ):
            pass


@pytest.mark.parametrize(
    ("host", "is_told"),
    [("127.0.0.1", False), ("0.0.0.0", True)],  # noqa: S104 - the text says what that means
    ids=["loopback", "everywhere"],
)
def test_it_says_that_tls_is_for_others_where_others_can_reach_it(
    home: Settings, host: str, is_told: bool
) -> None:
    with running_webhook(home, port=0, host=host) as webhook:
        assert ("reverse proxy with TLS" in webhook.text) is is_told
        assert f"{webhook.url}/hevy/anna" in webhook.text
        assert "marker" not in webhook.text + repr(webhook)


def test_a_delivery_becomes_a_run_for_the_athlete(
    home: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """From Hevy's request over HTTP to the requested run."""
    with caplog.at_level(logging.DEBUG), running_webhook(home, port=0) as webhook:
        for path in ("/hevy/anna", "/hevy", "/"):  # three times the same workout
            answer = httpx.post(webhook.url + path, headers=ANNA, content=BODY)
            assert answer.status_code == 200
    with dagster_instance(home) as instance, dg.build_sensor_context(instance=instance) as context:
        result = hevy_webhook(context)
    assert isinstance(result, dg.SensorResult)
    assert [(run.run_key, run.tags) for run in result.run_requests or []] == [
        (f"anna/{WORKOUT}", {"spotter/trigger": "webhook", "spotter/athlete": "anna"})
    ]
    assert "marker" not in caplog.text


@pytest.mark.long
def test_the_command_keeps_deliveries_for_whoever_reads_them_later(
    home: Settings, tmp_path: Path
) -> None:
    variables = {"HEVY_WEBHOOK_TOKEN": TOKENS["anna"]}
    command = [str(SPOTTER), "webhook", "--port", "0"]
    with subprocess.Popen(
        command,
        env=Home(tmp_path, "http://127.0.0.1:9", variables).env,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = line.split(": ")[1].strip()
        answer = httpx.post(url, headers=ANNA, content=BODY)
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
    assert (answer.status_code, process.returncode, rest) == (200, 0, "")
    with dagster_instance(home) as instance:
        assert new_deliveries(instance, None)[0] == {"anna": WORKOUT}
