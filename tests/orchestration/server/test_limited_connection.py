"""Incomplete requests block no webhook event, and time out."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread

import httpx
import pytest
from starlette.types import ASGIApp

from orchestration.server.limited_connection import LimitedConnection
from orchestration.server.webhook import create_app, webhook_server

TOKEN = {"authorization": "token"}
HALVES = {
    "nothing": b"",
    "half of the first line": b"POST /he",
    "half of the headers": b"POST /hevy HTTP/1.1\r\nHost: localhost\r\nauthorization: tok",
    "half of the body": (
        b"POST /hevy HTTP/1.1\r\nHost: localhost\r\nauthorization: token\r\n"
        b'Content-Length: 30\r\n\r\n{"workoutId'
    ),
}
FLOOD = 600
PATIENCE_S = 30


class Hasty(LimitedConnection):
    """The same with shorter timeouts."""

    request_s = 0.3


@contextmanager
def served(
    app: ASGIApp, connection: type[LimitedConnection] = LimitedConnection
) -> Iterator[tuple[str, int]]:
    """Serve the application and yield its address."""
    server = webhook_server(app, connection)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join()


def opened(address: tuple[str, int], text: bytes) -> socket.socket:
    connection = socket.create_connection(address, timeout=PATIENCE_S)
    connection.sendall(text)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Wait until the server closes the connection; its response is irrelevant."""
    with connection, suppress(ConnectionResetError):
        while connection.recv(1024):
            pass
    return True


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES.keys())
def test_many_half_sent_requests_keep_no_delivery_out(half: bytes) -> None:
    kept: list[str] = []
    app = create_app({"ann": "token"}, lambda _, workout: kept.append(workout))
    with ExitStack() as ended, served(app) as address:
        for _ in range(FLOOD):
            ended.enter_context(opened(address, half))
        url = f"http://{address[0]}:{address[1]}/hevy"
        limit_s = LimitedConnection.request_s
        answer = httpx.post(url, json={"workoutId": "w"}, headers=TOKEN, timeout=limit_s)
    assert (answer.status_code, kept) == (200, ["w"])


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES.keys())
def test_a_request_that_does_not_arrive_ends(half: bytes) -> None:
    with served(create_app({"ann": "token"}, lambda *_: None), Hasty) as address:
        assert is_closed(opened(address, half))


def test_a_second_request_of_a_connection_has_no_more_time() -> None:
    with served(create_app({"ann": "token"}, lambda *_: None), Hasty) as address:
        body = b'{"workoutId": "w"}'
        head = (
            b"POST /hevy HTTP/1.1\r\nHost: a\r\nauthorization: token\r\nContent-Length: 18\r\n\r\n"
        )
        connection = opened(address, head + body)
        assert b"200 OK" in connection.recv(4096)
        connection.sendall(b"POST /hevy HT")
        assert is_closed(connection)


def test_a_request_that_has_arrived_is_not_cut_off_for_others() -> None:
    begun, go_on = Event(), Event()

    def record(*_: str) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)

    class Two(LimitedConnection):
        most = 2

    with served(create_app({"ann": "token"}, record, timeout_s=PATIENCE_S), Two) as address:
        answers: list[int] = []
        url = f"http://{address[0]}:{address[1]}/hevy"

        def deliver() -> None:
            answer = httpx.post(url, json={"workoutId": "w"}, headers=TOKEN, timeout=PATIENCE_S)
            answers.append(answer.status_code)

        delivering = Thread(target=deliver)
        delivering.start()
        assert begun.wait(PATIENCE_S)
        first, *others = [opened(address, b"POST") for _ in range(5)]
        assert is_closed(first)
        go_on.set()
        delivering.join()
        for each in others:
            each.close()
    assert answers == [200]


def test_headers_have_a_size() -> None:
    long = b"POST /hevy HTTP/1.1\r\nX: " + b"x" * 20_000
    app = create_app({"ann": "token"}, lambda *_: None)
    with served(app) as address, opened(address, long) as connection:
        assert b"400 Bad Request" in connection.recv(4096)
