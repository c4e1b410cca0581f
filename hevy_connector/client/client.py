"""Synchronous client of the Hevy API."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar
from weakref import WeakSet

import httpx

from hevy_connector.client.async_client import AsyncHevyClient
from hevy_connector.client.connections import HevyConnections, cancel
from hevy_connector.connection.connection import Listing
from hevy_connector.connection.hevy_url import HEVY_URL
from hevy_connector.http.limits import RateLimit, RetryPolicy
from hevy_connector.http.transport import ConnectionPool
from hevy_connector.schemas import JsonObject

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(
    method: Callable[Concatenate[AsyncHevyClient, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["HevyClient", P], T]:
    """Wrap an asynchronous operation for synchronous callers."""

    @wraps(method)
    def call(self: "HevyClient", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._wait_for(method(self._client, *args, **kwargs))

    return call


async def _next(pages: AsyncIterator[T]) -> T:
    return await anext(pages)


async def _close(pages: AsyncGenerator[T, None]) -> None:
    await pages.aclose()


class HevyClient:
    """Synchronous `AsyncHevyClient`; use it as a context manager.

    Its requests run in the background thread of `connections`, which clients may share, or else of
    its own, so it works in a process with an event loop.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str = HEVY_URL,
        retry: RetryPolicy | None = None,
        limit: RateLimit | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        connections: HevyConnections | None = None,
    ) -> None:
        pool = ConnectionPool() if connections is None else connections.pool
        self._client = AsyncHevyClient(
            api_key, base_url=base_url, retry=retry, limit=limit, transport=transport or pool
        )
        self._is_owner = connections is None
        self._connections = connections or HevyConnections(pool)
        # Its own calls and readings of pages, since other clients may run on the same thread.
        self._calls: WeakSet[Coroutine[Any, Any, Any]] = WeakSet()
        self._readings: WeakSet[AsyncGenerator[list[JsonObject], None]] = WeakSet()

    def __repr__(self) -> str:
        return repr(self._client).removeprefix("Async")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Cancel pending requests, and close the connections unless they are shared."""
        with suppress(CancelledError):  # The connections may be closed already.
            self._wait_for(self._end())
        if self._is_owner:
            self._connections.close()

    def pages(self, listing: Listing) -> Iterator[list[JsonObject]]:
        """Yield pages like `AsyncHevyClient.pages`; the next ones are fetched in the background."""
        pages = self._client.pages(listing)
        self._readings.add(pages)
        while True:
            try:
                page = self._wait_for(_next(pages))
            except StopAsyncIteration:
                return
            try:
                yield page
            except GeneratorExit:  # A reading that fails or is interrupted has ended by itself.
                with suppress(CancelledError):  # The connections may be closed already.
                    self._wait_for(_close(pages))
                raise

    def _wait_for(self, call: Coroutine[Any, Any, T]) -> T:
        self._calls.add(call)
        waiting = self._connections.start(call)
        try:
            return waiting.result()
        except BaseException:
            # An interrupted caller cancels the pending request.
            waiting.cancel()
            raise

    async def _end(self) -> None:
        await cancel({task for task in asyncio.all_tasks() if task.get_coro() in self._calls})
        for pages in list(self._readings):
            await _close(pages)
        await self._client.aclose()

    payloads = _blocking(AsyncHevyClient.payloads)
    workouts = _blocking(AsyncHevyClient.workouts)
    workout_count = _blocking(AsyncHevyClient.workout_count)
    event_payloads = _blocking(AsyncHevyClient.event_payloads)
    events_and_count = _blocking(AsyncHevyClient.events_and_count)
    workout_events = _blocking(AsyncHevyClient.workout_events)
    workout = _blocking(AsyncHevyClient.workout)
    create_workout = _blocking(AsyncHevyClient.create_workout)
    update_workout = _blocking(AsyncHevyClient.update_workout)
    user_info = _blocking(AsyncHevyClient.user_info)
    routines = _blocking(AsyncHevyClient.routines)
    routine = _blocking(AsyncHevyClient.routine)
    create_routine = _blocking(AsyncHevyClient.create_routine)
    update_routine = _blocking(AsyncHevyClient.update_routine)
    routine_folders = _blocking(AsyncHevyClient.routine_folders)
    routine_folder = _blocking(AsyncHevyClient.routine_folder)
    create_routine_folder = _blocking(AsyncHevyClient.create_routine_folder)
    exercise_templates = _blocking(AsyncHevyClient.exercise_templates)
    exercise_template = _blocking(AsyncHevyClient.exercise_template)
    create_exercise_template = _blocking(AsyncHevyClient.create_exercise_template)
    exercise_history = _blocking(AsyncHevyClient.exercise_history)
    body_measurements = _blocking(AsyncHevyClient.body_measurements)
    body_measurement = _blocking(AsyncHevyClient.body_measurement)
    create_body_measurement = _blocking(AsyncHevyClient.create_body_measurement)
    update_body_measurement = _blocking(AsyncHevyClient.update_body_measurement)
