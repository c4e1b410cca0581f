"""Every command of docs/coach.md works."""

import json
import re
import shlex
from collections.abc import Iterator

import pytest

from tests.end_to_end.world import ROOT, After, Home

TEXT = (ROOT / "docs" / "coach.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.M | re.S)
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def home(after_first_night: After, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with after_first_night(tmp_path_factory.mktemp("coach")) as (home, _):
        yield home


def test_every_kind_of_command_is_there() -> None:
    names = [command.split()[1] for command in commands()]
    assert names == (
        ["plan"] * 4
        + ["briefing"] * 3
        + ["explain"] * 2
        + ["replay"] * 2
        + ["check-in"] * 2
        + ["next-set"]
    )


@pytest.mark.long
@pytest.mark.parametrize("command", commands())
def test_a_command_works_as_told(home: Home, command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/spotter"
    done = home.spotter(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_schema_is_the_one_that_is_told(home: Home) -> None:
    told = (ROOT / "docs" / "plan.schema.json").read_text(encoding="utf-8")
    assert json.loads(home.spotter("plan", "schema").stdout) == json.loads(told)
