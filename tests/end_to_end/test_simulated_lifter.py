"""A simulated lifter with an account: what the coach publishes is trained, logged and answered."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from coach_agent.evaluation.closed_loop import run
from coach_agent.evaluation.diary import Diary, Workout
from coach_agent.evaluation.policies import engine
from hevy_connector.client import HevyClient
from hevy_connector.schemas import JsonObject
from hevy_connector.simulator import SIMULATOR_KEY, RunningSimulator, running_simulator
from hevy_connector.simulator.account import Account
from hevy_connector.simulator.app_lifter import account_state, edit_in_app, shown, train_in_app
from hevy_connector.simulator.clock import SimulatedClock
from hevy_connector.simulator.cohort import SimulatedLifter, TrainingDay
from hevy_connector.simulator.editing import EditKind
from hevy_connector.simulator.trainee import Trainee
from orchestration.lib.simulation import diary_of, profile_of
from tests.end_to_end.world import Home, new_home
from tests.evaluation.lifters import steady

DAYS = (TrainingDay(0, 1.0), TrainingDay(1, 1.0))
EDITS_BESIDE = ("sets", "exercise", "order")
"""What a lifter may change of a routine without changing what a plan of ours does."""


def the_lifter() -> SimulatedLifter:
    """A beginner with one routine who trains it twice and fills its ranges."""
    lifter = steady(15)
    return replace(lifter, routines=lifter.routines[:1], days=DAYS)


def home_of(lifter: SimulatedLifter, folder: Path, url: str, mode: str) -> Home:
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
        mode = "{mode}"
        [equipment]
        bar_kg = {gym.bar_kg}
        plate_pairs_kg = {list(gym.plate_pairs_kg)}
        dumbbells_kg = {list(gym.dumbbells_kg)}
        machine_step_kg = {gym.machine_step_kg}
        cable_step_kg = {gym.cable_step_kg}
        """
    )
    return home


@dataclass(frozen=True)
class World:
    """A lifter whose account the coach of a home writes to."""

    home: Home
    simulator: RunningSimulator
    trainee: Trainee
    began: datetime

    def routine(self) -> JsonObject:
        """The one routine, as the API tells it."""
        with HevyClient(SIMULATOR_KEY, base_url=self.simulator.url) as hevy:
            (found,) = [each.payload for each in hevy.routines()]
        return found

    def edit(self, today: TrainingDay) -> JsonObject:
        """The routine after the lifter opened it in the app before the session."""
        return edit_in_app(self.simulator.account, self.trainee, today, self.routine())

    def train(self, today: TrainingDay) -> None:
        """The lifter trains what the app shows.

        The start is logged in whole seconds, and must not lie before an edit just made.
        """
        started_at = self.began if today.day == 0 else datetime.now(UTC) + timedelta(seconds=1)
        train_in_app(self.simulator.account, self.trainee, today, self.routine(), started_at)


@contextmanager
def world_of(lifter: SimulatedLifter, folder: Path, mode: str) -> Iterator[World]:
    began = datetime.now(UTC) - timedelta(hours=3)
    account = Account(account_state(lifter, 1, began - timedelta(days=1)), clock=SimulatedClock())
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        home = home_of(lifter, folder, simulator.url, mode)
        yield World(home, simulator, Trainee(lifter), began)


def plans_without_hevy(lifter: SimulatedLifter) -> list[list[Any]]:
    """What the engine plans on the fast path: before each of the two sessions, and after them."""
    plans: list[list[Any]] = []

    def told(diary: Diary, day: int) -> Workout:
        workout = engine(diary, day)
        slots = zip(diary.routines[0].slots, workout.slots, strict=True)
        plans.append([(slot.exercise_template_id, plan.targets) for slot, plan in slots])
        return workout

    diary = diary_of(lifter)
    run(Trainee(lifter), lifter.days, diary, told)
    told(diary, 2)
    return plans


def as_tuples(plan: Any) -> list[Any]:
    return [(name, *map(tuple, sets)) for name, sets in plan]


@pytest.mark.long
@pytest.mark.parametrize("kind", [None, "load", "sets", "exercise", "order"])
def test_what_is_published_is_trained_and_answered_as_on_the_fast_path(
    kind: EditKind | None, tmp_path: Path
) -> None:
    """The warehouse and the diary tell the coach the same, so it plans the same.

    That is so, too, when the lifter edits the routine in the app before the second session.
    """
    days = (DAYS[0], replace(DAYS[1], edit=kind))
    lifter = replace(the_lifter(), days=days)
    published = []
    with world_of(lifter, tmp_path, "auto") as world:
        for today in days:
            published.append(as_tuples(shown(world.routine())))
            edited = as_tuples(shown(world.edit(today)))
            assert (edited != published[-1]) is (today.edit is not None)
            world.train(today)
            assert world.home.spotter_json("run")["sent_to_hevy"] == 1
        published.append(as_tuples(shown(world.routine())))
    assert published == [as_tuples(plan) for plan in plans_without_hevy(lifter)]
    assert published[0] != published[1] != published[2]


def structure(plan: Any) -> list[tuple[str, int]]:
    return [(name, len(sets)) for name, sets in plan]


def state_of(home: Home) -> str:
    found: str = home.spotter_json("publications")[0]["state"]
    return found


@pytest.mark.long
@pytest.mark.parametrize("kind", ["load", *EDITS_BESIDE])
def test_a_plan_that_waits_never_overwrites_what_the_lifter_edited(
    kind: EditKind, tmp_path: Path
) -> None:
    """A load of the plan against one of the lifter is a conflict; other edits stay beside it.

    Then the lifter trains what the app shows, and the next plan is made for that.
    """
    days = (DAYS[0], replace(DAYS[1], edit=kind))
    lifter = replace(the_lifter(), days=days)
    with world_of(lifter, tmp_path, "approve") as world:
        world.train(days[0])
        world.home.spotter_json("run")
        assert state_of(world.home) == "waiting"
        planned, waiting = plans_without_hevy(lifter)[1], world.routine()
        edited = world.edit(days[1])
        assert edited["updated_at"] > waiting["updated_at"]
        told = world.home.spotter("plan", "approve")
        in_app = world.routine()
        assert structure(shown(in_app)) == structure(shown(edited))
        if kind == "load":
            assert (told.returncode, state_of(world.home)) == (2, "conflict")
            assert "edited" in told.stderr
            assert in_app == edited
        else:
            assert (told.returncode, state_of(world.home)) == (0, "published")
            loads = {name: sets[0].load_kg for name, sets in planned}
            there = {name: sets[0].load_kg for name, sets in shown(in_app)}
            assert {name: there[name] for name in there if name in loads} == {
                name: loads[name] for name in loads if name in there
            }

        world.train(days[1])
        world.home.spotter_json("run")
        assert state_of(world.home) == "waiting"
        assert world.home.spotter("plan", "approve").returncode == 0
        assert structure(shown(world.routine())) == structure(shown(edited))
        before = {name: sets[0].load_kg for name, sets in shown(in_app)}
        for name, sets in shown(world.routine()):
            loads_there = lifter.loads(name)
            step = min(each for each in loads_there if each > before[name])
            assert sets[0].load_kg <= step
