"""Measure start, idle memory and a sensor tick, compared with an empty `dagster dev`.

Both are measured in the same way, through the UI's own API, and take turns.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
SPOTTER = Path(sys.executable).with_name("spotter")

EMPTY = """\
import dagster as dg


@dg.sensor(
    target="*", minimum_interval_seconds=600, default_status=dg.DefaultSensorStatus.RUNNING
)
def hevy_changes() -> dg.SkipReason:
    return dg.SkipReason("There is nothing to look at.")


@dg.asset
def nothing() -> None: ...


defs = dg.Definitions(assets=[nothing], sensors=[hevy_changes])
"""

_LOCATIONS = "{ workspaceOrError { ... on Workspace { locationEntries { loadStatus } } } }"

_TICK = """
mutation ($selector: SensorSelector!) {
  sensorDryRun(selectorData: $selector, cursor: "") { __typename ... on PythonError { message } }
}
"""

_LONGEST_START_S = 300
_SETTLE_S = 20
_TICKS = 7


@dataclass(frozen=True)
class Served:
    """Cost of one server: seconds until its UI lists the assets, idle bytes, seconds of a tick.

    Memory is the sum of the processes' proportional shares (PSS), so shared pages count once; it is
    0 on systems other than Linux.
    """

    ready_seconds: float
    idle_bytes: int
    tick_seconds: float


def load_seconds(folder: Path, *, is_ours: bool) -> float:
    """Measure a new process that loads the definitions like the code location, start to end."""
    module = "orchestration.definitions" if is_ours else _empty_project(folder).stem
    # The same call with which Dagster's code server loads the definitions of a module.
    program = (
        "import sys\n"
        "from dagster._core.workspace.autodiscovery import loadable_targets_from_python_module\n"
        "from dagster._core.definitions.reconstruct import repository_def_from_target_def\n"
        "[found] = loadable_targets_from_python_module(*sys.argv[1:])\n"
        "assert repository_def_from_target_def(found.target_definition) is not None\n"
    )
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", program, module, ROOT if is_ours else folder],
        env=environment_of(folder, "http://127.0.0.1:9"),
        cwd=ROOT,
        check=True,
    )
    return time.perf_counter() - started


def serve_ours(folder: Path) -> Served:
    """Run `make dev` after a first night, with the simulator in this process."""
    home = folder / "ours"
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        environment = environment_of(home, simulator.url)
        if not (home / "home" / "warehouse.duckdb").exists():
            run_command(["run"], environment)
        port = free_port()
        command = [str(SPOTTER), "dev", "--port", str(port)]
        return _serve(command, port, environment, home, is_ours=True)


def serve_empty(folder: Path) -> Served:
    """Run a bare `dagster dev` of a project with one asset and one sensor."""
    project = _empty_project(folder)
    home = folder / "empty_home"
    home.mkdir(exist_ok=True)
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    environment = {**environment_of(folder, "http://127.0.0.1:9"), "DAGSTER_HOME": str(home)}
    port = free_port()
    command = [sys.executable, "-m", "dagster", "dev", "-f", str(project), "-p", str(port)]
    return _serve(command, port, environment, home, is_ours=False)


def run_command(arguments: list[str], environment: Mapping[str, str]) -> float:
    """Return the seconds of one `spotter` command."""
    started = time.perf_counter()
    subprocess.run(
        [SPOTTER, *arguments], env=environment, cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - started


def _serve(
    command: list[str], port: int, environment: Mapping[str, str], folder: Path, *, is_ours: bool
) -> Served:
    started = time.perf_counter()
    with running(command, environment, folder) as process, httpx.Client(timeout=60) as client:
        url = f"http://127.0.0.1:{port}/graphql"
        wait_until_loaded(client, url)
        ready_s = time.perf_counter() - started
        # Until the first ticks are over.
        threading.Event().wait(_SETTLE_S)
        selector = {
            "sensorName": "hevy_changes",
            "repositoryName": "__repository__",
            "repositoryLocationName": "spotter" if is_ours else "project.py",
        }
        idle_bytes = pss_bytes(process.pid)
        return Served(ready_s, idle_bytes, _tick_seconds(client, url, selector))


def wait_until_loaded(client: httpx.Client, url: str) -> None:
    """Wait until the UI at this GraphQL endpoint has loaded all code locations."""
    deadline = time.monotonic() + _LONGEST_START_S
    pause = threading.Event()
    while time.monotonic() < deadline:
        try:
            answer = client.post(url, json={"query": _LOCATIONS}).json()
            entries = answer["data"]["workspaceOrError"]["locationEntries"]
            if entries and all(entry["loadStatus"] == "LOADED" for entry in entries):
                return
        except (httpx.TransportError, ValueError):
            pass  # it does not listen yet
        pause.wait(0.1)
    raise TimeoutError(f"The UI knew no assets after {_LONGEST_START_S} s.")


def _tick_seconds(client: httpx.Client, url: str, selector: Mapping[str, str]) -> float:
    """Return the fastest of some ticks of the sensor: the others waited for other work."""
    seconds = []
    for _ in range(_TICKS):
        started = time.perf_counter()
        answer = client.post(url, json={"query": _TICK, "variables": {"selector": selector}})
        seconds.append(time.perf_counter() - started)
        told: Any = answer.json()["data"]["sensorDryRun"]
        if told["__typename"] != "DryRunInstigationTick":
            raise RuntimeError(f"The sensor could not look: {told}")
    return min(seconds)


def pss_bytes(pid: int) -> int:
    """Return the memory of a process and its children; 0 if it ended or without /proc."""
    process = Path(f"/proc/{pid}")
    try:
        told = (process / "smaps_rollup").read_text()
        children = [
            child
            for task in (process / "task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    own = sum(int(line.split()[1]) * 1024 for line in told.splitlines() if line[:4] == "Pss:")
    return own + sum(pss_bytes(int(child)) for child in children)


@contextmanager
def running(
    command: list[str], environment: Mapping[str, str], folder: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server in its own process group; its output goes to `served.log` of the folder."""
    with (folder / "served.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _empty_project(folder: Path) -> Path:
    path = folder / "project.py"
    path.write_text(EMPTY)
    return path


def environment_of(folder: Path, url: str) -> dict[str, str]:
    """Return the complete environment of a process: its own home with the demo athlete."""
    athletes = folder / "athletes"
    if not athletes.exists():
        athletes.mkdir(parents=True)
        shutil.copy(ROOT / "athletes" / "demo.toml", athletes)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "SPOTTER_HOME": str(folder / "home"),
        "SPOTTER_ATHLETES_DIR": str(athletes),
        "HEVY_API_URL": url,
        **dict.fromkeys(("GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"), ""),
    }
