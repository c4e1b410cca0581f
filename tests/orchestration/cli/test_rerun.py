"""`plan compare --decision`: any stored decision, asked again of any model."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from coach_agent.journal.decisions import record_decisions
from coach_agent.llm.fake_gemini import FAKE_KEY, running_fake_gemini
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.situation.situation import Situation
from orchestration.cli.app import app
from orchestration.config.settings import SettingsError
from orchestration.storage.warehouse import open_warehouse
from tests.coach.builders import NOW
from tests.coach.llm.usual_day import hurting, usual_athlete, usual_situation

KEPT = ("decisions", "plans", "plan_sets", "current_plans", "publications", "llm_answers")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "athletes").mkdir()
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path / "athletes"))
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.setenv("GEMINI_API_KEY", FAKE_KEY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def decided(home: Path, situation: Situation) -> Decision:
    decision = decide(situation, usual_athlete())
    assert decision is not None
    with open_warehouse(home / "warehouse.duckdb") as con:
        record_decisions(con, [decision], now=NOW, run_id="run")
    return decision


def tables(home: Path) -> dict[str, list[Any]]:
    with open_warehouse(home / "warehouse.duckdb") as con:
        return {name: con.execute(f"from coach.{name}").fetchall() for name in KEPT}


def count(home: Path, table: str) -> int:
    with open_warehouse(home / "warehouse.duckdb") as con:
        return len(con.execute(f"from coach.{table}").fetchall())


def compare(*options: str) -> Any:
    done = CliRunner().invoke(app, ["plan", "compare", "--json", *options])
    if done.exception is not None:
        raise done.exception
    return json.loads(done.output)


def test_an_earlier_decision_is_asked_again_of_a_named_model_and_stays_as_it_is(
    home: Path,
) -> None:
    first = decided(home, usual_situation())
    later = decided(home, hurting("shoulders", "moderate"))
    assert first.plan != later.plan
    before = tables(home)
    with running_fake_gemini() as fake:
        (home / "athletes" / "demo.toml").write_text(
            'id = "demo"\nroutines = ["Upper A", "Upper B"]\n'
            f'[llm]\n[[llm.providers]]\nkind = "google"\nbase_url = "{fake.base_url}"\n'
        )
        for model in ("gemini-one", "gemini-two"):
            for name in (first.decision_id, first.plan_id):
                report = compare("--decision", name, "--model", f"google:{model}")
                assert report["decision_id"] == first.decision_id
                assert report["engine"] == first.plan.model_dump(mode="json")
                assert report["answered_by"] == f"google:{model}"
                assert [each["model"] for each in report["requests"]] == [model]
                assert report["model"]["routine_title"] == "Upper A"
        assert len(fake.prompts) == 4, "asked each time"
        assert len(set(fake.prompts)) == 1
        assert compare("--decision", later.decision_id)["decision_id"] == later.decision_id
        with pytest.raises(SettingsError, match="use PROVIDER:MODEL"):
            compare("--decision", first.decision_id, "--model", "other:model")
    assert tables(home) == before
    assert count(home, "llm_calls") == count(home, "llm_exchanges") == 5


@pytest.mark.long
def test_models_are_compared_by_all_stored_decisions(home: Path) -> None:
    decided(home, usual_situation())
    decided(home, hurting("shoulders", "moderate"))
    before = tables(home)
    with running_fake_gemini() as fake:
        (home / "athletes" / "demo.toml").write_text(
            'id = "demo"\nroutines = ["Upper A", "Upper B"]\n'
            f'[llm]\n[[llm.providers]]\nkind = "google"\nbase_url = "{fake.base_url}"\n'
        )
        options = ["evaluate-model", "--model", "google:one", "--model", "google:two"]
        report = json.loads(CliRunner().invoke(app, [*options, "--json"]).output)
        shown = CliRunner().invoke(app, [*options, "--decisions", "1"])
        nothing = CliRunner().invoke(app, [*options, "--budget", "0", "--seconds", "5"])
    assert report["questions"] == 2
    assert {each["model"] for each in report["models"]} == {"google:one", "google:two"}
    assert [len(report["answers"][name]) for name in ("google:one", "google:two")] == [2, 2]
    assert all(each["accepted"] == 1 for each in report["models"])
    assert shown.exit_code == 0
    assert "1 decision of the rules, asked again" in shown.output
    assert "100% (21%-100%)" in shown.output
    assert nothing.exit_code == 1
    assert "Today's budget of 0" in nothing.output
    assert tables(home) == before


def test_without_a_decision_or_a_key_there_is_nothing_to_compare(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "athletes" / "demo.toml").write_text('id = "demo"\n')
    with open_warehouse(home / "warehouse.duckdb"):
        pass
    done = CliRunner().invoke(app, ["evaluate-model"])
    assert "There is no stored decision of 'demo'" in str(done.exception)
    monkeypatch.setenv("GEMINI_API_KEY", "")
    done = CliRunner().invoke(app, ["evaluate-model"])
    assert "GEMINI_API_KEY=<your key>" in str(done.exception)
    done = CliRunner().invoke(app, ["evaluate-model", "--model", "google:one"])
    assert str(done.exception) == "There is no key for google:one: put it into .env."
