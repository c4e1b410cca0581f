"""From an empty account to a plan: a programme is built, published, and planned from."""

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    Account,
    AccountState,
    SimulatedClock,
    running_simulator,
)
from tests.coach.publishing_world import USER
from tests.end_to_end.world import NOW, Home, routines


@pytest.mark.long
def test_an_empty_account_gets_a_programme_and_then_a_plan(tmp_path: Path) -> None:
    account = Account(AccountState(seed=1, user=USER), clock=SimulatedClock(NOW))
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        home = Home(tmp_path, simulator.url)
        home.athletes.mkdir()
        profile = home.athletes / "me.toml"
        profile.write_text('id = "me"\nhevy = { account = "simulator" }\n', encoding="utf-8")
        file = tmp_path / "mine.toml"
        before = routines(simulator)
        built = home.spotter("program", "new", "--days", "3", "--save", file)
        assert built.returncode == 0, built.stderr

        refused = home.spotter("program", "publish", file, "--yes")
        assert (refused.returncode, "publish.mode" in refused.stderr) == (2, True)
        shown = home.spotter_json("program", "publish", file)
        assert (shown["is_sent"], routines(simulator)) == (False, before)

        with profile.open("a", encoding="utf-8") as text:
            text.write('[publish]\nmode = "approve"\n')
        done = home.spotter_json("program", "publish", file, "--yes")
        made = [each for each in routines(simulator).values() if each["id"] not in before]
        assert sorted(each["id"] for each in made) == sorted(done["routine_ids"])
        assert sorted(each["title"] for each in made) == [
            "Full body A",
            "Full body B",
            "Full body C",
        ]
        again = home.spotter_json("program", "publish", file, "--yes")
        assert again["routine_ids"] == done["routine_ids"]
        assert len(routines(simulator)) == len(before) + 3

        followed = home.spotter_json("program", "use")
        assert followed["programme"]["start"] == done["start"] == again["start"]
        assert len(followed["versions"]) == 1

        run = home.spotter("run")
        assert run.returncode == 0, run.stdout + run.stderr
        plan = home.spotter_json("plan", "show")["plan"]
        assert plan["routine_id"] in done["routine_ids"]
        assert len(plan["slots"]) >= 4
        assert plan["block"]["programme_id"] == followed["programme"]["programme_id"]
        reserve = "Week 1 of 16: build-up week, leave 3 reps in the tank on each set."
        assert plan["block"]["text"] == reserve
        assert reserve in home.spotter("plan", "show").stdout
        assert home.spotter_json("replay", "latest")["verdict"] == "equal"

        check = home.spotter_json("program", "check")
        assert (check["week"], check["weeks"], check["done"]) == (1, 16, [])
        assert check["remaining"] == ["Full body A", "Full body B", "Full body C"]
        assert (check["verdict"], check["findings"]) == ("fine", [])
        assert "All as planned: go on." in home.spotter("program", "check").stdout
        released = json.loads((home.release.parent / "current" / "programmes.json").read_text())
        assert (released["me"]["check"], len(released["me"]["weeks"])) == (check, 16)

        _follow_from_another_day(home, file, date.fromisoformat(done["start"]))


def _follow_from_another_day(home: Home, file: Path, start: date) -> None:
    """Weeks without a workout do not count, so a start five weeks ago is still in week 1."""
    earlier = start - timedelta(weeks=5)
    unknown = home.spotter("program", "use", "gzclp")
    assert (unknown.returncode, "are not in Hevy" in unknown.stderr) == (2, True)
    name = home.spotter_json("program", "use")["programme"]["name"]
    moved = home.spotter_json("program", "use", name, "--start", earlier.isoformat())
    assert moved["programme"]["start"] == earlier.isoformat()
    assert [each["valid_to"] is None for each in moved["versions"]] == [False, True]
    text = home.spotter("program", "use", file).stdout
    assert "Easy weeks: 8, 16." in text
    refused = home.spotter("program", "use", name, "--start", "2020-01-01")
    assert (refused.returncode, "within a year" in refused.stderr) == (2, True)
    wrong = home.spotter("program", "use", name, "--stop")
    assert (wrong.returncode, "--stop takes no NAME" in wrong.stderr) == (2, True)

    assert "You follow no programme" in home.spotter("program", "use", "--stop").stdout
    ended = home.spotter_json("program", "use")
    assert (ended["programme"], len(ended["versions"])) == (None, 4)
    unknown = home.spotter("program", "check")
    assert (unknown.returncode, "You follow no programme" in unknown.stderr) == (2, True)
