"""`spotter simulate`: the same lifters every time, and what is told of them."""

import json
import subprocess

import pytest

from tests.end_to_end.world import ROOT


def spotter(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / ".venv" / "bin" / "spotter", "simulate", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


SMALL = ("--weeks", "3", "--lifters", "2")


def test_json_is_the_same_for_the_same_seed() -> None:
    once, again = (spotter(*SMALL, "--policy", "engine", "--json") for _ in range(2))
    assert once.returncode == 0, once.stderr
    assert once.stdout == again.stdout
    found = json.loads(once.stdout)
    assert (found["seed"], found["weeks"], found["best_fixed"]) == (1, 3, None)
    engine = found["policies"]["engine"]
    assert (engine["lifters"], engine["overshoots"], engine["injuries"]) == (2, 0, 0)
    assert len(engine["gains_pct"]) == 2


def test_other_processes_change_nothing() -> None:
    """From eight runs on they are spread over all processors."""
    few = json.loads(spotter(*SMALL, "--policy", "linear", "--json").stdout)
    many = json.loads(
        spotter("--weeks", "3", "--lifters", "8", "--policy", "linear", "--json").stdout
    )
    gains = many["policies"]["linear"]["gains_pct"]
    assert gains[:2] == few["policies"]["linear"]["gains_pct"]


def test_markdown_has_a_column_for_each_policy() -> None:
    told = spotter(*SMALL, "--policy", "linear", "--policy", "random", "--markdown").stdout
    assert told.splitlines()[0] == "|  | linear | random |"
    assert "sets below the target, %" in told


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--policy", "luck"), "No policy 'luck'. There are: engine, repeat-last"),
        (("--json", "--markdown"), "Choose one of --json and --markdown."),
    ],
)
def test_a_mistake_is_told_in_a_sentence(arguments: tuple[str, ...], problem: str) -> None:
    done = spotter(*arguments)
    assert done.returncode == 2
    assert problem in done.stderr
