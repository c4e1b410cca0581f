"""HTTP server of the simulated service."""

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
from hevy_connector.simulator.api.delivery import deliver, wait_for_disconnect
from hevy_connector.simulator.api.faults import Faults
from hevy_connector.simulator.api.quirks import LIVE, Quirks
from hevy_connector.simulator.api.request_log import LoggedRequest, ReceivedRequest
from hevy_connector.simulator.api.service import APP_PREFIX, Service

SIMULATOR_KEY = "00000000-0000-4000-8000-000000000000"
"""The key of the demo account: public, since the simulator holds no secrets."""


@dataclass(frozen=True)
class RunningSimulator:
    """A running simulator: its URL and the state that determines its responses."""

    url: str
    service: Service

    @property
    def account(self) -> Account:
        """The served account; change it between requests or in `before_request`."""
        return self.service.account

    @property
    def faults(self) -> Faults:
        """The active faults: `faults.set(["429 every=3"])`, `faults.clear()`."""
        return self.service.faults

    @property
    def requests(self) -> list[LoggedRequest]:
        """Return all requests to the API so far, oldest first."""
        return self.service.log.entries()

    def before_request(self, callback: Callable[[ReceivedRequest], object] | None) -> None:
        """Call `callback` with each request to the API before it is processed; None removes it.

        It runs on the server's thread and may change the account.
        """
        self.service.before_request = callback


def create_app(service: Service) -> ASGIApp:
    """Build the ASGI application of a service.

    Requests are processed one after the other on the server's event loop, so the account needs no
    lock; only waits overlap.
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
        if remaining_s > 0 and await wait_for_disconnect(receive, within_s=remaining_s):
            return
        await deliver(answer.response, answer.fault, scope, receive, send)

    return app


def guarded_app(service: Service, host: str) -> ASGIApp:
    """Wrap the service in the request guard: other sites cannot reach the account."""
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
    """Serve the account from a thread; port 0 takes a free one. The thread ends at exit.

    Raises:
        OSError: the port is taken.
        FaultRuleError: a rule cannot be parsed.
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
    """Serve in the foreground until interrupted; `on_started` receives the URL.

    Raises:
        OSError: the port is taken.
    """
    with _listener(host, port) as listener:
        if on_started is not None:
            on_started(_url(listener))
        # uvicorn shuts down on an interrupt and then raises it again.
        with contextlib.suppress(KeyboardInterrupt):
            _Server(guarded_app(service, host)).run([listener])


class _Connection(H11Protocol):
    """A connection that the application can break and that never delays the server's shutdown."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}

    def shutdown(self) -> None:
        super().shutdown()
        self.transport.close()


class _Server(uvicorn.Server):
    """A server that signals its start or its failure to start, so that callers need not poll."""

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
    """Open a listening socket with TCP_NODELAY.

    asyncio sets it only for sockets that it opened itself. Without it the second half of each
    response waits some 40 ms for the acknowledgement of the first.
    """
    listener = socket.create_server((host, port))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}"
