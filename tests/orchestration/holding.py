"""Another process that holds a warehouse file."""

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import duckdb

_SPAWN = multiprocessing.get_context("spawn")


@contextmanager
def held_by_another_process(path: Path) -> Iterator[Callable[[], None]]:
    """Hold the file in another process until the end, or until the yielded function is called."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_hold, args=(path, theirs))
    process.start()
    theirs.close()  # closed, so that the end of the process ends the wait
    assert ours.recv() == "held"

    first_time = threading.Lock()

    def let_go() -> None:
        if first_time.acquire(blocking=False):
            ours.send("let go")

    try:
        yield let_go
    finally:
        let_go()
        process.join()


def _hold(path: Path, ready: Connection) -> None:
    with duckdb.connect(path):
        ready.send("held")
        ready.recv()
