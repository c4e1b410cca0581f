import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from hevy_connector.client import HevyClient
from hevy_connector.errors import (
    HevyAuthError,
    HevyConfigError,
    HevyError,
    HevyNotFoundError,
    HevyRequestError,
    HevyResponseError,
    HevyUnavailableError,
)
from hevy_connector.schemas import RoutineWrite
from hevy_connector.transport import RetryPolicy

KEY = "marker-key-0123456789"
ONCE = RetryPolicy(attempts=1)

Handler = Callable[[httpx.Request], httpx.Response]


def client(handler: Handler) -> HevyClient:
    return HevyClient(
        KEY, base_url="http://hevy.test", retry=ONCE, transport=httpx.MockTransport(handler)
    )


def pages(*contents: list[dict[str, Any]], key: str = "workouts") -> Handler:
    """A list in pages; a page past the end answers 404 as the service does."""

    def handle(request: httpx.Request) -> httpx.Response:
        page = int(request.url.params["page"])
        if page > len(contents):
            return httpx.Response(404, json={"error": "Page not found"})
        body = {"page": page, "page_count": len(contents), key: contents[page - 1]}
        return httpx.Response(200, json=body)

    return handle


def test_all_pages_of_a_list_are_read() -> None:
    with client(pages([{"id": "a"}, {"id": "b"}], [{"id": "c"}])) as hevy:
        assert [workout["id"] for workout in hevy.workouts()] == ["a", "b", "c"]


def test_a_record_that_a_shifting_page_shows_twice_is_kept_once() -> None:
    with client(pages([{"id": "a"}, {"id": "b"}], [{"id": "b"}, {"id": "c"}])) as hevy:
        assert [workout["id"] for workout in hevy.workouts()] == ["a", "b", "c"]


def routine_pages(*page_counts: object, after: httpx.Response) -> tuple[Handler, list[str]]:
    """One routine a page, each page with what it says of their number; and the pages asked for."""
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params["page"])
        if len(asked) > len(page_counts):
            return after
        body = {"page_count": page_counts[len(asked) - 1], "routines": [{"id": asked[-1]}]}
        return httpx.Response(200, json=body)

    return handle, asked


@pytest.mark.parametrize(
    ("page_counts", "expected"),
    [
        pytest.param((0,), ["1"], id="empty"),
        pytest.param((1,), ["1"], id="one page"),
        pytest.param((3, 2), ["1", "2"], id="shrinks while it is read"),
        pytest.param((2, 3, 3), ["1", "2", "3"], id="grows while it is read"),
    ],
)
def test_a_list_ends_where_its_last_page_says(
    page_counts: tuple[int, ...], expected: list[str]
) -> None:
    handle, asked = routine_pages(*page_counts, after=httpx.Response(404))
    with client(handle) as hevy:
        assert [routine["id"] for routine in hevy.routines()] == expected
    assert asked == expected


@pytest.mark.parametrize("page_count", [2, 9])
@pytest.mark.parametrize("status", [404, 500])
def test_a_list_that_breaks_off_is_an_error_and_not_a_shorter_list(
    page_count: int, status: int
) -> None:
    handle, _ = routine_pages(page_count, after=httpx.Response(status))
    with client(handle) as hevy, pytest.raises(HevyUnavailableError, match=str(status)):
        hevy.routines()


@pytest.mark.parametrize("page_count", [None, "2", 1.5, True, -1, [1]], ids=str)
def test_a_list_that_does_not_say_where_it_ends_is_not_taken_for_complete(
    page_count: object,
) -> None:
    handle, _ = routine_pages(page_count, after=httpx.Response(404))
    with client(handle) as hevy, pytest.raises(HevyResponseError, match="page_count"):
        hevy.routines()


def test_an_answer_that_cannot_be_unpacked_is_named() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        packed = httpx.ByteStream(b"no gzip")
        return httpx.Response(200, headers={"content-encoding": "gzip"}, stream=packed)

    with client(handle) as hevy, pytest.raises(HevyResponseError, match="GET user/info is damaged"):
        hevy.user_info()


@pytest.mark.parametrize("key", ["events", "workouts"])
def test_an_empty_feed_is_understood_under_either_name(key: str) -> None:
    with client(pages([], key=key)) as hevy:
        assert hevy.workout_events(datetime(2026, 3, 1, tzinfo=UTC)) == []


def test_the_feed_is_asked_in_utc() -> None:
    seen: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.params["since"])
        return httpx.Response(200, json={"page": 1, "page_count": 1, "events": []})

    with client(handle) as hevy:
        hevy.workout_events(datetime.fromisoformat("2026-03-01T10:00:00+02:00"))
    assert seen == ["2026-03-01T08:00:00.000000Z"]


@pytest.mark.parametrize(
    ("response", "kind", "words"),
    [
        (httpx.Response(401, text="InvalidApiKey"), HevyAuthError, "refused the API key"),
        (httpx.Response(429), HevyUnavailableError, "kept answering 429"),
        (httpx.Response(500), HevyUnavailableError, "kept answering 500"),
        (httpx.Response(404, json={"error": "nope"}), HevyNotFoundError, "nope"),
        (httpx.Response(400, json={"error": '"routine" is required'}), HevyRequestError, "requir"),
        (httpx.Response(302, headers={"location": "/"}), HevyRequestError, "302"),
        (httpx.Response(200, text="<html>"), HevyResponseError, "did not answer with JSON"),
        (httpx.Response(200, text='{"data": {"id": NaN}}'), HevyResponseError, "NaN"),
        (httpx.Response(200, json=[1]), HevyResponseError, "list where an object"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)[:20]),
)
def test_each_failure_has_its_own_error(
    response: httpx.Response, kind: type[HevyError], words: str
) -> None:
    with client(lambda request: response) as hevy, pytest.raises(kind, match=words) as caught:
        hevy.user_info()
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.value)


def test_an_unreachable_service_is_named_with_its_address() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Connection refused")

    with (
        client(handle) as hevy,
        pytest.raises(HevyUnavailableError, match=r"http://hevy\.test .*refused"),
    ):
        hevy.user_info()


@pytest.mark.parametrize(
    "answer",
    [
        {"routine": {"id": "r"}},
        {"routine": [{"id": "r"}]},
        {"id": "r"},
    ],
    ids=["object", "list", "bare"],
)
def test_a_routine_is_found_in_every_envelope(answer: dict[str, Any]) -> None:
    with client(lambda request: httpx.Response(200, json=answer)) as hevy:
        assert hevy.routine("r") == {"id": "r"}


def test_the_key_is_sent_and_shown_nowhere() -> None:
    sent: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers["api-key"])
        return httpx.Response(200, json={"workout_count": 3})

    with client(handle) as hevy:
        assert hevy.workout_count() == 3
        assert KEY not in repr(hevy)
        assert KEY not in repr(vars(hevy))
    assert sent == [KEY]


@pytest.mark.parametrize(
    ("key", "url"),
    [("", "http://hevy.test"), ("  ", "http://hevy.test"), ("ké\n", "http://hevy.test"),
     ("k", "hevy.test"), ("k", "ftp://hevy.test"), ("k", "http://"), ("k", "http://a:b")],
)  # fmt: skip
def test_a_client_without_a_usable_key_or_address_is_not_built(key: str, url: str) -> None:
    with pytest.raises(HevyConfigError):
        HevyClient(key, base_url=url)


@pytest.mark.parametrize("url", ["http://hevy.test", "http://hevy.test/", "http://hevy.test/v1"])
def test_the_address_may_be_given_with_or_without_its_version(url: str) -> None:
    paths: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.path)
        return httpx.Response(200, json={"workout_count": 0})

    with HevyClient(KEY, base_url=url, transport=httpx.MockTransport(handle)) as hevy:
        hevy.workout_count()
    assert paths == ["/v1/workouts/count"]


def test_a_routine_is_sent_without_what_the_service_rejects() -> None:
    bodies: list[dict[str, Any]] = []

    def handle(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return httpx.Response(200)

    routine = RoutineWrite.model_validate(
        {
            "title": "Push",
            "exercises": [
                {
                    "exercise_template_id": "7B8D84E8",
                    "sets": [
                        {"weight_kg": 40.0, "rep_range": {"start": 8, "end": 12}},
                        {"type": "failure", "rep_range": {"start": 8}},
                        {"reps": 10},
                    ],
                }
            ],
        }
    )
    empty = {"distance_meters": None, "duration_seconds": None, "custom_metric": None}
    expected = {
        "title": "Push",
        "exercises": [
            {
                "exercise_template_id": "7B8D84E8",
                "superset_id": None,
                "rest_seconds": None,
                "sets": [
                    {"type": "normal", "weight_kg": 40.0, "reps": None, **empty,
                     "rep_range": {"start": 8, "end": 12}},
                    {"type": "failure", "weight_kg": None, "reps": None, **empty,
                     "rep_range": {"start": 8}},
                    {"type": "normal", "weight_kg": None, "reps": 10, **empty},
                ],
            }
        ],
    }  # fmt: skip
    with client(handle) as hevy:
        hevy.update_routine("r", routine)
        hevy.create_routine(routine)
    assert bodies == [{"routine": expected}, {"routine": {**expected, "folder_id": None}}]
