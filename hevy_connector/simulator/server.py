"""The simulated service on HTTP: routes, the API key, the log of requests and the server itself."""

import contextlib
import json
import socket
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from hevy_connector.simulator.account import Account
from hevy_connector.simulator.operations import API_OPERATIONS, APP_OPERATIONS, Call, Operation
from hevy_connector.simulator.problem import ApiProblem

SIMULATOR_KEY = "00000000-0000-4000-8000-000000000000"
"""The key of the demo account: public, since the simulator guards nothing."""

_APP_PREFIX = "/simulator/"


class LoggedRequest(NamedTuple):
    """A request to the API and how it ended.

    `body` is the JSON that was sent, text where it was no JSON, None where there was none.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any
    status: int


class RequestLog:
    """All requests to the API in the order in which they were answered; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[LoggedRequest] = []

    def add(self, request: LoggedRequest) -> None:
        """Note one answered request."""
        with self._lock:
            self._requests.append(request)

    def entries(self) -> list[LoggedRequest]:
        """All requests so far, oldest first."""
        with self._lock:
            return list(self._requests)

    def summary(self) -> dict[str, Any]:
        """The log as JSON: `total`, `by_method` and the `requests` themselves."""
        entries = self.entries()
        return {
            "total": len(entries),
            "by_method": dict(Counter(entry.method for entry in entries)),
            "requests": [entry._asdict() for entry in entries],
        }


@dataclass(frozen=True)
class RunningSimulator:
    """A simulator that serves: where it is and whose account it serves."""

    url: str
    account: Account
    log: RequestLog

    @property
    def requests(self) -> list[LoggedRequest]:
        """All requests to the API so far, oldest first."""
        return self.log.entries()


def create_app(account: Account, *, api_key: str) -> Starlette:
    """The service as an ASGI application; its `state.log` is the `RequestLog`.

    Handlers run one after the other on the server's event loop, so the account needs no lock.
    """
    log = RequestLog()

    async def show_log(_: Request) -> Response:
        return JSONResponse(log.summary())

    async def guard(request: Request, call_next: RequestResponseEndpoint) -> Response:
        if request.url.path.startswith(_APP_PREFIX):
            return await call_next(request) if _is_local(request) else Response(status_code=403)
        body = await request.body()
        if request.headers.get("api-key") == api_key:
            response = await call_next(request)
        else:
            response = Response("InvalidApiKey", 401, media_type="text/html")
        log.add(_logged(request, body, response.status_code))
        return response

    routes = [
        Route(path, _endpoint(account, operation), methods=[method])
        for method, path, operation in (*API_OPERATIONS, *APP_OPERATIONS)
    ]
    app = Starlette(
        routes=[*routes, Route("/simulator/requests", show_log)],
        middleware=[Middleware(BaseHTTPMiddleware, dispatch=guard)],
        exception_handlers={404: _no_such_route, 405: _no_such_route},
    )
    app.router.redirect_slashes = False
    app.state.log = log
    return app


@contextlib.contextmanager
def running_simulator(
    account: Account, *, api_key: str, port: int = 0, host: str = "127.0.0.1"
) -> Iterator[RunningSimulator]:
    """Serve the account from a thread; port 0 takes a free one. At exit nothing runs any more.

    Raises:
        OSError: the port is taken.
    """
    app = create_app(account, api_key=api_key)
    with socket.create_server((host, port)) as listener:
        server = _Server(app)
        thread = threading.Thread(target=server.run, args=([listener],), name="hevy-simulator")
        thread.start()
        server.has_started.wait()
        try:
            yield RunningSimulator(_url(listener), account, app.state.log)
        finally:
            server.should_exit = True
            thread.join()


def serve(
    account: Account,
    *,
    api_key: str,
    port: int,
    host: str = "127.0.0.1",
    on_started: Callable[[str], None] | None = None,
) -> None:
    """Serve the account in the foreground until interrupted; `on_started` is told the URL.

    Raises:
        OSError: the port is taken.
    """
    with socket.create_server((host, port)) as listener:
        if on_started is not None:
            on_started(_url(listener))
        # uvicorn ends cleanly on an interrupt and then raises it again.
        with contextlib.suppress(KeyboardInterrupt):
            _Server(create_app(account, api_key=api_key)).run([listener])


class _Server(uvicorn.Server):
    """A server that tells when it has started (or failed to), so that nobody has to poll."""

    def __init__(self, app: Starlette) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=1,
            )
        )
        self.has_started = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.has_started.set()


def _endpoint(account: Account, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        call = Call(request.path_params, request.query_params, await request.body())
        try:
            return operation(account, call)
        except ApiProblem as problem:
            return JSONResponse(problem.body, problem.status)

    return endpoint


async def _no_such_route(request: Request, _: Exception) -> Response:
    return PlainTextResponse(f"Cannot {request.method} {request.url.path}", 404)


def _logged(request: Request, raw_body: bytes, status: int) -> LoggedRequest:
    try:
        body = json.loads(raw_body) if raw_body else None
    except ValueError:
        body = raw_body.decode(errors="replace")
    query = dict(request.query_params)
    return LoggedRequest(request.method, request.url.path, query, body, status)


def _is_local(request: Request) -> bool:
    return request.client is not None and ip_address(request.client.host).is_loopback


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}"
