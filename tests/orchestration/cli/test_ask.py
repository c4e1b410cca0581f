"""`spotter ask`: text, sources and JSON from the release."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orchestration.cli.app import app
from tests.end_to_end.world import ROOT
from tests.orchestration.services.answers.scenario import write_release
from tests.orchestration.services.answers.scripted_model import answers, reads, scripted_model


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_release(folder / "home")
    (folder / "athletes").mkdir()
    for athlete in ("ann", "bob"):
        profile = f'id = "{athlete}"\n[hevy]\naccount = "none"\n'
        (folder / "athletes" / f"{athlete}.toml").write_text(profile)
    return folder


@pytest.fixture(autouse=True)
def at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(home / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(home / "athletes"))


def test_it_prints_the_answer_and_on_request_its_sources() -> None:
    ran = CliRunner().invoke(app, ["ask", "best bench for 6 reps", "--athlete", "ann", "--sources"])
    assert ran.exit_code == 0
    assert "80 kg × 6 on Tue 3 Mar 2026" in ran.output
    assert "80 kg × 6: fct_set[set_key=ann/w2/BENCH/0].weight_kg, reps" in ran.output


def test_json_has_status_text_and_facts() -> None:
    ran = CliRunner().invoke(app, ["ask", "bench pr", "--athlete", "ann", "--json"])
    reply = json.loads(ran.output)
    assert (ran.exit_code, reply["status"], reply["intent"]) == (0, "answered", "records")
    assert reply["facts"][1]["source"] == {
        "mart": "fct_personal_record",
        "key": {
            "exercise_key": "BENCH",
            "record_kind": "load",
            "workout_id": "w4",
            "set_key": "ann/w4/BENCH/0",
        },
        "column": "record_value",
        "how": "value",
    }


@pytest.mark.parametrize("question", ["what's the weather", "how much protein?", "row progress"])
def test_no_answer_is_no_error(question: str) -> None:
    ran = CliRunner().invoke(app, ["ask", question, "--athlete", "ann"])
    assert ran.exit_code == 0
    assert ran.output.strip()


def test_each_command_of_the_docs_is_answered() -> None:
    text = (ROOT / "docs" / "asking.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```sh\n(.*?)^```", text, flags=re.M | re.S)
    commands = [shlex.split(line) for line in block.splitlines()]
    assert len(commands) == 3
    for program, *arguments in commands:
        ran = CliRunner().invoke(app, [*arguments, "--athlete", "ann"])
        assert (program, ran.exit_code) == (".venv/bin/spotter", 0)
        assert "not_understood" not in ran.output
        assert "I am not sure" not in ran.output


def test_a_model_answers_what_rules_do_not_understand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pydantic_ai import models

    claim = ("The bench records.", [1])
    turn = reads(("get_records", {"exercise": "bench"}), then=lambda seen: answers(claim))
    question = ["ask", "compare my bench and squat", "--athlete", "ann"]
    with scripted_model(turn) as model, models.override_allow_model_requests(True):
        [provider] = model.settings["providers"]
        (tmp_path / "ann.toml").write_text(
            'id = "ann"\n[hevy]\naccount = "none"\n[[llm.providers]]\nkind = "compatible"\n'
            f'base_url = "{provider["base_url"]}"\ncheap = "liar"\n'
        )
        monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
        ran = CliRunner().invoke(app, [*question, "--sources"])
        assert "  Bench Press (Barbell), your records:\n" in ran.output
        assert "    heaviest load 82.5 kg × 5 on Tue 10 Mar 2026\n" in ran.output
        assert "\nSelected by compatible:liar among the coach's answers.\n" in ran.output
        assert "fct_personal_record[exercise_key=BENCH" in ran.output
        count = len(model.seen)
        ran = CliRunner().invoke(app, [*question, "--rules"])
        assert (len(model.seen), "I am not sure what you ask." in ran.output) == (count, True)
    assert count == 2
    ran = CliRunner().invoke(app, question)
    assert ran.exit_code == 0
    assert "I am not sure what you ask." in ran.output
    assert "compatible (liar): " in ran.output


def test_without_a_release_it_gives_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    ran = CliRunner().invoke(app, ["ask", "next", "--athlete", "ann"])
    assert ran.exit_code != 0
    assert "Run: spotter run" in str(ran.exception)


def test_a_wish_is_listed_and_dropped(home: Path) -> None:
    def run(*arguments: str) -> str:
        ran = CliRunner().invoke(app, ["ask", *arguments, "--athlete", "ann"])
        assert ran.exit_code == 0, ran.exception
        return ran.output

    assert "spotter ask --accept 1" in run("what if I train 45 minutes")
    listed = "1. Try workouts of 45 minutes on your own training; it changes nothing.\n"
    assert run("--proposals") == listed
    assert json.loads(run("--proposals", "--json"))[0]["proposal"]["state"] == "open"
    assert run("--refuse", "1") == "Proposal 1 is dropped; nothing was done.\n"
    assert run("--proposals") == "No proposal is open.\n"
    ran = CliRunner().invoke(app, ["ask", "--accept", "1", "--athlete", "ann"])
    assert str(ran.exception) == "Proposal 1 was refused before."


@pytest.mark.parametrize(
    "arguments", [[], ["next", "--accept", "1"], ["--accept", "1", "--refuse", "2"]]
)
def test_a_question_or_a_decision_is_needed(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["ask", *arguments]).exit_code == 2
