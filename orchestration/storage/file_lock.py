"""Who may work: a file that one process holds at a time, and lets go of even when it is killed."""

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
    """Another process holds it; `holder` says which, and since when."""

    def __init__(self, holder: str) -> None:
        super().__init__(
            f"Another process is at work: {holder or 'it does not say which'}. "
            "Nothing was begun; try again when it has ended."
        )
        self.holder = holder


@contextmanager
def file_lock(
    path: Path, who: str, *, wait_s: float = 0.0, is_shared: bool = False
) -> Iterator[None]:
    """Hold the lock; within one process it may be taken again by who has it.

    Any number of processes share a lock that is taken as shared, and none has it alone meanwhile.

    Raises:
        LockedError: another process held it for `wait_s` seconds.
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
            file.write(_holder(who))
            file.flush()
            yield
        finally:
            if not is_shared:  # who shares it may still be named there
                file.truncate(0)
            _held.discard(path)


@contextmanager
def in_turn(path: Path, who: str, *, patience_s: float = 900.0) -> Iterator[None]:
    """Let one process at a time do what is soon done, and would only be hindered by another.

    Whoever waited for `patience_s` seconds goes on all the same, and says for whom it waited.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        try:
            _take(file.fileno(), path, patience_s, poll_s=_POLL_OF_A_TURN_S)
        except LockedError as busy:
            _log.warning("Waited %.0f s, and waits no longer: %s", patience_s, busy.holder)
        else:
            file.truncate(0)
            file.write(_holder(who))
            file.flush()
        yield


def lock_for_successors(path: Path, who: str) -> int:
    """Hold the lock as long as this process lives, or one that is given the returned descriptor.

    A program that this process becomes is given it without being told.

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
    os.write(descriptor, _holder(who).encode())
    os.set_inheritable(descriptor, True)
    return descriptor


def _holder(who: str) -> str:
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"{who} (process {os.getpid()}) since {since}"


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
