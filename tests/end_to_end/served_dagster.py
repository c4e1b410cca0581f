"""Dagster's three servers, started like containers."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.end_to_end.world import ROOT, SPOTTER, Home
from tests.ports import free_port
from tests.waiting import tls, wait_until

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DAGSTER = ("code", "daemon", "ui")

LOADED = """{ workspaceOrError { ... on Workspace { locationEntries {
  loadStatus locationOrLoadError { __typename } } } } }"""
DAEMONS = "{ instance { daemonHealth { allDaemonStatuses { daemonType healthy required } } } }"
LAUNCH = """
mutation { launchRun(executionParams: {mode: "default", selector: {
  repositoryName: "__repository__", repositoryLocationName: "spotter", jobName: "nightly"}}) {
  __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }
"""


class Servers:
    """The three servers and their GraphQL API."""

    def __init__(self, ui_port: int, processes: dict[str, subprocess.Popen[bytes]]) -> None:
        self.url = f"http://127.0.0.1:{ui_port}"
        self.processes = processes

    def ask(self, query: str) -> Any:
        body = {"query": query}
        answer = httpx.post(f"{self.url}/graphql", json=body, timeout=60, verify=tls())
        return answer.json()["data"]

    def is_loaded(self) -> bool:
        try:
            entries = self.ask(LOADED)["workspaceOrError"]["locationEntries"]
        except httpx.HTTPError:
            return False
        return [each["loadStatus"] for each in entries] == ["LOADED"] and all(
            each["locationOrLoadError"]["__typename"] == "RepositoryLocation" for each in entries
        )

    def launch_a_night(self) -> str:
        """Launch the nightly job like the UI; return the id of the run."""
        launched = self.ask(LAUNCH)["launchRun"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        run_id: str = launched["run"]["runId"]
        return run_id

    def status(self, run_id: str) -> str:
        query = f'{{ runOrError(runId: "{run_id}") {{ ... on Run {{ status }} }} }}'
        told: str = self.ask(query)["runOrError"]["status"]
        return told

    def wait_for(self, run_id: str) -> str:
        """Wait until the run has ended; return its status."""
        ended = {"SUCCESS", "FAILURE", "CANCELED"}
        wait_until(lambda: self.status(run_id) in ended, "the run to end")
        return self.status(run_id)

    def is_watched(self) -> bool:
        statuses = self.ask(DAEMONS)["instance"]["daemonHealth"]["allDaemonStatuses"]
        return all(each["healthy"] for each in statuses if each["required"])


# Mounts everything read-only for the command, except the folder in its first argument.
READ_ONLY = (
    'mount --bind "$1" "$1" && mount -o remount,ro,bind / && export TMPDIR="$1" && '
    'cd "$1" && shift && exec "$@"'
)


def read_only_but(folder: Path) -> list[str]:
    """Return the prefix of such a command, if this machine permits it."""
    around = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", str(folder)]
    if shutil.which("unshare") is None:
        return []
    tried = subprocess.run([*around, "touch", str(ROOT / "README.md")], capture_output=True)
    assert tried.returncode != 0, "what is read-only was written to"
    allowed = subprocess.run([*around, "true"], capture_output=True)
    return around if allowed.returncode == 0 else []


# A background process of a script ignores SIGINT.
BEGUN_BY_A_SCRIPT = ("sh", "-c", 'trap "" INT && exec "$@"', "sh")


@contextmanager
def serving(home: Home, around: Sequence[str] = ()) -> Iterator[Servers]:
    """Start the three servers of a home and wait until the code is loaded; prefix `around`.

    At the end all get SIGTERM, like a container, and must exit cleanly.
    """
    ports = {"4000": free_port(), "3000": free_port()}
    with ExitStack() as ended:
        processes = {}
        for name in DAGSTER:
            log = ended.enter_context((home.folder / f"{name}.log").open("wb"))
            processes[name] = subprocess.Popen(
                [*around, *BEGUN_BY_A_SCRIPT, SPOTTER, *_here(SERVICES[name]["command"], ports)],
                env={**home.env, "PYTHONDONTWRITEBYTECODE": "1"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            ended.callback(end, processes[name])
        servers = Servers(ports["3000"], processes)

        def is_up() -> bool:
            for name, process in processes.items():
                told = (home.folder / f"{name}.log").read_text()[-3000:]
                assert process.poll() is None, f"{name} ended: {told}"
            return servers.is_loaded()

        wait_until(is_up, "the code location to be loaded")
        yield servers
        for process in processes.values():
            process.send_signal(signal.SIGTERM)
        for name, process in processes.items():
            assert process.wait(300) in {0, 143, -signal.SIGTERM}, name


def _here(command: list[str], ports: dict[str, int]) -> list[str]:
    """Adapt a container's command to this machine: loopback and free ports."""
    extra = ["--code-port", str(ports["4000"]), "--port", str(ports["3000"])]
    return [*on_loopback(command), *extra]


def on_loopback(command: list[str]) -> list[str]:
    """Return a container's command with this machine instead of other addresses."""
    told = ["127.0.0.1" if each in {"0.0.0.0", "code"} else each for each in command[2:]]  # noqa: S104
    return [*command[:2], *told]


def end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
