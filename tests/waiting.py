"""Waiting for a condition that another process brings about."""

import threading
import time
from collections.abc import Callable

_LOOK_EVERY_S = 0.1


def wait_until(is_done: Callable[[], bool], what: str, seconds: float = 600) -> None:
    """Return once the condition holds.

    Raises:
        AssertionError: it does not hold after this many seconds.
    """
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not is_done():
        assert time.monotonic() < deadline, f"{what} took more than {seconds} s"
        pause.wait(_LOOK_EVERY_S)
