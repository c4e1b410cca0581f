"""Sending requests to Hevy: no faster than allowed, and again only where that is safe.

A read and a PUT may be repeated: their second sending changes nothing more. A POST may be
repeated only if nothing of it was sent, because Hevy has no idempotency keys and no deletion.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

_REPEATABLE = frozenset({"GET", "HEAD", "PUT"})
_TRANSIENT_STATUS = frozenset({429, 500, 502, 503, 504})
_NOTHING_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_ONE_SECOND = 1.0
_TIMEOUT = httpx.Timeout(30, connect=10)

Sleep = Callable[[float], Awaitable[None]]
Clock = Callable[[], float]


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long to try. Times are seconds.

    The wait after attempt n is drawn from the upper half of `first_wait_s` x 2^(n - 1), at most
    `longest_wait_s`; a `Retry-After` of the service counts instead. `deadline_s` bounds one
    request with all its attempts and waits, from its first sending to the end of its answer.
    """

    attempts: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    deadline_s: float = 60.0


@dataclass(frozen=True)
class RateLimit:
    """How fast one account may be asked: requests at a time, and sent within any second.

    `per_second` None sets no limit of that kind. Hevy publishes no limits; these are polite.
    """

    in_flight: int = 4
    per_second: int | None = 5

    def __post_init__(self) -> None:
        if self.in_flight < 1 or (self.per_second is not None and self.per_second < 1):
            raise ValueError(f"a rate limit needs at least one request: {self}")


class RateLimiter:
    """Gives out places to be in flight and turns to send; after `hold` no turn for a while."""

    def __init__(
        self, limit: RateLimit, *, sleep: Sleep = asyncio.sleep, clock: Clock = time.monotonic
    ) -> None:
        self.places = asyncio.Semaphore(limit.in_flight)
        self._turns: deque[float] | None = (
            None if limit.per_second is None else deque(maxlen=limit.per_second)
        )
        self._sleep = sleep
        self._clock = clock
        self._held_until = clock()

    async def turn(self) -> None:
        """Wait until a request may be sent."""
        await self._keep_pace()
        while (wait_s := self._held_until - self._clock()) > 0:
            await self._sleep(wait_s)
            await self._keep_pace()

    def hold(self, seconds: float) -> None:
        """Let nobody send for so long: who is asked to wait waits with everything."""
        self._held_until = max(self._held_until, self._clock() + seconds)

    async def _keep_pace(self) -> None:
        """Wait until the turn that lies a full queue of turns back is a second old."""
        if self._turns is None:
            return
        is_full = len(self._turns) == self._turns.maxlen
        now = self._clock()
        at = max(now, self._turns[0] + _ONE_SECOND) if is_full else now
        self._turns.append(at)
        if at > now:
            await self._sleep(at - now)


class Sender:
    """Sends requests over one transport; the last answer or error is passed on.

    A transport is httpx without redirects, cookies and the like, which an API needs none of.
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
    ) -> None:
        self._transport = transport
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
        is_repeatable: bool | None = None,
    ) -> httpx.Response:
        """Send a request and read its answer whole, again after a passing failure.

        `is_repeatable` says whether it may be sent again although it may have been carried out;
        None: as its method allows.

        Raises:
            httpx.TransportError: no answer came, or none to its end, in the time there was.
        """
        if is_repeatable is None:
            is_repeatable = method in _REPEATABLE
        # A request keeps its place while it is repeated: behind all that wait for one, it would
        # come too late.
        async with self._limiter.places:
            await self._limiter.turn()
            deadline = self._clock() + self._policy.deadline_s
            for attempt in range(1, self._policy.attempts + 1):
                failure: httpx.TransportError | None = None
                response: httpx.Response | None = None
                # Made only now: those who wait their turn must not hold up the first ones.
                request = httpx.Request(
                    method,
                    url,
                    headers=headers,
                    params=params,
                    json=body,
                    extensions={"timeout": _TIMEOUT.as_dict()},
                )
                try:
                    response = await self._answer(request, deadline - self._clock())
                except httpx.TransportError as error:
                    failure = error
                wait_s = self._wait_s(attempt, response)
                has_time = self._clock() + wait_s < deadline
                if response is not None and response.status_code == 429 and has_time:
                    self._limiter.hold(wait_s)
                is_last = attempt == self._policy.attempts or not has_time
                if is_last or not _may_repeat(response, failure, is_repeatable=is_repeatable):
                    break
                await self._sleep(wait_s)
                await self._limiter.turn()
        if failure is not None:
            raise failure
        assert response is not None  # noqa: S101 - an attempt ends with an answer or a failure
        return response

    async def _answer(self, request: httpx.Request, within_s: float) -> httpx.Response:
        """The answer with its whole body: one that breaks off or drips on is a failure."""
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
    """Seconds that the service asks to wait, from `Retry-After` as seconds or as an HTTP date.

    None where the header is absent or unreadable; never negative. Source: RFC 9110, 10.2.3.
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
