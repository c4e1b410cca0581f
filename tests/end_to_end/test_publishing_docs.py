"""Nothing stands in docs/publishing.md that was not run."""

import re
import shlex
from pathlib import Path

from tests.end_to_end.test_publications import after_a_check_in, in_mode
from tests.end_to_end.world import ROOT, After, Home

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


def test_the_commands_work_as_told(tmp_path: Path, after_first_night: After) -> None:
    look, say = blocks()
    with after_first_night(tmp_path / "world") as (home, _):
        for command in look:
            works(home, command)
        in_mode(home, "approve")
        after_a_check_in(home)
        for command in say:
            works(home, command)
