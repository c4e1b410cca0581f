"""Each difference between the live service and its specification, one switch at a time."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hevy_connector.simulator import (
    LIVE,
    SPEC,
    Account,
    AccountState,
    QuirkError,
    SimulatedClock,
    parse_quirks,
)
from hevy_connector.simulator.api.quirks import switch_values
from tests.connector.simulator.bodies import FIRST_SET, REMOVED, changed, new_routine, new_workout
from tests.connector.simulator.conftest import NOW, Api

Ask = Callable[[Api], Any]


@pytest.fixture
def with_switch(state: AccountState) -> Callable[[str], Api]:
    def make(switch: str) -> Api:
        return Api(Account(state, clock=SimulatedClock(NOW)), parse_quirks("live", [switch]))

    return make


def _put_workout(api: Api, **changes: Any) -> Any:
    workout_id = api.account.workouts()[0]["id"]
    body = {"workout": new_workout() | changes}
    return api.call("PUT", f"/v1/workouts/{workout_id}", json=body)


def _put_routine(api: Api, body: dict[str, Any]) -> Any:
    routine_id = api.account.routines()[0]["id"]
    return api.call("PUT", f"/v1/routines/{routine_id}", json={"routine": body})


def _post_routine(api: Api, body: dict[str, Any]) -> Any:
    return api.call("POST", "/v1/routines", json={"routine": {"folder_id": None} | body})


def _new_exercise(api: Api, **changes: Any) -> Any:
    exercise = {
        "title": "Ring Row",
        "exercise_type": "bodyweight_reps",
        "equipment_category": "suspension",
        "muscle_group": "upper_back",
    }
    return api.call("POST", "/v1/exercise_templates", json={"exercise": exercise | changes})


def _without_privacy(api: Api, method: str) -> tuple[int, str]:
    body = {"workout": changed(new_workout(), ("is_private",), REMOVED)}
    workout_id = api.account.workouts()[0]["id"]
    path = "/v1/workouts" if method == "POST" else f"/v1/workouts/{workout_id}"
    response = api.call(method, path, json=body)
    return response.status_code, response.text if response.status_code >= 400 else ""


def _range(value: object) -> dict[str, Any]:
    return changed(new_routine(), (*FIRST_SET, "rep_range"), value)


def _new_measurement(api: Api, **measured: Any) -> int:
    body = {"date": "2026-10-07"} | measured
    return api.call("POST", "/v1/body_measurements", json=body).status_code


def _omitting_notes(api: Api) -> tuple[str, str]:
    before = api.account.routines()[0]
    api.account.edit_workout(
        api.account.workouts()[0]["id"], api.account.workouts()[0] | {"description": "hard"}
    )
    routine = _put_routine(api, changed(new_routine(), ("notes",), REMOVED)).json()["routine"][0]
    [workout] = _put_workout(api).json()["workout"]
    kept = "kept" if routine["notes"] == before["notes"] != "" else routine["notes"]
    return kept, workout["description"]


SWITCHES: list[tuple[str, Ask, Any]] = [
    ("workout_put_shape=array", lambda api: list(_put_workout(api).json()), ["workout"]),
    ("workout_put_shape=bare", lambda api: next(iter(_put_workout(api).json())), "id"),
    (
        "routine_write_shape=array",
        lambda api: [
            type(write(api, new_routine()).json()["routine"])
            for write in (_post_routine, _put_routine)
        ],
        [list, list],
    ),
    (
        "routine_write_shape=object",
        lambda api: [
            type(write(api, new_routine()).json()["routine"])
            for write in (_post_routine, _put_routine)
        ],
        [dict, dict],
    ),
    ("folder_shape=wrapped", lambda api: list(_new_folder(api)), ["routine_folder"]),
    ("folder_shape=bare", lambda api: list(_new_folder(api))[:2], ["id", "index"]),
    ("template_post=text", lambda api: len(_new_exercise(api).text), 36),
    ("template_post=json", lambda api: _new_exercise(api).json(), {"id": 1001}),
    (
        "empty_events_key=workouts",
        lambda api: list(_no_events(api)),
        ["page", "page_count", "workouts"],
    ),
    (
        "empty_events_key=events",
        lambda api: list(_no_events(api)),
        ["page", "page_count", "events"],
    ),
    (
        "measurement_read=sparse",
        lambda api: list(api.get("/v1/body_measurements/2026-10-06")),
        ["id", "date", "weight_kg", "created_at"],
    ),
    ("measurement_read=full", lambda api: _full_measurement(api), (18, None, None)),
    ("routine_notes_on_read=yes", lambda api: _notes_on_read(api), [True, True, True]),
    ("routine_notes_on_read=no", lambda api: _notes_on_read(api), [False, False, False]),
    (
        "empty_notes=reject",
        lambda api: _put_routine(api, new_routine() | {"notes": ""}).status_code,
        400,
    ),
    (
        "empty_notes=accept",
        lambda api: _put_routine(api, new_routine() | {"notes": ""}).status_code,
        200,
    ),
    ("null_rep_range=reject_put", lambda api: _put_routine(api, _range(None)).status_code, 400),
    ("null_rep_range=reject_put", lambda api: _post_routine(api, _range(None)).status_code, 201),
    ("null_rep_range=accept", lambda api: _put_routine(api, _range(None)).status_code, 200),
    ("put_omitted_notes=clear", _omitting_notes, ("", "")),
    ("put_omitted_notes=keep", _omitting_notes, ("kept", "hard")),
    ("is_private=optional", lambda api: _without_privacy(api, "POST"), (201, "")),
    ("is_private=optional", lambda api: _without_privacy(api, "PUT"), (200, "")),
    (
        "is_private=required",
        lambda api: _without_privacy(api, "POST"),
        (400, r'{"error":"\"workout.is_private\" is required"}'),
    ),
    ("is_private=required", lambda api: _without_privacy(api, "PUT"), (500, "")),
    (
        "put_folder_id=accept",
        lambda api: _put_routine(api, new_routine() | {"folder_id": None}).status_code,
        200,
    ),
    (
        "put_folder_id=reject",
        lambda api: _put_routine(api, new_routine() | {"folder_id": None}).json(),
        {"error": '"routine.folder_id" is not allowed'},
    ),
    ("open_rep_range=reject", lambda api: _put_routine(api, _range({"end": 8})).status_code, 400),
    ("open_rep_range=accept", lambda api: _put_routine(api, _range({"end": 8})).status_code, 200),
    ("open_rep_range=accept", lambda api: _post_routine(api, _range({})).status_code, 201),
    (
        "open_rep_range=accept",
        lambda api: [
            write(api, _range({"start": None, "end": None})).status_code
            for write in (_post_routine, _put_routine)
        ],
        [400, 200],
    ),
    (
        "null_post_notes=accept",
        lambda api: _post_routine(api, new_routine() | {"notes": None}).status_code,
        201,
    ),
    (
        "null_post_notes=reject",
        lambda api: [
            write(api, new_routine() | {"notes": None}).status_code
            for write in (_post_routine, _put_routine)
        ],
        [400, 200],
    ),
    ("null_measurement=reject", lambda api: _new_measurement(api, waist=None), 400),
    ("null_measurement=accept", lambda api: _new_measurement(api, waist=None), 201),
    (
        "template_refusal=zod",
        lambda api: list(_new_exercise(api, title=1).json()),
        ["issues", "name"],
    ),
    (
        "template_refusal=error",
        lambda api: _new_exercise(api, title=1).json(),
        {"error": '"exercise.title" must be a string'},
    ),
]


def _new_folder(api: Api) -> Any:
    return api.call("POST", "/v1/routine_folders", json={"routine_folder": {"title": "x"}}).json()


def _no_events(api: Api) -> Any:
    return api.get("/v1/workouts/events", since=NOW.isoformat())


def _full_measurement(api: Api) -> tuple[int, Any, Any]:
    read = api.get("/v1/body_measurements/2026-10-06")
    return len(read), read["waist"], read.get("id")


def _notes_on_read(api: Api) -> list[bool]:
    routines = api.get("/v1/routines")["routines"]
    one = api.get(f"/v1/routines/{routines[0]['id']}")["routine"]
    [written] = _put_routine(api, new_routine()).json()["routine"]
    return ["notes" in routine for routine in (routines[0], one, written)]


@pytest.mark.parametrize(
    ("switch", "ask", "expected"), SWITCHES, ids=[switch for switch, _, _ in SWITCHES]
)
def test_a_switch_decides_one_thing(
    with_switch: Callable[[str], Api], switch: str, ask: Ask, expected: Any
) -> None:
    assert ask(with_switch(switch)) == expected


UNDECLARED: list[tuple[str, str, int, int]] = [
    ("GET", "/v1/workouts?page=99", 404, 200),
    ("GET", "/v1/workouts/events?page=99", 404, 200),
    ("GET", "/v1/routines?page=99", 404, 200),
    ("GET", "/v1/routine_folders?page=99", 404, 200),
    ("GET", "/v1/exercise_templates?page=99", 404, 200),
    ("GET", "/v1/body_measurements?page=99", 404, 404),
    ("GET", "/v1/workouts?pageSize=11", 400, 400),
    ("GET", "/v1/workouts/events?pageSize=11", 400, 200),
    ("GET", "/v1/workouts/events?page=0&pageSize=3", 400, 200),
    ("GET", "/v1/workouts/events?since=now", 400, 200),
    ("GET", "/v1/workouts/unknown", 404, 404),
    ("GET", "/v1/routines/unknown", 404, 400),
    ("PUT", "/v1/routines/unknown", 404, 404),
    ("PUT", "/v1/workouts/unknown", 404, 400),
    ("PUT", "/v1/body_measurements/1999-01-01", 404, 404),
    ("DELETE", "/v1/workouts", 404, 405),
    ("GET", "/v1/nothing", 404, 404),
]


@pytest.mark.parametrize(
    ("method", "path", "answered", "avoided"), UNDECLARED, ids=lambda value: str(value)
)
def test_undeclared_statuses_are_answered_or_avoided(
    with_switch: Callable[[str], Api], method: str, path: str, answered: int, avoided: int
) -> None:
    statuses = [
        with_switch(f"undeclared_status={value}").call(method, path).status_code
        for value in ("answer", "avoid")
    ]
    assert statuses == [answered, avoided]


def test_what_is_nonsense_in_a_feed_without_refusals_is_ignored_alone(
    with_switch: Callable[[str], Api],
) -> None:
    api = with_switch("undeclared_status=avoid")
    page = api.get("/v1/workouts/events", page="2", pageSize="11", since="now")
    assert (page["page"], len(page["events"])) == (2, 10)
    assert api.get("/v1/workouts", page=99) == {"page": 99, "page_count": 7, "workouts": []}


def test_every_switch_is_tested_with_every_value() -> None:
    tested = {switch for switch, _, _ in SWITCHES}
    tested |= {"undeclared_status=answer", "undeclared_status=avoid"}
    assert tested == {
        f"{name}={value}" for name, values in switch_values().items() for value in values
    }


def test_an_exercise_with_a_number_can_be_read_and_used(state: AccountState) -> None:
    api = Api(Account(state, clock=SimulatedClock(NOW)), SPEC)
    number = _new_exercise(api).json()["id"]
    assert api.get(f"/v1/exercise_templates/{number}")["title"] == "Ring Row"
    body = changed(new_workout(), ("exercises", 0, "exercise_template_id"), str(number))
    assert api.call("POST", "/v1/workouts", json={"workout": body}).status_code == 201
    assert _new_exercise(api).json()["id"] == number + 1


def test_a_profile_is_a_set_of_switches_of_which_each_can_be_changed() -> None:
    assert parse_quirks("live") == LIVE
    assert parse_quirks("spec") == SPEC
    changed_two = parse_quirks("spec", ["folder_shape=wrapped", "is_private=required"])
    assert changed_two == replace(SPEC, folder_shape="wrapped", is_private="required")


@pytest.mark.parametrize(
    ("profile", "switch", "told"),
    [
        ("old", "folder_shape=bare", "There is no profile 'old': choose live or spec."),
        ("live", "colour=red", "There is no quirk 'colour': choose one of workout_put_shape, "),
        ("live", "folder_shape=", "The quirk 'folder_shape' cannot be '': write folder_"),
        ("live", "folder_shape", "The quirk 'folder_shape' cannot be '': write folder_"),
    ],
)
def test_a_switch_that_does_not_exist_is_refused(profile: str, switch: str, told: str) -> None:
    with pytest.raises(QuirkError) as refused:
        parse_quirks(profile, [switch])
    assert str(refused.value).startswith(told)
