"""The demonstration: a separate home, everything shown, no process left."""

import pickle
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestration.storage.local_postgres import LocalPostgres
from tests.end_to_end.world import ROOT, Home
from tests.once import Once
from tests.ports import is_of_tests

RECORD = "demo.pickle"
OWN_HOME = ROOT / ".spotter" / "demo"


@dataclass(frozen=True)
class Demo:
    """Output of the command, and the resulting state.

    `running` are the commands of all processes, `given` the files of the given home, `own` those of
    its own home.
    """

    done: subprocess.CompletedProcess[str]
    running: str
    given: list[str]
    own: set[str]


@pytest.fixture(scope="module")
def demo(once: Once) -> Demo:
    """Run once for all workers, because its home is in the project."""

    def make(folder: Path) -> None:
        given = folder / "given"
        given.mkdir()
        # A key and a home in the environment make no difference: the demo has its own.
        extra = {"HEVY_API_KEY": "x", "SPOTTER_HOME": str(given)}
        done = Home(folder, "https://api.hevyapp.com", extra).spotter("demo")
        running = subprocess.run(["ps", "-eo", "args="], capture_output=True, text=True, check=True)
        demo = Demo(
            done,
            running.stdout,
            [path.name for path in given.iterdir()],
            {str(path.relative_to(OWN_HOME)) for path in OWN_HOME.rglob("*")},
        )
        (folder / RECORD).write_bytes(pickle.dumps(demo))

    found: Demo = pickle.loads((once("demo", make) / RECORD).read_bytes())  # noqa: S301 - above
    return found


def test_make_demo_is_the_command() -> None:
    """The lake of the long suite shows that it works with `make`, too."""
    made = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.splitlines()[-1] == ".venv/bin/spotter demo --target embedded"


def test_the_demo_shows_everything(demo: Demo) -> None:
    assert demo.done.returncode == 0, demo.done.stdout + demo.done.stderr
    for words in (
        "data read",
        "workouts",
        "exercise templates",
        "next workout",
        "last ",
        "published to Hevy",
        "changed in Hevy",
        "→",
        "A programme for Demo Athlete: Full body A",
        "spotter what-if",
        "release/marts.duckdb",
        "make dev",
        "s in all",
    ):
        assert words in demo.done.stdout, words


def test_the_demo_leaves_no_process_behind(demo: Demo) -> None:
    assert demo.done.returncode == 0
    assert "spotter demo" not in demo.running


def test_the_demo_stays_in_its_own_home(demo: Demo) -> None:
    assert demo.done.returncode == 0
    assert {"warehouse.duckdb", "release/marts.duckdb"} <= demo.own
    assert demo.given == [], "the configured home was touched"


@pytest.mark.long
def test_the_demo_shows_the_same_on_a_lake(
    demo: Demo, postgres: LocalPostgres, tmp_path: Path
) -> None:
    home = Home(tmp_path, "https://api.hevyapp.com", {"PGPASSWORD": "not the demo's"})
    on_lake = subprocess.run(
        ["make", "demo", "TARGET=lake"],
        cwd=ROOT,
        env=home.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert on_lake.returncode == 0, on_lake.stdout + on_lake.stderr
    plans = [
        told.stdout[told.stdout.index("next workout") : told.stdout.index("Marts:")]
        for told in (demo.done, on_lake)
    ]
    assert plans[0] == plans[1]
    assert (OWN_HOME / "lake").is_dir()
    assert not (OWN_HOME / "warehouse.duckdb").exists()
    running = subprocess.run(
        ["ps", "-eww", "-o", "args="], capture_output=True, text=True, check=True
    )
    servers = re.findall(r"spotter-postgres-.* port=(\d+)", running.stdout)
    assert str(postgres.port) in servers
    assert all(is_of_tests(int(port)) for port in servers), "the demo left its own"
