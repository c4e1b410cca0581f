from datetime import UTC, datetime

import httpx
import pytest

from hevy_connector.transport import RetryPolicy, RetryTransport, retry_after_s

POLICY = RetryPolicy(attempts=4, first_wait_s=1.0, longest_wait_s=3.0, deadline_s=100.0)


class Scripted(httpx.BaseTransport):
    """Answers one after another as the script says and counts the requests."""

    def __init__(self, *answers: int | httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.sent = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else httpx.Response(answer)


def send(
    method: str, inner: Scripted, policy: RetryPolicy = POLICY
) -> tuple[httpx.Response, list[float]]:
    waits: list[float] = []
    transport = RetryTransport(inner, policy, sleep=waits.append, jitter=lambda: 1.0)
    request = httpx.Request(method, "http://127.0.0.1/v1/routines")
    return transport.handle_request(request), waits


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_what_may_be_repeated_is_repeated_with_growing_waits(method: str, status: int) -> None:
    inner = Scripted(status, status, status, 200)
    response, waits = send(method, inner)
    assert response.status_code == 200
    assert waits == [1.0, 2.0, 3.0]


def test_a_post_is_not_repeated_after_an_answer() -> None:
    inner = Scripted(503, 200)
    response, waits = send("POST", inner)
    assert (response.status_code, inner.sent, waits) == (503, 1, [])


def test_a_post_is_not_repeated_when_it_may_have_arrived() -> None:
    inner = Scripted(httpx.ReadTimeout("slow"), httpx.Response(200))
    with pytest.raises(httpx.ReadTimeout):
        send("POST", inner)
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


def test_the_service_says_how_long_to_wait() -> None:
    inner = Scripted(httpx.Response(429, headers={"retry-after": "7"}), 200)
    assert send("GET", inner)[1] == [7.0]


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    inner = Scripted(httpx.Response(429, headers={"retry-after": "600"}), 200)
    response, waits = send("GET", inner)
    assert (response.status_code, waits) == (429, [])


def test_the_last_failure_is_passed_on() -> None:
    inner = Scripted(*[httpx.ConnectError("refused")] * 4)
    with pytest.raises(httpx.ConnectError):
        send("GET", inner)
    assert inner.sent == 4


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("5", 5.0),
        ("Wed, 04 Mar 2026 18:00:30 GMT", 30.0),
        ("Wed, 04 Mar 2026 17:00:00 GMT", 0.0),
        ("Wed, 04 Mar 2026 18:00:30 -0000", 30.0),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value: str, expected: float | None) -> None:
    response = httpx.Response(429, headers={"retry-after": value})
    assert retry_after_s(response, now=datetime(2026, 3, 4, 18, tzinfo=UTC)) == expected
