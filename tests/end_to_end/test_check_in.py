"""A check-in changes the next workout at once, and nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hevy_connector.schemas import JsonObject
from tests.end_to_end.accounts import DEMO_KEY, AccountsNight, only
from tests.end_to_end.conftest import Copy
from tests.end_to_end.crowd import running_accounts
from tests.end_to_end.world import Home

WIDTH_OF_A_PHONE = 44


@pytest.fixture(scope="module")
def home(
    accounts_night: AccountsNight, copy_world: Copy, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Home]:
    """Return the demo athlete after a night, with training until today."""
    folder = tmp_path_factory.mktemp("check-in")
    variables = copy_world(accounts_night.folder, folder)
    with running_accounts(accounts_night.accounts_by_key()) as service:
        yield only(Home(folder, service.url, variables), "demo")
        assert service.put_count(DEMO_KEY) == 0, "a check-in sends nothing"


def working_sets(plan: JsonObject) -> list[int]:
    return [
        sum(each["set_type"] in {"normal", "failure"} for each in slot["sets"])
        for slot in plan["slots"]
    ]


def test_a_plan_fits_a_phone_and_says_why(home: Home) -> None:
    """It comes first: check-ins of later tests add remarks."""
    narrow = Home(home.folder, home.hevy_url, {**home.extra, "COLUMNS": str(WIDTH_OF_A_PHONE)})
    shown = narrow.spotter("plan", "show")
    assert shown.returncode == 0
    assert max(map(len, shown.stdout.splitlines())) <= WIDTH_OF_A_PHONE
    slots = home.spotter_json("plan", "show")["plan"]["slots"]
    assert len(shown.stdout.splitlines()) < 8 * len(slots)
    why = home.spotter("plan", "show", "--why").stdout
    for slot in slots:
        assert slot["rule"] in why
        assert slot["reason"].split()[0] in why


def test_a_low_day_takes_a_set_of_each_exercise_and_raises_nothing(home: Home) -> None:
    before = home.spotter_json("plan", "show")["plan"]
    report = home.spotter_json("check-in", "--energy", "low", "--soreness", "high")
    assert report["readiness"] == 2
    after = home.spotter_json("plan", "show")["plan"]
    assert after == report["plan"]["plan"]
    assert after["routine_id"] == before["routine_id"]
    assert working_sets(after) == [max(1, count - 1) for count in working_sets(before)]
    for slot in after["slots"]:
        assert slot["direction"] != "up"
        assert "readiness_low" in slot["reason_codes"]
        assert slot["whole_sets"] or working_sets({"slots": [slot]}) == [1]
    shown = home.spotter("plan", "show")
    assert shown.stdout.count("Low readiness in your check-in.") == 1


def test_the_latest_word_counts(home: Home) -> None:
    home.spotter_json("check-in", "--energy", "very-low", "--soreness", "low")
    fresh = home.spotter_json("check-in", "--energy", "high")["plan"]["plan"]
    assert all(not slot["adjustments"] for slot in fresh["slots"])


def test_pain_leaves_exercises_out_and_little_time_shortens(home: Home) -> None:
    hurt = home.spotter_json("check-in", "--pain", "left knee:severe", "--minutes", "40")
    slots = hurt["plan"]["plan"]["slots"]
    knees = [slot for slot in slots if slot["primary_muscle_group"] == "quadriceps"]
    assert all(not slot["sets"] and "pain_severe" in slot["reason_codes"] for slot in knees)
    assert any(slot["sets"] for slot in slots)
    assert hurt["plan"]["plan"]["minutes"]["minutes"] <= 40
    still = home.spotter_json("check-in", "--minutes", "200")["plan"]["plan"]
    assert any("pain_severe" in slot["reason_codes"] for slot in still["slots"])
    home.spotter_json("check-in", "--pain", "left knee:mild")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "at least one of --energy"),
        (["--energy", "great"], "must be one of very-low, low"),
        (["--pain", "shoulder"], "write the part and how bad it is"),
        (["--pain", "shoulder:bad"], "mild, moderate, severe"),
        (["--pain", "sholder:mild"], "did you mean 'shoulder'"),
        (["--session-rpe", "11"], "--session-rpe 11: must be from 0 (rest) to 10 (maximal)."),
        (["--session-rpe", "nan", "--energy", "low"], "must be from 0 (rest) to 10"),
        (["--deload", "Squatt (Barbell)"], "Did you mean 'Squat (Barbell)'?"),
    ],
)
def test_what_is_not_understood_is_said_and_not_kept(
    home: Home, arguments: list[str], words: str
) -> None:
    before = home.query("select count(*) from coach.check_ins")
    done = home.spotter("check-in", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert home.query("select count(*) from coach.check_ins") == before


def test_a_session_rpe_is_stored_and_changes_no_plan(home: Home) -> None:
    before = home.spotter("plan", "show", "--json").stdout
    check_ins = home.query("select count(*) from coach.check_ins")
    shown = home.spotter("check-in", "--session-rpe", "8")
    assert (shown.returncode, "Noted: session RPE 8" in shown.stdout) == (0, True)
    assert home.spotter_json("check-in", "--session-rpe", "7.5")["session_rpe"] == 7.5
    assert home.query("select session_rpe from coach.session_rpes order by recorded_at") == [
        (8.0,),
        (7.5,),
    ]
    assert home.spotter("plan", "show", "--json").stdout == before
    assert home.query("select count(*) from coach.check_ins") == check_ins
    both = home.spotter_json("check-in", "--session-rpe", "6", "--energy", "normal")
    assert (both["session_rpe"], both["check_in"]["energy"]) == (6, 3)
    assert home.query("select count(*) from coach.session_rpes") == [(3,)]


def test_the_json_is_as_the_schema_says(home: Home, tmp_path: Path) -> None:
    from jsonschema import Draft202012Validator

    schema = json.loads(home.spotter("plan", "schema").stdout)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(home.spotter_json("plan", "show"))


def test_where_nothing_is_left_to_train_it_is_said_and_not_that_there_is_no_plan_yet(
    home: Home,
) -> None:
    """`plan show` suggested a run, which would not give a plan either."""
    everywhere = ("shoulder", "elbow", "back", "abdomen", "hip", "knee", "calf")
    hurt = [word for part in everywhere for word in ("--pain", f"{part}:severe")]
    assert "No workout is left" in home.spotter("check-in", *hurt).stdout
    found = home.spotter("plan", "show")
    assert (found.returncode, "No workout is left" in found.stderr) == (2, True)
    assert "yet" not in found.stderr
    better = [word for part in everywhere for word in ("--pain", f"{part}:mild")]
    assert "No workout is left" not in home.spotter("check-in", *better).stdout
