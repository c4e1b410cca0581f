"""`spotter before-after` from the command line."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from hevy_connector.client.client import HevyClient
from hevy_connector.schemas import JsonObject
from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from tests.coach.evaluation.logs import invented_export
from tests.end_to_end.world import Home, new_home

LESS_KG, MORE_REPS = 10.0, 1


pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Build a home in which the demo athlete trained the first published plan, in real time."""
    account = demo_account(seed=1)
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        home = new_home(tmp_path_factory.mktemp("before-after"), simulator.url)
        home.spotter_json("run")
        plan = home.spotter_json("plan", "show")["plan"]
        with HevyClient(SIMULATOR_KEY, base_url=simulator.url) as hevy:
            [routine] = [each for each in hevy.routines() if each.id == plan["routine_id"]]
        workout = trained(routine.payload)
        assert httpx.post(f"{simulator.url}/simulator/workouts", json=workout).is_success
        home.spotter_json("run")
        yield home


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Build a home with an imported long log and without a plan."""
    home = new_home(tmp_path_factory.mktemp("old"), "http://127.0.0.1:9")
    (home.athletes / "demo.toml").unlink()
    (home.folder / "old.csv").write_text(invented_export(3))
    home.spotter_json("import-csv", home.folder / "old.csv", "--athlete", "old-log")
    return home


def trained(routine: JsonObject) -> JsonObject:
    """Train the routine without the last exercise and with the first one lighter.

    All others are done with one repetition more than planned.
    """
    exercises: list[Any] = []
    for place, exercise in enumerate(routine["exercises"][:-1]):
        sets = [
            {
                "type": planned["type"],
                "weight_kg": planned["weight_kg"] - LESS_KG
                if place == 0 and planned["weight_kg"]
                else planned["weight_kg"],
                "reps": planned["reps"] and planned["reps"] + (MORE_REPS if place else 0),
                "duration_seconds": planned["duration_seconds"],
            }
            for planned in exercise["sets"]
        ]
        template_id = exercise["exercise_template_id"]
        exercises.append({"exercise_template_id": template_id, "sets": sets})
    start = datetime.now(UTC)
    return {
        "title": routine["title"],
        "routine_id": routine["id"],
        "start_time": start.isoformat(),
        "end_time": (start + timedelta(hours=1)).isoformat(),
        "exercises": exercises,
    }


def working_sets(home: Home) -> list[tuple[Any, ...]]:
    return home.query(
        """
        select outcome, predicted_reps, predicted_reps_low, predicted_reps_high, prescribed_reps,
            exercise_index
        from marts.fct_prescription_outcome
        where workout_id is not null and set_class = 'working'
        """,
        home.release,
    )


def test_the_date_is_that_of_the_first_published_plan(home: Home) -> None:
    found = home.spotter_json("before-after", "--athlete", "demo")
    [(day,)] = home.query("select max(workout_date) from marts.fct_workout where origin = 'api'")
    assert (found["since"], found["is_given"]) == (day.isoformat(), False)
    assert datetime.fromisoformat(found["first_published_at"]).tzinfo is not None
    assert found["trend"]["weeks_after"] == 1
    assert found["trend"]["status"] == "too_few"


def test_what_became_of_the_planned_sets_is_counted(home: Home) -> None:
    """Lighter is less, the last exercise was skipped; one repetition more may be in the range."""
    sets = working_sets(home)
    found = home.spotter_json("before-after", "--athlete", "demo")
    counts = found["compliance"]
    assert counts["planned"] == len(sets) == sum(counts.values()) - counts["planned"]
    last = max(index for *_, index in sets)
    assert counts["less"] == sum(index == 0 for *_, index in sets) > 0
    assert counts["skipped"] == sum(index == last for *_, index in sets) > 0
    outcomes = [outcome for outcome, *_ in sets]
    assert counts["more"] == outcomes.count("exceeded") > 0
    assert counts["as_planned"] == outcomes.count("hit") > 0
    assert counts["replaced"] == counts["untold"] == 0


def test_forecasts_reach_the_marts_and_another_load_is_no_case(home: Home) -> None:
    sets = working_sets(home)
    last = max(index for *_, index in sets)
    foreseen = [
        (low, expected, high)
        for _, expected, low, high, reps, index in sets
        if expected is not None and reps is not None and 0 < index < last
    ]
    assert foreseen
    assert all(low <= expected <= high for low, expected, high in foreseen)
    found = home.spotter_json("before-after", "--athlete", "demo")
    assert found["predictions"] == {"sets": len(foreseen), "wanted": 20}


def test_a_long_log_is_compared_at_a_date_that_is_given(old: Home) -> None:
    arguments = ("before-after", "--athlete", "old-log", "--since", "2025-12-01")
    found = old.spotter_json(*arguments)
    assert (found["is_given"], found["first_published_at"]) == (True, None)
    trend = found["trend"]
    assert trend["weeks_before"] == 47
    assert len(trend["placebos"]) >= 19
    assert trend["status"] in {"no_sign", "changed"}
    assert {each["name"] for each in trend["lifts"]} <= {"Bench Press (Barbell)", "My  own Row"}
    assert all(each["day"] < "2025-10-07" for each in trend["placebos"])
    text = old.spotter(*arguments)
    assert text.returncode == 0, text.stderr
    assert "placebo dates before it" in text.stdout
    assert old.spotter(*arguments, "--json").stdout == old.spotter(*arguments, "--json").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Give the date to compare with: --since"),
        (["--athlete", "nobody"], "'nobody'"),
        (["--since", "soon"], "soon"),
        (["--since", "2099-01-01"], "Give an earlier date"),
    ],
    ids=["no plan", "nobody", "no date", "after the last"],
)
def test_what_cannot_be_compared_is_told(old: Home, arguments: list[str], words: str) -> None:
    done = old.spotter("before-after", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_before_the_first_run_it_says_so(tmp_path: Path) -> None:
    done = new_home(tmp_path, "http://127.0.0.1:9").spotter("before-after")
    assert done.returncode == 2
    assert "Run: spotter run" in done.stderr
