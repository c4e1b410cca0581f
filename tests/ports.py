"""Ports for servers of tests that are told theirs before they start."""

import random
import socket

# Below those that systems give to whoever connects: until the server begins, nobody else has it.
_FIRST, _LAST = 20_000, 32_000


def free_port() -> int:
    """A port of loopback at which nothing listens, hardly ever the one of another test."""
    while True:
        port = random.randint(_FIRST, _LAST)  # noqa: S311 - no secret
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue


def is_of_tests(port: int) -> bool:
    """Whether a port is one of those that are given here."""
    return _FIRST <= port <= _LAST
