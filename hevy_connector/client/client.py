"""The Hevy API client for code that is not asynchronous."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from threading import Thread
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx

from hevy_connector.client.async_client import AsyncHevyClient
from hevy_connector.client.connection import HEVY_URL, Listing
from hevy_connector.client.transport import RateLimit, RetryPolicy
from hevy_connector.schemas import JsonObject

P = ParamSpec("P")
T = TypeVar("T")


def _synchronous(
    method: Callable[Concatenate[AsyncHevyClient, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["HevyClient", P], T]:
    """The same operation for a caller who waits for it."""

    @wraps(method)
    def call(self: "HevyClient", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._wait_for(method(self._client, *args, **kwargs))

    return call


async def _next(pages: AsyncIterator[T]) -> T:
    return await anext(pages)


class HevyClient:
    """`AsyncHevyClient` for code that is not asynchronous; use it as a context manager.

    It keeps one thread in which its requests run, so it works beside any event loop.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str = HEVY_URL,
        retry: RetryPolicy | None = None,
        limit: RateLimit | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._client = AsyncHevyClient(
            api_key, base_url=base_url, retry=retry, limit=limit, transport=transport
        )
        self._loop = asyncio.new_event_loop()
        # A client that nobody closes must not keep the process from ending.
        self._thread = Thread(target=self._loop.run_forever, name="hevy-client", daemon=True)
        self._thread.start()

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
        """Close the connections and end the thread."""
        if self._loop.is_closed():
            return
        self._wait_for(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def pages(self, listing: Listing) -> Iterator[list[JsonObject]]:
        """See `AsyncHevyClient.pages`; the next pages come in while the caller uses one."""
        pages = self._client.pages(listing)
        try:
            while True:
                try:
                    page = self._wait_for(_next(pages))
                except StopAsyncIteration:
                    return
                yield page
        finally:
            self._wait_for(pages.aclose())

    def _wait_for(self, call: Coroutine[Any, Any, T]) -> T:
        waiting = asyncio.run_coroutine_threadsafe(call, self._loop)
        try:
            return waiting.result()
        except BaseException:
            # Whoever is interrupted waits for nothing any more.
            waiting.cancel()
            raise

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._client.aclose()

    payloads = _synchronous(AsyncHevyClient.payloads)
    workouts = _synchronous(AsyncHevyClient.workouts)
    workout_count = _synchronous(AsyncHevyClient.workout_count)
    event_payloads = _synchronous(AsyncHevyClient.event_payloads)
    news = _synchronous(AsyncHevyClient.news)
    workout_events = _synchronous(AsyncHevyClient.workout_events)
    workout = _synchronous(AsyncHevyClient.workout)
    create_workout = _synchronous(AsyncHevyClient.create_workout)
    update_workout = _synchronous(AsyncHevyClient.update_workout)
    user_info = _synchronous(AsyncHevyClient.user_info)
    routines = _synchronous(AsyncHevyClient.routines)
    routine = _synchronous(AsyncHevyClient.routine)
    create_routine = _synchronous(AsyncHevyClient.create_routine)
    update_routine = _synchronous(AsyncHevyClient.update_routine)
    routine_folders = _synchronous(AsyncHevyClient.routine_folders)
    routine_folder = _synchronous(AsyncHevyClient.routine_folder)
    create_routine_folder = _synchronous(AsyncHevyClient.create_routine_folder)
    exercise_templates = _synchronous(AsyncHevyClient.exercise_templates)
    exercise_template = _synchronous(AsyncHevyClient.exercise_template)
    create_exercise_template = _synchronous(AsyncHevyClient.create_exercise_template)
    exercise_history = _synchronous(AsyncHevyClient.exercise_history)
    body_measurements = _synchronous(AsyncHevyClient.body_measurements)
    body_measurement = _synchronous(AsyncHevyClient.body_measurement)
    create_body_measurement = _synchronous(AsyncHevyClient.create_body_measurement)
    update_body_measurement = _synchronous(AsyncHevyClient.update_body_measurement)
