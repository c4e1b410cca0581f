"""Red flags by command: the answer to the athlete, and the removal of the plan."""

import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coach_agent.journal.current_plans import read_current_plan
from coach_agent.journal.decisions import record_decisions
from orchestration.cli.app import app
from orchestration.config.settings import SettingsError
from orchestration.runs.recorder import Recorder
from orchestration.services.publishing.athlete_publisher import AthletePublisher
from orchestration.storage.warehouse import open_warehouse
from tests.coach.builders import profile
from tests.coach.publishing_world import NOW, KilledError, World
from tests.coach.usual_workout import bench, curl, decided

EMERGENCY = "call your emergency number"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build a home with an active plan."""
    (tmp_path / "athletes").mkdir()
    (tmp_path / "athletes" / "demo.toml").write_text('id = "demo"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path / "athletes"))
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.chdir(tmp_path)
    with open_warehouse(tmp_path / "warehouse.duckdb") as con:
        record_decisions(con, [decided(bench(), curl())], now=datetime.now(UTC), run_id="run")
        assert read_current_plan(con, "demo") is not None
    return tmp_path


def spotter(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, (done.output, done.exception)
    return " ".join(done.output.split())


def test_a_red_flag_stops_until_it_is_cleared(home: Path) -> None:
    told = spotter("check-in", "--pain", "chest:severe", "--energy", "very-low")
    assert told.startswith("You reported chest pain or pressure. Stop training now.")
    assert EMERGENCY in told
    assert "Noted." not in told
    with open_warehouse(home / "warehouse.duckdb") as con:
        assert read_current_plan(con, "demo") is None
    assert EMERGENCY in spotter("check-in", "--energy", "high"), "it is still open"
    stopped = CliRunner().invoke(app, ["plan", "show"])
    assert isinstance(stopped.exception, SettingsError)
    asked = ["next-set", "--exercise", "Squat (Barbell)", "--target", "100x5", "--done", "100x5"]
    assert spotter(*asked).startswith("Stop You reported chest pain or pressure.")
    cleared = spotter("check-in", "--cleared")
    assert "Severe pain (chest) still leaves exercises out" in cleared
    assert "Noted." in cleared
    assert spotter("check-in", "--note", "no chest pain today").startswith("Noted.")
    assert "doctor" in spotter("check-in", "--pain", "head:severe")
    report = json.loads(CliRunner().invoke(app, ["check-in", "--cleared", "--json"]).output)
    assert (report["red_flags"], report["stop"]) == ([], None)
    report = json.loads(
        CliRunner().invoke(app, ["check-in", "--note", "I fainted", "--json"]).output
    )
    assert report["red_flags"] == ["faint"]
    assert EMERGENCY in report["stop"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--pain", "chest:severe", "--energy", "awful"],
        ["--note", "chest pain on the stairs", "--pain", "wing:severe"],
        ["--note", "a long day. " * 50 + "chest pain on the stairs", "--energy", "awful"],
    ],
    ids=["energy", "pain", "long note"],
)
def test_a_red_flag_counts_although_other_input_is_wrong(home: Path, arguments: list[str]) -> None:
    """The error came first, nothing was stored, and the plan stayed."""
    done = CliRunner().invoke(app, ["check-in", *arguments])
    assert isinstance(done.exception, SettingsError)
    assert str(done.exception).startswith("You reported chest pain or pressure. Stop training now.")
    assert EMERGENCY in spotter("check-in", "--energy", "high"), "it is open"


def test_a_long_note_without_a_red_flag_is_an_error(home: Path) -> None:
    done = CliRunner().invoke(app, ["check-in", "--note", "a long day. " * 50])
    assert isinstance(done.exception, SettingsError)
    assert "at most 500 characters" in str(done.exception)


@pytest.mark.parametrize("at", range(1, 11))
def test_a_red_flag_after_a_killed_publication_sends_nothing(at: int) -> None:
    """A run resumes an interrupted publication, but not without an active plan."""
    with closing(World()) as world:
        world.steps.at = at
        with pytest.raises(KilledError):
            world.publish()
        sent = len(world.puts())
        recorder = Recorder(world.connect, now=lambda: NOW)
        account = AthletePublisher(profile(), world.hevy, recorder, "run")
        account.complete_interrupted(account.read_publications(), None, is_stopped=False)
        assert len(world.puts()) == sent
        assert all(row.is_final for row in world.rows())
        assert world.publish().state == "published", "cleared"
        assert len(world.puts()) == 1
