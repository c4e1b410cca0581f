import re
from typing import Any

from hevy_connector.schemas import Routine, RoutineWrite
from tests.connector.simulator.bodies import (
    BENCH_PRESS,
    FIRST_SET,
    REMOVED,
    changed,
    new_routine,
    new_workout,
)
from tests.connector.simulator.conftest import Api

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def _first(api: Api, kind: str) -> Any:
    return api.get(f"/v1/{kind}")[kind][0]


def test_a_new_workout_is_answered_in_a_list_and_linked_to_no_routine(api: Api) -> None:
    response = api.call("POST", "/v1/workouts", json={"workout": new_workout()})
    assert response.status_code == 201
    [workout] = response.json()["workout"]
    assert workout["routine_id"] is None
    assert workout["description"] == ""
    assert workout["start_time"] == "2026-10-06T17:00:00+00:00"
    assert workout["created_at"] == workout["updated_at"] == "2026-10-07T04:00:01.000Z"
    assert workout["exercises"] == [
        {
            "index": 0,
            "title": "Bench Press (Barbell)",
            "notes": "paused",
            "exercise_template_id": BENCH_PRESS,
            "superset_id": None,
            "sets": [
                {
                    "index": 0,
                    "type": "normal",
                    "weight_kg": 72.5,
                    "reps": 6,
                    "distance_meters": None,
                    "duration_seconds": None,
                    "rpe": 8.5,
                    "custom_metric": None,
                }
            ],
        }
    ]
    assert api.get("/v1/workouts/" + workout["id"]) == workout


def test_a_put_replaces_all_of_a_workout_but_its_birth_and_its_routine(api: Api) -> None:
    before = _first(api, "workouts")
    response = api.call("PUT", f"/v1/workouts/{before['id']}", json={"workout": new_workout()})
    [after] = response.json()["workout"]
    assert response.status_code == 200
    assert [exercise["notes"] for exercise in after["exercises"]] == ["paused"]
    assert after["created_at"] == before["created_at"]
    assert after["routine_id"] == before["routine_id"] is not None
    assert after["updated_at"] > before["updated_at"]


def test_a_new_routine_is_answered_in_a_list(api: Api) -> None:
    response = api.call(
        "POST", "/v1/routines", json={"routine": new_routine() | {"folder_id": None}}
    )
    assert response.status_code == 201
    [routine] = response.json()["routine"]
    assert STAMP.fullmatch(routine["updated_at"])
    assert (routine["folder_id"], routine["notes"]) == (None, "block 2")
    assert routine["exercises"][0]["superset_id"] == 0
    warmup, ranged, opened = routine["exercises"][0]["sets"]
    assert "rep_range" not in warmup
    assert ranged["rep_range"] == {"start": 8, "end": 12}
    assert opened["rep_range"] == {"start": 8, "end": None}
    assert api.get("/v1/routines")["routines"][-1] == routine


def test_whole_numbers_come_back_without_a_fraction(api: Api) -> None:
    routine = {"routine": new_routine() | {"folder_id": None}}
    workout = {"workout": changed(new_workout(), (*FIRST_SET, "rpe"), 9.0)}
    assert '"weight_kg":40,"reps":8,' in api.call("POST", "/v1/routines", json=routine).text
    assert '"rpe":9,' in api.call("POST", "/v1/workouts", json=workout).text


def test_a_routine_stays_in_its_folder_unless_a_put_names_another(api: Api) -> None:
    before = _first(api, "routines")
    path = f"/v1/routines/{before['id']}"
    folder = before["folder_id"]
    assert folder is not None
    for sent, expected in (
        ({}, folder),
        ({"folder_id": None}, None),
        ({"folder_id": folder}, folder),
    ):
        response = api.call("PUT", path, json={"routine": new_routine() | sent})
        assert response.json()["routine"][0]["folder_id"] == expected
    refused = api.call("PUT", path, json={"routine": new_routine() | {"folder_id": 77}})
    assert refused.status_code == 400


def test_a_put_replaces_all_of_a_routine_and_clears_omitted_notes(api: Api) -> None:
    before = _first(api, "routines")
    assert before["notes"]
    body = changed(new_routine(), ("notes",), REMOVED)
    response = api.call("PUT", f"/v1/routines/{before['id']}", json={"routine": body})
    [after] = response.json()["routine"]
    assert after["notes"] == ""
    assert len(after["exercises"]) == 1
    assert after["created_at"] == before["created_at"]


def test_a_null_range_is_refused_on_put_and_stored_without_numbers_on_post(api: Api) -> None:
    body = changed(new_routine() | {"folder_id": None}, (*FIRST_SET, "rep_range"), None)
    path = f"/v1/routines/{_first(api, 'routines')['id']}"
    refused = api.call("PUT", path, json={"routine": body})
    message = '"routine.exercises[0].sets[0].rep_range" must be of type object'
    assert (refused.status_code, refused.json()) == (400, {"error": message})
    [created] = api.call("POST", "/v1/routines", json={"routine": body}).json()["routine"]
    stored = created["exercises"][0]["sets"][0]["rep_range"]
    assert stored == {"start": None, "end": None}


def test_a_routine_read_and_written_back_changes_only_its_time_of_change(api: Api) -> None:
    routines = api.get("/v1/routines")["routines"]
    assert len(routines) == 4
    for before in routines:
        body = RoutineWrite.from_read(Routine.model_validate(before)).put_body()
        [after] = api.call("PUT", f"/v1/routines/{before['id']}", json=body).json()["routine"]
        assert after["updated_at"] > before["updated_at"]
        assert after == before | {"updated_at": after["updated_at"]}


def test_a_new_folder_comes_first_and_moves_the_others(api: Api) -> None:
    before = _first(api, "routine_folders")
    body = {"routine_folder": {"title": "Winter"}}
    response = api.call("POST", "/v1/routine_folders", json=body)
    folder = response.json()["routine_folder"]
    assert response.status_code == 201
    assert (folder["index"], folder["title"]) == (0, "Winter")
    assert api.get("/v1/routine_folders")["routine_folders"] == [folder, before | {"index": 1}]


def test_a_new_exercise_is_answered_with_a_bare_id_and_read_under_other_names(api: Api) -> None:
    exercise = {
        "title": "Ring Row",
        "exercise_type": "bodyweight_reps",
        "equipment_category": "suspension",
        "muscle_group": "upper_back",
        "other_muscles": ["biceps"],
    }
    response = api.call("POST", "/v1/exercise_templates", json={"exercise": exercise})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", response.text)
    assert api.get(f"/v1/exercise_templates/{response.text}") == {
        "id": response.text,
        "title": "Ring Row",
        "type": "bodyweight_weighted",
        "primary_muscle_group": "upper_back",
        "secondary_muscle_groups": ["biceps"],
        "equipment": "suspension",
        "is_custom": True,
        "thumbnail_url": None,
    }


def test_a_measurement_shows_only_what_was_measured(api: Api) -> None:
    path = "/v1/body_measurements"
    created = api.call("POST", path, json={"date": "2026-10-07", "weight_kg": 80, "waist": 82.5})
    assert (created.status_code, created.content) == (201, b"")
    measurement = api.get(f"{path}/2026-10-07")
    assert list(measurement) == ["id", "date", "weight_kg", "waist", "created_at"]
    replaced = api.call("PUT", f"{path}/2026-10-07", json={"fat_percent": 17})
    assert (replaced.status_code, replaced.content) == (200, b"")
    kept = {name: measurement[name] for name in ("id", "date", "created_at")}
    assert api.get(f"{path}/2026-10-07") == kept | {"fat_percent": 17}
