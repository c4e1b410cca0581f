import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

import httpx
import pytest

from hevy_connector.http.limits import RateLimit, RetryPolicy
from hevy_connector.http.transport import RateLimiter, Sender, retry_after_s

POLICY = RetryPolicy(attempts=4, first_wait_s=1.0, longest_wait_s=3.0, deadline_s=100.0)


class Time:
    """A clock that only waits advance."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def read(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Scripted(httpx.AsyncBaseTransport):
    """Returns scripted responses in order and counts the requests."""

    def __init__(self, *answers: int | httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.sent = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else httpx.Response(answer)


class BreaksOff(httpx.AsyncByteStream):
    """A body whose connection fails in the middle."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b'{"page":'
        raise httpx.RemoteProtocolError("peer closed connection")


def send(
    method: str,
    inner: Scripted,
    policy: RetryPolicy = POLICY,
    *,
    is_repeatable: bool | None = None,
) -> tuple[httpx.Response, list[float]]:
    time = Time()

    async def run() -> httpx.Response:
        sender = Sender(
            inner,
            policy,
            RateLimit(per_second=None),
            sleep=time.sleep,
            clock=time.read,
            jitter=lambda: 1.0,
        )
        return await sender.send(
            method, "http://127.0.0.1/v1/routines", is_repeatable=is_repeatable
        )

    return asyncio.run(run()), time.waits


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_what_may_be_repeated_is_repeated_with_growing_waits(method: str, status: int) -> None:
    inner = Scripted(status, status, status, 200)
    response, waits = send(method, inner)
    assert response.status_code == 200
    assert waits == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize(
    "failing",
    [
        lambda: httpx.ConnectError("refused"),
        lambda: httpx.ReadTimeout("slow"),
        lambda: httpx.RemoteProtocolError("reset"),
        lambda: httpx.Response(200, stream=BreaksOff()),
    ],
    ids=["no connection", "timeout", "reset", "body breaks off"],
)
def test_a_lost_answer_is_asked_for_again(
    method: str, failing: Callable[[], httpx.Response | Exception]
) -> None:
    response, waits = send(method, Scripted(failing(), 200))
    assert (response.status_code, waits) == (200, [1.0])


def test_a_post_is_not_repeated_after_an_answer() -> None:
    inner = Scripted(503, 200)
    response, waits = send("POST", inner)
    assert (response.status_code, inner.sent, waits) == (503, 1, [])


@pytest.mark.parametrize(
    "failure",
    [httpx.ReadTimeout("slow"), httpx.Response(201, stream=BreaksOff())],
    ids=["timeout", "body breaks off"],
)
def test_a_post_is_not_repeated_when_it_may_have_arrived(
    failure: httpx.Response | Exception,
) -> None:
    inner = Scripted(failure, 200)
    with pytest.raises(httpx.TransportError):
        send("POST", inner)
    assert inner.sent == 1


@pytest.mark.parametrize(
    "failure", [httpx.ReadTimeout("slow"), httpx.Response(503)], ids=["timeout", "503"]
)
def test_a_put_that_is_to_be_sent_once_is_not_repeated_when_it_may_have_arrived(
    failure: httpx.Response | Exception,
) -> None:
    inner = Scripted(failure, 200)
    with contextlib.suppress(httpx.ReadTimeout):
        send("PUT", inner, is_repeatable=False)
    assert inner.sent == 1


def test_a_post_is_repeated_when_nothing_was_sent() -> None:
    inner = Scripted(httpx.ConnectError("refused"), 200)
    response, _ = send("POST", inner)
    assert (response.status_code, inner.sent) == (200, 2)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409])
def test_a_refusal_is_final(status: int) -> None:
    inner = Scripted(status, 200)
    assert send("GET", inner)[0].status_code == status
    assert inner.sent == 1


def test_retry_after_sets_the_wait() -> None:
    inner = Scripted(httpx.Response(503, headers={"retry-after": "7"}), 200)
    assert send("GET", inner)[1] == [7.0]


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    inner = Scripted(httpx.Response(429, headers={"retry-after": "600"}), 200)
    response, waits = send("GET", inner)
    assert (response.status_code, waits) == (429, [])


def test_an_answer_that_drips_on_ends_at_the_deadline() -> None:
    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b"x"
                await asyncio.sleep(0.001)

    async def run() -> httpx.Response:
        transport = Scripted(httpx.Response(200, stream=Endless()))
        sender = Sender(transport, RetryPolicy(deadline_s=0.05), RateLimit())
        return await sender.send("GET", "http://127.0.0.1/")

    with pytest.raises(httpx.ReadTimeout, match=r"within 0\.05 s"):
        asyncio.run(run())


def test_the_last_failure_is_passed_on() -> None:
    inner = Scripted(*[httpx.ConnectError("refused")] * 4)
    with pytest.raises(httpx.ConnectError):
        send("GET", inner)
    assert inner.sent == 4


def starts(limit: RateLimit, count: int, *, pause_after_first_s: float = 0.0) -> list[float]:
    """Return the send time of each of `count` simultaneous requests; each lasts 0.1 s."""
    time = Time()
    found: list[float] = []

    async def run() -> None:
        limiter = RateLimiter(limit, sleep=time.sleep, clock=time.read)

        async def request() -> None:
            await limiter.acquire()
            found.append(time.read())
            if len(found) == 1 and pause_after_first_s:
                limiter.pause(pause_after_first_s)

        for _ in range(count):
            await request()

    asyncio.run(run())
    return found


def test_no_second_holds_more_requests_than_allowed() -> None:
    found = starts(RateLimit(per_second=5), 12)
    assert found == [0.0] * 5 + [1.0] * 5 + [2.0] * 2


def test_a_429_pauses_all_senders() -> None:
    found = starts(RateLimit(per_second=None), 3, pause_after_first_s=7.0)
    assert found == [0.0, 7.0, 7.0]


def test_a_waiting_sender_is_paused_too() -> None:
    time = Time()
    found: list[float] = []

    async def run() -> None:
        limiter = RateLimiter(RateLimit(per_second=1), sleep=time.sleep, clock=time.read)
        await limiter.acquire()
        waiting = asyncio.create_task(limiter.acquire())
        await asyncio.sleep(0)
        limiter.pause(10.0)
        await waiting
        found.append(time.read())

    asyncio.run(run())
    assert found[0] >= 10.0


class Slow(httpx.AsyncBaseTransport):
    """Counts concurrent requests; the first of all fails once."""

    def __init__(self) -> None:
        self.in_flight = self.most = self.sent = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        status = 500 if self.sent == 1 else 200
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        for _ in range(3):
            await asyncio.sleep(0)
        self.in_flight -= 1
        return httpx.Response(status)


def send_many(count: int, limit: RateLimit, policy: RetryPolicy) -> tuple[Slow, list[int]]:
    """Send this many reads at once, with a clock that only waits advance."""
    time, transport = Time(), Slow()

    async def run() -> list[int]:
        sender = Sender(transport, policy, limit, sleep=time.sleep, clock=time.read)
        answers = await asyncio.gather(
            *(sender.send("GET", "http://127.0.0.1/") for _ in range(count))
        )
        return [answer.status_code for answer in answers]

    return transport, asyncio.run(run())


def test_no_more_requests_are_in_flight_than_allowed() -> None:
    transport, _ = send_many(20, RateLimit(in_flight=4, per_second=None), POLICY)
    assert (transport.most, transport.in_flight) == (4, 0)


def test_a_long_queue_behind_a_failed_request_does_not_use_up_its_time() -> None:
    # 600 requests at 5 a second take two minutes, the deadline of each is one.
    transport, statuses = send_many(600, RateLimit(), RetryPolicy())
    assert set(statuses) == {200}
    assert transport.sent == 601


def test_a_429_to_a_write_pauses_the_others_too() -> None:
    inner = Scripted(httpx.Response(429, headers={"retry-after": "7"}), 200)
    time = Time()

    async def run() -> None:
        limit = RateLimit(per_second=None)
        sender = Sender(inner, POLICY, limit, sleep=time.sleep, clock=time.read)
        assert (await sender.send("POST", "http://127.0.0.1/")).status_code == 429
        await sender.send("GET", "http://127.0.0.1/")

    asyncio.run(run())
    assert time.now == 7.0


@pytest.mark.parametrize("limit", [{"in_flight": 0}, {"per_second": 0}, {"in_flight": -1}], ids=str)
def test_a_limit_that_lets_nothing_through_is_refused(limit: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        RateLimit(**limit)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("5", 5.0),
        ("Wed, 04 Mar 2026 18:00:30 GMT", 30.0),
        ("Wed, 04 Mar 2026 17:00:00 GMT", 0.0),
        ("Wed, 04 Mar 2026 18:00:30 -0000", 30.0),
        ("soon", None),
        ("\u00b2", None),
        ("", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value: str, expected: float | None) -> None:
    response = httpx.Response(429, headers={"retry-after": value.encode("latin-1")})
    assert retry_after_s(response, now=datetime(2026, 3, 4, 18, tzinfo=UTC)) == expected
