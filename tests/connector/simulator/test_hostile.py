"""No request crashes the service: it returns a response, and a rejection changes nothing."""

import json
import socket
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from hevy_connector.simulator import (
    LIVE,
    SIMULATOR_KEY,
    SPEC,
    Account,
    AccountState,
    Quirks,
    SimulatedClock,
    demo_state,
    running_simulator,
)
from tests.connector.simulator.bodies import FIRST_SET, changed, new_routine, new_workout
from tests.connector.simulator.conftest import NOW, Api
from tests.profiles import examples

JSON_HEADERS = {"content-type": "application/json"}
WORKOUTS = "/v1/workouts"


def _error(response: httpx.Response) -> str:
    assert response.status_code == 400, response.text
    error: str = response.json()["error"]
    return error


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"\xff\xfe",
        b'{"workout": NaN}',
        b'{"workout": Infinity}',
        b"[" * 100_000,
        b"[" * 65 + b"]" * 65,
        b'{"a":' * 500 + b"1" + b"}" * 500,
        b"1" * 5000,
        b'"' + b"\xed\xa0\x80" + b'"',
        b"\xef\xbb\xbf{}",
    ],
    ids=[
        "cut", "no UTF-8", "NaN", "Infinity", "endless", "deep list", "deep object", "long number",
        "half a pair", "byte order mark",
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused(api: Api, content: bytes) -> None:
    assert _error(api.call("POST", WORKOUTS, content=content, headers=JSON_HEADERS)) in (
        "Invalid JSON",
    )
    assert api.service.log.entries()[-1].status == 400
    assert api.call("GET", "/simulator/requests").status_code == 200


@pytest.mark.parametrize("content", [b"1", b'"x"', b"null", b"[]", b"true"])
def test_a_body_is_an_object(api: Api, content: bytes) -> None:
    response = api.call("POST", WORKOUTS, content=content, headers=JSON_HEADERS)
    assert _error(response) == '"value" must be of type object'


@pytest.mark.parametrize(
    "media_type", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonp"]
)
def test_a_body_that_is_not_declared_as_json_is_not_read(api: Api, media_type: str | None) -> None:
    headers = {} if media_type is None else {"content-type": media_type}
    content = json.dumps({"workout": new_workout()})
    response = api.call("POST", WORKOUTS, content=content, headers=headers)
    assert _error(response) == '"workout" is required'


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_is_read_however_it_is_declared(api: Api, media_type: str) -> None:
    content = json.dumps({"workout": new_workout()})
    headers = {"content-type": media_type}
    assert api.call("POST", WORKOUTS, content=content, headers=headers).status_code == 201


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        ("1e400", "must be a number"),
        ("-1e400", "must be a number"),
        ("1" + "0" * 400, "must be a safe number"),
        ("9007199254740992", "must be a safe number"),
        ("true", "must be a number"),
        ("null", None),
        ("8.0", None),
        ("8e0", None),
        ("-0", None),
        ("9007199254740991", None),
    ],
)
def test_numbers_are_those_of_javascript(api: Api, number: str, problem: str | None) -> None:
    body = json.dumps({"workout": changed(new_workout(), (*FIRST_SET, "reps"), "REPS")})
    content = body.replace('"REPS"', number)
    response = api.call("POST", WORKOUTS, content=content, headers=JSON_HEADERS)
    if problem is None:
        assert response.status_code == 201, response.text
    else:
        assert _error(response) == f'"workout.exercises[0].sets[0].reps" {problem}'


def test_odd_characters_come_back_as_they_were_sent(api: Api) -> None:
    title = "\x00 \u2028 \U0001f4aa é \\ \" ' </script>"
    body = {"workout": changed(new_workout(), ("title",), title)}
    [created] = api.call("POST", WORKOUTS, json=body).json()["workout"]
    assert api.get(f"{WORKOUTS}/{created['id']}")["title"] == title


def test_half_a_surrogate_pair_is_no_text(api: Api) -> None:
    content = json.dumps({"workout": changed(new_workout(), ("title",), "\ud83d")})
    error = _error(api.call("POST", WORKOUTS, content=content, headers=JSON_HEADERS))
    assert error == '"workout.title" must be a string'


@pytest.mark.parametrize("key", ["", "\x00", "a.b[0]", "__proto__"], ids=ascii)
def test_an_unknown_key_is_named_whatever_it_is(api: Api, key: str) -> None:
    content = json.dumps({"workout": new_workout() | {key: 1}})
    error = _error(api.call("POST", WORKOUTS, content=content, headers=JSON_HEADERS))
    assert error == f'"workout.{key}" is not allowed'


@pytest.mark.parametrize(
    "raw_id",
    [
        "x" * 10_000, "%00", "%2F", "..%2F..", "%F0%9F%92%AA", "%FF%FE", "%zz", "a+b",
        "'; drop table workouts", "{id}", "-1", "1e9", "9" * 50, "\u0663",
    ],
    ids=ascii,
)  # fmt: skip
@pytest.mark.parametrize(
    "path",
    ["workouts", "routines", "routine_folders", "exercise_templates", "body_measurements"],
)
def test_an_id_that_cannot_be_is_not_found(api: Api, path: str, raw_id: str) -> None:
    response = api.call("GET", f"/v1/{path}/{raw_id}")
    assert response.status_code == 404
    assert response.json()["error"].endswith("not found")


@pytest.mark.parametrize(
    "query",
    [
        "page=%FF", "page=%00", "page=1.5", "page=1e1", "page=\u0663", "page= 1", "page=+1",
        "page=0x1", "page=" + "9" * 5000, "page=1&page=2", "pageSize=5&pageSize=5",
        "page", "page=", "page=true", "page=null",
    ],
)  # fmt: skip
def test_a_page_that_cannot_be_is_refused(api: Api, query: str) -> None:
    assert api.call("GET", f"{WORKOUTS}?{query}").status_code == 400


@pytest.mark.parametrize("query", ["", "x=1", "&&&", "%FF=%FF", "page=1&unknown=%00", "=1"])
def test_other_query_parameters_do_not_matter(api: Api, query: str) -> None:
    assert api.call("GET", f"{WORKOUTS}?{query}").status_code == 200


@pytest.mark.parametrize(
    "since",
    ["now", "", "0", "2026", "2026-13-01", "2026-W01-1", "20260101", "2026-01-01T25:00:00Z",
     "0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00", "\u0662\u0660\u0662\u0666-01-01"],
)  # fmt: skip
def test_a_time_that_cannot_be_is_refused(api: Api, since: str) -> None:
    response = api.call("GET", "/v1/workouts/events", params={"since": since})
    assert _error(response) == "Invalid since"


@pytest.mark.parametrize(
    "since",
    ["2026-10-01", "2026-10-01T00:00", "2026-10-01T00:00:00", "2026-10-01T00:00:00.000Z",
     "2026-10-01t02:00:00+02:00", "2026-09-30T22:00:00.123456-0200"],
)  # fmt: skip
def test_a_time_may_be_written_in_any_iso_form(api: Api, since: str) -> None:
    events = api.get("/v1/workouts/events", since=since)["events"]
    assert {event["workout"]["start_time"] >= "2026-10-01" for event in events} == {True}


def test_the_account_never_holds_a_body_that_was_refused(api: Api) -> None:
    before = api.account.state()
    for method, path in (("POST", WORKOUTS), ("PUT", f"{WORKOUTS}/{before.workouts[0]['id']}")):
        spoiled = changed(new_workout(), (*FIRST_SET, "reps"), "six")
        api.call(method, path, json={"workout": spoiled})
    assert api.account.state() == before


def test_bytes_that_are_no_http_are_answered_and_the_next_caller_served() -> None:
    account = Account(AccountState(seed=1, user={"id": "u"}))
    with running_simulator(account, api_key="k") as simulator:
        url = httpx.URL(simulator.url)
        assert url.port is not None
        with socket.create_connection((url.host, url.port), timeout=5) as connection:
            connection.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 400")
        with socket.create_connection((url.host, url.port), timeout=5) as connection:
            connection.sendall(
                b"POST /v1/workouts HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{"
            )
        answer = httpx.get(f"{url}/v1/user/info", headers={"api-key": "k"})
        assert answer.status_code == 200


STATE = demo_state(1, NOW, weeks=1)
ROUTINE_ID, WORKOUT_ID = STATE.routines[0]["id"], STATE.workouts[0]["id"]
WRITES: list[tuple[str, str, Any]] = [
    ("POST", "/v1/workouts", {"workout": new_workout()}),
    ("PUT", f"/v1/workouts/{WORKOUT_ID}", {"workout": new_workout()}),
    ("POST", "/v1/routines", {"routine": new_routine() | {"folder_id": None}}),
    ("PUT", f"/v1/routines/{ROUTINE_ID}", {"routine": new_routine()}),
    ("POST", "/v1/routine_folders", {"routine_folder": {"title": "Winter"}}),
    ("POST", "/v1/exercise_templates", {"exercise": {"title": "x", "exercise_type": "duration",
     "equipment_category": "none", "muscle_group": "other"}}),
    ("POST", "/v1/body_measurements", {"date": "2026-10-07", "weight_kg": 80}),
    ("PUT", f"/v1/body_measurements/{STATE.measurements[0]['date']}", {"weight_kg": 80}),
    ("POST", "/simulator/workouts", new_workout()),
    ("PUT", f"/simulator/routines/{ROUTINE_ID}", new_routine()),
]  # fmt: skip
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(), part, max_size=4),
    max_leaves=10,
)


def _places(body: Any) -> list[tuple[str | int, ...]]:
    items = body.items() if isinstance(body, dict) else enumerate(body)
    found: list[tuple[str | int, ...]] = []
    for step, part in items:
        found.append((step,))
        if isinstance(part, dict | list):
            found.extend((step, *rest) for rest in _places(part))
    return found


@pytest.mark.parametrize("quirks", [LIVE, SPEC], ids=["live", "spec"])
@examples(150, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_json_anywhere_is_answered(quirks: Quirks, data: st.DataObject) -> None:
    api = Api(Account(STATE, clock=SimulatedClock(NOW)), quirks)
    method, path, body = data.draw(st.sampled_from(WRITES))
    place = data.draw(st.sampled_from(_places(body)))
    content = json.dumps(changed(body, place, data.draw(ANY_JSON)))
    before = api.account.state()
    response = api.call(method, path, content=content, headers=JSON_HEADERS)
    assert response.status_code in (200, 201, 400, 404, 409)
    if response.status_code >= 400:
        assert api.account.state() == before
    for kind in ("workouts", "routines", "routine_folders", "body_measurements"):
        assert api.call("GET", f"/v1/{kind}", key=SIMULATOR_KEY).status_code == 200
