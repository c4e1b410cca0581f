"""Requests that the service rejects, and its messages."""

from typing import Any

import pytest

from tests.connector.simulator.bodies import FIRST_SET, REMOVED, changed, new_routine, new_workout
from tests.connector.simulator.conftest import Api

WORKOUT_REFUSALS = [
    (("routine_id",), "x", '"workout.routine_id" is not allowed'),
    (("id",), "x", '"workout.id" is not allowed'),
    (("title",), REMOVED, '"workout.title" is required'),
    (("title",), "", '"workout.title" is not allowed to be empty'),
    (("title",), 5, '"workout.title" must be a string'),
    (("description",), "", '"workout.description" is not allowed to be empty'),
    (("start_time",), "yesterday", '"workout.start_time" must be in ISO 8601 date format'),
    (("end_time",), REMOVED, '"workout.end_time" is required'),
    (("is_private",), "no", '"workout.is_private" must be a boolean'),
    (("exercises",), {}, '"workout.exercises" must be an array'),
    (("exercises", 0), 7, '"workout.exercises[0]" must be of type object'),
    (("exercises", 0, "index"), 0, '"workout.exercises[0].index" is not allowed'),
    (("exercises", 0, "title"), "x", '"workout.exercises[0].title" is not allowed'),
    (("exercises", 0, "notes"), "", '"workout.exercises[0].notes" is not allowed to be empty'),
    (("exercises", 0, "supersets_id"), 0, '"workout.exercises[0].supersets_id" is not allowed'),
    (("exercises", 0, "exercise_template_id"), "x", "Invalid exercise template id: x"),
    (
        (*FIRST_SET, "type"),
        "drop",
        '"workout.exercises[0].sets[0].type" must be one of [warmup, normal, failure, dropset]',
    ),
    (
        (*FIRST_SET, "weight_kg"),
        "72",
        '"workout.exercises[0].sets[0].weight_kg" must be a number',
    ),
    ((*FIRST_SET, "weight_kg"), True, '"workout.exercises[0].sets[0].weight_kg" must be a number'),
    ((*FIRST_SET, "reps"), 6.5, '"workout.exercises[0].sets[0].reps" must be an integer'),
    ((*FIRST_SET, "rep_range"), {}, '"workout.exercises[0].sets[0].rep_range" is not allowed'),
    (
        (*FIRST_SET, "rpe"),
        6.5,
        "Invalid rpe for set: 6.5 must be null or 6, 7, 7.5, 8, 8.5, 9, 9.5, 10",
    ),
]


@pytest.mark.parametrize(("place", "value", "message"), WORKOUT_REFUSALS)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_bad_workout_is_refused_with_its_first_problem(
    api: Api, method: str, place: tuple[str | int, ...], value: object, message: str
) -> None:
    before = api.account.workouts()
    path = "/v1/workouts" if method == "POST" else f"/v1/workouts/{before[0]['id']}"
    response = api.call(method, path, json={"workout": changed(new_workout(), place, value)})
    assert (response.status_code, response.json()) == (400, {"error": message})
    assert api.account.workouts() == before


ROUTINE_REFUSALS = [
    (("id",), "x", '"routine.id" is not allowed'),
    (("created_at",), "x", '"routine.created_at" is not allowed'),
    (("notes",), "", '"routine.notes" is not allowed to be empty'),
    (("exercises",), REMOVED, '"routine.exercises" is required'),
    (
        ("exercises", 0, "input_modifier"),
        "x",
        '"routine.exercises[0].input_modifier" is not allowed',
    ),
    (
        ("exercises", 0, "rest_seconds"),
        "90",
        '"routine.exercises[0].rest_seconds" must be a number',
    ),
    ((*FIRST_SET, "rpe"), 8, '"routine.exercises[0].sets[0].rpe" is not allowed'),
    ((*FIRST_SET, "index"), 0, '"routine.exercises[0].sets[0].index" is not allowed'),
    (
        (*FIRST_SET, "rep_range"),
        {"start": None, "end": None},
        '"routine.exercises[0].sets[0].rep_range.start" must be a number',
    ),
    (
        (*FIRST_SET, "rep_range"),
        {"start": 8, "end": None},
        '"routine.exercises[0].sets[0].rep_range.end" must be a number',
    ),
    (("exercises", 0, "exercise_template_id"), "x", "Invalid exercise template id: x"),
]


@pytest.mark.parametrize(("place", "value", "message"), ROUTINE_REFUSALS)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_bad_routine_is_refused_with_its_first_problem(
    api: Api, method: str, place: tuple[str | int, ...], value: object, message: str
) -> None:
    before = api.account.routines()
    path = f"/v1/routines/{before[0]['id']}" if method == "PUT" else "/v1/routines"
    body = changed(new_routine() | {"folder_id": None}, place, value)
    response = api.call(method, path, json={"routine": body})
    assert (response.status_code, response.json()) == (400, {"error": message})
    assert api.account.routines() == before


@pytest.mark.parametrize(
    ("path", "envelope"),
    [
        ("/v1/workouts", "workout"),
        ("/v1/routines", "routine"),
        ("/v1/routine_folders", "routine_folder"),
    ],
)
@pytest.mark.parametrize("content", [b"", b"{}"], ids=["no body", "empty object"])
def test_the_envelope_is_required(api: Api, path: str, envelope: str, content: bytes) -> None:
    response = api.call("POST", path, content=content)
    assert (response.status_code, response.json()) == (400, {"error": f'"{envelope}" is required'})


@pytest.mark.parametrize("content", [b"{", b'{"workout": NaN}', b"[]"])
def test_a_body_that_is_no_json_object_is_refused(api: Api, content: bytes) -> None:
    assert api.call("POST", "/v1/workouts", content=content).status_code == 400


@pytest.mark.parametrize(
    ("folder", "named"), [({}, "undefined"), ({"folder_id": 77}, "77")], ids=["absent", "unknown"]
)
def test_a_new_routine_must_name_an_existing_folder(
    api: Api, folder: dict[str, int], named: str
) -> None:
    response = api.call("POST", "/v1/routines", json={"routine": new_routine() | folder})
    message = f"[public-post-routine] Invalid routine folder id: {named}"
    assert (response.status_code, response.json()) == (400, {"error": message})


@pytest.mark.parametrize("path", ["/v1/workouts/x", "/v1/routines/x", "/v1/body_measurements/x"])
def test_what_does_not_exist_cannot_be_replaced(api: Api, path: str) -> None:
    assert api.call("PUT", path, json={}).status_code == 404


def test_a_bad_exercise_is_refused_with_a_zod_error(api: Api) -> None:
    exercise = {
        "title": "Ring Row",
        "exercise_type": "bodyweight_weighted",
        "equipment_category": "suspension",
        "muscle_group": "upper_back",
    }
    response = api.call("POST", "/v1/exercise_templates", json={"exercise": exercise})
    assert response.status_code == 400
    assert response.json()["name"] == "ZodError"
    [issue] = response.json()["issues"]
    assert issue["path"] == ["exercise", "exercise_type"]


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"weight_kg": 80}, 400, '"date" is required'),
        ({"date": "7.10.2026"}, 400, '"date" must be in YYYY-MM-DD format'),
        ({"date": "2026-10-07", "weight_kg": None}, 400, '"weight_kg" must be a number'),
        ({"date": "2026-10-07", "mood": 5}, 400, '"mood" is not allowed'),
        ({"date": "2026-10-06"}, 409, "A measurement for this date already exists"),
    ],
)
def test_a_bad_measurement_is_refused(
    api: Api, body: dict[str, Any], status: int, error: str
) -> None:
    response = api.call("POST", "/v1/body_measurements", json=body)
    assert (response.status_code, response.json()) == (status, {"error": error})


def test_a_put_measurement_does_not_repeat_its_date(api: Api) -> None:
    body = {"date": "2026-10-06", "weight_kg": 80}
    response = api.call("PUT", "/v1/body_measurements/2026-10-06", json=body)
    assert (response.status_code, response.json()) == (400, {"error": '"date" is not allowed'})
