"""Start and stop servers together, and wait for them.

The process runs for days and has minimal imports: all of Spotter's modules would take 80 MB.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from socket import create_connection
from threading import Event
from types import FrameType
from typing import NamedTuple, NoReturn

_GRACE_S = 30.0
_POLL_S = 0.1
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Server(NamedTuple):
    """The command of a server and its working directory.

    `locks` are open files that it keeps even if its supervisor is killed. Servers after one with a
    local `port` start once it answers there. A server with `is_aside` is silent, and the others
    continue without it.
    """

    command: list[str]
    folder: str
    locks: list[int]
    port: int | None = None
    is_aside: bool = False


def interrupt_on_signal() -> None:
    """Handle the first stop signal as an interrupt, and ignore those after it.

    A background process ignores interrupts, and its servers would inherit that. A second one must
    not end the process while it stops its servers.
    """
    for asked_to_end in _STOP_SIGNALS:
        signal.signal(asked_to_end, _interrupt)


def serve_together(servers: list[Server]) -> int:
    """Serve until one ends or a stop signal; returns the exit code of the ended one, else 0."""
    begun: list[subprocess.Popen[bytes]] = []
    try:
        for server in servers:
            begun.append(_start(server))
            if server.port is not None:
                _wait_until_it_answers(begun[-1], server.port)
        vital = [each for each, server in zip(begun, servers, strict=True) if not server.is_aside]
        return _first_end(vital)
    except KeyboardInterrupt:
        return 0
    finally:
        for each in reversed(begun):
            _stop(each)


def replace_with_supervisor(servers: list[Server]) -> NoReturn:
    """Replace this process by one that runs `serve_together`; does not return."""
    command = [sys.executable, "-m", "orchestration.server.supervisor", json.dumps(servers)]
    os.execv(command[0], command)  # noqa: S606 - our own interpreter and arguments


def _start(server: Server) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
        server.command,
        cwd=server.folder,
        stdout=subprocess.DEVNULL if server.is_aside else None,
        start_new_session=True,
        pass_fds=server.locks,
    )


def _wait_until_it_answers(server: subprocess.Popen[bytes], port: int) -> None:
    """Wait until the port answers or the server has ended."""
    pause = Event()
    while server.poll() is None:
        with suppress(OSError), create_connection(("127.0.0.1", port)):
            return
        pause.wait(_POLL_S)


def _first_end(servers: list[subprocess.Popen[bytes]]) -> int:
    """Return the exit code of the first server that ends."""
    known = {each.pid: each for each in servers if each.returncode is None}
    ended = [each.returncode for each in servers if each.returncode is not None]
    while not ended:
        pid, status = os.wait()
        if pid in known:
            known[pid].returncode = os.waitstatus_to_exitcode(status)
            ended.append(known[pid].returncode)
    return int(ended[0])


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Stop a server; after the grace period kill it with its children."""
    server.terminate()
    try:
        server.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _interrupt(signum: int, frame: FrameType | None) -> None:
    for asked_to_end in _STOP_SIGNALS:
        signal.signal(asked_to_end, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    interrupt_on_signal()
    sys.exit(serve_together([Server(*each) for each in json.loads(sys.argv[1])]))
