"""A red flag after a publication: Hevy gets a note, or the answer lists the exercises to skip."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coach_agent.journal.current_plans import read_current_plan
from coach_agent.language.messages import render
from dashboard.released import Released
from orchestration.cli.app import app
from orchestration.config.settings import SettingsError
from orchestration.services.releases.release_manifest import Manifest
from orchestration.services.releases.stops import Stops, read_stops
from tests.orchestration.services.publishing.published_home import Home, home

__all__ = ["home"]

STOPS = ["check-in", "--note", "chest pain on the stairs"]
EXERCISES = "Bench Press (Barbell), Bent Over Row (Barbell), Bicep Curl (Dumbbell)"
Spotter = Callable[..., str]


@pytest.fixture
def spotter(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spotter:
    """Run a command in the home of a published plan; return its output."""
    folder = tmp_path / "athletes"
    folder.mkdir()
    (folder / "demo.toml").write_text(
        'id = "demo"\n[hevy]\naccount = "simulator"\n[publish]\nmode = "auto"\n'
    )
    environment = {
        "SPOTTER_HOME": str(tmp_path),
        "SPOTTER_ATHLETES_DIR": str(folder),
        "DAGSTER_HOME": "",
        "HEVY_API_URL": home.simulator.url,
        "HEVY_PER_SECOND": "0",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    home.in_mode("auto")
    assert [each.state for each in home.run()] == ["published"]

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(app, list(arguments))
        if isinstance(done.exception, SettingsError):
            return str(done.exception)
        assert done.exit_code == 0, (done.output, done.exception)
        return done.output

    return run


def marks(home: Home) -> list[bool]:
    return [
        render("en", "withdrawn-note") in (each["notes"] or "")
        for each in home.now_in_hevy()["exercises"]
    ]


def current_plan_id(home: Home) -> str | None:
    with home.connect() as con:
        plan = read_current_plan(con, "demo")
    return None if plan is None else plan.plan_id


def test_a_red_flag_withdraws_the_published_plan_once(home: Home, spotter: Spotter) -> None:
    told = spotter(*STOPS)
    assert "Stop training now." in told
    assert "Push in Hevy now has a note at each exercise: skip it." in " ".join(told.split())
    assert marks(home) == [True, True, True]
    assert "chest" not in json.dumps(home.now_in_hevy()), "health data stays here"
    assert spotter("check-in", "--energy", "high").count("in Hevy") == 1, "only the general advice"
    assert home.run() == []
    assert home.put_count() == 2
    spotter("check-in", "--cleared")
    assert marks(home) == [True, True, True], "until the next decision"
    home.decide("plan_1", home.plan, minutes_later=9)
    assert [each.state for each in home.run()] == ["published"]
    assert marks(home) == [False, False, False]


@pytest.mark.parametrize("wrong", [["--energy", "awful"], ["--pain", "wing:severe"]])
def test_other_input_that_is_wrong_does_not_keep_the_plan(
    home: Home, spotter: Spotter, wrong: list[str]
) -> None:
    """The earlier plan stayed the current one until the next decision."""
    assert current_plan_id(home) == "plan_1"
    told = spotter(*STOPS, *wrong)
    assert told.startswith("You reported chest pain or pressure. Stop training now.")
    assert "Push in Hevy now has a note" in told
    assert current_plan_id(home) is None
    assert marks(home) == [True, True, True]
    stops = read_stops(home.settings.release_folder)
    assert stops is not None
    assert (stops.red_flags, list(stops.last_at)) == ({"demo": ("chest",)}, ["demo"])


def test_without_an_answer_of_hevy_it_names_what_to_skip_and_the_next_run_withdraws(
    home: Home, spotter: Spotter
) -> None:
    home.simulator.faults.set(["503"])
    told = " ".join(spotter(*STOPS).split())
    assert f"Skip Push in Hevy: {EXERCISES}. It has no note: " in told
    assert marks(home) == [False, False, False]
    home.simulator.faults.clear()
    assert [each.state for each in home.run()] == ["published"]
    assert marks(home) == [True, True, True]
    assert home.run() == []


def test_an_edited_routine_is_left_alone_and_it_names_what_to_skip(
    home: Home, spotter: Spotter
) -> None:
    edited = {**home.now_in_hevy(), "title": "Push, mine"}
    home.simulator.account.edit_routine(home.before["id"], edited)
    report = json.loads(spotter(*STOPS, "--json"))["withdrawal"]
    assert report["state"] == "conflict"
    assert ", ".join(report["skip"]) == EXERCISES
    assert "The routine was edited since the plan was published." in report["text"]
    assert marks(home) == [False, False, False]
    assert home.run() == []


def test_without_an_account_it_names_what_to_skip(
    home: Home, spotter: Spotter, tmp_path: Path
) -> None:
    (tmp_path / "athletes" / "demo.toml").write_text('id = "demo"\n')
    told = " ".join(spotter(*STOPS).split())
    assert f"Skip Push in Hevy: {EXERCISES}. It has no note: " in told


def test_the_page_hides_a_plan_from_before_a_red_flag(tmp_path: Path) -> None:
    """The page showed the plan of the last release until the next one."""
    flagged_at = datetime(2026, 3, 4, 6, tzinfo=UTC)
    (tmp_path / "red_flags.json").write_text("{}")
    stops = Stops(
        written_at=flagged_at, red_flags={"demo": ("chest",)}, last_at={"demo": flagged_at}
    )
    cleared = Stops(
        written_at=flagged_at + timedelta(minutes=9), red_flags={}, last_at={"demo": flagged_at}
    )

    def released(at: datetime, known: Stops | None) -> Released:
        manifest = Manifest.model_construct(run_id=f"run {at}", released_at=at)
        return Released(tmp_path, manifest, known)

    before, after = flagged_at - timedelta(hours=1), flagged_at + timedelta(hours=1)
    assert released(before, stops).red_flags_of("demo", None) == ("chest",)
    assert released(after, stops).red_flags_of("demo", None) == ()
    assert released(before, cleared).red_flags_of("demo", None) == ()
    assert not released(before, cleared).has_valid_plan("demo")
    assert released(after, cleared).has_valid_plan("demo")
    assert released(before, cleared).has_valid_plan("other")
    assert released(before, None).has_valid_plan("demo")
