"""The briefing of the morning: written by the night, sent once, and never in the night's way."""

import json
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from orchestration.defs.coaching.briefing import coach_briefing
from orchestration.defs.resources import AthletesResource, WarehouseResource
from tests.end_to_end.world import After, Home, holders
from tests.orchestration.sinks import HttpSink, MailSink, http_sink, mail_sink

SECRET = "tk-geheim_4711"  # noqa: S105 - of nobody
PASSWORD = "pw-geheim_0815"  # noqa: S105 - of nobody


@pytest.fixture(scope="module")
def home(after_first_night: After, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with after_first_night(tmp_path_factory.mktemp("briefing")) as (home, _):
        yield home


@pytest.fixture
def mails() -> Iterator[MailSink]:
    with mail_sink() as sink:
        yield sink


@pytest.fixture
def hooks() -> Iterator[HttpSink]:
    with http_sink() as sink:
        yield sink


def addressed(home: Home, mails: MailSink, hooks: HttpSink, refusing: HttpSink) -> Home:
    """The home of somebody who wants a mail and two calls, one of which is always refused."""
    profile = home.athletes / "demo.toml"
    profile.write_text(
        profile.read_text()
        + f"""
[notify]
urls = [
    "json://demo:${{HOOK_TOKEN}}@127.0.0.1:{hooks.port}/${{HOOK_TOKEN}}",
    "json://127.0.0.1:{refusing.port}/${{HOOK_TOKEN}}",
]
urls_env = "MAIL_TO"
"""
    )
    mail = (
        f"mailto://demo:{PASSWORD}@127.0.0.1:{mails.port}"
        "?from=coach@example.org&to=demo@example.org&mode=insecure"
    )
    return Home(home.folder, home.hevy_url, {"HOOK_TOKEN": SECRET, "MAIL_TO": mail})


def test_the_night_writes_what_the_athlete_reads(home: Home) -> None:
    told = home.spotter_json("briefing")
    plan = home.spotter_json("plan", "show")
    assert told["plan_id"] == plan["plan_id"]
    assert (told["is_outdated"], told["notifications"]) == (False, [])
    assert told["title"] == f"Next: {plan['plan']['routine_title']}"
    headings = [section["heading"] for section in told["sections"]]
    assert headings[:2] == ["What to do", "What changed"]
    [to_do] = [each["items"] for each in told["sections"] if each["heading"] == "What to do"]
    assert [each["name"] for each in to_do] == [
        slot["exercise_title"] for slot in plan["plan"]["slots"]
    ]
    assert all(each["why"] for each in to_do)
    shown = Home(home.folder, home.hevy_url, {"COLUMNS": "80"}).spotter("briefing")
    assert shown.returncode == 0
    assert told["title"] in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert home.spotter("briefing", "--markdown").stdout == told["markdown"]


def test_a_check_in_after_it_makes_it_an_older_one(
    after_first_night: After, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with after_first_night(tmp_path_factory.mktemp("outdated")) as (home, _):
        assert home.spotter("check-in", "--energy", "very-low").returncode == 0
        assert home.spotter_json("briefing")["is_outdated"]
        assert "Another plan stands since" in home.spotter("briefing").stdout


def test_it_is_sent_once_and_what_fails_is_tried_again_without_failing_the_night(
    after_first_night: After,
    tmp_path: Path,
    mails: MailSink,
    hooks: HttpSink,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with after_first_night(tmp_path) as (before, _), http_sink(status=403) as refusing:
        home = addressed(before, mails, hooks, refusing)
        night = home.spotter("run", "--json")
        assert night.returncode == 0, night.stderr
        warnings = json.loads(night.stdout)["warnings"]
        assert len(warnings) == 1
        assert "demo, 2 json: " in warnings[0]
        told = home.spotter_json("briefing")
        assert [(each["destination"], each["state"]) for each in told["notifications"]] == [
            ("1 json", "sent"),
            ("2 json", "failed"),
            ("3 mailto", "sent"),
        ]
        [mail] = mails.mails
        assert mail["Subject"] == told["title"]
        [(_, _, body)] = hooks.requests
        assert body["title"] == told["title"]
        assert len(refusing.requests) == 1

        for name, value in home.env.items():
            monkeypatch.setenv(name, value)
        refusing.status = 200
        again = brief(home)
        assert (again["sent"], again["delivered"]) == (1, True)
        assert (len(mails.mails), len(hooks.requests), len(refusing.requests)) == (1, 1, 2)
        nothing_new = brief(home)
        assert (nothing_new["sent"], nothing_new["delivered"]) == (0, True)

        checked_in = home.spotter("check-in", "--energy", "very-low")
        assert checked_in.returncode == 0, checked_in.stderr
        changed = brief(home)
        assert (changed["sent"], changed["delivered"]) == (3, True)
        assert (len(mails.mails), len(hooks.requests), len(refusing.requests)) == (2, 2, 3)

        for secret in (SECRET, PASSWORD):
            assert holders(home, secret) == []
        for command in (("profile", "show"), ("profile", "show", "--json"), ("briefing",)):
            shown = home.spotter(*command)
            assert shown.returncode == 0
            assert SECRET not in shown.stdout
            assert PASSWORD not in shown.stdout


def brief(home: Home) -> dict[str, object]:
    """The step alone, as the night runs it: how many were sent, and whether all arrived."""
    done = dg.materialize(
        [coach_briefing],
        resources={
            "athletes": AthletesResource(),
            "warehouse": WarehouseResource(path=str(home.warehouse)),
        },
    )
    [event] = done.asset_materializations_for_node("coach_briefing")
    checks = {each.check_name: each for each in done.get_asset_check_evaluations()}
    assert checks["written"].passed, checks["written"].description
    assert {each.severity for each in checks.values()} == {dg.AssetCheckSeverity.WARN}
    return {"sent": event.metadata["sent"].value, "delivered": checks["delivered"].passed}
