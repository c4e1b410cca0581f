"""Limits of the requests to one account: retries and rate."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    """Retry policy. Times are seconds.

    The wait after attempt n is drawn from the upper half of `first_wait_s` x 2^(n - 1), at most
    `longest_wait_s`. A `Retry-After` header replaces it. `deadline_s` limits one request with all
    attempts and waits, from the first byte sent to the end of the response.
    """

    attempts: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    deadline_s: float = 60.0


@dataclass(frozen=True)
class RateLimit:
    """Rate limit of one account: concurrent requests, and requests within any second.

    `per_second` None disables the second limit. The defaults are polite to an API that
    publishes no limits.
    """

    in_flight: int = 4
    per_second: int | None = 5

    def __post_init__(self) -> None:
        if self.in_flight < 1 or (self.per_second is not None and self.per_second < 1):
            raise ValueError(f"a rate limit needs at least one request: {self}")
