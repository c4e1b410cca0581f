"""Actions of the athlete in the app, and their events in the feed."""

from typing import Any

import pytest

from hevy_connector.simulator import SPEC, Account, AccountState, ApiProblem, SimulatedClock
from tests.connector.simulator.bodies import FIRST_SET, changed, new_routine
from tests.connector.simulator.conftest import NOW, Api

NOW_TEXT = "2026-10-07T04:00:00Z"


def _events(api: Api, since: str = NOW_TEXT) -> list[Any]:
    events: list[Any] = api.get("/v1/workouts/events", since=since).get("events", [])
    return events


def test_the_feed_of_all_time_holds_every_workout_newest_change_first(api: Api) -> None:
    events = api.pages("/v1/workouts/events", "events", 10)
    changes = [event["workout"]["updated_at"] for event in events]
    assert {event["type"] for event in events} == {"updated"}
    assert len(events) == api.get("/v1/workouts/count")["workout_count"]
    assert changes == sorted(changes, reverse=True)


def test_a_feed_without_news_has_the_wrong_key(api: Api) -> None:
    page = api.get("/v1/workouts/events", since=NOW_TEXT)
    assert page == {"page": 1, "page_count": 0, "workouts": []}


def test_a_feed_since_no_time_is_refused(api: Api) -> None:
    assert api.call("GET", "/v1/workouts/events", params={"since": "now"}).status_code == 400


def test_the_feed_lists_an_edit_and_a_deletion_newest_first(api: Api) -> None:
    edited, deleted = api.get("/v1/workouts")["workouts"][:2]
    path = f"/simulator/workouts/{edited['id']}"
    assert api.call("PUT", path, json=edited | {"title": "Corrected"}).status_code == 200
    assert api.call("DELETE", f"/simulator/workouts/{deleted['id']}").status_code == 204
    deletion, update = _events(api)
    assert deletion == {
        "type": "deleted",
        "id": deleted["id"],
        "deleted_at": "2026-10-07T04:00:02.000Z",
    }
    changed = {"title": "Corrected", "updated_at": "2026-10-07T04:00:01.000Z"}
    assert update == {"type": "updated", "workout": edited | changed}
    assert api.call("GET", f"/v1/workouts/{deleted['id']}").status_code == 404


def test_the_feed_excludes_what_happened_at_since(api: Api) -> None:
    [workout] = api.get("/v1/workouts", pageSize=1)["workouts"]
    api.call("PUT", f"/simulator/workouts/{workout['id']}", json=workout)
    assert len(_events(api, "2026-10-07T04:00:00.999Z")) == 1
    assert _events(api, "2026-10-07T04:00:01.000Z") == []


def test_a_workout_logged_in_the_app_is_linked_to_its_routine(api: Api) -> None:
    [latest] = api.get("/v1/workouts", pageSize=1)["workouts"]
    record = {name: value for name, value in latest.items() if name != "id"}
    response = api.call("POST", "/simulator/workouts", json=record)
    assert response.status_code == 201
    logged = response.json()
    own = {name: logged[name] for name in ("id", "created_at", "updated_at")}
    assert logged == latest | own
    assert logged["id"] != latest["id"]
    [event] = _events(api)
    assert event["workout"] == logged


def test_a_workout_of_an_unknown_routine_cannot_be_logged(api: Api) -> None:
    [latest] = api.get("/v1/workouts", pageSize=1)["workouts"]
    response = api.call("POST", "/simulator/workouts", json=latest | {"routine_id": "unknown"})
    assert response.status_code == 404


def test_an_edited_routine_keeps_its_folder_and_moves_its_time_of_change(api: Api) -> None:
    before = api.get("/v1/routines")["routines"][2]
    response = api.call("PUT", f"/simulator/routines/{before['id']}", json=before)
    assert response.status_code == 200
    assert response.json() == before | {"updated_at": "2026-10-07T04:00:01.000Z"}
    assert api.get(f"/v1/routines/{before['id']}")["routine"] == response.json()


def test_a_routine_with_a_range_open_at_the_bottom_can_be_edited(state: AccountState) -> None:
    """The specification allows a range without a start; the app must accept stored ones."""
    api = Api(Account(state, clock=SimulatedClock(NOW)), SPEC)
    body = changed(new_routine() | {"folder_id": None}, (*FIRST_SET, "rep_range"), {"end": 8})
    created = api.call("POST", "/v1/routines", json={"routine": body}).json()["routine"]
    edited = api.account.edit_routine(created["id"], created | {"title": "Edited"})
    assert edited["exercises"] == created["exercises"]


def test_a_deleted_routine_is_gone_and_its_workouts_remain(api: Api) -> None:
    routine = api.get("/v1/routines")["routines"][0]
    count = api.get("/v1/workouts/count")
    assert api.call("DELETE", f"/simulator/routines/{routine['id']}").status_code == 204
    assert routine not in api.get("/v1/routines")["routines"]
    assert api.get("/v1/workouts/count") == count


def test_a_routine_made_in_the_app_is_listed_last(api: Api) -> None:
    first = api.get("/v1/routines")["routines"][0]
    response = api.call("POST", "/simulator/routines", json=first | {"title": "Deload"})
    assert response.status_code == 201
    made = response.json()
    own = {name: made[name] for name in ("id", "created_at", "updated_at")}
    assert made == first | own | {"title": "Deload"}
    assert api.get("/v1/routines")["routines"][-1] == made
    unknown = api.call("POST", "/simulator/routines", json=first | {"folder_id": 7})
    assert unknown.status_code == 404


def test_the_routines_of_a_deleted_folder_are_in_no_other(api: Api) -> None:
    body = {"routine_folder": {"title": "Winter"}}
    created = api.call("POST", "/v1/routine_folders", json=body).json()["routine_folder"]
    [_, folder] = api.get("/v1/routine_folders")["routine_folders"]
    path = f"/simulator/routine_folders/{folder['id']}"
    assert api.call("DELETE", path).status_code == 204
    assert api.call("DELETE", path).status_code == 404
    assert api.get("/v1/routine_folders")["routine_folders"] == [created]
    assert {one["folder_id"] for one in api.get("/v1/routines")["routines"]} == {None}


def test_a_custom_exercise_can_be_deleted_and_a_built_in_one_cannot(api: Api) -> None:
    custom = "5f0c8a1e-3b7d-4c52-9e86-d41a7b20c9f3"
    history = api.get(f"/v1/exercise_history/{custom}")
    assert api.call("DELETE", f"/simulator/exercise_templates/{custom}").status_code == 204
    assert api.call("GET", f"/v1/exercise_templates/{custom}").status_code == 404
    assert api.get(f"/v1/exercise_history/{custom}") == history
    refused = api.call("DELETE", "/simulator/exercise_templates/79D0BB3A")
    assert (refused.status_code, refused.json()) == (
        400,
        {"error": "A built-in exercise cannot be deleted"},
    )


def test_a_custom_exercise_can_be_renamed_and_a_built_in_one_cannot(api: Api) -> None:
    custom = "5f0c8a1e-3b7d-4c52-9e86-d41a7b20c9f3"
    body = {"title": "Nordic Curl"}
    renamed = api.call("PUT", f"/simulator/exercise_templates/{custom}", json=body)
    assert api.get(f"/v1/exercise_templates/{custom}") == renamed.json()
    assert renamed.json()["title"] == "Nordic Curl"
    for path, bad in ((custom, {"title": " "}), (custom, []), ("79D0BB3A", body)):
        refused = api.call("PUT", f"/simulator/exercise_templates/{path}", json=bad)
        assert refused.status_code == 400


def test_a_deleted_measurement_leaves_its_day_free(api: Api) -> None:
    path = "/simulator/body_measurements/2026-10-06"
    assert api.call("DELETE", path).status_code == 204
    assert api.call("DELETE", path).status_code == 404
    body = {"date": "2026-10-06", "weight_kg": 80}
    assert api.call("POST", "/v1/body_measurements", json=body).status_code == 201


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", "/simulator/workouts/unknown"),
        ("PUT", "/simulator/workouts/unknown"),
        ("DELETE", "/simulator/routines/unknown"),
        ("PUT", "/simulator/routines/unknown"),
        ("DELETE", "/simulator/routine_folders/unknown"),
        ("DELETE", "/simulator/exercise_templates/unknown"),
        ("DELETE", "/simulator/body_measurements/1999-01-01"),
        ("GET", "/simulator/nothing"),
        ("POST", "/simulator/requests"),
    ],
)
def test_the_app_cannot_change_what_is_not_there(api: Api, method: str, path: str) -> None:
    before = api.account.state()
    assert api.call(method, path, json={}).status_code == 404
    assert api.account.state() == before


def test_the_app_refuses_what_makes_no_workout(api: Api) -> None:
    response = api.call("POST", "/simulator/workouts", json={"title": "x"})
    assert (response.status_code, response.json()) == (400, {"error": '"start_time" is required'})


def test_the_account_works_without_http(state: AccountState) -> None:
    account = Account(state, clock=SimulatedClock(NOW))
    workout = account.workouts()[0]
    account.delete_workout(workout["id"])
    assert [event["type"] for event in account.events(NOW)] == ["deleted"]
    with pytest.raises(ApiProblem) as refused:
        account.workout(workout["id"])
    assert (refused.value.status, refused.value.body) == (404, {"error": "Workout not found"})
