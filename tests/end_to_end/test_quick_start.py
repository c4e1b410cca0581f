"""Every command of docs/quick-start.md works."""

import re

from tests.end_to_end.imports import Imports
from tests.end_to_end.world import ROOT

TEXT = (ROOT / "docs" / "quick-start.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    blocks: list[str] = re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def test_each_command_is_run_here_or_with_the_readme() -> None:
    assert commands() == [
        "make demo",  # test_demo.py, and `make test` runs this
        ".venv/bin/spotter import-csv workout_data.csv --athlete me",  # imports.py runs it
        ".venv/bin/spotter run",
        ".venv/bin/spotter plan show --athlete me",
        "cp .env.example .env",  # from here on test_readme.py
        ".venv/bin/spotter init",
        ".venv/bin/spotter run",
        ".venv/bin/spotter plan show --why",
        ".venv/bin/spotter dev",  # test_ui.py
    ]


def test_a_file_leads_to_a_plan_as_told(imports: Imports) -> None:
    """The three commands after the demo, run in this order in a separate home."""
    for done in (imports.imported, imports.ran, imports.shown):
        assert done.returncode == 0, done.stderr
        assert "data read" not in done.stdout, "there is no account to read"
    assert (imports.folder / "athletes" / "me.toml").exists()
    shown = imports.shown.stdout
    assert shown.split()[0] == "Push", "after the pull day of three days ago"
    assert "Bench Press (Barbell)" in shown
