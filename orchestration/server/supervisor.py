"""Servers that begin and end together, and the process that waits for them.

It waits for days and imports next to nothing: all of Spotter's modules would hold 80 MB meanwhile.
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

_PATIENCE_S = 30.0
_LOOK_EVERY_S = 0.1


class Server(NamedTuple):
    """The command of a server and the folder that it starts in.

    `locks` are open files that it holds even if who waits for it is killed. What follows a server
    with a `port` of this machine begins when that one answers there. One that `is_aside` says
    nothing, and the others go on without it.
    """

    command: list[str]
    folder: str
    locks: list[int]
    port: int | None = None
    is_aside: bool = False


def end_when_asked() -> None:
    """Take each request to end as an interrupt.

    Started in the background, a process ignores interrupts, and its servers would with it.
    """
    for asked_to_end in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(asked_to_end, _interrupt)


def serve_together(servers: list[Server]) -> int:
    """Serve until one ends or all are asked to; the exit code of the one that ended, else 0."""
    begun: list[subprocess.Popen[bytes]] = []
    try:
        for server in servers:
            begun.append(_begun(server))
            if server.port is not None:
                _wait_until_it_answers(begun[-1], server.port)
        vital = [each for each, server in zip(begun, servers, strict=True) if not server.is_aside]
        return _first_end(vital)
    except KeyboardInterrupt:
        return 0
    finally:
        for each in reversed(begun):
            _stop(each)


def become_who_waits(servers: list[Server]) -> NoReturn:
    """As `serve_together`, in a process that is nothing else; this one does not come back."""
    command = [sys.executable, "-m", "orchestration.server.supervisor", json.dumps(servers)]
    os.execv(command[0], command)  # noqa: S606 - our own interpreter and arguments


def _begun(server: Server) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
        server.command,
        cwd=server.folder,
        stdout=subprocess.DEVNULL if server.is_aside else None,
        start_new_session=True,
        pass_fds=server.locks,
    )


def _wait_until_it_answers(server: subprocess.Popen[bytes], port: int) -> None:
    """Return once it does, or has ended."""
    pause = Event()
    while server.poll() is None:
        with suppress(OSError), create_connection(("127.0.0.1", port)):
            return
        pause.wait(_LOOK_EVERY_S)


def _first_end(servers: list[subprocess.Popen[bytes]]) -> int:
    """The exit code of the first that ends."""
    known = {each.pid: each for each in servers if each.returncode is None}
    ended = [each.returncode for each in servers if each.returncode is not None]
    while not ended:
        pid, status = os.wait()
        if pid in known:
            known[pid].returncode = os.waitstatus_to_exitcode(status)
            ended.append(known[pid].returncode)
    return int(ended[0])


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End a server and all that it started; who does not go in time is made to."""
    server.terminate()
    try:
        server.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    end_when_asked()
    sys.exit(serve_together([Server(*each) for each in json.loads(sys.argv[1])]))
