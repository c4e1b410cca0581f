"""Dagster's code server and daemon as deployed, monitored, killed and restarted."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.bench.service import pss_bytes
from tests.end_to_end.world import SPOTTER
from tests.ports import free_port

Server = Literal["code", "daemon"]
SERVERS: tuple[Server, ...] = ("code", "daemon")

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Size:
    """Resources of a server: resident memory in MB, open files, and processes."""

    rss_mb: float
    files: int
    processes: int


class Servers:
    """Both servers, each in its own process group, like containers or units."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self._folder = folder
        self._env = dict(env)
        self._port = free_port()
        self._running: dict[Server, subprocess.Popen[bytes]] = {}

    def start(self, *names: Server) -> None:
        """Start the servers that do not run; wait for the code server."""
        for name in names:
            if name in self._running:
                continue
            with (self._folder / f"{name}.log").open("ab") as log:
                self._running[name] = subprocess.Popen(
                    [SPOTTER, "serve", name, "--code-port", str(self._port)],
                    env=self._env,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            if name == "code":
                until(lambda: _is_open(self._port), "the code server to listen", 120)

    def is_running(self, name: Server) -> bool:
        """Return whether it was started and not stopped by us."""
        return name in self._running

    def kill(self, *names: Server) -> None:
        """Kill them and their children without warning, like a power loss."""
        for name in names:
            process = self._running.pop(name)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def kill_run(self) -> bool:
        """Kill the process of the active run; return False if there is none."""
        runs = self.run_processes()
        for pid in runs:
            os.kill(pid, signal.SIGKILL)
        return bool(runs)

    def run_processes(self) -> list[int]:
        """Return the processes of the runs in progress."""
        return [
            pid
            for pid in _descendants(self._running["code"].pid)
            if b"spawn_main" in _read(pid, "cmdline")
        ]

    def memory_bytes(self) -> int:
        """Return the memory of the servers and their runs."""
        return sum(pss_bytes(process.pid) for process in [*self._running.values()])

    def stop(self) -> dict[Server, int]:
        """Terminate them and wait; return their exit codes."""
        for process in self._running.values():
            process.send_signal(signal.SIGTERM)
        codes = {name: process.wait(300) for name, process in self._running.items()}
        self._running.clear()
        return codes

    def require_alive(self) -> None:
        """Assert that none of them has ended by itself."""
        for name, process in self._running.items():
            if process.poll() is not None:
                raise AssertionError(f"{name} ended with {process.returncode}: {self.told(name)}")

    def told(self, name: Server) -> str:
        """Return the end of the log of a server."""
        return (self._folder / f"{name}.log").read_text()[-3000:]

    def size(self, name: Server) -> Size:
        """Return the current resources of a running server."""
        pid = self._running[name].pid
        pages = int(_read(pid, "statm").split()[1])
        return Size(
            rss_mb=pages * _PAGE / 1e6,
            files=len(list(Path(f"/proc/{pid}/fd").iterdir())),
            processes=1 + len(list(_descendants(pid))),
        )


def processes_of(home: Path) -> list[str]:
    """Return the command lines of all processes on this machine with that home."""
    wanted = f"SPOTTER_HOME={home}".encode()
    return [
        _read(pid, "cmdline").replace(b"\0", b" ").decode()
        for pid in _all_processes()
        if wanted in _read(pid, "environ").split(b"\0")
    ]


def until(is_so: Callable[[], bool], what: str, within_s: float) -> None:
    """Wait for a condition that other processes bring about.

    Raises:
        AssertionError: it did not hold within `within_s` seconds.
    """
    give_up_at = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < give_up_at, f"waited {within_s:.0f} s for {what}"
        time.sleep(0.3)


def _descendants(pid: int) -> Iterator[int]:
    children = Path(f"/proc/{pid}/task")
    try:
        tasks = list(children.iterdir())
    except FileNotFoundError:
        return
    for task in tasks:
        for child in _read_path(task / "children").split():
            yield int(child)
            yield from _descendants(int(child))


def _all_processes() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]


def _read(pid: int, name: str) -> bytes:
    return _read_path(Path(f"/proc/{pid}/{name}"))


def _read_path(path: Path) -> bytes:
    """Read a file; return nothing if the process ended or belongs to another user."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""


def _is_open(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
