"""The morning briefing: written by the night, sent once, and never blocking the night."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest

from coach_agent.profile.model import AthleteProfile
from coach_agent.store.briefings import Notification
from orchestration.defs.coaching import briefing
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
    """Build a home with a mail address and two hooks, one of which always refuses."""
    profile = home.athletes / "demo.toml"
    profile.write_text(
        profile.read_text()
        + f"""
[notify]
urls = [
    "json://demo:${{NOTIFY_HOOK_TOKEN}}@127.0.0.1:{hooks.port}/${{NOTIFY_HOOK_TOKEN}}",
    "json://127.0.0.1:{refusing.port}/${{NOTIFY_HOOK_TOKEN}}",
]
urls_env = "NOTIFY_MAIL_TO"
"""
    )
    mail = (
        f"mailto://demo:{PASSWORD}@127.0.0.1:{mails.port}"
        "?from=coach@example.org&to=demo@example.org&mode=insecure"
    )
    return Home(home.folder, home.hevy_url, {"NOTIFY_HOOK_TOKEN": SECRET, "NOTIFY_MAIL_TO": mail})


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
        assert "a newer plan is active" in home.spotter("briefing").stdout


def test_it_is_sent_once_and_what_fails_is_tried_again_without_failing_the_night(
    after_first_night: After,
    tmp_path: Path,
    mails: MailSink,
    hooks: HttpSink,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with after_first_night(tmp_path) as (before, _), http_sink(status=403) as refusing:
        home = addressed(before, mails, hooks, refusing)
        for name, value in home.env.items():
            monkeypatch.setenv(name, value)
        night = brief(home)
        assert (night["sent"], night["delivered"]) == (2, False)
        assert "demo, 2 json: " in night["problems"]
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


@pytest.mark.long
def test_what_cannot_be_kept_of_sending_is_tried_again_and_told(
    after_first_night: After, tmp_path: Path, hooks: HttpSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[Exception] = [duckdb.TransactionException("Transaction conflict - once")]
    record = briefing.record_notifications

    def failing(*args: Any, **options: Any) -> None:
        record(*args, **options)
        if errors:
            raise errors.pop()

    monkeypatch.setattr(briefing, "record_notifications", failing)
    with after_first_night(tmp_path) as (home, _):
        for name, value in home.env.items():
            monkeypatch.setenv(name, value)
        profile = home.athletes / "demo.toml"
        wishes = f'[notify]\nurls = ["json://127.0.0.1:{hooks.port}"]\n'
        profile.write_text(f"{profile.read_text()}\n{wishes}")
        assert brief(home) == {"sent": 1, "delivered": True}
        assert len(hooks.requests) == len(home.spotter_json("briefing")["notifications"]) == 1

        errors.append(ValueError("the disk is in a mood"))
        assert home.spotter("check-in", "--energy", "very-low").returncode == 0
        failed = brief(home)
        assert (failed["sent"], failed["delivered"]) == (0, False)
        assert brief(home) == {"sent": 1, "delivered": True}
        assert len(hooks.requests) == 3


@pytest.mark.long
@pytest.mark.parametrize(("outdated_after_s", "is_outdated"), [(0.0, False), (600.0, True)])
def test_what_was_not_sent_in_time_is_written_anew(
    after_first_night: After,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    outdated_after_s: float,
    is_outdated: bool,
) -> None:
    monkeypatch.setattr(briefing, "_OUTDATED_AFTER_S", outdated_after_s)
    send = briefing._send_pending
    with after_first_night(tmp_path) as (home, _):
        for name, value in home.env.items():
            monkeypatch.setenv(name, value)
        (home.athletes / "anna.toml").write_text('id = "anna"\n[hevy]\naccount = "simulator"\n')

        def sent(profile: AthleteProfile, *args: Any) -> tuple[Notification, ...]:
            found = send(profile, *args)
            if profile.id == "anna":
                done = home.spotter("check-in", "--athlete", "demo", "--energy", "very-low")
                assert done.returncode == 0, done.stderr
            return found

        monkeypatch.setattr(briefing, "_send_pending", sent)
        assert brief(home) == {"sent": 0, "delivered": True}
        told = home.spotter_json("briefing", "--athlete", "demo")
        assert told["is_outdated"] == is_outdated


def brief(home: Home) -> dict[str, Any]:
    """Run the step alone, as in the night: return the number of deliveries and the failures."""
    done = dg.materialize(
        [briefing.coach_briefing],
        resources={
            "athletes": AthletesResource(),
            "warehouse": WarehouseResource(path=str(home.warehouse)),
        },
    )
    [event] = done.asset_materializations_for_node("coach__briefing")
    checks = {each.check_name: each for each in done.get_asset_check_evaluations()}
    assert checks["written"].passed, checks["written"].description
    assert {each.severity for each in checks.values()} == {dg.AssetCheckSeverity.WARN}
    delivered = checks["delivered"]
    return {
        "sent": event.metadata["sent"].value,
        "delivered": delivered.passed,
        **({} if delivered.passed else {"problems": delivered.description}),
    }
