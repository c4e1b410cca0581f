import json
import logging
import subprocess
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from hevy_connector.client.async_client import ROUTINES, WORKOUTS
from hevy_connector.client.client import HevyClient
from hevy_connector.errors import (
    HevyAuthError,
    HevyConfigError,
    HevyError,
    HevyListMovedError,
    HevyNotFoundError,
    HevyRequestError,
    HevyResponseError,
    HevyUnavailableError,
)
from hevy_connector.http.limits import RetryPolicy
from hevy_connector.schemas import RoutineWrite

KEY = "marker-key-0123456789"
ONCE = RetryPolicy(attempts=1)

ROUTINE = {"id": "r", "title": "Push", "exercises": []}

Handler = Callable[[httpx.Request], httpx.Response]


def client(handler: Handler) -> HevyClient:
    return HevyClient(
        KEY, base_url="http://hevy.test", retry=ONCE, transport=httpx.MockTransport(handler)
    )


def pages(*contents: list[dict[str, Any]], key: str = "workouts") -> Handler:
    """Return a handler of a paged list; a page past the end returns 404 as the service does."""

    def handle(request: httpx.Request) -> httpx.Response:
        page = int(request.url.params["page"])
        if page > len(contents):
            return httpx.Response(404, json={"error": "Page not found"})
        body = {"page": page, "page_count": len(contents), key: contents[page - 1]}
        return httpx.Response(200, json=body)

    return handle


def test_all_pages_of_a_list_are_read() -> None:
    with client(pages([{"id": "a"}, {"id": "b"}], [{"id": "c"}])) as hevy:
        assert [workout["id"] for workout in hevy.payloads(WORKOUTS)] == ["a", "b", "c"]


def test_a_record_on_two_pages_means_that_another_one_is_missing() -> None:
    shifted = pages([{"id": "a"}, {"id": "b"}], [{"id": "b"}, {"id": "c"}])
    with client(shifted) as hevy, pytest.raises(HevyListMovedError, match="on two pages"):
        hevy.payloads(WORKOUTS)


def numbered(pages: dict[int, list[str]]) -> list[dict[str, Any]]:
    """Return the response to each page of a list with these ids."""
    return [
        {"page": page, "page_count": len(pages), "routines": [{"id": one} for one in ids]}
        for page, ids in pages.items()
    ]


def moving(*lists: dict[int, list[str]], change_after: int) -> Handler:
    """Return a handler that replaces its list after `change_after` requests; 404 past its end."""
    answered = 0

    def handle(request: httpx.Request) -> httpx.Response:
        nonlocal answered
        now = lists[min(answered // change_after, len(lists) - 1)]
        answered += 1
        page = int(request.url.params["page"])
        if page > max(len(now), 1):
            return httpx.Response(404)
        return httpx.Response(200, json=numbered(now)[page - 1])

    return handle


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        pytest.param([{1: []}], [], id="empty"),
        pytest.param([{1: ["a"]}], ["a"], id="one page"),
        pytest.param(
            [{1: ["b", "c"], 2: ["d"]}, {1: ["a", "b"], 2: ["c", "d"]}],
            ["a", "b", "c", "d"],
            id="one is added in front",
        ),
        pytest.param(
            [{1: ["a", "b"], 2: ["c", "d"], 3: ["e"]}, {1: ["b", "c"], 2: ["d", "e"]}],
            ["b", "c", "d", "e"],
            id="one is removed in front, and a page with it",
        ),
        pytest.param(
            [{1: ["a", "b"], 2: ["c", "d"]}, {1: ["a", "b"], 2: ["c", "d"], 3: ["e"]}],
            ["a", "b", "c", "d", "e"],
            id="one is added behind, and a page with it",
        ),
        pytest.param(
            [{1: ["a", "b"], 2: ["c", "d"], 3: ["e"]}, {1: ["b", "c"], 2: ["d", "a"], 3: ["e"]}],
            ["b", "c", "d", "a", "e"],
            id="one changes its place",
        ),
        pytest.param(
            [{1: ["a", "b"], 2: ["c", "d"], 3: ["e", "f"]}, {1: ["a", "b"], 2: ["d", "e"], 3: "f"}],
            ["a", "b", "d", "e", "f"],
            id="one is removed in the middle",
        ),
    ],
)
@pytest.mark.parametrize("change_after", [1, 2, 3, 4, 5, 6])
def test_a_list_that_moves_while_it_is_read_is_read_again(
    lists: list[dict[int, list[str]]], expected: list[str], change_after: int
) -> None:
    with client(moving(*lists, change_after=change_after)) as hevy:
        found = [routine["id"] for routine in hevy.payloads(ROUTINES)]
    before = [one for ids in lists[0].values() for one in ids]
    assert found in (before, expected)


def test_a_list_that_keeps_changing_is_an_error() -> None:
    answered = 0

    def handle(request: httpx.Request) -> httpx.Response:
        nonlocal answered
        answered += 1
        body = {"page_count": 2, "routines": [{"id": str(answered)}]}
        return httpx.Response(200, json=body)

    with client(handle) as hevy, pytest.raises(HevyUnavailableError, match="kept changing"):
        hevy.payloads(ROUTINES)
    assert answered == 3 * 4  # three times: page count, and the last page before and after


def broken_list(page_count: object, after: httpx.Response) -> Handler:
    """Return a handler with this page count on page 1 and one response to all other pages."""

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.params["page"] != "1":
            return after
        return httpx.Response(200, json={"page_count": page_count, "routines": [{"id": "1"}]})

    return handle


@pytest.mark.parametrize("page_count", [2, 9])
@pytest.mark.parametrize("status", [404, 500])
def test_a_list_that_breaks_off_is_an_error_and_not_a_shorter_list(
    page_count: int, status: int
) -> None:
    handle = broken_list(page_count, httpx.Response(status))
    with client(handle) as hevy, pytest.raises(HevyUnavailableError, match=str(status)):
        hevy.routines()


@pytest.mark.parametrize("page_count", [None, "2", 1.5, True, -1, [1]], ids=str)
def test_a_list_that_does_not_say_where_it_ends_is_not_taken_for_complete(
    page_count: object,
) -> None:
    handle = broken_list(page_count, httpx.Response(404))
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
        (httpx.Response(200, json=[1]), HevyResponseError, "answered without data"),
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


@pytest.mark.parametrize("answer", [{}, {"exercise_history": None}, {"exercise_history": {}}])
def test_a_history_that_is_no_list_is_an_error(answer: dict[str, Any]) -> None:
    with (
        client(lambda _: httpx.Response(200, json=answer)) as hevy,
        pytest.raises(HevyResponseError, match="without exercise_history"),
    ):
        hevy.exercise_history("79D0BB3A")


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
        {"routine": ROUTINE},
        {"routine": [ROUTINE]},
        ROUTINE,
        [ROUTINE],
        {"routine": {**ROUTINE, "exercises": None}},
    ],
    ids=["object", "list", "bare", "bare list", "null as an empty list"],
)
def test_a_routine_is_found_in_every_envelope(answer: dict[str, Any]) -> None:
    with client(lambda request: httpx.Response(200, json=answer)) as hevy:
        found = hevy.routine("r")
        assert (found.payload["id"], list(found.exercises)) == ("r", [])


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


def echoing(request: httpx.Request) -> httpx.Response:
    """Return a response that echoes the request's headers, like a proxy."""
    return httpx.Response(400, json={"error": f"refused: {dict(request.headers)}"})


def boasting(request: httpx.Request) -> httpx.Response:
    """Echo the key across the point at which the message is truncated."""
    return httpx.Response(400, json={"error": "x" * 180 + request.headers["api-key"]})


def shouting(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, text=f"<html>{request.headers['api-key']}</html>")


def breaking(request: httpx.Request) -> httpx.Response:
    raise httpx.RemoteProtocolError(f"bad header {request.headers['api-key']}")


def miscounting(request: httpx.Request) -> httpx.Response:
    key = request.headers["api-key"]
    return httpx.Response(200, json={"workout_count": key, "page_count": key, "routines": []})


@pytest.mark.parametrize("operation", ["user_info", "workout_count", "routines"])
@pytest.mark.parametrize(
    "handle",
    [echoing, boasting, shouting, breaking, miscounting],
    ids=lambda fault: fault.__name__,
)
def test_no_error_and_no_log_of_any_level_holds_the_key(
    handle: Handler, operation: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), client(handle) as hevy:
        with pytest.raises(HevyError) as caught:
            getattr(hevy, operation)()
        told = "".join(traceback.format_exception(caught.value.with_traceback(None)))
    assert KEY[:5] not in str(caught.value)
    assert KEY not in repr(caught.value)
    assert KEY not in caplog.text
    assert KEY not in told


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
        return httpx.Response(200, json=ROUTINE)

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


def test_an_unclosed_client_does_not_block_the_exit() -> None:
    script = "from hevy_connector.client.client import HevyClient; HevyClient('k')"
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


def test_a_client_may_be_closed_twice() -> None:
    with client(pages([])) as hevy:
        hevy.close()


def test_an_interrupted_reading_of_pages_ends_what_is_under_way() -> None:
    handle = pages(*([{"id": str(page)}] for page in range(40)))
    with client(handle) as hevy:
        reading = hevy.pages(WORKOUTS)
        assert next(reading) == [{"id": "0"}]
        reading.close()  # type: ignore[attr-defined]


TEMPLATE = {
    "title": "Row",
    "exercise_type": "weight_reps",
    "equipment_category": "barbell",
    "muscle_group": "lats",
}
ID = "5e0c1f7a-0b7b-4c53-9a39-3d1a6f6d0c11"


@pytest.mark.parametrize(
    "text", [ID, f'"{ID}"', f'{{"id": "{ID}"}}', f'{{"exercise": {{"id": "{ID}"}}}}'], ids=str
)
def test_the_id_of_a_new_exercise_is_found_in_every_answer(text: str) -> None:
    with client(lambda request: httpx.Response(200, text=text)) as hevy:
        assert hevy.create_exercise_template(TEMPLATE) == ID


@pytest.mark.parametrize("text", ["", "{}", '{"id": null}', "<html>gateway</html>"], ids=str)
def test_an_answer_without_an_id_is_looked_up_and_never_sent_again(text: str) -> None:
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request.method)
        if request.method == "POST":
            return httpx.Response(200, text=text)
        mine = {"id": ID, "title": "Row", "type": "weight_reps", "is_custom": True}
        return httpx.Response(200, json={"page_count": 1, "exercise_templates": [mine]})

    with client(handle) as hevy:
        assert hevy.create_exercise_template(TEMPLATE) == ID
    assert asked == ["POST", "GET"]


STARTED_AT = "2026-03-01T17:00:00+00:00"
CREATES: list[tuple[str, dict[str, Any], Callable[[HevyClient], object]]] = [
    (
        "routines",
        {"id": "new", "title": "Push", "exercises": []},
        lambda hevy: hevy.create_routine({"title": "Push", "exercises": []}).id,
    ),
    (
        "routine_folders",
        {"id": 7, "index": 0, "title": "Push"},
        lambda hevy: hevy.create_routine_folder({"title": "Push"}).id,
    ),
    (
        "workouts",
        {"id": "new", "title": "Push", "start_time": STARTED_AT, "exercises": []},
        lambda hevy: (
            hevy.create_workout(
                {"title": "Push", "start_time": STARTED_AT, "end_time": STARTED_AT, "exercises": []}
            ).id
        ),
    ),
]


@pytest.mark.parametrize(("key", "stored", "create"), CREATES, ids=["routine", "folder", "workout"])
def test_a_create_without_an_answer_finds_what_it_created(
    key: str, stored: dict[str, Any], create: Callable[[HevyClient], object]
) -> None:
    """By the title, among objects of today: one of last year is another one."""
    other = {**stored, "id": 8 if isinstance(stored["id"], int) else "other", "title": "Pull"}
    known = {**stored, "id": 9 if isinstance(stored["id"], int) else "old"}
    listed = [other, {**known, "created_at": "2020-01-01T00:00:00Z"}]

    def handle(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return httpx.Response(201, text="")
        return pages(listed, key=key)(request)

    with client(handle) as hevy:
        with pytest.raises(HevyResponseError, match="cannot be identified"):
            create(hevy)
        created_at = datetime.now(UTC).isoformat()
        listed.append({**stored, "created_at": created_at})
        assert create(hevy) == stored["id"]
        twice = {**stored, "id": 10 if isinstance(stored["id"], int) else "twice"}
        listed.append({**twice, "created_at": created_at})
        with pytest.raises(HevyResponseError, match="cannot be identified"):
            create(hevy)


def test_an_ambiguous_create_warns_that_it_may_have_been_carried_out() -> None:
    with (
        client(lambda request: httpx.Response(500)) as hevy,
        pytest.raises(HevyUnavailableError, match="may have been carried out"),
    ):
        hevy.create_routine_folder({"title": "Winter"})
