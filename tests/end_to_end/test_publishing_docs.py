"""Every command of docs/publishing.md works."""

import re
import shlex
from pathlib import Path

import pytest

from tests.end_to_end.world import ROOT, After, Home, put_count, routines

TEXT = (ROOT / "docs" / "publishing.md").read_text(encoding="utf-8")


def blocks() -> list[list[str]]:
    found = re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.M | re.S)
    return [[line.split("  #")[0].strip() for line in block.splitlines()] for block in found]


def works(home: Home, command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/spotter"
    done = home.spotter(*arguments)
    assert done.returncode == 0, command + done.stderr
    assert done.stdout.strip()


def in_mode(home: Home, mode: str) -> None:
    profile = home.athletes / "demo.toml"
    text = profile.read_text(encoding="utf-8")
    assert 'mode = "auto"' in text
    profile.write_text(text.replace('mode = "auto"', f'mode = "{mode}"'), encoding="utf-8")


@pytest.mark.long
def test_the_commands_work_as_told(tmp_path: Path, after_first_night: After) -> None:
    look, say = blocks()
    with after_first_night(tmp_path / "world") as (home, simulator):
        published = routines(simulator)
        for command in look:
            works(home, command)
        assert routines(simulator) != published
        assert "rolled back" in home.spotter("plan", "show").stdout
        [back, first] = home.spotter_json("publications")
        assert (back["kind"], first["rolled_back_by"]) == ("rollback", back["publication_id"])
        assert home.spotter_json("diff", first["plan_id"])["request"] is not None

        in_mode(home, "approve")
        assert home.spotter("check-in", "--energy", "very-low").returncode == 0
        for command in say:
            works(home, command)
        told = [(each["state"], each["kind"]) for each in home.spotter_json("publications")]
        assert told[:2] == [("published", "plan"), ("rejected", "plan")]
        assert put_count(simulator) == 2
        wrong = home.spotter("diff", "pub_of_nobody")
        assert (wrong.returncode, "There is no publication" in wrong.stderr) == (2, True)
