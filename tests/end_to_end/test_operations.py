"""Every command of docs/operations.md works."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import ROOT, After, Home

TEXT = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def commands() -> list[list[str]]:
    blocks = re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.M | re.S)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def home(after_first_night: After, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with after_first_night(tmp_path_factory.mktemp("operations")) as (home, _):
        yield home


def test_the_doctor_finds_the_home_fit(home: Home) -> None:
    (doctor,) = (each for each in commands() if each[1] == "doctor")
    done = home.spotter(*doctor[1:])
    assert done.returncode == 0, done.stdout + done.stderr
    found = {each["name"]: each["state"] for each in home.spotter_json("doctor")}
    assert {name for name, state in found.items() if state != "ok"} <= {"port"}
    assert found["Hevy (demo)"] == "ok"


def test_the_status_of_a_home_after_its_night_is_well(home: Home) -> None:
    (status,) = (each for each in commands() if each[1] == "status")
    done = home.spotter(*status[1:])
    assert done.returncode == 0, done.stdout + done.stderr
    told = home.spotter_json("status")
    assert {each["name"]: each["state"] for each in told["layers"]} == dict.fromkeys(
        ("raw", "marts", "plan", "release"), "fresh"
    )
    assert [run["trigger"] for run in told["last_runs"]] == ["command"]
    assert told["problems"] == []
    assert told["versions"]["schema"]


def test_the_log_of_the_night_is_shown_as_told(home: Home) -> None:
    shown = [home.spotter(*each[1:]) for each in commands() if each[1] == "logs"]
    assert [done.returncode for done in shown] == [0, 0]
    assert "dbt_models" in shown[0].stdout
    events = [json.loads(line).get("event") for line in shown[1].stdout.splitlines()]
    assert events[-1] == "RUN_SUCCESS"
    assert home.spotter("logs", "nobody").returncode == 2


@pytest.mark.long
def test_the_home_is_made_smaller_as_told(home: Home) -> None:
    before = home.spotter("plan", "show").stdout
    for each in commands():
        if each[1] == "compact":
            done = home.spotter(*each[1:])
            assert done.returncode == 0, done.stderr
    told = home.spotter_json("compact")
    assert (told["runs"], told["left_over"]) == (0, [])
    assert told["warehouse_bytes"][0] == told["warehouse_bytes"][1]
    assert home.spotter("plan", "show").stdout == before


@pytest.mark.long
@names_its_target
def test_a_backup_is_restored_as_told(home: Home, tmp_path: Path) -> None:
    backup, verify, restore = (each for each in commands() if each[1] in {"backup", "restore"})
    file = str(tmp_path / "spotter.tar")
    before = home.spotter_json("status")
    plan = home.spotter("plan", "show").stdout
    done = home.spotter(*(file if part == "spotter.tar" else part for part in backup[1:]))
    assert done.returncode == 0, done.stderr
    whole = home.spotter(*(file if part == "spotter.tar" else part for part in verify[1:]))
    assert whole.stdout.startswith("Whole: "), whole.stderr
    refused = home.spotter("restore", file)
    assert refused.returncode == 2
    assert "--replace" in refused.stderr
    done = home.spotter(*(file if part == "spotter.tar" else part for part in restore[1:]))
    assert done.returncode == 0, done.stderr
    after = home.spotter_json("status")
    assert home.spotter("plan", "show").stdout == plan
    for name in ("athletes", "raw_rows", "last_run"):
        assert after[name] == before[name]
    assert after["release"]["row_counts"] == before["release"]["row_counts"]
    told = json.loads(home.spotter("restore", file, "--replace", "--json").stdout)
    assert Path(told["former_home"]).parent == home.folder / "home"
