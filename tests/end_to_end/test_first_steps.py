"""The dialogue of the first start, in a terminal."""

import re
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from orchestration.config.env_file import read_env_file
from orchestration.config.locations import CODE_ROOT
from tests.end_to_end.terminal import spotter_in_terminal

STRONG = """\
Date;Workout Name;Duration;Exercise Name;Set Order;Weight;Reps;Distance;Seconds;Notes;Workout Notes\
;RPE
"""


def strong_export() -> str:
    """Return eight weekly workouts without a unit, the last ones at 135."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    rows = [
        f"{yesterday - timedelta(weeks=weeks):%Y-%m-%d} 18:00:00;Push;1h;Bench Press (Barbell);"
        f"{place};{125 if weeks > 3 else 135};8;0;0;;;"
        for weeks in range(7, -1, -1)
        for place in (1, 2, 3)
    ]
    return STRONG + "\n".join(rows) + "\n"


def environment(home: Path, hevy_url: str = "http://127.0.0.1:9") -> dict[str, str]:
    return {"SPOTTER_HOME": str(home), "HEVY_API_URL": hevy_url}


def test_a_wrong_choice_is_asked_again(tmp_path: Path) -> None:
    with spotter_in_terminal(tmp_path, environment(tmp_path / "home")) as terminal:
        terminal.answer("Your choice", "5")
        terminal.answer("Enter 1, 2, 3 or 4.", "1")
        terminal.answer("Path of the file", "missing.csv")
        terminal.wait_for("There is no file missing.csv.")
        terminal.answer("Path of the file", "\x04")
        assert terminal.end() == 1
    assert not (tmp_path / "home" / "athletes").exists()


@pytest.mark.long
def test_a_file_without_units_becomes_a_plan(tmp_path: Path) -> None:
    (tmp_path / "strong.csv").write_text(strong_export())
    with spotter_in_terminal(tmp_path, environment(tmp_path / "home")) as terminal:
        terminal.answer("Your choice", "1")
        terminal.answer("Path of the file", "strong.csv")
        terminal.answer("does not name its weight unit", "lb")
        assert terminal.end() == 0, terminal.shown
        assert "Bench Press (Barbell)" in terminal.shown
        assert re.search(r"135 lb|1[34]\d(\.\d)? lb", terminal.shown), terminal.shown


@pytest.mark.long
def test_an_account_becomes_a_plan(tmp_path: Path) -> None:
    home = tmp_path / "home"
    if "HEVY_API_KEY" in read_env_file(CODE_ROOT / ".env"):
        pytest.skip("this checkout has a key of its own")
    with (
        running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator,
        spotter_in_terminal(tmp_path, environment(home, simulator.url)) as terminal,
    ):
        terminal.answer("Your choice", "2")
        terminal.answer("Key (hidden)", "a-wrong-key", is_hidden=True)
        terminal.wait_for("refused the API key")
        terminal.answer("Key (hidden)", SIMULATOR_KEY, is_hidden=True)
        assert terminal.end() == 0, terminal.shown
        assert SIMULATOR_KEY not in terminal.shown
        assert "your next workout" in terminal.shown
    assert stat.S_IMODE((home / ".env").stat().st_mode) == 0o600
    assert SIMULATOR_KEY in (home / ".env").read_text()
