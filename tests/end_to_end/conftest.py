"""The first nights of the demo athlete: run once for the whole suite, continued by many tests."""

import copy
import pickle
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hevy_connector.simulator import SIMULATOR_KEY, RunningSimulator, running_simulator
from tests.end_to_end.outcome import result
from tests.end_to_end.world import After, FirstNight, Home, put_count, routines, simulated_world
from tests.once import Once

RECORD = "night.pickle"
RESULT = "result.pickle"


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit puts an app's script in place of the program, which commands are forked from."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture(scope="session")
def first_night(once: Once) -> FirstNight:
    """What the first run of the job found and left behind; do not change its folder."""
    record = once("first_night", _run_first_night) / RECORD
    night: FirstNight = pickle.loads(record.read_bytes())  # noqa: S301 - written below
    return night


@pytest.fixture(scope="session")
def after_first_night(first_night: FirstNight) -> After:
    """A world of its own in which the first night has passed."""

    @contextmanager
    def world(folder: Path) -> Iterator[tuple[Home, RunningSimulator]]:
        shutil.copytree(first_night.folder, folder, symlinks=True, dirs_exist_ok=True)
        account = pickle.loads(first_night.account)  # noqa: S301 - written below
        with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
            yield Home(folder, simulator.url), simulator

    return world


def train(simulator: RunningSimulator) -> None:
    """The athlete does the oldest workout of the latest routine again, with the app's next id."""
    latest = simulator.account.workouts()[0]
    simulator.account.log_workout(copy.deepcopy(latest))


@pytest.fixture(scope="session")
def after_next_night(after_first_night: After, once: Once) -> dict[str, Any]:
    """What an undisturbed night after a new workout leaves behind."""
    return _undisturbed(after_first_night, once, runs=1)


@pytest.fixture(scope="session")
def after_another_run(after_first_night: After, once: Once) -> dict[str, Any]:
    """What one run more leaves behind: its marts know the plan that the night decided."""
    return _undisturbed(after_first_night, once, runs=2)


@pytest.fixture
def trained(after_first_night: After, tmp_path: Path) -> Iterator[tuple[Home, RunningSimulator]]:
    """A home of its own after the first night, whose athlete has trained since."""
    with after_first_night(tmp_path) as (home, simulator):
        train(simulator)
        yield home, simulator


def _undisturbed(after_first_night: After, once: Once, *, runs: int) -> dict[str, Any]:
    def make(folder: Path) -> None:
        with after_first_night(folder / "world") as (home, simulator):
            train(simulator)
            for _ in range(runs):
                done = home.spotter("run")
                assert done.returncode == 0, done.stderr
            (folder / RESULT).write_bytes(pickle.dumps(result(home, simulator)))

    made = once(f"undisturbed_{runs}", make) / RESULT
    found: dict[str, Any] = pickle.loads(made.read_bytes())  # noqa: S301 - written above
    return found


def _run_first_night(folder: Path) -> None:
    with simulated_world(folder / "world") as (home, simulator):
        before = routines(simulator)
        report = home.spotter_json("run")
        night = FirstNight(
            home.folder,
            before=before,
            report=report,
            after=routines(simulator),
            put_count=put_count(simulator),
            account=pickle.dumps(simulator.account),
        )
    (folder / RECORD).write_bytes(pickle.dumps(night))
