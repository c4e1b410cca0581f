"""Wrong input: one clear message, exit code 2, nothing half-written."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hevy_connector.simulator import demo_account, running_simulator
from tests.end_to_end.accounts import DEMO_KEY, FAULTS, RIGHT_KEY, AccountsNight
from tests.end_to_end.accounts import WRONG_KEY as MARKER
from tests.end_to_end.world import NOW, Home, holders, new_home
from tests.ports import free_port

REAL = 'id = "first"\n'


@pytest.fixture
def url() -> Iterator[str]:
    account = demo_account(seed=1, now=NOW)
    with running_simulator(account, api_key=RIGHT_KEY, faults=FAULTS) as simulator:
        yield simulator.url


def refusal(home: Home, *arguments: str | Path) -> str:
    """Return the single message of a failing command."""
    return message_of(home.spotter(*arguments))


def message_of(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert MARKER not in done.stdout + done.stderr
    return " ".join(done.stderr.split())


def with_profiles(home: Home, **profiles: str) -> Home:
    """Return the home with these athletes and no others."""
    for file in home.athletes.iterdir():
        file.unlink()
    for athlete, text in profiles.items():
        (home.athletes / f"{athlete}.toml").write_text(text)
    return home


def test_a_wrong_key_stops_its_athlete_and_nobody_else(accounts_night: AccountsNight) -> None:
    night, home = accounts_night, Home(accounts_night.folder, "http://127.0.0.1:9")
    message = message_of(night.refused)
    assert "refused the API key" in message
    assert message.count("Error:") == 1
    assert night.users == 0

    # After the failure the next run succeeds, for all athletes with a correct key.
    report = night.report
    # After failures of every kind no key is stored: in no log, no table, no history of runs.
    assert holders(home, MARKER) == holders(home, RIGHT_KEY) == holders(home, DEMO_KEY) == []
    assert sorted(report["plans"]) == ["demo", "kim", "me"]
    for athlete in ("kim", "me"):
        assert report["plans"][athlete]["publication_state"] == "previewed"
        assert len(report["plans"][athlete]["changes"]) > 0
    assert any("first: Hevy" in warning for warning in report["warnings"])
    assert night.put_counts[RIGHT_KEY] == 0
    # The connection was lost after the one PUT had been done: it was not done twice.
    assert report["plans"]["demo"]["publication_state"] == "published"
    assert report["sent_to_hevy"] == night.put_counts[DEMO_KEY] == 1


def test_a_briefing_that_cannot_be_sent_is_a_warning_of_the_night(
    accounts_night: AccountsNight,
) -> None:
    assert any("demo, 1 json: " in warning for warning in accounts_night.report["warnings"])


def test_a_missing_key_says_where_to_put_it(tmp_path: Path, url: str) -> None:
    home = with_profiles(new_home(tmp_path, url), first=REAL)
    assert "HEVY_API_KEY is not set" in refusal(home, "run")


def test_a_service_that_is_down_is_named(tmp_path: Path) -> None:
    home = new_home(tmp_path, f"http://127.0.0.1:{free_port()}")
    message = refusal(home, "run")
    assert "cannot be reached" in message
    assert home.hevy_url in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('id = "first"\n[publish]\nmode = "always"\n', ["first.toml", "line 3", "preview", "auto"]),
        ('id = "first"\n\nrest = 3\n', ["first.toml", "line 3", "rest"]),
        ('id = "first"\nname = \n', ["first.toml", "line 2"]),
        ('id = "third"\n', ["first.toml", "third"]),
        ('id = "first"\ntimezone = "Berlin"\n', ["first.toml", "line 2", "Berlin"]),
    ],
    ids=["value", "key", "syntax", "other id", "zone"],
)
def test_a_malformed_profile_is_told_with_its_line(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    home = with_profiles(new_home(tmp_path, "http://127.0.0.1:9"), first=text)
    for command in (["run"], ["status"]):
        message = refusal(home, *command)
        assert all(word in message for word in words), message
    assert not home.warehouse.exists()


def test_the_demo_athlete_never_meets_the_real_service(tmp_path: Path) -> None:
    home = new_home(tmp_path, "https://api.hevyapp.com", HEVY_API_KEY=MARKER)
    message = refusal(home, "run")
    assert "No athlete is configured" in message
    assert not home.warehouse.exists()


def test_an_unknown_athlete_is_told_who_there_is(tmp_path: Path) -> None:
    home = new_home(tmp_path, "http://127.0.0.1:9")
    message = refusal(home, "plan", "show", "--athlete", "nobody")
    assert "no athlete 'nobody'" in message
    assert "demo" in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "export"),
        (b"a,b,c\n1,2,3\n", "export"),
        (b"Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps\n", "Strong"),
    ],
    ids=["empty", "picture", "other csv", "strong"],
)
def test_a_file_that_is_no_export_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    home = new_home(tmp_path, "http://127.0.0.1:9")
    file = tmp_path / "workouts.csv"
    file.write_bytes(content)
    assert words in refusal(home, "import-csv", file, "--athlete", "log1")
    assert not home.warehouse.exists()
    assert not (home.athletes / "log1.toml").exists()


@pytest.mark.parametrize("athlete", ["../evil", "First B", "", "a" * 65])
def test_an_id_that_cannot_be_one_is_refused(tmp_path: Path, athlete: str) -> None:
    home = new_home(tmp_path, "http://127.0.0.1:9")
    file = tmp_path / "workouts.csv"
    file.write_text("")
    assert "no athlete id" in refusal(home, "import-csv", file, "--athlete", athlete)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    home = new_home(tmp_path, "http://127.0.0.1:9")
    assert "missing.csv" in refusal(home, "import-csv", "missing.csv", "--athlete", "log1")


def test_a_plan_that_does_not_exist_yet_says_how_to_get_one(tmp_path: Path) -> None:
    assert "spotter run" in refusal(new_home(tmp_path, "http://127.0.0.1:9"), "plan", "show")


@pytest.mark.long
def test_a_malformed_profile_leaves_its_athlete_out_and_nobody_else(
    tmp_path: Path, url: str
) -> None:
    home = with_profiles(new_home(tmp_path, url, HEVY_API_KEY=RIGHT_KEY), first=REAL)
    (home.athletes / "second.toml").write_text('id = "second"\ncolour = "blue"\n')
    message = refusal(home, "run")
    assert "second is left out until this is fixed" in message
    assert "second.toml" in message
    assert "colour" in message
    assert home.query("select distinct athlete_id from raw.hevy_workouts") == [("first",)]
    assert home.query("select distinct athlete_id from coach.plans") == [("first",)]
    assert "colour" in refusal(home, "plan", "show", "--athlete", "second")
    standing = home.spotter("status", "--json")
    assert standing.returncode == 1
    (problem,) = json.loads(standing.stdout)["problems"]
    assert problem.startswith("second is left out until this is fixed")
    doctor = {
        each["name"]: each["state"] for each in json.loads(home.spotter("doctor", "--json").stdout)
    }
    assert (doctor["profile (second)"], doctor["profiles"]) == ("fail", "ok")
