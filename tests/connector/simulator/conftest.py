import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    Account,
    AccountState,
    Quirks,
    Service,
    SimulatedClock,
    create_app,
    demo_state,
)
from hevy_connector.simulator.api.quirks import LIVE

NOW = datetime(2026, 10, 7, 4, 0, tzinfo=UTC)
SEED = 1


class Api:
    """Client of the simulated service in this process, without a socket."""

    def __init__(self, account: Account, quirks: Quirks = LIVE) -> None:
        self.account = account
        self.service = Service(account, SIMULATOR_KEY, quirks)
        self.app = create_app(self.service)

    def call(
        self,
        method: str,
        path: str,
        *,
        key: str | None = SIMULATOR_KEY,
        client: tuple[str, int] = ("127.0.0.1", 1),
        headers: Mapping[str, str] | None = None,
        **sent: Any,
    ) -> httpx.Response:
        with_key = {**(headers or {}), **({} if key is None else {"api-key": key})}

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, client=client)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://hevy", headers=with_key
            ) as http:
                return await http.request(method, path, **sent)

        return asyncio.run(send())

    def get(self, path: str, **query: Any) -> Any:
        response = self.call("GET", path, params=query)
        assert response.status_code == 200, response.text
        return response.json()

    def pages(self, path: str, key: str, size: int) -> list[Any]:
        first = self.get(path, page=1, pageSize=size)
        rest = [
            self.get(path, page=page, pageSize=size) for page in range(2, first["page_count"] + 1)
        ]
        return [item for page in (first, *rest) for item in page[key]]


@pytest.fixture(scope="session")
def state() -> AccountState:
    """Return the demo athlete's state; every account built from it starts the same."""
    return demo_state(SEED, NOW)


@pytest.fixture
def api(state: AccountState) -> Api:
    return Api(Account(state, clock=SimulatedClock(NOW)))
