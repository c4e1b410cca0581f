"""From an empty account to a plan: a programme is built, published, and planned from."""

from pathlib import Path

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    Account,
    AccountState,
    SimulatedClock,
    running_simulator,
)
from tests.coach.publishing_world import USER
from tests.end_to_end.world import NOW, Home, routines


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

        run = home.spotter("run")
        assert run.returncode == 0, run.stdout + run.stderr
        plan = home.spotter_json("plan", "show")
        assert plan["plan"]["routine_id"] in done["routine_ids"]
        assert len(plan["plan"]["slots"]) >= 4
