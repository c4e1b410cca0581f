"""A simulated lifter with an account: what the coach publishes is trained, logged and answered."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from coach_agent.evaluation.closed_loop import run
from coach_agent.evaluation.diary import Diary, Workout
from coach_agent.evaluation.policies import engine
from hevy_connector.client import HevyClient
from hevy_connector.simulator import SIMULATOR_KEY, running_simulator
from hevy_connector.simulator.account import Account
from hevy_connector.simulator.app_lifter import account_state, shown, train_in_app
from hevy_connector.simulator.clock import SimulatedClock
from hevy_connector.simulator.cohort import SimulatedLifter, TrainingDay
from hevy_connector.simulator.trainee import Trainee
from orchestration.lib.simulation import profile_of, routines_of
from tests.end_to_end.world import Home, new_home
from tests.evaluation.lifters import steady

DAYS = (TrainingDay(0, 1.0), TrainingDay(1, 1.0))


def the_lifter() -> SimulatedLifter:
    """A beginner with one routine who trains it twice and fills its ranges."""
    lifter = steady(5)
    return replace(lifter, routines=lifter.routines[:1], days=DAYS)


def home_of(lifter: SimulatedLifter, folder: Path, url: str) -> Home:
    home = new_home(folder, url)
    (home.athletes / "demo.toml").unlink()
    gym = profile_of(lifter).gym
    (home.athletes / "simulated.toml").write_text(
        f"""
        id = "simulated"
        routines = ["{lifter.routines[0].title}"]
        [hevy]
        account = "simulator"
        [publish]
        mode = "auto"
        [equipment]
        bar_kg = {gym.bar_kg}
        plate_pairs_kg = {list(gym.plate_pairs_kg)}
        dumbbells_kg = {list(gym.dumbbells_kg)}
        machine_step_kg = {gym.machine_step_kg}
        cable_step_kg = {gym.cable_step_kg}
        """
    )
    return home


def plans_without_hevy(lifter: SimulatedLifter) -> list[list[Any]]:
    """What the engine plans on the fast path: before each of the two sessions, and after them."""
    plans: list[Workout] = []

    def told(diary: Diary, day: int) -> Workout:
        plans.append(engine(diary, day))
        return plans[-1]

    diary = Diary(routines_of(lifter), profile_of(lifter))
    run(Trainee(lifter), lifter.days, diary, told)
    told(diary, 2)
    return [[slot.targets for slot in plan.slots] for plan in plans]


@pytest.mark.long
def test_what_is_published_is_trained_and_answered_as_on_the_fast_path(tmp_path: Path) -> None:
    """The warehouse and the diary tell the coach the same, so it plans the same."""
    lifter = the_lifter()
    began = datetime.now(UTC) - timedelta(hours=3)
    account = Account(account_state(lifter, 1, began - timedelta(days=1)), clock=SimulatedClock())
    trainee = Trainee(lifter)
    published = []
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        home = home_of(lifter, tmp_path, simulator.url)
        for number, today in enumerate(DAYS):
            with HevyClient(SIMULATOR_KEY, base_url=simulator.url) as hevy:
                (routine,) = [each.payload for each in hevy.routines()]
            published.append(shown(routine))
            started_at = began if number == 0 else datetime.now(UTC)
            train_in_app(simulator.account, trainee, today, routine, started_at)
            report = home.spotter_json("run")
            assert report["sent_to_hevy"] == 1
        with HevyClient(SIMULATOR_KEY, base_url=simulator.url) as hevy:
            (routine,) = [each.payload for each in hevy.routines()]
        published.append(shown(routine))
    expected = plans_without_hevy(lifter)
    for known, told in zip(published, expected, strict=True):
        assert [tuple(map(tuple, sets)) for _, sets in known] == [
            tuple(map(tuple, sets)) for sets in told
        ]
    assert published[0] != published[1] != published[2]
