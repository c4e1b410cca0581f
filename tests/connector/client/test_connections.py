"""Clients that share connections, against a server that counts them."""

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from threading import Event

import pytest

from hevy_connector.client.async_client import WORKOUTS
from hevy_connector.client.client import HevyClient
from hevy_connector.client.connections import HevyConnections
from hevy_connector.errors import HevyConfigError, HevyUnavailableError
from hevy_connector.http.limits import RateLimit, RetryPolicy
from hevy_connector.http.transport import ConnectionPool

ONCE = RetryPolicy(attempts=1)
UNLIMITED = RateLimit(per_second=None)
# Every operation finds its part in it.
BODY = (
    b'{"workout_count": 3, "page": 1, "page_count": 9, "workouts": [], '
    b'"id": "r", "title": "Push", "exercises": []}'
)


@dataclass(frozen=True)
class Received:
    """A request: the n-th one of its connection."""

    key: str
    method: str
    path: str
    connection: int
    number: int


Respond = Callable[[Received], bytes | None]
"""Return a whole response; None closes the connection without one."""


def ok(_: Received) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY


class Server(ThreadingHTTPServer):
    """Keeps its requests and counts connections; `ended` has an item for each closed one."""

    def __init__(self, respond: Respond, *, keeps_open: bool) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.respond, self.keeps_open = respond, keeps_open
        self.requests: list[Received] = []
        self.connections = 0
        self.ended: SimpleQueue[None] = SimpleQueue()

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        super().shutdown_request(request)
        self.ended.put(None)

    def methods(self) -> list[str]:
        return [received.method for received in self.requests]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1
        self.connection_number, self.request_number = self.server.connections, 0

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.request_number += 1
        received = Received(
            self.headers["api-key"],
            self.command,
            self.path,
            self.connection_number,
            self.request_number,
        )
        self.server.requests.append(received)
        response = self.server.respond(received)
        self.close_connection = response is None or not self.server.keeps_open
        with suppress(ConnectionError):  # A cancelled request has closed its connection.
            self.wfile.write(response or b"")

    do_POST = do_PUT = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Keep standard error empty."""


@contextmanager
def serving(respond: Respond = ok, *, keeps_open: bool = True) -> Iterator[Server]:
    with Server(respond, keeps_open=keeps_open) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def shared_connections() -> HevyConnections:
    """Return connections that stay open, however slow this machine is."""
    return HevyConnections(ConnectionPool(idle_s=600))


def client(
    server: Server,
    connections: HevyConnections | None,
    key: str = "key",
    retry: RetryPolicy = ONCE,
) -> HevyClient:
    return HevyClient(
        key, base_url=server.url, retry=retry, limit=UNLIMITED, connections=connections
    )


def count_workouts(server: Server, connections: HevyConnections | None, key: str) -> int:
    with client(server, connections, key) as hevy:
        return hevy.workout_count() + hevy.workout_count()


def pending(connections: HevyConnections) -> int:
    async def count() -> int:
        return len(asyncio.all_tasks()) - 1

    return connections.start(count()).result()


def test_many_accounts_open_no_more_connections_than_are_in_flight() -> None:
    keys = [f"key-{number}" for number in range(40)]
    opened = {}
    for is_shared in (True, False):
        with (
            serving() as server,
            shared_connections() if is_shared else nullcontext() as connections,
            ThreadPoolExecutor(4) as pool,
        ):
            counts = list(pool.map(lambda key: count_workouts(server, connections, key), keys))
        assert counts == [6] * 40
        assert sorted(received.key for received in server.requests) == sorted(keys * 2)
        opened[is_shared] = server.connections
    assert opened[True] <= 4
    assert opened[False] == 40


def test_closing_a_client_cancels_only_its_own_requests() -> None:
    arrived = {"leaving": Event(), "staying": Event()}
    released = Event()

    def hold(received: Received) -> bytes:
        arrived[received.key].set()
        released.wait()
        return ok(received)

    with (
        ThreadPoolExecutor(2) as pool,
        serving(hold) as server,
        HevyConnections() as connections,
        client(server, connections, "staying") as staying,
    ):
        leaving = client(server, connections, "leaving")
        cancelled, kept = pool.submit(leaving.workout_count), pool.submit(staying.workout_count)
        for event in arrived.values():
            event.wait()
        leaving.close()
        with pytest.raises(CancelledError):
            cancelled.result()
        assert pending(connections) == 1
        assert not kept.done()
        released.set()
        assert kept.result() == 3


def test_closing_a_client_cancels_the_pages_that_it_reads_ahead() -> None:
    arrived, released = Event(), Event()

    def hold(received: Received) -> bytes:
        if "page=1&" not in received.path and "page=2&" not in received.path:
            arrived.set()
            released.wait()
        return ok(received)

    with (
        serving(hold) as server,
        HevyConnections() as connections,
        client(server, connections) as other,
    ):
        hevy = client(server, connections)
        reading = hevy.pages(WORKOUTS)
        assert [next(reading), next(reading)] == [[], []]
        arrived.wait()
        hevy.close()
        assert pending(connections) == 0
        reading.close()  # type: ignore[attr-defined]
        released.set()
        assert other.workout_count() == 3


def test_a_failing_account_does_not_disturb_others() -> None:
    def break_off(received: Received) -> bytes | None:
        whole = ok(received)
        return {"lost": None, "cut": whole[:-9], "none": b""}.get(received.key[:4], whole)

    def read(key: str) -> int | str:
        try:
            return count_workouts(server, connections, key)
        except HevyUnavailableError as error:
            return type(error).__name__

    keys = [f"{kind} {number}" for number in range(10) for kind in ("lost", "good", "fine")]
    with (
        serving(break_off) as server,
        HevyConnections() as connections,
        ThreadPoolExecutor(4) as pool,
    ):
        found = list(pool.map(read, keys))
    assert found == ["HevyUnavailableError", 6, 6] * 10


def test_an_account_that_must_wait_does_not_delay_others() -> None:
    """Retry-After holds for the account alone, although its requests share connections."""
    arrived = Event()

    def limit(received: Received) -> bytes:
        if received.key != "busy":
            return ok(received)
        arrived.set()
        return b"HTTP/1.1 429 Busy\r\nretry-after: 50\r\ncontent-length: 0\r\n\r\n"

    with (
        ThreadPoolExecutor(1) as pool,
        serving(limit) as server,
        HevyConnections() as connections,
    ):
        busy = client(server, connections, "busy", RetryPolicy())
        waiting = pool.submit(busy.workout_count)
        arrived.wait()
        for _ in range(5):
            assert count_workouts(server, connections, "other") == 6
        assert not waiting.done()
        busy.close()
        with pytest.raises(CancelledError):
            waiting.result()
        assert [one.key for one in server.requests].count("busy") == 1


def test_closed_connections_leave_neither_a_thread_nor_a_waiting_call() -> None:
    arrived, released = Event(), Event()

    def hold(received: Received) -> bytes:
        arrived.set()
        released.wait()
        return ok(received)

    with ThreadPoolExecutor(1) as pool, serving(hold) as server:
        threads = set(threading.enumerate())
        with HevyConnections() as connections:
            [thread] = set(threading.enumerate()) - threads - {*pool._threads}
            hevy = client(server, connections)
            waiting = pool.submit(hevy.workout_count)
            arrived.wait()
        assert not thread.is_alive()
        with pytest.raises(CancelledError):
            waiting.result()
        with pytest.raises(CancelledError, match="closed"):
            hevy.workout_count()
        with pytest.raises(CancelledError, match="closed"):
            next(hevy.pages(WORKOUTS))
        hevy.close()
        connections.close()
        released.set()


WRITES: dict[str, Callable[[HevyClient], object]] = {
    "POST": lambda hevy: hevy.create_body_measurement({"date": "2026-03-01", "weight_kg": 80}),
    "PUT": lambda hevy: hevy.update_routine("r", {"title": "Push", "exercises": []}),
}


@pytest.mark.parametrize("method", WRITES)
def test_a_write_is_not_lost_on_a_connection_that_the_server_is_closing(method: str) -> None:
    """The server closes an idle connection at the moment of the next request, unread."""

    def answer_first(received: Received) -> bytes | None:
        return ok(received) if received.number == 1 else None

    with (
        serving(answer_first) as server,
        shared_connections() as connections,
        client(server, connections, retry=RetryPolicy(first_wait_s=0)) as hevy,
    ):
        hevy.workout_count()
        WRITES[method](hevy)
        WRITES[method](hevy)
        # A read is repeated.
        hevy.workout_count()
    assert server.methods() == ["GET", method, method, "GET", "GET"]
    assert [one.number for one in server.requests] == [1, 1, 1, 2, 1]


def test_a_closed_idle_connection_is_replaced() -> None:
    """httpcore looks for the end of a connection before each use, so no attempt fails."""

    with (
        serving(keeps_open=False) as server,
        shared_connections() as connections,
        client(server, connections) as hevy,
    ):
        for number in range(1, 4):
            assert hevy.workout_count() == 3
            server.ended.get()
            assert server.connections == number


def test_a_connection_is_not_reused_after_a_long_idle_time() -> None:
    pool = ConnectionPool(idle_s=0)
    with (
        serving() as server,
        HevyConnections(pool) as connections,
        client(server, connections) as hevy,
    ):
        for number in range(1, 4):
            assert hevy.workout_count() == 3
            assert server.connections == number


@contextmanager
def interrupt_after(event: Event) -> Iterator[None]:
    """Interrupt the main thread once after the event, like Ctrl-C."""

    def interrupt() -> None:
        event.wait()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        yield
    finally:
        event.set()
        thread.join()
        signal.signal(signal.SIGINT, handler)


@pytest.mark.parametrize("is_shared", [True, False], ids=["shared", "own"])
@pytest.mark.parametrize("is_paged", [True, False], ids=["pages", "call"])
def test_an_interrupted_caller_cancels_its_request(is_shared: bool, is_paged: bool) -> None:
    arrived, released = Event(), Event()

    def hold(received: Received) -> bytes:
        if received.key == "interrupted" and "page=1&" not in received.path:
            arrived.set()
            released.wait()
        return ok(received)

    def read(hevy: HevyClient) -> None:
        if is_paged:
            list(hevy.pages(WORKOUTS))
        else:
            hevy.workout_count()

    with serving(hold) as server, HevyConnections() as connections:
        used = connections if is_shared else None
        with client(server, used, "interrupted") as hevy:
            with interrupt_after(arrived), pytest.raises(KeyboardInterrupt):
                read(hevy)
            released.set()
            server.ended.get(timeout=60)
        assert pending(connections) == 0
        assert count_workouts(server, used, "other") == 6


def test_a_key_is_never_sent_unencrypted_over_shared_connections() -> None:
    with HevyConnections() as connections, pytest.raises(HevyConfigError, match="unencrypted"):
        HevyClient("key", base_url="http://hevy.test", connections=connections)


def test_no_representation_and_no_log_holds_a_key(caplog: pytest.LogCaptureFixture) -> None:
    key = "marker-key-0123456789"
    with (
        caplog.at_level(logging.DEBUG),
        serving() as server,
        HevyConnections() as connections,
        client(server, connections, key) as hevy,
    ):
        hevy.workout_count()
        shown = [repr(vars(each)) for each in (hevy, connections, connections.pool)]
    assert server.requests[0].key == key
    assert key not in " ".join(shown)
    assert "send_request_headers" in caplog.text
    assert key not in caplog.text
