"""Workers end with their parent process, with real signals and processes."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from socket import create_server, socket

import pytest

from orchestration.config.locations import CODE_ROOT
from orchestration.runs.worker_processes import StopRequestedError, WorkerProcesses

# A worker, and its children, hold a connection to the test as long as they live.
_WORKER = """
import signal, socket, subprocess, sys
from orchestration.runs.worker_processes import stop_at_end_of_input
stop_at_end_of_input(grace_s=0.2)
if sys.argv[2] != "obedient":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
if sys.argv[2] == "stubborn":
    subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"],
                     pass_fds=[connection.fileno()])
while True:
    signal.pause()
"""

# Also under nohup, which such a process would inherit.
_WHO_BEGINS = f"""
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from concurrent.futures import ThreadPoolExecutor
from orchestration.runs.worker_processes import StopRequestedError, WorkerProcesses, stop_on_signal

def work(_):
    while True:
        workers.run([sys.executable, "-c", {_WORKER!r}, *sys.argv[1:]])

workers = WorkerProcesses(grace_s=0.2 if sys.argv[2] == "stubborn" else 60.0)
try:
    with stop_on_signal(workers), ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
except StopRequestedError as error:
    print(error)
    sys.exit(error.code)
"""


@pytest.fixture
def listener() -> Iterator[socket]:
    with create_server(("127.0.0.1", 0)) as found:
        found.settimeout(60)
        yield found


@pytest.mark.parametrize("kind", ["obedient", "stubborn"])
@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_no_worker_outlives_who_began_it(
    listener: socket, kind: str, asked: signal.Signals
) -> None:
    port = listener.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, "-c", _WHO_BEGINS, str(port), kind], stdout=subprocess.PIPE, text=True
    ) as begun:
        connections = [listener.accept()[0] for _ in range(2)]
        begun.send_signal(asked)
        try:
            out, _ = begun.communicate(timeout=60)
        finally:
            begun.kill()
    assert begun.returncode == 128 + asked
    assert out.splitlines() == [
        f"Asked to end ({asked.name}): the workers have ended. What they did is kept, and the next "
        "run does the rest."
    ]
    for connection in connections:
        with closing(connection):
            connection.setblocking(False)
            assert connection.recv(1) == b"", "somebody still holds it"


@pytest.mark.parametrize("kind", ["obedient", "deaf"])
def test_no_worker_outlives_who_began_it_and_was_killed(listener: socket, kind: str) -> None:
    port = listener.getsockname()[1]
    with subprocess.Popen([sys.executable, "-c", _WHO_BEGINS, str(port), kind]) as begun:
        connections = [listener.accept()[0] for _ in range(2)]
        begun.kill()
    for connection in connections:
        with closing(connection):
            connection.settimeout(60)
            assert connection.recv(1) == b""


def test_asked_twice_nobody_has_time(listener: socket) -> None:
    workers = WorkerProcesses(grace_s=600.0)
    command = [sys.executable, "-c", _WORKER, str(listener.getsockname()[1]), "stubborn"]
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(workers.run, command)
        with closing(listener.accept()[0]):
            workers.end(signal.SIGTERM)
            workers.end(signal.SIGTERM)
            with pytest.raises(StopRequestedError):
                running.result(timeout=60)


_ENGINE = """
import signal
from orchestration.services.plan import _engine
from tests.coach.builders import profile
with _engine(2) as decide_batch:
    print(len(list(decide_batch([(profile(), ValueError("nothing is known"))] * 8))), flush=True)
    signal.pause()
"""


def test_the_engines_processes_end_when_who_asks_them_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _ENGINE], cwd=CODE_ROOT, stdout=subprocess.PIPE, text=True
    ) as begun:
        assert begun.stdout is not None
        assert begun.stdout.readline() == "8\n"
        begun.kill()
        # They hold the same pipe, which ends with the last of them.
        out, _ = begun.communicate(timeout=60)
    assert out == ""
