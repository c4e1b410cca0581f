"""Waiting for a condition that another process brings about."""

import ssl
import threading
import time
from collections.abc import Callable
from functools import cache

import httpx

# Each look at a server costs both processes some CPU.
_LOOK_EVERY_S = 0.25


@cache
def tls() -> ssl.SSLContext:
    """Return the `verify` of repeated requests: without it each one loads all certificates."""
    return httpx.create_ssl_context()


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
