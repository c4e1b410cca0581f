"""Nights that are run once for the whole suite and continued by many tests."""

import copy
import pickle
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hevy_connector.simulator import SIMULATOR_KEY, RunningSimulator, running_simulator
from tests.end_to_end.accounts import AccountsNight, run_accounts_night
from tests.end_to_end.filled_dashboard import fill_dashboard
from tests.end_to_end.imports import Imports, import_and_run
from tests.end_to_end.outcome import result
from tests.end_to_end.served_dagster import Servers, read_only_but, serving
from tests.end_to_end.targets import EMBEDDED, OPTION, PLACES, TARGETS, Place
from tests.end_to_end.world import After, FirstNight, Home, put_count, routines, simulated_world
from tests.once import Once

WORLD = "world"
RECORD = "night.pickle"
RESULTS = "results.pickle"


# Environments besides the first night and the dashboard's: 10 to 30 seconds of CPU each.
_LONG_TO_BUILD = frozenset({"accounts_night", "imports", "servers"})


def pytest_itemcollected(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function) and _LONG_TO_BUILD & {*item.fixturenames}:
        item.add_marker(pytest.mark.long)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    is_marked = metafunc.definition.get_closest_marker("both_targets") is not None
    is_everywhere = metafunc.config.getoption(OPTION) != EMBEDDED
    if is_marked and not is_everywhere and "target" in metafunc.fixturenames:
        metafunc.parametrize("target", TARGETS, indirect=True, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption(OPTION) != EMBEDDED:
        for item in items:
            if item.get_closest_marker("names_its_target") is not None:
                item.add_marker(pytest.mark.skip(reason="it names its target"))


@pytest.fixture(scope="session", autouse=True)
def everywhere(request: pytest.FixtureRequest) -> None:
    """Put all homes on a lake if the suite runs on one."""
    if request.config.getoption(OPTION) != EMBEDDED:
        PLACES.new = request.getfixturevalue("lakes").new


@pytest.fixture(scope="session")
def target(request: pytest.FixtureRequest) -> str:
    """Return the target of this test: that of the suite, except for `on_both_targets`."""
    named: str = getattr(request, "param", request.config.getoption(OPTION))
    return named


@pytest.fixture(scope="session")
def place(target: str, request: pytest.FixtureRequest) -> Place:
    """Return a function from a folder to the variables of its warehouse."""
    if target == request.config.getoption(OPTION):
        return PLACES.of
    new: Place = request.getfixturevalue("lakes").new
    return new


Keep = Callable[[str, Callable[[Path, dict[str, str]], Any]], tuple[Path, Any]]
"""Builds a world under a name, once for all workers.

Returns its folder, which is read-only, and the result of the builder.
"""


@pytest.fixture(scope="session")
def keep(once: Once, target: str, place: Place, request: pytest.FixtureRequest) -> Keep:
    def kept(name: str, make: Callable[[Path, dict[str, str]], Any]) -> tuple[Path, Any]:
        def run(folder: Path) -> None:
            world = folder / WORLD
            variables = place(world)
            (folder / RECORD).write_bytes(pickle.dumps(make(world, variables)))
            if target != EMBEDDED:
                # A world that continues another one has the lake of its copy.
                request.getfixturevalue("lakes").keep(PLACES.of(world) or variables, world)

        folder = once(f"{name}_{target}", run)
        if target != EMBEDDED:
            # Each worker has a separate PostgreSQL.
            PLACES.put(folder / WORLD, request.getfixturevalue("lakes").kept(folder / WORLD))
        return folder / WORLD, pickle.loads((folder / RECORD).read_bytes())  # noqa: S301 - above

    return kept


Copy = Callable[[Path, Path], dict[str, str]]
"""Copies a kept world into a folder, and returns the variables of the copy's warehouse."""


@pytest.fixture(scope="session")
def copy_world(target: str, request: pytest.FixtureRequest) -> Copy:
    def copied(world: Path, folder: Path) -> dict[str, str]:
        shutil.copytree(world, folder, symlinks=True, dirs_exist_ok=True)
        if target == EMBEDDED:
            return {}
        variables: dict[str, str] = request.getfixturevalue("lakes").kept(folder)
        PLACES.put(folder, variables)
        return variables

    return copied


@pytest.fixture(scope="session")
def first_night(keep: Keep) -> FirstNight:
    """Return the result of the first run of the job; its folder is read-only."""
    folder, night = keep("first_night", _run_first_night)
    found: FirstNight = replace(night, folder=folder)
    return found


@pytest.fixture(scope="session")
def after_first_night(first_night: FirstNight, copy_world: Copy) -> After:
    """Return a factory of separate worlds after the first night."""

    @contextmanager
    def world(folder: Path) -> Iterator[tuple[Home, RunningSimulator]]:
        variables = copy_world(first_night.folder, folder)
        account = pickle.loads(first_night.account)  # noqa: S301 - written below
        with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
            yield Home(folder, simulator.url, variables), simulator

    return world


@pytest.fixture(scope="session")
def dashboard_home(
    after_first_night: After, once: Once, target: str, request: pytest.FixtureRequest
) -> Home:
    """Return a home with data on each page of the dashboard; its folder is read-only."""

    def make(folder: Path) -> None:
        with after_first_night(folder / "world") as (home, simulator):
            fill_dashboard(home, simulator)
            if target != EMBEDDED:
                request.getfixturevalue("lakes").keep(home.extra, home.folder)

    folder = once(f"dashboard_{target}", make) / "world"
    variables = {}
    if target != EMBEDDED:
        variables = request.getfixturevalue("lakes").kept(folder)
        PLACES.put(folder, variables)
    return Home(folder, "http://127.0.0.1:9", variables)


@pytest.fixture(scope="session")
def servers(
    after_first_night: After, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Servers]:
    """Start Dagster's servers of a home after its first night, which can write only the home."""
    with (
        after_first_night(tmp_path_factory.mktemp("served") / "world") as (home, _),
        serving(home, read_only_but(home.folder)) as servers,
    ):
        yield servers


@pytest.fixture(scope="session")
def accounts_night(keep: Keep) -> AccountsNight:
    """Return athletes with accounts after their first night; the folder is read-only."""
    # One of them trained until today, so it is rebuilt each day.
    folder, night = keep(f"accounts_{datetime.now(UTC):%Y-%m-%d}", run_accounts_night)
    found: AccountsNight = replace(night, folder=folder)
    return found


@pytest.fixture(scope="session")
def imports(keep: Keep, first_night: FirstNight) -> Imports:
    """Return athletes without accounts after a night on their files; the folder is read-only."""

    def run(folder: Path, variables: dict[str, str]) -> Imports:
        return import_and_run(folder, variables, Home(first_night.folder, "http://127.0.0.1:9"))

    folder, found = keep(f"imports_{datetime.now(UTC):%Y-%m-%d}", run)
    imported: Imports = replace(found, folder=folder)
    return imported


def train(simulator: RunningSimulator) -> None:
    """Repeat the oldest workout of the latest routine, with the app's next id."""
    latest = simulator.account.workouts()[0]
    simulator.account.log_workout(copy.deepcopy(latest))


@pytest.fixture(scope="session")
def after_next_night(after_first_night: After, once: Once, target: str) -> dict[str, Any]:
    """Return the result of an undisturbed night after a new workout."""
    return _undisturbed(after_first_night, once, target)[0]


@pytest.fixture(scope="session")
def after_another_run(after_first_night: After, once: Once, target: str) -> dict[str, Any]:
    """Return the result of one more run: its marts contain the plan of the night."""
    return _undisturbed(after_first_night, once, target)[1]


@pytest.fixture
def trained(after_first_night: After, tmp_path: Path) -> Iterator[tuple[Home, RunningSimulator]]:
    """Return a separate home after the first night, with a workout since."""
    with after_first_night(tmp_path) as (home, simulator):
        train(simulator)
        yield home, simulator


def _undisturbed(after_first_night: After, once: Once, target: str) -> list[dict[str, Any]]:
    """Return the results of two undisturbed runs, one after the other."""

    def make(folder: Path) -> None:
        results = []
        with after_first_night(folder / "world") as (home, simulator):
            train(simulator)
            for _ in range(2):
                done = home.spotter("run")
                assert done.returncode == 0, done.stderr
                results.append(result(home, simulator))
        (folder / RESULTS).write_bytes(pickle.dumps(results))

    made = once(f"undisturbed_{target}", make) / RESULTS
    found: list[dict[str, Any]] = pickle.loads(made.read_bytes())  # noqa: S301 - written above
    return found


def _run_first_night(folder: Path, variables: dict[str, str]) -> FirstNight:
    with simulated_world(folder, **variables) as (home, simulator):
        before = routines(simulator)
        report = home.spotter_json("run")
        return FirstNight(
            home.folder,
            before=before,
            report=report,
            after=routines(simulator),
            put_count=put_count(simulator),
            account=pickle.dumps(simulator.account),
        )
