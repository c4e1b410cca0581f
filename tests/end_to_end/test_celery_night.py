"""A partitioned night by two Celery workers with homes of their own, one of which is killed."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from tests.end_to_end.crowd import accounts, result, running_accounts
from tests.end_to_end.partitioned import await_night, home_in, owed_night
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import ROOT, Home, zone_at_noon
from tests.lakes import Lakes
from tests.ports import free_port
from tests.soak.servers import until

pytestmark = names_its_target

ATHLETES = 4
PARTITIONS = 3
CONFIGURATION = ROOT / "docs" / "deployments" / "celery"


@contextmanager
def redis() -> Iterator[int]:
    """Run Redis on loopback without files; yield its port."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed: apt-get install redis-server")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as server:
        try:
            yield port
        finally:
            server.terminate()


class Workers:
    """Celery workers, each of its own process group, with a home of its own."""

    def __init__(self, daemon: Home) -> None:
        self._daemon = daemon
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        """Start a worker; its home has nothing but the release in common with the daemon's."""
        home = self._daemon.folder / name
        (home / "dagster").mkdir(parents=True)
        shared = self._daemon.folder / "home" / "release"
        shared.mkdir(exist_ok=True)
        (home / "release").symlink_to(shared)
        env = {**self._daemon.env, "SPOTTER_HOME": str(home)}
        env |= {"DAGSTER_HOME": str(home / "dagster"), "PYTHONPATH": str(CONFIGURATION)}
        made = "from orchestration.config.settings import load_settings as load\n"
        made += "from orchestration.runs.dagster_history import dagster_instance\n"
        made += "with dagster_instance(load()): pass"
        subprocess.run([sys.executable, "-c", made], env=env, cwd=ROOT, check=True)
        words = f"-A dagster_celery.app worker -Q dagster -c 1 -n {name}@%h"
        with (self._daemon.folder / f"{name}.log").open("wb") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, "-m", "celery", *words.split()],
                env=env,
                cwd=home,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def has_begun(self, name: str) -> bool:
        """Return true if the worker is in a step of a run."""
        told = (self._daemon.folder / f"{name}.log").read_text()
        return "STEP_START" in told.rpartition("RUN_SUCCESS")[2]

    def kill(self, name: str) -> None:
        """Kill a worker with its children, like a machine that is gone."""
        worker = self._running.pop(name)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def stop(self) -> None:
        for name in [*self._running]:
            self.kill(name)


@pytest.mark.long
def test_a_night_of_two_workers_survives_the_loss_of_one(lakes: Lakes, tmp_path: Path) -> None:
    pytest.importorskip("dagster_celery", reason="the extra `celery` is not installed")
    zone = zone_at_noon()
    with running_accounts(accounts(ATHLETES)) as service:
        one = home_in(zone, tmp_path / "file", service.url, ATHLETES, {})
        assert one.spotter("run").returncode == 0
        expected = result(one, service)
    with redis() as port, running_accounts(accounts(ATHLETES)) as service:
        variables = {
            **lakes.new(tmp_path),
            "SPOTTER_PARTITIONS": str(PARTITIONS),
            "SPOTTER_DAGSTER_DATABASE": lakes.postgres.new_database(f"dagster_{uuid4().hex}"),
            "SPOTTER_DAGSTER_CONFIG": str(CONFIGURATION / "dagster.yaml"),
            "SPOTTER_CELERY_BROKER": f"redis://127.0.0.1:{port}/0",
            "SPOTTER_CELERY_BACKEND": f"redis://127.0.0.1:{port}/1",
        }
        home = home_in(zone, tmp_path / "lake", service.url, ATHLETES, variables)
        play_night(home)
        assert result(home, service) == expected


def play_night(home: Home) -> None:
    """Run the owed night, and lose one of its workers."""
    home.folder.joinpath("home").mkdir()
    workers = Workers(home)
    try:
        workers.start("first")
        workers.start("second")
        with owed_night(home) as servers:
            until(lambda: workers.has_begun("first"), "a task of the first worker", 300)
            workers.kill("first")
            night = await_night(home, servers, 1200)
        found = night.status(max(run.created_at for run in night.runs))
        assert {each.state for each in found.parts} == {"finished"}
        assert sum(each.retries for each in found.parts) > 0
    finally:
        workers.stop()
