"""Retries: where an HTTP request to Hevy may be sent again, and when.

A read and a PUT may be repeated: their second sending changes nothing more. A POST may be
repeated only if nothing of it was sent, because Hevy has no idempotency keys and no deletion.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

_REPEATABLE = frozenset({"GET", "HEAD", "PUT"})
_TRANSIENT_STATUS = frozenset({429, 500, 502, 503, 504})
_NOTHING_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long to try. Times are seconds.

    The wait before attempt n is drawn from the upper half of `first_wait_s` x 2^(n - 1), at most
    `longest_wait_s`; a `Retry-After` of the service counts instead. `deadline_s` bounds the waits
    of one request together.
    """

    attempts: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    deadline_s: float = 60.0


class RetryTransport(httpx.BaseTransport):
    """A transport that repeats what is safe to repeat; the last answer or error is passed on."""

    def __init__(
        self,
        inner: httpx.BaseTransport,
        policy: RetryPolicy | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._inner = inner
        self._policy = policy or RetryPolicy()
        self._sleep = sleep
        self._jitter = jitter

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request, again after a passing failure; see `RetryPolicy`."""
        waited_s = 0.0
        for attempt in range(1, self._policy.attempts + 1):
            response: httpx.Response | None = None
            try:
                response = self._inner.handle_request(request)
                if response.status_code not in _TRANSIENT_STATUS:
                    return response
                if request.method not in _REPEATABLE:
                    return response
            except httpx.TransportError as error:
                if request.method not in _REPEATABLE and not isinstance(error, _NOTHING_SENT):
                    raise
                if self._is_last(attempt, waited_s, wait_s := self._wait_s(attempt, None)):
                    raise
            else:
                wait_s = self._wait_s(attempt, response)
                if self._is_last(attempt, waited_s, wait_s):
                    return response
                response.close()
            self._sleep(wait_s)
            waited_s += wait_s
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        """Close the connections of the inner transport."""
        self._inner.close()

    def _is_last(self, attempt: int, waited_s: float, wait_s: float) -> bool:
        return attempt == self._policy.attempts or waited_s + wait_s > self._policy.deadline_s

    def _wait_s(self, attempt: int, response: httpx.Response | None) -> float:
        asked_s = retry_after_s(response) if response is not None else None
        if asked_s is not None:
            return asked_s
        longest: float = min(
            self._policy.first_wait_s * 2.0 ** (attempt - 1), self._policy.longest_wait_s
        )
        return longest * (0.5 + self._jitter() / 2)


def retry_after_s(response: httpx.Response, now: datetime | None = None) -> float | None:
    """Seconds that the service asks to wait, from `Retry-After` as seconds or as an HTTP date.

    None where the header is absent or unreadable; never negative. Source: RFC 9110, 10.2.3.
    """
    value = response.headers.get("retry-after", "").strip()
    if value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    wait_s: float = (moment - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, wait_s)
