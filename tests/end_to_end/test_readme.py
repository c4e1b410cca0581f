"""Nothing stands in the README that was not run."""

import re
import shlex
import subprocess
from pathlib import Path

import duckdb
import httpx
import pytest

from coach_agent.progression.constants import rule_version
from hevy_connector.simulator import demo_account, running_simulator
from tests.end_to_end.world import NOW, ROOT, SPOTTER, Home, new_home, put_count

README = (ROOT / "README.md").read_text()

CSV = (
    '"title","start_time","end_time","description","exercise_title","superset_id",'
    '"exercise_notes","set_index","set_type","weight_kg","reps","distance_km",'
    '"duration_seconds","rpe"\n'
    '"A","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Squat (Barbell)",,"",0,"normal",60,5,,,\n'
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.M | re.S)


def commands() -> list[str]:
    lines = [line.split("  #")[0].strip() for block in blocks("sh") for line in block.splitlines()]
    return [line for line in lines if line]


def test_the_numbers_are_those_of_todays_rules() -> None:
    assert f"Rules {rule_version()}." in README, "run: make evaluate"


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """What a user has after writing the two files as the README says."""
    home = new_home(tmp_path_factory.mktemp("readme"), "unused", HEVY_API_KEY="my-key")
    [profile] = blocks("toml")
    (home.athletes / "me.toml").write_text(profile)
    (home.athletes / "demo.toml").unlink()
    return home


def test_every_command_is_known_to_these_tests() -> None:
    """A new command in the README needs a test here."""
    assert commands() == [
        "make demo",  # test_demo.py
        "make test",  # what runs this
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
        ".venv/bin/spotter sql",  # below with statements from a pipe, test_sql.py with a prompt
        ".venv/bin/spotter simulator --port 8711",
    ]


def test_a_real_account_works_as_told(account: Home) -> None:
    assert (ROOT / ".env.example").exists()
    with running_simulator(demo_account(seed=1, now=NOW), api_key="my-key") as simulator:
        home = Home(account.folder, simulator.url, account.extra)
        for arguments in (
            ["run"],
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
            assert done.returncode == 0, done.stderr
        (home.folder / "workout_data.csv").write_text(CSV)
        imported = home.spotter("import-csv", home.folder / "workout_data.csv", "--athlete", "me")
        assert imported.returncode == 0, imported.stderr
        assert put_count(simulator) == 0, "nothing is sent until the athlete says so"
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
