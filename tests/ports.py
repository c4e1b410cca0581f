"""Ports for test servers that need theirs before the start."""

import random
import socket

# Below the ephemeral range: no other process gets it before the server begins.
_FIRST, _LAST = 20_000, 32_000


def free_port() -> int:
    """Return a free port of loopback that hardly ever collides with another test's."""
    while True:
        port = random.randint(_FIRST, _LAST)  # noqa: S311 - no secret
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue


def is_of_tests(port: int) -> bool:
    """Return whether a port is in the range of this module."""
    return _FIRST <= port <= _LAST
