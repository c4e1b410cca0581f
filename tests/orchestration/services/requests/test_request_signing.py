"""A request to an athlete's Dagster requires the signature of the home's dashboard."""

import inspect
import re
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest
from pydantic import ValidationError

from dashboard import forms
from orchestration.defs.requests import carry_out_request
from orchestration.services.requests.athlete_requests import (
    EDITABLE_KEYS,
    JOB,
    REQUEST_TAG,
    STEP,
    EditProfile,
)
from orchestration.services.requests.request_signing import (
    KEY_FILE,
    VALID_FOR,
    SignatureError,
    SignedRequest,
    check_signature,
    mark_spent,
    request_key,
)

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)
KEY = bytes(32)
SENT = SignedRequest("{}", "a-b", "/home", int(NOW.timestamp()))


def test_a_signed_request_is_accepted_for_a_day() -> None:
    for later in (timedelta(0), VALID_FOR):
        check_signature(SENT, SENT.signature(KEY), KEY, NOW + later)


@pytest.mark.parametrize(
    ("signed", "key", "later", "told"),
    [
        (replace(SENT, request='{"a": 1}'), KEY, timedelta(0), "not sent by the dashboard"),
        (replace(SENT, request_id="b"), KEY, timedelta(0), "not sent by the dashboard"),
        (replace(SENT, home="/other"), KEY, timedelta(0), "not sent by the dashboard"),
        (replace(SENT, sent_at_s=SENT.sent_at_s + 1), KEY, timedelta(0), "not sent by"),
        (replace(SENT, request="{}a", request_id="-b"), KEY, timedelta(0), "not sent by"),
        (SENT, bytes(31) + b"1", timedelta(0), "not sent by the dashboard"),
        (SENT, KEY, VALID_FOR + timedelta(seconds=1), "too old"),
        (SENT, KEY, -timedelta(hours=1), "too old"),
    ],
    ids=["request", "id", "home", "time", "borders", "key", "yesterday", "tomorrow"],
)
def test_anything_else_is_refused(
    signed: SignedRequest, key: bytes, later: timedelta, told: str
) -> None:
    with pytest.raises(SignatureError, match=told):
        check_signature(signed, SENT.signature(key), KEY, NOW + later)


def test_no_signature_is_none() -> None:
    for signature in ("", "é", "0" * 64):
        with pytest.raises(SignatureError):
            check_signature(SENT, signature, KEY, NOW)


def test_a_home_has_one_key_whoever_makes_it_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(request_key, [home] * 32))
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert [path.name for path in home.iterdir()] == [KEY_FILE]
    assert stat.S_IMODE((home / KEY_FILE).stat().st_mode) == 0o600
    assert request_key(tmp_path / "another") != request_key(home)


def test_a_request_is_spent_once_and_forgotten_when_it_cannot_count_any_more(
    tmp_path: Path,
) -> None:
    mark_spent(tmp_path, "a", NOW)
    with pytest.raises(SignatureError, match="already"):
        mark_spent(tmp_path, "a", NOW + VALID_FOR)
    mark_spent(tmp_path, "../b", NOW + 2 * VALID_FOR)
    assert len(list((tmp_path / "spent_requests").iterdir())) == 1
    assert not (tmp_path / "b").exists()


EDIT = EditProfile(athlete_id="ann", changes=("goal.kind=strength",)).model_dump_json()
FORGED = EDIT.replace("goal.kind=strength", "publish.mode=auto")


@dg.job(name=JOB)
def athlete_request() -> None:
    carry_out_request()


class Dagster:
    """The job of a home; `begun` has the commands that runs would have started."""

    def __init__(self, home: Path, instance: dg.DagsterInstance) -> None:
        self.home = home
        self.instance = instance
        self.begun: list[str] = []

    def begin(self, command: list[str], **_: object) -> SimpleNamespace:
        self.begun.append(command[1])
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    def launch(self, tag: str | None = "one", **other: Any) -> str | None:
        """Launch the signed request with another configuration; return the error, if any."""
        signed = SignedRequest(EDIT, "one", str(self.home), int(datetime.now(UTC).timestamp()))
        config = {**asdict(signed), "signature": signed.signature(request_key(self.home)), **other}
        run = athlete_request.execute_in_process(
            run_config={"ops": {STEP: {"config": config}}},
            tags={} if tag is None else {REQUEST_TAG: tag},
            instance=self.instance,
            raise_on_error=False,
        )
        failures = [each for each in run.all_events if each.is_step_failure]
        return str(failures[0].step_failure_data) if failures else None


@pytest.fixture
def dagster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dagster]:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    with dg.DagsterInstance.ephemeral() as instance:
        dagster = Dagster(tmp_path / "home", instance)
        monkeypatch.setattr(subprocess, "run", dagster.begin)
        yield dagster


@pytest.mark.parametrize(
    "forged",
    [
        {"signature": ""},
        {"request_id": "", "sent_at_s": 0, "signature": ""},
        {"signature": "0" * 64},
        {"request": FORGED},
        {"request_id": "two", "tag": "two"},
        {"tag": "two"},
        {"tag": None},
    ],
    ids=["unsigned", "before", "guessed", "changed", "renamed", "another tag", "no tag"],
)
def test_a_run_that_the_dashboard_did_not_ask_for_does_nothing(
    dagster: Dagster, forged: dict[str, Any]
) -> None:
    assert dagster.launch(**forged) is not None
    assert dagster.begun == []


def test_a_request_is_carried_out_once_even_if_its_run_is_gone(dagster: Dagster) -> None:
    assert dagster.launch() is None
    assert dagster.begun == ["profile", "run"]
    assert dagster.launch() is None, "the same once more"
    for run in dagster.instance.get_runs():
        dagster.instance.delete_run(run.run_id)
    assert "already" in str(dagster.launch())
    assert dagster.begun == ["profile", "run"]


def test_what_dagster_keeps_of_a_request_has_no_key(
    dagster: Dagster, capfd: pytest.CaptureFixture[str]
) -> None:
    assert dagster.launch() is None
    key = (dagster.home / KEY_FILE).read_text()
    [run] = dagster.instance.get_runs()
    events = dagster.instance.all_logs(run.run_id)
    assert events
    captured = capfd.readouterr()
    for text in (str(run), str(run.run_config), str(run.tags), str(events), *captured):
        assert key not in text


@pytest.mark.parametrize(
    "change",
    [
        'hevy.api_key_env="OPENAI_API_KEY"',
        "notify.urls=['json://evil.example']",
        "llm.providers=[]",
        "hevy.account=none",
        "id=ben",
        "publish.target=update",
        "publish=auto",
        "goal.kind.x=1",
        'goal.event="a"\nhevy.account="none"',
        "goal.event=a\x00b",
        " goal.kind=strength",
    ],
)
def test_a_request_changes_no_key_that_the_page_does_not_offer(change: str) -> None:
    with pytest.raises(ValidationError):
        EditProfile(athlete_id="ann", changes=(change,))


def test_the_page_offers_what_a_request_may_change() -> None:
    source = inspect.getsource(forms.offer_profile)
    assert set(re.findall(r'"([a-z_.]+)": ', source)) == set(EDITABLE_KEYS)
    for key in EDITABLE_KEYS:
        assert EditProfile(athlete_id="ann", changes=(f"{key}=x",))
