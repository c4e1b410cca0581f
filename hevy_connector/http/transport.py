"""Requests to an API with a rate limit and with retries where they are safe.

A read and a PUT may be repeated: they are idempotent. A POST may be repeated only if nothing of it
was sent, because an API without idempotency keys would carry it out twice.
"""

import asyncio
import random
import ssl
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

import httpx

from hevy_connector.http.addresses import is_confidential
from hevy_connector.http.limits import RateLimit, RetryPolicy

HEADERS: Mapping[str, str] = {
    "accept": "application/json",
    "accept-encoding": "gzip, deflate",
    "user-agent": "spotter",
}
"""Headers of every request to an API."""

_REPEATABLE = frozenset({"GET", "HEAD", "PUT"})
_TRANSIENT_STATUS = frozenset({429, 500, 502, 503, 504})
_NOTHING_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_ONE_SECOND = 1.0
_TIMEOUT = httpx.Timeout(30, connect=10)
# Seconds. Below the usual timeouts of servers, of which 5 s is the shortest: a server that closes
# an idle connection just when a request is sent costs the request an attempt.
_IDLE_CONNECTION_S = 2.0

Sleep = Callable[[float], Awaitable[None]]
Clock = Callable[[], float]


class UnencryptedUrlError(ValueError):
    """Requests with a secret would be readable for others; the text has the fix."""


class RateLimiter:
    """Limit concurrency and request rate. `pause(seconds)` delays all senders."""

    def __init__(
        self, limit: RateLimit, *, sleep: Sleep = asyncio.sleep, clock: Clock = time.monotonic
    ) -> None:
        self.places = asyncio.Semaphore(limit.in_flight)
        self._turns: deque[float] | None = (
            None if limit.per_second is None else deque(maxlen=limit.per_second)
        )
        self._sleep = sleep
        self._clock = clock
        self._paused_until = clock()

    async def acquire(self) -> None:
        """Wait until a request may be sent."""
        await self._keep_pace()
        while (wait_s := self._paused_until - self._clock()) > 0:
            await self._sleep(wait_s)
            await self._keep_pace()

    def pause(self, seconds: float) -> None:
        """Delay all senders: a 429 with Retry-After applies to the whole account."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    async def _keep_pace(self) -> None:
        """Wait until the slot one full queue earlier is a second old."""
        if self._turns is None:
            return
        is_full = len(self._turns) == self._turns.maxlen
        now = self._clock()
        at = max(now, self._turns[0] + _ONE_SECOND) if is_full else now
        self._turns.append(at)
        if at > now:
            await self._sleep(at - now)


class ConnectionPool(httpx.AsyncBaseTransport):
    """Connections that are reused by the requests of all senders that share the pool.

    A request that must not be repeated gets a connection of its own. On a reused one that the
    server closes at that moment, it would be lost without a sign of whether it was carried out.
    Connections are not limited: the senders' rate limits also limit the requests in flight. An idle
    one is closed after `idle_s` seconds.
    """

    def __init__(self, idle_s: float = _IDLE_CONNECTION_S) -> None:
        reused = httpx.Limits(keepalive_expiry=idle_s)
        self._reused = httpx.AsyncHTTPTransport(verify=_tls(), limits=reused)
        single_use = httpx.Limits(max_keepalive_connections=0)
        self._single_use = httpx.AsyncHTTPTransport(verify=_tls(), limits=single_use)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the extension `is_repeatable` selects the connection."""
        is_repeatable = request.extensions["is_repeatable"]
        transport = self._reused if is_repeatable else self._single_use
        return await transport.handle_async_request(request)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._reused.aclose()
        await self._single_use.aclose()


class Sender:
    """Send requests over one transport and return the last response or raise the last error.

    A transport is httpx without redirects and cookies, which an API does not need. A shared one
    stays open when the sender is closed.
    """

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport,
        policy: RetryPolicy,
        limit: RateLimit,
        *,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
        jitter: Callable[[], float] = random.random,
        is_shared: bool = False,
    ) -> None:
        self._transport = transport
        self._is_shared = is_shared
        self._policy = policy
        self._limiter = RateLimiter(limit, sleep=sleep, clock=clock)
        self._sleep = sleep
        self._clock = clock
        self._jitter = jitter

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        form: Mapping[str, str] | None = None,
        is_repeatable: bool | None = None,
    ) -> httpx.Response:
        """Send a request and read its whole response; retry after a temporary failure.

        The content is JSON of `body`, or else the fields of `form`.

        `is_repeatable` allows a retry of a request that may have been carried out. None: the method
        decides.

        Raises:
            httpx.TransportError: no complete response before the deadline.
        """
        if is_repeatable is None:
            is_repeatable = method in _REPEATABLE
        # A request keeps its slot between retries: at the end of the queue it would come too late.
        async with self._limiter.places:
            await self._limiter.acquire()
            deadline = self._clock() + self._policy.deadline_s
            for attempt in range(1, self._policy.attempts + 1):
                failure: httpx.TransportError | None = None
                response: httpx.Response | None = None
                # The deadline starts here, so that a queue of requests does not use up the time of
                # its last ones.
                request = httpx.Request(
                    method,
                    url,
                    headers=headers,
                    params=params,
                    json=body,
                    data=form,
                    extensions={"timeout": _TIMEOUT.as_dict(), "is_repeatable": is_repeatable},
                )
                try:
                    response = await self._answer(request, deadline - self._clock())
                except httpx.TransportError as error:
                    failure = error
                wait_s = self._wait_s(attempt, response)
                has_time = self._clock() + wait_s < deadline
                if response is not None and response.status_code == 429 and has_time:
                    self._limiter.pause(wait_s)
                is_last = attempt == self._policy.attempts or not has_time
                if is_last or not _may_repeat(response, failure, is_repeatable=is_repeatable):
                    break
                await self._sleep(wait_s)
                await self._limiter.acquire()
        if failure is not None:
            raise failure
        assert response is not None  # noqa: S101 - an attempt ends with a response or a failure
        return response

    async def aclose(self) -> None:
        """Close the connections, unless they are shared."""
        if not self._is_shared:
            await self._transport.aclose()

    async def _answer(self, request: httpx.Request, within_s: float) -> httpx.Response:
        """Return the response with its whole body; one that stalls or breaks off is a failure."""
        try:
            async with asyncio.timeout(within_s):
                response = await self._transport.handle_async_request(request)
                response.request = request
                try:
                    await response.aread()
                finally:
                    await response.aclose()
                return response
        except TimeoutError as error:
            raise httpx.ReadTimeout(
                f"no whole answer within {self._policy.deadline_s:g} s", request=request
            ) from error

    def _wait_s(self, attempt: int, response: httpx.Response | None) -> float:
        asked_s = retry_after_s(response) if response is not None else None
        if asked_s is not None:
            return asked_s
        longest: float = min(
            self._policy.first_wait_s * 2.0 ** (attempt - 1), self._policy.longest_wait_s
        )
        return longest * (0.5 + self._jitter() / 2)


def open_sender(
    base_url: str,
    retry: RetryPolicy | None = None,
    limit: RateLimit | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Sender:
    """Return the sender of requests to one service, over HTTPS or `transport`.

    A `ConnectionPool` as the transport is shared: its owner closes it.

    Raises:
        UnencryptedUrlError: a URL that is neither https nor on this machine, unless the transport
            is another one.
    """
    is_shared = isinstance(transport, ConnectionPool)
    if (transport is None or is_shared) and not is_confidential(base_url):
        raise UnencryptedUrlError(
            f"'{base_url}' would receive the key unencrypted; use https, or an address of this "
            "machine."
        )
    return Sender(
        transport or ConnectionPool(),
        retry or RetryPolicy(),
        limit or RateLimit(),
        is_shared=is_shared,
    )


@cache
def _tls() -> ssl.SSLContext:
    """Load the trusted certificates once: that takes longer than a request."""
    return httpx.create_ssl_context()


def _may_repeat(
    response: httpx.Response | None,
    failure: httpx.TransportError | None,
    *,
    is_repeatable: bool,
) -> bool:
    if failure is not None:
        return is_repeatable or isinstance(failure, _NOTHING_SENT)
    is_passing = response is not None and response.status_code in _TRANSIENT_STATUS
    return is_passing and is_repeatable


def retry_after_s(response: httpx.Response, now: datetime | None = None) -> float | None:
    """Parse `Retry-After`, given as seconds or as an HTTP date, and return seconds.

    None if the header is missing or malformed; never negative. Source: RFC 9110, 10.2.3.
    """
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    wait_s: float = (moment - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, wait_s)
