"""Proxies of the environment: none of them reads a key that is sent to this machine."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest

from coach_agent.domain.redaction import scrubber
from coach_agent.llm.background import BackgroundLoop
from coach_agent.llm.harmless import key_problem
from coach_agent.profile.llm_settings import Provider, ProviderSettings

KEY = "key-of-a-test"


@contextmanager
def listening(answer: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A server that keeps what it receives, with its address."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    received.append(connection.recv(65_536))
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", received
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"
MOVED = b"HTTP/1.1 302 Found\r\nlocation: %s\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


def provider(url: str) -> Provider:
    settings = ProviderSettings.model_validate(
        {"kind": "compatible", "base_url": url, "cheap": "m", "api_key_env": "LLM_KEY_LOCAL"}
    )
    return Provider(settings, KEY)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_no_proxy_gets_a_key_for_this_machine(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its libraries are imported by no other test of this process.
    from coach_agent.llm.wire import Wire

    with listening(OK) as (proxy, read), listening(OK) as (server, received):
        monkeypatch.setenv(variable, proxy)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert key_problem(provider(server)) is None
        with Wire(scrubber((KEY,))) as wire:
            assert isinstance(wire._loop, BackgroundLoop)
            answer: httpx2.Response = wire._loop.run(
                wire._client.get(server, headers={"authorization": KEY}), 5.0
            )
        assert answer.status_code == 200
        assert (read, [KEY.encode() in each for each in received]) == ([], [True, True])


def test_a_redirect_takes_no_key_along() -> None:
    with listening(OK) as (other, read), listening(MOVED % other.encode()) as (server, received):
        assert key_problem(provider(server)) == "It answers with 302."
        assert (read, len(received)) == ([], 1)
