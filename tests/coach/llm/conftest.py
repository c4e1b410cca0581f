"""No test here reaches an address off this machine, and none asks a real provider by accident."""

import importlib
import ipaddress
import socket
from collections.abc import Iterator
from typing import Any

import pytest

KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY")


@pytest.fixture(scope="session", autouse=True)
def _clients_are_loaded() -> None:
    """They take seconds to load, which tests of time must not meet."""
    for module in ("google", "anthropic", "openai"):
        importlib.import_module(f"pydantic_ai.models.{module}")


@pytest.fixture(autouse=True)
def _no_key_is_known(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Keys of this machine are for the live tests alone."""
    if request.node.get_closest_marker("live") is None:
        for name in KEYS:
            monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _stays_on_loopback(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Looking up or connecting to another host fails the test, even if the code catches it."""
    if request.node.get_closest_marker("live") is not None:
        yield
        return
    strayed: list[Any] = []

    def refuse(host: Any) -> None:
        if not is_loopback(host):
            strayed.append(host)
            raise OSError(f"{host} is not on this machine")

    def guard(name: str) -> None:
        real = getattr(socket.socket, name)

        def connect(self: socket.socket, address: Any) -> Any:
            if self.family != socket.AF_UNIX:
                refuse(address[0])
            return real(self, address)

        monkeypatch.setattr(socket.socket, name, connect)

    look_up = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        refuse(host)
        return look_up(host, *args, **kwargs)

    guard("connect")
    guard("connect_ex")
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield
    assert not strayed


def is_loopback(host: Any) -> bool:
    """Return whether a host, as text or bytes, is this machine."""
    text = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return text == "localhost"
