"""The first night of the demo athlete: run once for the whole suite, continued by many tests."""

import pickle
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hevy_connector.simulator import SIMULATOR_KEY, RunningSimulator, running_simulator
from tests.end_to_end.world import After, FirstNight, Home, put_count, routines, simulated_world
from tests.once import Once

RECORD = "night.pickle"


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
