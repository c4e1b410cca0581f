"""A service with many accounts: whose it is, the key of a request tells."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hevy_connector.simulator.account import Account
from hevy_connector.simulator.faults import Faults
from hevy_connector.simulator.quirks import LIVE
from hevy_connector.simulator.server import _listener, _Server, _url, create_app
from hevy_connector.simulator.service import Service


@dataclass(frozen=True)
class ManyAccounts:
    """Where they are served, and each by its key."""

    url: str
    services: Mapping[str, Service]


@contextmanager
def running_accounts(accounts: Mapping[str, Account]) -> Iterator[ManyAccounts]:
    """Serve accounts by their keys from a thread."""
    services = {
        key: Service(account, key, LIVE, 0.0, Faults([])) for key, account in accounts.items()
    }
    apps = {key: create_app(service) for key, service in services.items()}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        key = dict(scope["headers"]).get(b"api-key", b"").decode()
        await apps.get(key, Response("", 401))(scope, receive, send)

    with _listener("127.0.0.1", 0) as listener:
        server = _Server(app)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        server.has_started.wait()
        try:
            yield ManyAccounts(_url(listener), services)
        finally:
            server.should_exit = True
            thread.join()
