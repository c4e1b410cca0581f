"""`spotter simulate`: deterministic lifters, and the report."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from coach_agent.evaluation.policies import POLICIES
from orchestration.cli import app as cli
from orchestration.cli.app import app
from orchestration.services.simulations.simulated_programmes import PROGRAMMES
from tests.end_to_end.world import ROOT, SPOTTER


def in_process(*arguments: str) -> str:
    """Return what the command prints, without the start of another process."""
    done = CliRunner().invoke(app, ["simulate", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def spotter(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SPOTTER, "simulate", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


SMALL = ("--weeks", "3", "--lifters", "2")


@pytest.mark.long
def test_json_and_pictures_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    arguments = (*SMALL, "--policy", "engine", "--json", "--plots")
    once = spotter(*arguments, str(tmp_path / "one"))
    assert once.returncode == 0, once.stderr
    assert once.stdout == in_process(*arguments, str(tmp_path / "two"))
    written = {path.name for path in (tmp_path / "one").iterdir()}
    assert written == {"strength.png", "gains.png", "chances.png"}
    for name in written:
        picture = (tmp_path / "one" / name).read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert picture == (tmp_path / "two" / name).read_bytes()
    found = json.loads(once.stdout)
    assert (found["seed"], found["weeks"], found["best_fixed"]) == (1, 3, None)
    engine = found["policies"]["engine"]
    assert (engine["lifters"], engine["overshoots"], engine["injuries"]) == (2, 0, 0)
    assert len(engine["gains_pct"]) == 2


@pytest.mark.long
def test_other_processes_change_nothing() -> None:
    """From eight runs on they are spread over all processors."""
    few = json.loads(in_process(*SMALL, "--policy", "linear", "--json"))
    many = json.loads(in_process("--weeks", "3", "--lifters", "8", "--policy", "linear", "--json"))
    gains = many["policies"]["linear"]["gains_pct"]
    assert gains[:2] == few["policies"]["linear"]["gains_pct"]


def test_a_programme_is_a_policy_and_the_simulator_is_compared_with_publications() -> None:
    found = json.loads(in_process(*SMALL, "--policy", "programme-both", "--published", "--json"))
    assert list(found["policies"]) == ["programme-both"]
    sources = {each["source"] for each in found["published"]}
    assert {"Grgic et al. 2020; evaluation.md", "Mitter et al. 2022"} <= sources


def test_markdown_has_a_column_for_each_policy() -> None:
    told = in_process(*SMALL, "--policy", "linear", "--policy", "random", "--markdown")
    assert told.splitlines()[0] == "|  | linear | random |"
    assert "sets below the target, %" in told


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--policy", "luck"), "No policy 'luck'. There are: engine, repeat-last"),
        (("--json", "--markdown"), "Choose one of --json and --markdown."),
    ],
)
def test_a_mistake_is_told_in_a_sentence(
    arguments: tuple[str, ...],
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["spotter", "simulate", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err


TEXT = (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", re.findall(r"^```sh\n(.*)\n```", TEXT, flags=re.M))
def test_a_command_of_the_page_works_as_told(command: str) -> None:
    program, name, *arguments = shlex.split(command)
    assert (program, name) == (".venv/bin/spotter", "simulate")
    told = in_process(*_smaller(arguments))
    assert "strength gained, median lifter, %" in told


def _smaller(arguments: list[str]) -> list[str]:
    """Return the arguments with fewer weeks and lifters."""
    few = {"--weeks": "2", "--lifters": "2"}
    return [
        few.get(before, each) for before, each in zip(["", *arguments], arguments, strict=False)
    ]


def test_the_page_lists_all_options_and_policies() -> None:
    command = typer.main.get_command(app).commands["simulate"]  # type: ignore[attr-defined]
    options = {option for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"`(--[a-z]+)", TEXT)) == options
    listed = re.findall(r"^\| `([a-z][a-z-]+)` \|", TEXT, flags=re.M)
    assert listed == [*POLICIES, *PROGRAMMES]
