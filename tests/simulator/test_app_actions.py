"""What the athlete does in the app, and how the event feed tells of it."""

from typing import Any

import pytest

from hevy_connector.simulator import Account, AccountState, ApiProblem, SimulatedClock
from tests.simulator.conftest import NOW, Api

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


def test_the_feed_tells_of_an_edit_and_a_deletion_newest_first(api: Api) -> None:
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


def test_a_deleted_routine_is_gone_and_its_workouts_remain(api: Api) -> None:
    routine = api.get("/v1/routines")["routines"][0]
    count = api.get("/v1/workouts/count")
    assert api.call("DELETE", f"/simulator/routines/{routine['id']}").status_code == 204
    assert routine not in api.get("/v1/routines")["routines"]
    assert api.get("/v1/workouts/count") == count


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
