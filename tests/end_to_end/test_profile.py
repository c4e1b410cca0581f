"""From `spotter init` to a profile, and the effective settings before and after the first run."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coach_agent.profile.model import load_profile
from coach_agent.profile.season import Goal
from hevy_connector.simulator import RunningSimulator, demo_account, running_simulator
from tests.end_to_end.accounts import ANSWERS, AccountsNight, only
from tests.end_to_end.accounts import RIGHT_KEY as KEY
from tests.end_to_end.conftest import Copy
from tests.end_to_end.world import NOW, ROOT, Home, new_home

REFERENCE = ROOT / "docs" / "profile.md"
ROUTINES = ["Lower A", "Lower B", "Upper A", "Upper B"]


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with running_simulator(demo_account(seed=1, now=NOW), api_key=KEY) as running:
        yield running


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory, simulator: RunningSimulator) -> Home:
    home = new_home(tmp_path_factory.mktemp("profile"), simulator.url, HEVY_API_KEY=KEY)
    (home.athletes / "demo.toml").unlink()
    return home


def answers(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def values(home: Home) -> dict[str, tuple[Any, str]]:
    report = home.spotter_json("profile", "show")
    return {each["key"]: (each["value"], each["source"]) for each in report["values"]}


def test_a_profile_is_asked_for_and_its_effect_shown(home: Home) -> None:
    asked = home.spotter("init", given=answers(*ANSWERS))
    assert asked.returncode == 0, asked.stdout + asked.stderr
    assert all(title in asked.stdout for title in ROUTINES)
    for told in (
        "timezone = 'Berlin': must be an IANA time zone",
        "goal.kind = 'strong': must be 'strength', 'hypertrophy' or 'both'",
        "session_minutes = 10: must be greater than or equal to 15",
        "'forty' must be numbers with blanks between them",
        "Numbers from 1 to 4",
    ):
        assert told in asked.stdout + asked.stderr
    written = (home.athletes / "kim.toml").read_text()
    assert written in asked.stdout
    assert KEY not in written + asked.stdout + asked.stderr
    assert tomllib.loads(written) == {
        "id": "kim",
        "name": "Kim",
        "timezone": "Europe/Berlin",
        "session_minutes": 60,
        "goal": {"kind": "strength"},
        "coach": {"routines": ["Lower A", "Upper A"]},
        "equipment": {
            "unit": "lb",
            "bar_lb": 45,
            "plate_pairs_lb": [45, 25, 10, 5, 2.5],
            "dumbbells_lb": list(range(5, 55, 5)),
        },
        "hevy": {"account": "hevy", "api_key_env": "HEVY_API_KEY"},
        "publish": {"mode": "preview"},
    }

    before = home.spotter("profile", "show")
    assert before.returncode == 0, before.stderr
    assert "There are no routines and training data yet" in before.stdout
    known = values(home)
    assert known["equipment.bar_lb"] == (45, "profile")
    assert known["equipment.cable_step_lb"] == (5, "default")
    assert known["routines"] == ([], "default")
    assert not any(key.startswith("exercises") for key in known)


def test_what_is_known_after_the_first_run_comes_from_the_history(
    accounts_night: AccountsNight, copy_world: Copy, tmp_path: Path
) -> None:
    assert accounts_night.asked.returncode == 0, accounts_night.asked.stderr
    variables = copy_world(accounts_night.folder, tmp_path)
    home = only(Home(tmp_path, "http://127.0.0.1:9", {**variables, "HEVY_API_KEY": KEY}), "kim")
    known = values(home)
    order, source = known["routines"]
    assert sorted(order) == ["Lower A", "Upper A"]
    assert source.startswith("history (n = ")
    assert (
        known["today.next_routine"][0]
        == (home.spotter_json("plan", "show")["plan"]["routine_title"])
    )
    assert known["learned.minutes_a_set"][1].startswith("history (n = ")
    sources = {
        source.split(" (")[0] for key, (_, source) in known.items() if key.startswith("exercises")
    }
    assert sources == {"default", "routine", "history", "profile"}  # the last is the bar
    after = home.spotter("profile", "show", "--athlete", "kim")
    assert after.returncode == 0, after.stderr
    assert "There are no routines" not in after.stdout
    assert KEY not in after.stdout
    assert max(map(len, after.stdout.splitlines())) <= 80


def test_without_questions_options_and_defaults_are_written(home: Home) -> None:
    extra = {**home.extra, "TZ": "Asia/Kolkata"}
    made = Home(home.folder, home.hevy_url, extra).spotter(
        *("init", "--yes", "--athlete", "lee", "--account", "none", "--minutes", "45"),
        *("--routine", 'A "heavy" day', "--routine", "B"),
    )
    assert made.returncode == 0, made.stderr
    assert tomllib.loads((home.athletes / "lee.toml").read_text()) == {
        "id": "lee",
        "timezone": "Asia/Kolkata",
        "session_minutes": 45,
        "goal": {"kind": "both"},
        "coach": {"routines": ['A "heavy" day', "B"]},
        "equipment": {"unit": "kg"},
        "hevy": {"account": "none", "api_key_env": "HEVY_API_KEY"},
        "publish": {"mode": "preview"},
    }
    assert values(home)["session_minutes"] == (45, "profile")


def test_the_commands_of_the_reference_are_run(home: Home) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", REFERENCE.read_text(), flags=re.M | re.S)
    commands = [line for block in blocks for line in block.splitlines()]
    assert commands[0] == ".venv/bin/spotter init"  # above, with answers
    assert len(commands) == 6
    for command in commands[1:]:
        done = home.spotter(*shlex.split(command)[1:])
        assert done.returncode == 0, done.stderr
    assert load_profile(home.athletes / "kim.toml").gym.unit == "lb"
    assert load_profile(home.athletes / "kim.toml").goal == Goal(kind="strength")


def test_a_profile_that_is_there_is_never_changed(home: Home) -> None:
    (home.athletes / "me.toml").write_text('id = "me"\n')
    refused = home.spotter("init", "--yes")
    assert refused.returncode == 2
    assert "already, and it stays as it is" in " ".join(refused.stderr.split())
    asked = home.spotter("init", "--account", "none", given=answers("me", "you", *[""] * 8, "no"))
    assert asked.returncode == 0, asked.stderr
    assert "already, and it stays as it is" in " ".join((asked.stdout + asked.stderr).split())
    assert "Nothing was written" in asked.stdout
    assert [each.name for each in home.athletes.iterdir()] == ["me.toml"]
    assert (home.athletes / "me.toml").read_text() == 'id = "me"\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--athlete", "No Id"), "id = 'No Id': must match pattern"),
        (("--minutes", "ten"), "'ten' must be a whole number"),
        (("--unit", "stone"), "equipment.unit = 'stone': must be 'kg' or 'lb'"),
        (("--dumbbells", "9-3 by 2"), "'9-3 by 2' must be numbers"),
        (("--plates", "20 -5"), "equipment.plate_pairs_kg[1] = -5: must be greater than 0"),
    ],
)
def test_what_cannot_be_used_is_told_and_nothing_written(
    home: Home, arguments: tuple[str, str], message: str
) -> None:
    refused = home.spotter("init", "--yes", *arguments)
    assert refused.returncode == 2
    assert message in " ".join(refused.stderr.split())
    assert "Traceback" not in refused.stderr
    assert list(home.athletes.iterdir()) == []


def test_an_account_that_cannot_be_read_is_told_and_does_not_stop(home: Home) -> None:
    wrong = Home(home.folder, home.hevy_url, {"HEVY_API_KEY": "wrong-key"})
    asked = wrong.spotter("init", given=answers("me", *[""] * 9, "yes"))
    assert asked.returncode == 0, asked.stderr
    assert "refused the API key" in " ".join(asked.stderr.split())
    assert "wrong-key" not in asked.stdout + asked.stderr
    missing = Home(home.folder, home.hevy_url).spotter(
        "init", "--athlete", "you", given=answers(*[""] * 9, "yes")
    )
    assert missing.returncode == 0, missing.stderr
    assert "HEVY_API_KEY is not set" in missing.stdout
