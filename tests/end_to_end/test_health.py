"""The commands of docs/health.md, from files to marts and their display."""

import re
import shlex
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from coach_agent.domain.days import local_date
from coach_agent.profile.model import load_profile
from orchestration.services.briefing.brief import read_day_states
from tests.end_to_end.accounts import AccountsNight, only
from tests.end_to_end.conftest import Copy
from tests.end_to_end.crowd import running_accounts
from tests.end_to_end.world import ROOT, Home
from tests.health.apple_exports import MASS, RESTING, asleep, moment, record, xml, zipped
from tests.health.test_archive_exports import zipped as archived

PAGE = (ROOT / "docs" / "health.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_commands_of_the_page_are_run(tmp_path: Path) -> None:
    home = Home(tmp_path, "http://127.0.0.1:9")
    home.athletes.mkdir()
    (home.athletes / "ada.toml").write_text('id = "ada"\n[hevy]\naccount = "none"\n')
    (example,) = re.findall(r"^```csv\n(.*?)^```", PAGE, flags=re.M | re.S)
    (tmp_path / "recovery.csv").write_text(example)
    content = xml(
        asleep(moment("01 22:00"), moment("02 05:30")),
        record(RESTING, 52, moment("02 00:00"), unit="count/min"),
        record(MASS, 200, moment("02 07:00"), unit="lb"),
    )
    zipped(tmp_path / "export.zip", content)
    night = [{"calendarDate": "2026-03-02", "deepSleepSeconds": 25_200}]
    run = {"activityId": 1, "activityType": "running", "beginTimestamp": 1_772_400_600_000}
    files = {"1_sleepData.json": night, "1_summarizedActivities.json": [run]}
    archived(tmp_path / "garmin.zip", files)
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, flags=re.M | re.S)
    commands = [line for block in blocks for line in block.splitlines()]
    # Both ask; tests/orchestration/services has their answers.
    asking = {f".venv/bin/spotter connect {each} --athlete ada" for each in ("intervals", "oura")}
    assert asking < set(commands)
    assert len(commands) == 6
    *before, _ = [each for each in commands if " health import " in each]
    assert len(before) == 2
    for command in commands:
        arguments = shlex.split(command)[1:]
        if command in before:
            # Each of them builds the marts, once is enough.
            home.import_health_alone(*arguments, cwd=tmp_path)
        elif command not in asking:
            done = home.spotter(*arguments, cwd=tmp_path)
            assert done.returncode == 0, done.stdout + done.stderr
    assert home.query("select session_rpe from coach.session_rpes") == [(8.0,)]
    days = "select health_source, metric, metric_value from fct_recovery_day "
    days += "where recovery_date = '2026-03-02' order by all"
    assert home.query(days, home.release) == [
        ("apple_health", "resting_hr", 52.0),
        ("apple_health", "sleep_minutes", 450.0),
        ("garmin_export", "sleep_minutes", 420.0),
        ("oura", "hrv_ms", 58.0),
        ("oura", "readiness", 71.0),
        ("oura", "resting_hr", 52.0),
        ("oura", "sleep_minutes", 401.0),
    ]
    sessions = "select health_source, sport, session_date, is_counted from fct_endurance_session"
    assert home.query(sessions, home.release) == [
        ("garmin_export", "running", date(2026, 3, 1), True)
    ]
    (tmp_path / "export.zip").write_bytes(b"PK\x03\x04" + bytes(80))
    refused = home.spotter("health", "import", "export.zip", cwd=tmp_path)
    assert (refused.returncode, "The zip is damaged" in refused.stderr) == (2, True)


@pytest.fixture
def home(
    accounts_night: AccountsNight, copy_world: Copy, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Home]:
    """Return the demo athlete after a night, with training until today."""
    folder = tmp_path_factory.mktemp("recovery")
    variables = copy_world(accounts_night.folder, folder)
    with running_accounts(accounts_night.accounts_by_key()) as service:
        yield only(Home(folder, service.url, variables), "demo")


@pytest.mark.long
def test_recovery_is_displayed_and_changes_no_byte_of_a_plan(home: Home) -> None:
    """ln 60 and ln 66 in turn, then 50 ms: below the band; nights of 5 hours."""
    profile = load_profile(home.athletes / "demo.toml")
    now = datetime.now(UTC)
    today = local_date(now, profile.timezone)
    rows = [f"{today - timedelta(days=10 + at)},{60 + at % 2 * 6},rmssd," for at in range(40)]
    rows += [f"{today - timedelta(days=at)},50,rmssd,300" for at in range(5)]
    file = home.folder / "recovery.csv"
    file.write_text("date,hrv_ms,hrv_method,sleep_minutes\n" + "\n".join(rows))
    before = home.spotter("plan", "show", "--json").stdout
    assert "Recovery" not in home.spotter("plan", "show").stdout
    assert home.spotter("health", "import", file).returncode == 0
    shown = " ".join(home.spotter("plan", "show").stdout.split())
    assert "Recovery Heart rate variability: mean of 5 days 50 ms, below your usual" in shown
    assert "2 of 2 signals worse than your usual. For display only: no plan depends" in shown
    assert home.spotter("plan", "show", "--json").stdout == before
    planned = home.spotter_json("check-in", "--energy", "normal")["plan"]["plan"]
    assert home.spotter("profile", "set", "recovery.show=false").returncode == 0
    assert "Recovery" not in home.spotter("plan", "show").stdout
    assert home.spotter_json("check-in", "--energy", "normal")["plan"]["plan"] == planned
    hidden = load_profile(home.athletes / "demo.toml")
    with home.opened() as con:
        known = [read_day_states(con, [each], now)["demo"] for each in (profile, hidden)]
    assert [each.readiness is None for each in known] == [False, True]
