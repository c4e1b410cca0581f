"""Celery workers of a deployment on this machine: a broker, and workers with homes of their own."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from uuid import uuid4

from tests.bench.service import pss_bytes
from tests.end_to_end.world import ROOT, Home
from tests.lakes import Lakes
from tests.ports import free_port

CONFIGURATION = ROOT / "docs" / "deployments" / "celery"

_REDIS = "redis-server"
_CREATE_HISTORY = """
from orchestration.config.settings import load_settings
from orchestration.runs.dagster_history import dagster_instance
with dagster_instance(load_settings()): pass
"""


def missing() -> str | None:
    """Return what this machine lacks for Celery, or None."""
    if find_spec("dagster_celery") is None:
        return "the extra `celery` is not installed: pip install --editable '.[celery]'"
    if shutil.which(_REDIS) is None:
        return "redis-server is not installed: apt-get install redis-server"
    return None


@contextmanager
def redis() -> Iterator[int]:
    """Run Redis on loopback without files; yield its port."""
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen([_REDIS, *options], stdout=subprocess.DEVNULL) as server:
        try:
            yield port
        finally:
            server.terminate()


def variables_of(lakes: Lakes, broker: int) -> dict[str, str]:
    """Return the settings of a deployment with Celery, with a database for Dagster's history."""
    return {
        "SPOTTER_DAGSTER_DATABASE": lakes.postgres.new_database(f"dagster_{uuid4().hex}"),
        "SPOTTER_DAGSTER_CONFIG": str(CONFIGURATION / "dagster.yaml"),
        "SPOTTER_CELERY_BROKER": f"redis://127.0.0.1:{broker}/0",
        "SPOTTER_CELERY_BACKEND": f"redis://127.0.0.1:{broker}/1",
    }


class Workers:
    """Celery workers, each of its own process group, with a home of its own."""

    def __init__(self, daemon: Home) -> None:
        self._daemon = daemon
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        """Start a worker; its home has nothing but the release in common with the daemon's."""
        home = self._daemon.folder / name
        env = {**self._daemon.env, "SPOTTER_HOME": str(home)}
        env |= {"DAGSTER_HOME": str(home / "dagster"), "PYTHONPATH": str(CONFIGURATION)}
        if not home.exists():
            (home / "dagster").mkdir(parents=True)
            shared = self._daemon.folder / "home" / "release"
            shared.mkdir(exist_ok=True)
            (home / "release").symlink_to(shared)
            subprocess.run([sys.executable, "-c", _CREATE_HISTORY], env=env, cwd=ROOT, check=True)
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

    def busy(self) -> list[str]:
        """Return the workers that are in a step of a run."""
        return [name for name in self._running if self.has_begun(name)]

    def has_begun(self, name: str) -> bool:
        """Return true if the worker is in a step of a run."""
        log = (self._daemon.folder / f"{name}.log").read_text()
        ended = max(log.rfind("RUN_SUCCESS"), log.rfind("RUN_FAILURE"))
        return log.rfind("STEP_START") > ended

    def memory_bytes(self) -> int:
        """Return the memory of all workers."""
        return sum(pss_bytes(worker.pid) for worker in [*self._running.values()])

    def kill(self, name: str) -> None:
        """Kill a worker with its children, like a machine that is gone."""
        worker = self._running.pop(name)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def reboot(self, name: str) -> bool:
        """Kill a worker, and start it again with the same home."""
        self.kill(name)
        self.start(name)
        return True

    def stop(self) -> None:
        for name in [*self._running]:
            self.kill(name)
