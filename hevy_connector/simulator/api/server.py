"""The simulated service on HTTP."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from hevy_connector.request_guard import RequestGuard
from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.delivery import deliver, has_left
from hevy_connector.simulator.api.faults import Faults
from hevy_connector.simulator.api.quirks import LIVE, Quirks
from hevy_connector.simulator.api.request_log import LoggedRequest, ReceivedRequest
from hevy_connector.simulator.api.service import APP_PREFIX, Service

SIMULATOR_KEY = "00000000-0000-4000-8000-000000000000"
"""The key of the demo account: public, since the simulator guards nothing."""


@dataclass(frozen=True)
class RunningSimulator:
    """A simulator that serves: where it is and what decides its answers."""

    url: str
    service: Service

    @property
    def account(self) -> Account:
        """The account that is served; change it between requests or from `before_request`."""
        return self.service.account

    @property
    def faults(self) -> Faults:
        """What goes wrong: `faults.set(["429 every=3"])`, `faults.clear()`."""
        return self.service.faults

    @property
    def requests(self) -> list[LoggedRequest]:
        """All requests to the API so far, oldest first."""
        return self.service.log.entries()

    def before_request(self, callback: Callable[[ReceivedRequest], object] | None) -> None:
        """Call `callback` with each request to the API before it is looked at; None ends that.

        It runs on the thread that serves and may act on the account.
        """
        self.service.before_request = callback


def create_app(service: Service) -> ASGIApp:
    """The service as an ASGI application.

    Requests are looked at one after the other on the server's event loop, so the account needs no
    lock; only waiting overlaps.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        arrived_at = time.monotonic()
        request = Request(scope, receive)
        try:
            body = await request.body()
        except ClientDisconnect:
            return
        if request.scope["path"].startswith(APP_PREFIX):
            is_allowed = _is_local(request)
            response = service.handle_admin(request, body) if is_allowed else Response("", 403)
            await response(scope, receive, send)
            return
        answer = service.handle(request, body)
        remaining_s = arrived_at + service.latency_s - time.monotonic()
        if remaining_s > 0 and await has_left(receive, within_s=remaining_s):
            return
        await deliver(answer.response, answer.fault, scope, receive, send)

    return app


def guarded_app(service: Service, host: str) -> ASGIApp:
    """The service behind the guard of all servers: pages of other sites never reach the account."""
    return RequestGuard(create_app(service), (host,))


@contextlib.contextmanager
def running_simulator(
    account: Account,
    *,
    api_key: str,
    port: int = 0,
    host: str = "127.0.0.1",
    quirks: Quirks = LIVE,
    faults: Iterable[str] = (),
    latency_s: float = 0.0,
) -> Iterator[RunningSimulator]:
    """Serve the account from a thread; port 0 takes a free one. At exit nothing runs any more.

    Raises:
        OSError: the port is taken.
        FaultRuleError: a rule cannot be read.
    """
    service = Service(account, api_key, quirks, latency_s, Faults(faults))
    with _listener(host, port) as listener:
        server = _Server(guarded_app(service, host))
        thread = threading.Thread(target=server.run, args=([listener],), name="hevy-simulator")
        thread.start()
        server.has_started.wait()
        try:
            yield RunningSimulator(_url(listener), service)
        finally:
            server.should_exit = True
            thread.join()


def serve(
    service: Service,
    *,
    port: int,
    host: str = "127.0.0.1",
    on_started: Callable[[str], None] | None = None,
) -> None:
    """Serve in the foreground until interrupted; `on_started` is told the URL.

    Raises:
        OSError: the port is taken.
    """
    with _listener(host, port) as listener:
        if on_started is not None:
            on_started(_url(listener))
        # uvicorn ends cleanly on an interrupt and then raises it again.
        with contextlib.suppress(KeyboardInterrupt):
            _Server(guarded_app(service, host)).run([listener])


class _Connection(H11Protocol):
    """A connection that the application can break, and that never keeps the server from ending."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}

    def shutdown(self) -> None:
        super().shutdown()
        self.transport.close()


class _Server(uvicorn.Server):
    """A server that tells when it has started (or failed to), so that nobody has to poll."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=_Connection,
                log_config=None,
                loop="asyncio",
                access_log=False,
                lifespan="off",
                ws="none",
                server_header=False,
                headers=[("server", "Heroku"), ("x-powered-by", "Express")],
                timeout_graceful_shutdown=1,
            )
        )
        self.has_started = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.has_started.set()


def _is_local(request: Request) -> bool:
    return request.client is not None and ip_address(request.client.host).is_loopback


def _listener(host: str, port: int) -> socket.socket:
    """A listening socket whose answers go out at once.

    asyncio does that only for sockets that it opened itself; without it the second half of each
    answer waits some 40 ms for the first to be acknowledged.
    """
    listener = socket.create_server((host, port))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}"
