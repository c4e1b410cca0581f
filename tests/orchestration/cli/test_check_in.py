"""Check-ins by command: their session RPE, and the plan that readers have after them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

from coach_agent.journal.decisions import record_decisions
from orchestration.cli.app import app
from orchestration.runs.provenance import provenance_of
from orchestration.services.releases.release import release_marts
from orchestration.services.releases.released import Released, require_current_release
from orchestration.storage.warehouse import open_warehouse
from tests.coach.usual_workout import bench, curl, decided

STORED = """
    select count(*) from coach.session_rpes
    union all
    select count(*) from coach.check_in_notes
"""


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build a home with an active plan; return the path of its warehouse."""
    (tmp_path / "athletes").mkdir()
    (tmp_path / "athletes" / "demo.toml").write_text('id = "demo"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path / "athletes"))
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "warehouse.duckdb"
    decide(path, bench(), curl())
    return path


def decide(warehouse: Path, *slots: Any) -> None:
    with open_warehouse(warehouse) as con:
        record_decisions(con, [decided(*slots)], now=datetime.now(UTC), run_id="run")


def check_in(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["check-in", *arguments])
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def report(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(check_in(*arguments, "--json"))
    return found


@pytest.mark.usefixtures("warehouse")
def test_a_session_rpe_is_named_beside_other_options() -> None:
    """With `--energy` the answer was only "Noted." and the plan."""
    alone = " ".join(check_in("--session-rpe", "8").split())
    assert alone.startswith("Noted: session RPE 8 for the workout that you started last.")
    assert "Bench" not in alone
    both = " ".join(check_in("--session-rpe", "7.5", "--energy", "low").split())
    assert both.startswith("Noted: session RPE 7.5 for the workout that you started last.")
    assert "Bench" in both
    stopped = " ".join(check_in("--session-rpe", "6", "--pain", "chest:severe").split())
    assert stopped.startswith("You reported chest pain or pressure. Stop training now.")
    assert "Noted: session RPE 6" in stopped


@pytest.mark.usefixtures("warehouse")
def test_the_json_of_a_session_rpe_has_the_keys_of_every_check_in() -> None:
    other = report("--minutes", "60")
    alone = report("--session-rpe", "8")
    assert alone.keys() == other.keys()
    assert (other["session_rpe"], alone["session_rpe"]) == (None, 8)
    assert alone["plan"] == other["plan"]
    assert alone["plan"] is not None
    given = {name for name, value in alone["check_in"].items() if value}
    assert given == {"checked_in_at"}


def test_a_check_in_that_fails_stores_no_part_of_it(warehouse: Path) -> None:
    """The session RPE and the note stayed without the rest of the check-in."""
    with duckdb.connect(warehouse) as con:
        con.execute("alter table coach.check_ins add column of_a_later_version integer")
    done = CliRunner().invoke(
        app, ["check-in", "--session-rpe", "8", "--note", "Tired.", "--energy", "low"]
    )
    assert isinstance(done.exception, duckdb.Error), done.output
    with duckdb.connect(warehouse) as con:
        assert con.execute(STORED).fetchall() == [(0,), (0,)]


def test_a_secret_in_a_note_is_not_stored(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The value of a secret variable was stored as typed."""
    monkeypatch.setenv("HEVY_API_KEY", "marker-7f3a91-key")
    check_in("--note", "my key is marker-7f3a91-key, legs tired")
    with open_warehouse(warehouse) as con:
        notes = con.execute("select note from coach.check_in_notes").fetchall()
    assert notes == [("my key is ***, legs tired",)]


def test_a_clearance_names_severe_pain_that_still_leaves_exercises_out(warehouse: Path) -> None:
    """The answer was only "Noted.", and exercises stayed out."""
    profile = warehouse.parent / "athletes" / "demo.toml"
    profile.write_text('id = "demo"\n[pain]\n"left knee" = "severe"\n')
    for level in ("chest:severe", "right shoulder:severe", "elbow:mild"):
        check_in("--pain", level)
    told = " ".join(check_in("--cleared").split())
    assert "Only red flags are cleared. Severe pain (" in told
    assert "right shoulder and left knee) still leaves exercises out" in told
    assert report("--cleared")["severe_pain"][-1] == "left knee"
    profile.write_text('id = "demo"\n')
    for part in ("chest", "right shoulder"):
        check_in("--pain", f"{part}:mild")
    assert "Severe pain" not in check_in("--cleared")
    assert report("--energy", "high")["severe_pain"] == []
    assert report("--pain", "elbow:severe")["severe_pain"] == ["elbow"]


def test_readers_have_the_plan_of_a_check_in_that_is_newer_than_the_release(
    warehouse: Path,
) -> None:
    """Answers, page and MCP had the plan of the last release until the next run."""
    folder = warehouse.parent / "release"
    with open_warehouse(warehouse) as con:
        con.execute("create schema marts")
        con.execute("create table marts.fct_workout (athlete_id varchar, started_at timestamp)")
    released_at = datetime.now(UTC)

    def release(at: datetime) -> Released:
        release_marts(warehouse, folder, provenance_of("run"), at)
        return require_current_release(folder)

    before = release(released_at)
    first = before.plan_of("demo")
    assert first is not None
    decide(warehouse, bench())
    told = report("--minutes", "20", "--pain", "right shoulder:severe")
    after = require_current_release(folder)
    plan = after.plan_of("demo")
    assert plan is not None
    assert plan.plan_id == told["plan"]["plan_id"] != first.plan_id
    assert before.plan_of("demo") == first, "a reader keeps what it has read"
    newer = after.newer_plan_of("demo")
    assert newer is not None
    assert [each.minutes for each in newer.check_ins] == [20]
    assert after.newer_plan_of("other") is None

    assert report("--pain", "chest:severe")["plan"] is None
    assert require_current_release(folder).plan_of("demo") is None
    decide(warehouse, bench(), curl())
    report("--cleared")
    assert require_current_release(folder).plan_of("demo") is not None

    later = datetime.now(UTC)
    assert release(later).newer_plan_of("demo") is None, "the release has it"
    files = folder / "check_ins"
    assert [path.name for path in files.glob("*.json")] == ["demo.json"], "of older readers"
    for _ in range(2):
        release(later)
    assert not list(files.glob("*.json"))
