"""`spotter backtest` from the command line."""

import hashlib
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coach_agent.domain.constants.catalogue import rule_version
from tests.coach.evaluation.logs import invented_export
from tests.coach.evaluation.oracle import SIMPLE_FORECASTS
from tests.end_to_end.world import ROOT, After, Home, new_home

TEXT = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
STRONG = (
    "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,"
    "Workout Notes,RPE\n"
    '2026-03-04 18:02:45,"A",1h 4m,"Squat (Barbell)",1,60.0,5.0,0,0.0,"","",\n'
)


# With one of the long pauses that they have.
SESSIONS = 60


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = new_home(tmp_path_factory.mktemp("backtest"), "http://127.0.0.1:9")
    (home.folder / "anna.csv").write_text(invented_export(3, sessions=SESSIONS))
    (home.folder / "bob.csv").write_text(invented_export(4, sessions=SESSIONS))
    (home.folder / "strong.csv").write_text(STRONG)
    return home


@pytest.fixture(scope="module")
def found(home: Home) -> Any:
    return home.spotter_json(
        "backtest", "--csv", home.folder / "anna.csv", "--csv", home.folder / "bob.csv"
    )


def test_the_result_names_what_it_rests_on(home: Home, found: Any) -> None:
    assert found["rule_version"] == rule_version()
    assert (found["seed"], found["draws"]) == (20240401, 2000)
    digests = [
        hashlib.sha256((home.folder / name).read_bytes()).hexdigest()
        for name in ("anna.csv", "bob.csv")
    ]
    assert [each["sha256"] for each in found["inputs"]] == digests


def test_all_simple_forecasts_stand_beside_the_engine(found: Any) -> None:
    for quantity in ("reps", "e1rm"):
        names = {each["name"] for each in found["quantities"][quantity]["predictors"]}
        assert names >= {*SIMPLE_FORECASTS, "engine"}
    [told] = [
        each["name"] for each in found["quantities"]["e1rm"]["predictors"] if each["is_told_weight"]
    ]
    assert told == "last at this weight"


@pytest.mark.long
def test_a_second_run_prints_the_same_bytes_and_pictures(home: Home, tmp_path: Path) -> None:
    """One lifter alone, so there is no interval over lifters either."""
    file = home.folder / "anna.csv"
    one, two = (
        home.spotter("backtest", "--csv", file, "--json", "--plots", tmp_path / each)
        for each in ("one", "two")
    )
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
    for name in ("errors.png", "intervals.png", "calibration.png"):
        picture = (tmp_path / "one" / name).read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert picture == (tmp_path / "two" / name).read_bytes()
    found = json.loads(one.stdout)
    [first, *_] = found["quantities"]["reps"]["predictors"]
    assert first["scores"]["mae"]["value"] > 0
    assert (first["scores"]["mae"]["low"], first["scores"]["mae"]["high"]) == (None, None)
    assert {each["name"]: each["status"] for each in found["gate"]}["repetitions"] == "not tested"


@pytest.mark.long
def test_the_gate_ends_with_1_where_a_limit_is_broken(home: Home) -> None:
    """Without it the same file ends with 0, as in the test above.

    Repetitions at random between 1 and 12: no forecast fits, so a limit is broken.
    """
    done = home.spotter("backtest", "--csv", home.folder / "anna.csv", "--gate", "--json")
    assert "broken" in {each["status"] for each in json.loads(done.stdout)["gate"]}
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Choose the training"),
        (["--csv", "nowhere.csv"], "nowhere.csv cannot be read"),
        (["--csv", "{home}/strong.csv"], "--weight-unit"),
        (["--csv", "{home}/anna.csv", "--csv", "{home}/anna.csv"], "is given twice"),
        (["--csv", "{home}/anna.csv", "--json", "--markdown"], "Choose one of"),
        (["--csv", "{home}/athletes/demo.toml"], "export"),
        (["--athlete", "nobody"], "'nobody'"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_cannot_be_tested_is_told(home: Home, arguments: list[str], words: str) -> None:
    done = home.spotter("backtest", *(each.format(home=home.folder) for each in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_unit_is_told_for_a_file_or_for_all(home: Home) -> None:
    file = home.folder / "strong.csv"
    for arguments in ([f"{file}:kg"], [file, "--weight-unit", "kg"]):
        done = home.spotter("backtest", "--csv", *arguments)
        assert done.returncode == 0, done.stderr
        assert re.search(r"/strong.csv +1 +1 +0 +0 ", done.stdout)


@pytest.fixture(scope="module")
def trained(after_first_night: After, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Return the demo athlete after a first night, with a file."""
    with after_first_night(tmp_path_factory.mktemp("athlete")) as (home, _):
        (home.folder / "workout_data.csv").write_text(invented_export(3, sessions=SESSIONS // 2))
        yield home


def test_the_training_of_an_athlete_is_read_as_the_account_has_it(trained: Home) -> None:
    found = trained.spotter_json("backtest", "--athlete", "demo")
    assert found["recovery"]["verdict"] == "not enough days"
    [told] = found["inputs"]
    [(workouts,)] = trained.query("select count(*) from marts.fct_workout")
    assert (told["lifter"], told["sessions"]) == ("demo", workouts)
    assert found["quantities"]["reps"]["cases"] > 0


@pytest.mark.long
def test_what_was_edited_later_was_not_known_on_the_day(trained: Home) -> None:
    """A second version of every workout with far more weight changes nothing."""
    before = trained.spotter("backtest", "--athlete", "demo", "--json")
    assert before.returncode == 0, before.stderr
    with trained.opened(read_only=False) as con:
        con.execute(r"""
            insert into raw.hevy_workouts by name
            select * replace (
                regexp_replace(
                    payload::varchar, '"weight_kg": ?([0-9])', '"weight_kg":9\1', 'g'
                )::json as payload,
                loaded_at + interval 1 hour as loaded_at,
                'edited' as payload_sha256
            )
            from raw.hevy_workouts
        """)
        [(changed,)] = con.execute(
            "select count(*) from raw.hevy_workouts where payload_sha256 = 'edited'"
        ).fetchall()
    assert changed > 0
    assert trained.spotter("backtest", "--athlete", "demo", "--json").stdout == before.stdout


COMMANDS = [
    line.split("  #")[0].strip()
    for block in re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.M | re.S)
    for line in block.splitlines()
]


WHAT_IF = [
    line
    for line in (ROOT / "docs" / "programmes.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("spotter what-if")
]


@pytest.mark.long
@pytest.mark.parametrize("command", WHAT_IF, ids=["athlete", "file"])
def test_a_change_is_tried_without_changing_anything(trained: Home, command: str) -> None:
    before = trained.query("select count(*) from coach.plans")
    few = ("--past", "1", "--weeks", "1", "--lifters", "2")
    file = str(trained.folder / "workout_data.csv")
    _, *arguments = shlex.split(command.replace("strong.csv", file))
    found = trained.spotter_json(*arguments, *few)
    assert found["changed"]["prescribed"]["sessions"] > 0
    assert found["changed_ahead"]["gain_pct"]["median"] is not None
    assert trained.query("select count(*) from coach.plans") == before


@pytest.mark.parametrize(
    "command", [COMMANDS[0], *(pytest.param(each, marks=pytest.mark.long) for each in COMMANDS[1:])]
)
def test_a_command_of_the_page_works_as_told(trained: Home, command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/spotter"
    done = trained.spotter(
        *(trained.folder / each if each == "workout_data.csv" else each for each in arguments)
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
