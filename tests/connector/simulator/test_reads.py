from typing import Any

import pytest

from hevy_connector.schemas import (
    BodyMeasurement,
    ExerciseTemplate,
    Routine,
    RoutineFolder,
    UserInfo,
    Workout,
)
from hevy_connector.simulator import Account, AccountState, SimulatedClock
from tests.connector.simulator.conftest import NOW, Api

LISTS = [
    ("/v1/workouts", "workouts", 10),
    ("/v1/workouts/events", "events", 10),
    ("/v1/routines", "routines", 10),
    ("/v1/routine_folders", "routine_folders", 10),
    ("/v1/exercise_templates", "exercise_templates", 100),
    ("/v1/body_measurements", "body_measurements", 10),
]
LIST_IDS = [key for _, key, _ in LISTS]


def test_every_object_is_read_by_the_client_s_models(api: Api) -> None:
    for workout in api.pages("/v1/workouts", "workouts", 10):
        assert Workout.model_validate(workout).exercises
    for routine in api.pages("/v1/routines", "routines", 10):
        assert Routine.model_validate(routine).exercises
    for folder in api.pages("/v1/routine_folders", "routine_folders", 10):
        RoutineFolder.model_validate(folder)
    for template in api.pages("/v1/exercise_templates", "exercise_templates", 100):
        ExerciseTemplate.model_validate(template)
    for measurement in api.pages("/v1/body_measurements", "body_measurements", 10):
        BodyMeasurement.model_validate(measurement)
    user = UserInfo.model_validate(api.get("/v1/user/info")["data"])
    assert (user.weight_unit, user.distance_unit) == ("kg", "kilometers")


def test_one_object_is_the_same_as_in_its_list(api: Api) -> None:
    workout = api.get("/v1/workouts")["workouts"][3]
    routine = api.get("/v1/routines")["routines"][2]
    folder = api.get("/v1/routine_folders")["routine_folders"][0]
    template = api.get("/v1/exercise_templates")["exercise_templates"][50]
    measurement = api.get("/v1/body_measurements")["body_measurements"][5]
    assert api.get(f"/v1/workouts/{workout['id']}") == workout
    assert api.get(f"/v1/routines/{routine['id']}") == {"routine": routine}
    assert api.get(f"/v1/routine_folders/{folder['id']}") == folder
    assert api.get(f"/v1/exercise_templates/{template['id']}") == template
    assert api.get(f"/v1/body_measurements/{measurement['date']}") == measurement


def test_workouts_come_newest_first_and_are_counted(api: Api) -> None:
    workouts = api.pages("/v1/workouts", "workouts", 10)
    starts = [workout["start_time"] for workout in workouts]
    assert starts == sorted(starts, reverse=True)
    assert api.get("/v1/workouts/count") == {"workout_count": len(workouts)}


def test_objects_have_the_keys_of_the_service_in_its_order(api: Api) -> None:
    workout = api.get("/v1/workouts")["workouts"][0]
    routine = api.get("/v1/routines")["routines"][0]
    assert list(workout) == [
        "id", "title", "routine_id", "description", "start_time", "end_time", "updated_at",
        "created_at", "exercises",
    ]  # fmt: skip
    assert list(workout["exercises"][0]["sets"][0]) == [
        "index", "type", "weight_kg", "reps", "distance_meters", "duration_seconds", "rpe",
        "custom_metric",
    ]  # fmt: skip
    assert list(routine) == [
        "id", "title", "folder_id", "updated_at", "created_at", "exercises", "notes",
    ]  # fmt: skip
    assert list(routine["exercises"][0]) == [
        "index", "title", "notes", "exercise_template_id", "superset_id", "sets", "rest_seconds",
    ]  # fmt: skip
    assert "rpe" not in routine["exercises"][0]["sets"][0]


def test_templates_are_ordered_by_title_without_punctuation_and_spaces(api: Api) -> None:
    templates = api.pages("/v1/exercise_templates", "exercise_templates", 100)
    titles = [template["title"] for template in templates]
    assert len(titles) == 430
    assert titles.index("Boxing") < titles.index("Box Jump")
    close_grip = titles.index("Bench Press - Close Grip (Barbell)")
    assert close_grip < titles.index("Bench Press (Dumbbell)")
    assert [t["title"] for t in templates if t["is_custom"]] == ["Copenhagen Plank"]
    assert all(template["thumbnail_url"] is None for template in templates)


@pytest.mark.parametrize(("path", "key", "limit"), LISTS, ids=LIST_IDS)
def test_a_page_holds_at_most_the_limit(api: Api, path: str, key: str, limit: int) -> None:
    page = api.get(path)
    assert page["page"] == 1
    assert len(page[key]) <= limit
    assert api.call("GET", path, params={"pageSize": limit}).status_code == 200
    refused = api.call("GET", path, params={"pageSize": limit + 1})
    assert (refused.status_code, refused.json()) == (400, {"error": "Invalid page size"})


@pytest.mark.parametrize(("path", "key", "limit"), LISTS, ids=LIST_IDS)
@pytest.mark.parametrize(
    "query",
    [{"page": "0"}, {"page": "-1"}, {"page": "two"}, {"pageSize": "0"}, {"pageSize": ""}],
    ids=str,
)
def test_a_page_that_is_no_number_from_one_is_refused(
    api: Api, path: str, key: str, limit: int, query: dict[str, str]
) -> None:
    assert api.call("GET", path, params=query).status_code == 400


@pytest.mark.parametrize(("path", "key", "limit"), LISTS, ids=LIST_IDS)
def test_a_page_past_the_end_does_not_exist(api: Api, path: str, key: str, limit: int) -> None:
    last = api.get(path, pageSize=1)["page_count"]
    assert len(api.get(path, page=last, pageSize=1)[key]) == 1
    assert api.call("GET", path, params={"page": last + 1, "pageSize": 1}).status_code == 404


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/v1/workouts", "workouts"),
        ("/v1/workouts/events", "workouts"),
        ("/v1/routines", "routines"),
        ("/v1/routine_folders", "routine_folders"),
        ("/v1/body_measurements", "body_measurements"),
    ],
)
def test_an_empty_list_has_an_empty_first_page_and_no_second(path: str, key: str) -> None:
    api = Api(Account(AccountState(seed=1, user={}), clock=SimulatedClock(NOW)))
    assert api.get(path) == {"page": 1, "page_count": 0, key: []}
    assert api.call("GET", path, params={"page": 2}).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/v1/workouts/unknown",
        "/v1/routines/unknown",
        "/v1/routine_folders/999999",
        "/v1/routine_folders/unknown",
        "/v1/exercise_templates/unknown",
        "/v1/body_measurements/1999-01-01",
    ],
)
def test_an_unknown_object_is_not_found(api: Api, path: str) -> None:
    response = api.call("GET", path)
    assert response.status_code == 404
    assert response.json()["error"].endswith("not found")


def test_exercise_history_has_one_row_for_each_set_newest_first(api: Api) -> None:
    bench_press = "79D0BB3A"
    rows = api.get(f"/v1/exercise_history/{bench_press}")["exercise_history"]
    expected: list[dict[str, Any]] = [
        {"workout_id": workout["id"], "set_type": performed["type"], "reps": performed["reps"]}
        for workout in api.pages("/v1/workouts", "workouts", 10)
        for exercise in workout["exercises"]
        if exercise["exercise_template_id"] == bench_press
        for performed in exercise["sets"]
    ]
    assert [{name: row[name] for name in expected[0]} for row in rows] == expected


def test_exercise_history_keeps_to_its_dates(api: Api) -> None:
    path = "/v1/exercise_history/79D0BB3A"
    starts = {row["workout_start_time"] for row in api.get(path)["exercise_history"]}
    bounds = {"start_date": "2026-08-01T00:00:00Z", "end_date": "2026-08-31T23:59:59Z"}
    within = {row["workout_start_time"] for row in api.get(path, **bounds)["exercise_history"]}
    assert within == {start for start in starts if start.startswith("2026-08")}
    assert within
    assert api.call("GET", path, params={"start_date": "August"}).status_code == 400


def test_the_history_of_an_unknown_exercise_is_empty(api: Api) -> None:
    assert api.get("/v1/exercise_history/unknown") == {"exercise_history": []}
