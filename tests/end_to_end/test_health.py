"""The commands of docs/health.md, from files to marts."""

import re
import shlex
from pathlib import Path

from tests.end_to_end.world import ROOT, Home
from tests.health.apple_exports import MASS, RESTING, asleep, moment, record, xml, zipped

PAGE = (ROOT / "docs" / "health.md").read_text(encoding="utf-8")


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
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, flags=re.M | re.S)
    commands = [line for block in blocks for line in block.splitlines()]
    asks = ".venv/bin/spotter connect intervals --athlete ada"
    assert asks in commands
    assert len(commands) == 4
    for command in commands:
        if command != asks:
            done = home.spotter(*shlex.split(command)[1:], cwd=tmp_path)
            assert done.returncode == 0, done.stdout + done.stderr
    assert home.query("select session_rpe from coach.session_rpes") == [(8.0,)]
    days = "select health_source, metric, metric_value from fct_recovery_day "
    days += "where recovery_date = '2026-03-02' order by all"
    assert home.query(days, home.release) == [
        ("apple_health", "resting_hr", 52.0),
        ("apple_health", "sleep_minutes", 450.0),
        ("oura", "hrv_ms", 58.0),
        ("oura", "readiness", 71.0),
        ("oura", "resting_hr", 52.0),
        ("oura", "sleep_minutes", 401.0),
    ]
    (tmp_path / "export.zip").write_bytes(b"PK\x03\x04" + bytes(80))
    refused = home.spotter("health", "import", "export.zip", cwd=tmp_path)
    assert (refused.returncode, "The zip is damaged" in refused.stderr) == (2, True)
