"""Inter-process file lock (flock). The kernel releases it when the owner dies."""

import fcntl
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

_POLL_S = 0.2
_POLL_OF_A_TURN_S = 0.02

_log = logging.getLogger(__name__)

_held: set[Path] = set()


class LockedError(Exception):
    """Another process holds the lock; `holder` is its name and start time."""

    def __init__(self, holder: str) -> None:
        super().__init__(
            f"Another process is at work: {holder or 'it does not say which'}. "
            "Nothing was started; try again later."
        )
        self.holder = holder


@contextmanager
def file_lock(
    path: Path, owner: str, *, wait_s: float = 0.0, is_shared: bool = False
) -> Iterator[None]:
    """Hold the lock; it is reentrant within a process.

    A shared lock can be held by several processes, and excludes an exclusive one.

    Raises:
        LockedError: timeout after `wait_s` seconds.
    """
    if path in _held:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        _take(file.fileno(), path, wait_s, is_shared=is_shared)
        _held.add(path)
        try:
            file.truncate(0)
            file.write(_holder(owner))
            file.flush()
            yield
        finally:
            if not is_shared:  # other sharing processes may be named there
                file.truncate(0)
            _held.discard(path)


@contextmanager
def serialized(path: Path, owner: str, *, timeout_s: float = 900.0) -> Iterator[None]:
    """Serialize short operations that would conflict with each other.

    After `timeout_s` seconds the block runs without the lock, with a warning.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        try:
            _take(file.fileno(), path, timeout_s, poll_s=_POLL_OF_A_TURN_S)
        except LockedError as busy:
            _log.warning("Waited %.0f s, and waits no longer: %s", timeout_s, busy.holder)
        else:
            file.truncate(0)
            file.write(_holder(owner))
            file.flush()
        yield


def inheritable_lock(path: Path, owner: str) -> int:
    """Hold the lock while this process lives, or a process that inherits the returned descriptor.

    A program started by exec inherits it automatically.

    Raises:
        LockedError: another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _take(descriptor, path, wait_s=0.0)
    except LockedError:
        os.close(descriptor)
        raise
    os.truncate(descriptor, 0)
    os.write(descriptor, _holder(owner).encode())
    os.set_inheritable(descriptor, True)
    return descriptor


def _holder(owner: str) -> str:
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"{owner} (process {os.getpid()}) since {since}"


def _take(
    descriptor: int,
    path: Path,
    wait_s: float,
    *,
    is_shared: bool = False,
    poll_s: float = _POLL_S,
) -> None:
    deadline = time.monotonic() + wait_s
    how = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    while True:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise LockedError(path.read_text(encoding="utf-8")) from error
            time.sleep(poll_s)
        else:
            return
