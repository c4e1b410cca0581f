"""Every command of the README and of docs/commands.md works."""

import re
import shlex
import subprocess
from pathlib import Path

import duckdb
import httpx
import pytest

from coach_agent.domain.constants.catalogue import rule_version
from tests.end_to_end.accounts import COMMANDS, README, RIGHT_KEY, AccountsNight, only
from tests.end_to_end.conftest import Copy
from tests.end_to_end.crowd import running_accounts
from tests.end_to_end.exports import HEADER
from tests.end_to_end.world import ROOT, SPOTTER, Home

CSV = (
    f"{HEADER}"
    '"A","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Squat (Barbell)",,"",0,"normal",60,5,,,\n'
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README + COMMANDS, flags=re.M | re.S)


def commands() -> list[str]:
    lines = [line.split("  #")[0].strip() for block in blocks("sh") for line in block.splitlines()]
    return [line for line in lines if line]


def test_the_numbers_are_those_of_todays_rules() -> None:
    page = (ROOT / "docs" / "forecasts.md").read_text(encoding="utf-8")
    assert f"Rules {rule_version()}." in page, "run: make evaluate"


def test_the_readme_repeats_the_forecasts_of_their_page() -> None:
    page = (ROOT / "docs" / "forecasts.md").read_text(encoding="utf-8")
    last, engine = (
        re.search(rf"^\| {name} \| ([\d.]+)", page, flags=re.M)
        for name in ("repeat last", "engine")
    )
    assert last
    assert engine
    said = " ".join(README.split())
    assert f"misses by {engine[1]} repetitions" in said
    assert f"misses by {last[1]}." in said


def test_every_command_is_known_to_these_tests() -> None:
    """A new command on these pages needs a test here."""
    assert commands() == [
        "make demo",  # test_demo.py
        "make test",  # runs this
        "cp .env.example .env",
        ".venv/bin/spotter init",  # test_profile.py
        ".venv/bin/spotter run",
        ".venv/bin/spotter",
        ".venv/bin/spotter plan show --why",
        ".venv/bin/spotter briefing",
        ".venv/bin/spotter explain latest 1",
        ".venv/bin/spotter replay latest",
        ".venv/bin/spotter dashboard",  # test_dashboard_browser.py
        ".venv/bin/spotter status",
        ".venv/bin/spotter sync --full",
        ".venv/bin/spotter dev",  # test_ui.py
        '.venv/bin/spotter check-in --energy low --minutes 45 --pain "right shoulder:moderate"',
        ".venv/bin/spotter import-csv workout_data.csv --athlete me",
        ".venv/bin/spotter run",
        ".venv/bin/spotter correct list",
        ".venv/bin/spotter backtest --athlete me",
        ".venv/bin/spotter before-after --since 2026-01-05",
        '.venv/bin/spotter sql "from marts.fct_workout order by started_at desc limit 5"',
        ".venv/bin/spotter simulator --port 8711",
    ]


@pytest.mark.long
def test_a_real_account_works_as_told(
    accounts_night: AccountsNight, copy_world: Copy, tmp_path: Path
) -> None:
    """The file is only inspected: imports.py covers the import."""
    assert (ROOT / ".env.example").exists()
    assert "me" in accounts_night.report["plans"], "as after `spotter run`"
    assert accounts_night.put_counts[RIGHT_KEY] == 0, "nothing is sent until the athlete says so"
    extra = {**copy_world(accounts_night.folder, tmp_path), "HEVY_API_KEY": RIGHT_KEY}
    with running_accounts(accounts_night.accounts_by_key()) as service:
        home = only(Home(tmp_path, service.url, extra), "me")
        for arguments in (
            [],
            ["plan", "show", "--why"],
            ["check-in", "--energy", "low", "--minutes", "45"],
            ["briefing"],
            ["explain", "latest", "1"],
            ["replay", "latest"],
            ["status"],
            ["sync", "--full"],
            ["correct", "list"],
            ["backtest", "--athlete", "me"],
            ["before-after", "--since", "2026-01-05"],
        ):
            done = home.spotter(*arguments)
            # The status warns about that night, because another athlete's key was wrong.
            assert done.returncode == (1 if arguments == ["status"] else 0), done.stderr
        (home.folder / "workout_data.csv").write_text(CSV)
        imported = home.spotter(
            "import-csv", home.folder / "workout_data.csv", "--athlete", "me", "--dry-run"
        )
        assert imported.returncode == 0, imported.stderr
        assert service.put_count(RIGHT_KEY) == 0
    [sql] = blocks("sql")
    with duckdb.connect(home.release, read_only=True) as con:
        rows = con.execute(sql).fetchall()
    assert len(rows) == 5
    [command] = [command for command in commands() if "spotter sql " in command]
    shown = home.spotter(*shlex.split(command)[1:])
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.rstrip().endswith("5 rows")
    piped = home.spotter("sql", "--csv", given=sql)
    assert piped.returncode == 0, piped.stderr
    assert len(piped.stdout.splitlines()) == 1 + 5


def test_the_simulator_serves_what_the_readme_says(tmp_path: Path) -> None:
    home = Home(tmp_path, "http://127.0.0.1:9")
    command = [SPOTTER, "simulator", "--port", "0"]
    with subprocess.Popen(command, env=home.env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert url, line
        assert httpx.get(f"{url[0]}/simulator/requests").json()["total"] == 0
        process.terminate()
