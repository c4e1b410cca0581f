"""Nothing stands in docs/quick-start.md that was not run."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.end_to_end.exports import push_and_pull
from tests.end_to_end.world import ROOT, Home

TEXT = (ROOT / "docs" / "quick-start.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    blocks: list[str] = re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def test_each_command_is_run_here_or_with_the_readme() -> None:
    assert commands() == [
        "make demo",  # test_demo.py, and here by whoever runs the tests
        ".venv/bin/spotter import-csv workout_data.csv --athlete me",
        ".venv/bin/spotter run",
        ".venv/bin/spotter plan show --athlete me",
        "cp .env.example .env",  # from here on test_readme.py
        ".venv/bin/spotter init",
        ".venv/bin/spotter run",
        ".venv/bin/spotter plan show --why",
        ".venv/bin/spotter dev",  # test_ui.py
    ]


def test_a_file_leads_to_a_plan_as_told(tmp_path: Path) -> None:
    home = Home(tmp_path, "http://127.0.0.1:9")
    (tmp_path / "workout_data.csv").write_text(
        push_and_pull(datetime.now(UTC).date() - timedelta(days=18))
    )
    for command in commands()[1:4]:
        _, *arguments = command.split()
        paths = [tmp_path / each if each.endswith(".csv") else each for each in arguments]
        done = home.spotter(*paths)
        assert done.returncode == 0, done.stderr
        assert "what came in" not in done.stdout, "there is no account to read"
    assert (home.athletes / "me.toml").exists()
    assert done.stdout.split()[0] == "Push", "after the pull day of three days ago"
    assert "Bench Press (Barbell)" in done.stdout
