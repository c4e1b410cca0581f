"""Connections to Hevy that clients of many accounts share."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Self, TypeVar

from hevy_connector.http.transport import ConnectionPool

T = TypeVar("T")


class HevyConnections:
    """One pool of connections and the background thread that serves it; use as a context manager.

    The clients of a step share them, so that not each account costs a thread and TLS handshakes.
    Limits and retries stay those of each client, and requests carry its key. Pending requests are
    cancelled at the end.
    """

    def __init__(self, pool: ConnectionPool | None = None) -> None:
        self.pool = pool or ConnectionPool()
        self._loop = asyncio.new_event_loop()
        # No call may start after the last task of the loop: its caller would wait forever.
        self._lock = Lock()
        self._is_closed = False
        # Connections that are never closed must not block the exit of the process.
        self._thread = Thread(target=self._loop.run_forever, name="hevy-client", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self, call: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a call on the background thread.

        Raises:
            CancelledError: the connections are closed. A pending call is cancelled, too.
        """
        with self._lock:
            if self._is_closed:
                call.close()
                raise CancelledError("The connections to Hevy are closed.")
            return asyncio.run_coroutine_threadsafe(call, self._loop)

    def close(self) -> None:
        """Cancel pending calls, close the connections and stop the thread."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            ending = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        try:
            ending.result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _end(self) -> None:
        await cancel(asyncio.all_tasks())
        await self.pool.aclose()


async def cancel(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel these tasks, except for the current one, and wait for their end."""
    others = tasks - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
