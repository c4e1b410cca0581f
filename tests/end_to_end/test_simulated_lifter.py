"""A simulated lifter with an account: published plans are trained, logged and answered."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from coach_agent.evaluation.closed_loop import run
from coach_agent.evaluation.diary import Diary
from coach_agent.evaluation.planned_workouts import Workout
from coach_agent.evaluation.policies import engine
from hevy_connector.client.client import HevyClient
from hevy_connector.schemas import JsonObject
from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.clock import SimulatedClock
from hevy_connector.simulator.athletes.app_lifter import (
    account_state,
    edit_in_app,
    train_in_app,
    working_sets,
)
from hevy_connector.simulator.athletes.cohort import SimulatedLifter
from hevy_connector.simulator.athletes.editing import EditKind
from hevy_connector.simulator.athletes.trainee import Trainee
from hevy_connector.simulator.athletes.training_days import TrainingDay
from orchestration.services.simulations.simulation import diary_of, profile_of
from tests.coach.evaluation.lifters import steady
from tests.end_to_end.crowd import key, running_accounts
from tests.end_to_end.world import Home

DAYS = (TrainingDay(0, 1.0), TrainingDay(1, 1.0))
EDITS_BESIDE = ("sets", "exercise", "order")
"""Edits of a routine that do not change the effect of a plan."""


def the_lifter() -> SimulatedLifter:
    """Build a beginner with one routine who trains it twice and fills its ranges."""
    lifter = steady(15)
    return replace(lifter, routines=lifter.routines[:1], days=DAYS)


def home_of(lifters: Mapping[str, SimulatedLifter], folder: Path, url: str, mode: str) -> Home:
    """Build a home with all of them, each with an account."""
    keys = {f"HEVY_KEY_{number}": key(number) for number in range(len(lifters))}
    home = Home(folder, url, {**keys, "HEVY_PER_SECOND": "0"})
    home.athletes.mkdir(parents=True)
    for number, (name, lifter) in enumerate(lifters.items()):
        gym = profile_of(lifter).gym
        (home.athletes / f"{name}.toml").write_text(
            f"""
            id = "{name}"
            routines = ["{lifter.routines[0].title}"]
            [hevy]
            account = "hevy"
            api_key_env = "HEVY_KEY_{number}"
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
    """A lifter with an account that the coach of a home writes to."""

    home: Home
    name: str
    key: str
    account: Account
    trainee: Trainee
    began: datetime

    def routine(self) -> JsonObject:
        """Return the one routine from the API."""
        with HevyClient(self.key, base_url=self.home.hevy_url) as hevy:
            (found,) = [each.payload for each in hevy.routines()]
        return found

    def edit(self, today: TrainingDay) -> JsonObject:
        """Return the routine after the lifter's edit in the app before the session."""
        return edit_in_app(self.account, self.trainee, today, self.routine())

    def train(self, today: TrainingDay) -> None:
        """Train the routine of the app.

        The start is logged in whole seconds, and must not be before a preceding edit.
        """
        started_at = self.began if today.day == 0 else datetime.now(UTC) + timedelta(seconds=1)
        train_in_app(self.account, self.trainee, today, self.routine(), started_at)

    def approve(self) -> subprocess.CompletedProcess[str]:
        return self.home.spotter("plan", "approve", "--athlete", self.name)

    def state(self) -> str:
        """Return the state of the latest publication."""
        found: str = self.home.spotter_json("publications", "--athlete", self.name)[0]["state"]
        return found


@contextmanager
def worlds_of(
    lifters: Mapping[str, SimulatedLifter], folder: Path, mode: str
) -> Iterator[list[World]]:
    """Build lifters of one home with common nights."""
    began = datetime.now(UTC) - timedelta(hours=3)
    accounts = {
        key(number): Account(
            account_state(lifter, 1, began - timedelta(days=1)), clock=SimulatedClock()
        )
        for number, lifter in enumerate(lifters.values())
    }
    with running_accounts(accounts) as service:
        home = home_of(lifters, folder, service.url, mode)
        yield [
            World(home, name, each, service.services[each].account, Trainee(lifter), began)
            for (name, lifter), each in zip(lifters.items(), accounts, strict=True)
        ]


def plans_without_hevy(lifter: SimulatedLifter) -> list[list[Any]]:
    """Return the engine's plans on the fast path: before each session, and after them."""
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


def with_edit(kind: EditKind | None) -> SimulatedLifter:
    """Return the lifter with this edit of the routine in the app before the second session."""
    return replace(the_lifter(), days=(DAYS[0], replace(DAYS[1], edit=kind)))


@pytest.mark.long
def test_what_is_published_is_trained_and_answered_as_on_the_fast_path(tmp_path: Path) -> None:
    """The warehouse and the diary give the coach equal inputs, so it plans the same.

    Also if the lifter edits the routine in the app before the second session.
    """
    kinds: tuple[EditKind | None, ...] = (None, "load", "sets", "exercise", "order")
    lifters = {f"edits-{kind}".lower(): with_edit(kind) for kind in kinds}
    published: dict[str, list[Any]] = {name: [] for name in lifters}
    with worlds_of(lifters, tmp_path, "auto") as worlds:
        for number in range(len(DAYS)):
            for world in worlds:
                today, plans = lifters[world.name].days[number], published[world.name]
                plans.append(as_tuples(working_sets(world.routine())))
                edited = as_tuples(working_sets(world.edit(today)))
                assert (edited != plans[-1]) is (today.edit is not None), world.name
                world.train(today)
            assert worlds[0].home.spotter_json("run")["sent_to_hevy"] == len(worlds)
        for world in worlds:
            published[world.name].append(as_tuples(working_sets(world.routine())))
    for name, plans in published.items():
        assert plans == [as_tuples(plan) for plan in plans_without_hevy(lifters[name])], name
        assert plans[0] != plans[1] != plans[2], name


def structure(plan: Any) -> list[tuple[str, int]]:
    return [(name, len(sets)) for name, sets in plan]


@pytest.mark.long
def test_a_plan_that_waits_never_overwrites_what_the_lifter_edited(tmp_path: Path) -> None:
    """A load of the plan against one of the lifter is a conflict; other edits are kept.

    Then the lifter trains the routine of the app, and the next plan is based on that.
    """
    kinds: tuple[EditKind, ...] = ("load", *EDITS_BESIDE)
    lifters = {f"edits-{kind}": with_edit(kind) for kind in kinds}
    with worlds_of(lifters, tmp_path, "approve") as worlds:
        for world in worlds:
            world.train(DAYS[0])
        worlds[0].home.spotter_json("run")
        in_app = {world.name: edited_and_approved(world, lifters[world.name]) for world in worlds}
        for world in worlds:
            world.train(lifters[world.name].days[1])
        worlds[0].home.spotter_json("run")
        for world in worlds:
            assert world.state() == "waiting", world.name
            edited = in_app[world.name]
            assert world.approve().returncode == 0, world.name
            assert structure(working_sets(world.routine())) == structure(working_sets(edited)), (
                world.name
            )
            before = {name: sets[0].load_kg for name, sets in working_sets(edited)}
            for name, sets in working_sets(world.routine()):
                loads_there = lifters[world.name].loads(name)
                step = min(each for each in loads_there if each > before[name])
                assert sets[0].load_kg <= step, world.name


def edited_and_approved(world: World, lifter: SimulatedLifter) -> JsonObject:
    """Return the routine in the app after the lifter's edit and approval of the plan."""
    assert world.state() == "waiting", world.name
    planned, waiting = plans_without_hevy(lifter)[1], world.routine()
    edited = world.edit(lifter.days[1])
    assert edited["updated_at"] > waiting["updated_at"], world.name
    told = world.approve()
    in_app = world.routine()
    assert structure(working_sets(in_app)) == structure(working_sets(edited)), world.name
    if lifter.days[1].edit == "load":
        assert (told.returncode, world.state()) == (2, "conflict")
        assert "edited" in told.stderr
        assert in_app == edited
        return in_app
    assert (told.returncode, world.state()) == (0, "published"), world.name
    loads = {name: sets[0].load_kg for name, sets in planned}
    there = {name: sets[0].load_kg for name, sets in working_sets(in_app)}
    assert {name: there[name] for name in there if name in loads} == {
        name: loads[name] for name in loads if name in there
    }, world.name
    return in_app
