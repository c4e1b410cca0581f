"""The demonstration: a home of its own, everything shown, nothing left running."""

import re
import subprocess
from pathlib import Path

import pytest

from orchestration.lib.local_postgres import LocalPostgres
from tests.end_to_end.world import ROOT, Home
from tests.ports import is_of_tests


@pytest.fixture(scope="module")
def given_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("given")


@pytest.fixture(scope="module")
def demo(
    given_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> subprocess.CompletedProcess[str]:
    # A key and a home in the environment make no difference: the demo has its own.
    extra = {"HEVY_API_KEY": "x", "SPOTTER_HOME": str(given_home)}
    home = Home(tmp_path_factory.mktemp("demo"), "https://api.hevyapp.com", extra)
    if not (ROOT / ".venv" / ".installed").exists():
        return home.spotter("demo")
    return subprocess.run(
        ["make", "demo"], cwd=ROOT, env=home.env, capture_output=True, text=True, check=False
    )


def test_the_demo_shows_everything(demo: subprocess.CompletedProcess[str]) -> None:
    assert demo.returncode == 0, demo.stdout + demo.stderr
    for words in (
        "what came in",
        "workouts",
        "exercise templates",
        "next workout",
        "last ",
        "published to Hevy",
        "changed in Hevy",
        "→",
        "release/marts.duckdb",
        "make dev",
        "s in all",
    ):
        assert words in demo.stdout, words


def test_the_demo_leaves_no_process_behind(demo: subprocess.CompletedProcess[str]) -> None:
    assert demo.returncode == 0
    running = subprocess.run(["ps", "-eo", "args="], capture_output=True, text=True, check=True)
    assert "spotter demo" not in running.stdout


def test_the_demo_stays_in_its_own_home(
    demo: subprocess.CompletedProcess[str], given_home: Path
) -> None:
    assert demo.returncode == 0
    assert (ROOT / ".spotter" / "demo" / "warehouse.duckdb").exists()
    assert (ROOT / ".spotter" / "demo" / "release" / "marts.duckdb").exists()
    assert not any(given_home.iterdir()), "the configured home was touched"


@pytest.mark.long
def test_the_demo_shows_the_same_on_a_lake(
    demo: subprocess.CompletedProcess[str], postgres: LocalPostgres, tmp_path: Path
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
        for told in (demo, on_lake)
    ]
    assert plans[0] == plans[1]
    assert (ROOT / ".spotter" / "demo" / "lake").is_dir()
    assert not (ROOT / ".spotter" / "demo" / "warehouse.duckdb").exists()
    running = subprocess.run(
        ["ps", "-eww", "-o", "args="], capture_output=True, text=True, check=True
    )
    servers = re.findall(r"spotter-postgres-.* port=(\d+)", running.stdout)
    assert str(postgres.port) in servers
    assert all(is_of_tests(int(port)) for port in servers), "the demo left its own"
