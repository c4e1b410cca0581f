import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import duckdb
import httpx
import pytest

from hevy_connector.client.client import HevyClient
from hevy_connector.errors import HevyUnavailableError
from hevy_connector.fetching.fetch import (
    fetch_body_measurements,
    fetch_exercise_templates,
    fetch_routine_folders,
    fetch_routines,
    fetch_user,
    fetch_workouts,
)
from hevy_connector.http.limits import RateLimit, RetryPolicy
from hevy_connector.raw.landing import LandResult
from hevy_connector.raw.sync import land_fetched
from hevy_connector.raw.sync_state import read_cursor
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    running_simulator,
)

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)
UNLIMITED = RateLimit(per_second=None)
NOTHING_NEW = httpx.Response(200, json={"page": 1, "page_count": 1, "events": []})


@pytest.fixture
def simulator() -> Iterator[RunningSimulator]:
    with running_simulator(demo_account(seed=1, now=NOW), api_key=SIMULATOR_KEY) as running:
        yield running


@pytest.fixture
def hevy(simulator: RunningSimulator) -> Iterator[HevyClient]:
    with HevyClient(SIMULATOR_KEY, base_url=simulator.url, limit=UNLIMITED) as client:
        yield client


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        create_raw_tables(connection)
        yield connection


def sync_workouts(con: duckdb.DuckDBPyConnection, hevy: HevyClient) -> LandResult:
    fetched = fetch_workouts(hevy, read_cursor(con, "hevy_workouts", "a"))
    return land_fetched(con, "a", fetched, now=NOW, run_id="run")


def known_workouts(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    return dict(
        con.execute("""
            select record_id, arg_max(payload, loaded_at)
            from raw.hevy_workouts
            group by record_id
            having not arg_max(is_deleted, loaded_at)
        """).fetchall()
    )


def as_the_app(simulator: RunningSimulator, method: str, path: str, **body: Any) -> None:
    response = httpx.request(method, f"{simulator.url}/simulator/{path}", json=body or None)
    assert response.is_success, response.text


def test_everything_comes_in_once(hevy: HevyClient, con: duckdb.DuckDBPyConnection) -> None:
    counts = {}
    for fetch in (
        fetch_user,
        fetch_routines,
        fetch_routine_folders,
        fetch_exercise_templates,
        fetch_body_measurements,
    ):
        fetched = fetch(hevy)
        assert fetched.rejected == ()
        first = land_fetched(con, "a", fetched, now=NOW, run_id="run")
        again = land_fetched(con, "a", fetch(hevy), now=NOW, run_id="run")
        assert (first.added, again.added, again.deleted) == (first.seen, 0, 0)
        counts[fetched.entity] = first.added
    assert counts["hevy_users"] == 1
    assert counts["hevy_routines"] == 4
    assert counts["hevy_exercise_templates"] >= 120


def test_the_first_sync_reads_every_workout(
    hevy: HevyClient, con: duckdb.DuckDBPyConnection
) -> None:
    landed = sync_workouts(con, hevy)
    assert landed.added == hevy.workout_count() == len(known_workouts(con))


def test_a_later_sync_asks_for_changes_only(
    simulator: RunningSimulator, hevy: HevyClient, con: duckdb.DuckDBPyConnection
) -> None:
    sync_workouts(con, hevy)
    before = len(simulator.requests)
    assert sync_workouts(con, hevy).added == 0
    assert sorted(entry.path for entry in simulator.requests[before:]) == [
        "/v1/workouts/count",
        "/v1/workouts/events",
    ]


def test_an_edit_and_a_deletion_arrive_with_the_next_sync(
    simulator: RunningSimulator, hevy: HevyClient, con: duckdb.DuckDBPyConnection
) -> None:
    sync_workouts(con, hevy)
    edited, deleted = sorted(known_workouts(con))[:2]
    workout = hevy.workout(edited).payload
    as_the_app(simulator, "PUT", f"workouts/{edited}", **{**workout, "title": "Renamed"})
    as_the_app(simulator, "DELETE", f"workouts/{deleted}")
    landed = sync_workouts(con, hevy)
    assert (landed.added, landed.deleted, landed.quarantined) == (1, 1, 0)
    assert '"title":"Renamed"' in known_workouts(con)[edited]
    assert deleted not in known_workouts(con)


def test_an_invalid_record_is_quarantined_and_the_rest_is_landed(
    con: duckdb.DuckDBPyConnection,
) -> None:
    good = {"id": "g", "title": "A", "start_time": "2026-03-01T10:00:00Z", "exercises": []}
    unknown_type = {"index": 0, "type": "cluster"}
    exercise = {"index": 0, "title": "Squat", "exercise_template_id": "X", "sets": [unknown_type]}
    bad = {**good, "id": "b", "exercises": [exercise]}

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("count"):
            return httpx.Response(200, json={"workout_count": 2})
        if request.url.path.endswith("events"):
            return NOTHING_NEW
        body = {"page": 1, "page_count": 1, "workouts": [good, bad]}
        return httpx.Response(200, json=body)

    with HevyClient("k", transport=httpx.MockTransport(handle)) as hevy:
        assert sync_workouts(con, hevy) == LandResult(seen=2, added=1, deleted=0, quarantined=1)
    rows = con.execute("select record_id, reason from raw.quarantine").fetchall()
    assert rows[0][0] == "b"
    assert rows[0][1].startswith("exercises.0.sets.0.type: Input should be 'normal'")


def answering(path: str, **body: str) -> HevyClient:
    """Return a client of a service that returns this JSON text at `path`, and an empty feed."""

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("count"):
            return httpx.Response(200, json={"workout_count": 2})
        if not request.url.path.endswith(path):
            return NOTHING_NEW
        content = ",".join(f'"{key}":[{value}]' for key, value in body.items())
        return httpx.Response(200, text=f'{{"page":1,"page_count":1,{content}}}')

    return HevyClient("k", transport=httpx.MockTransport(handle))


PLAIN = '"title":"A","start_time":"2026-03-01T10:00:00Z","exercises":[]'
GOOD = f'{{"id":"g",{PLAIN}}}'


@pytest.mark.parametrize("is_feed", [False, True], ids=["list", "events"])
@pytest.mark.parametrize(
    ("record_id", "field", "reason"),
    [
        pytest.param("b", r'"title":"\ud83d"', "surrogates not allowed", id="title"),
        pytest.param("b", r'"mood":"\ud83d"', "surrogates not allowed", id="unknown text"),
        pytest.param("b", r'"mood":1e999', "too large to be stored", id="unknown number"),
        pytest.param(r"\ud83d", '"mood":1', "surrogates not allowed", id="id"),
        pytest.param("b", '"end_time":"0001-01-01T00:00:00+05:00"', "calendar", id="year 0"),
        pytest.param("b", '"start_time":"0202-03-01T10:00:00Z"', "in the year 202", id="year 202"),
        pytest.param(
            "b", '"start_time":"2206-03-01T10:00:00Z"', "on 2206-03-01, which", id="year 2206"
        ),
        pytest.param(
            "b", '"updated_at":"2026-02-27T10:00:00Z"', "which is in the future", id="by its stamp"
        ),
    ],
)
def test_a_record_that_cannot_be_stored_is_quarantined_alone(
    con: duckdb.DuckDBPyConnection, record_id: str, field: str, reason: str, is_feed: bool
) -> None:
    bad = f'{{"id":"{record_id}",{PLAIN},{field}}}'
    if is_feed:
        events = ",".join(f'{{"type":"updated","workout":{workout}}}' for workout in (GOOD, bad))
        client, cursor_at = answering("events", events=events), NOW
    else:
        client, cursor_at = answering("workouts", workouts=f"{GOOD},{bad}"), None
    with client:
        fetched = fetch_workouts(client, cursor_at)
    landed = land_fetched(con, "a", fetched, now=NOW, run_id="run")
    assert landed == LandResult(seen=2, added=1, deleted=0, quarantined=1)
    ((found_id, found_reason),) = con.execute(
        "select record_id, reason from raw.quarantine"
    ).fetchall()
    assert found_id == record_id
    assert reason in found_reason


@pytest.mark.parametrize(
    ("name", "value"),
    [("reps", 8.5), ("reps", 5e9), ("duration_seconds", 90.5), ("duration_seconds", 2**31)],
    ids=str,
)
def test_a_number_that_the_warehouse_would_change_is_quarantined(
    con: duckdb.DuckDBPyConnection, name: str, value: float
) -> None:
    exercise = {"index": 0, "title": "Row", "exercise_template_id": "X"}
    fine = {"index": 0, "type": "normal", "reps": 8.0, "distance_meters": 400.5}
    for record_id, sets in (("g", [fine]), ("b", [fine, {**fine, name: value}])):
        workout = {"id": record_id, "title": "A", "start_time": "2026-03-01T10:00:00Z"}
        event = {
            "type": "updated",
            "workout": {**workout, "exercises": [{**exercise, "sets": sets}]},
        }
        with answering("events", events=json.dumps(event)) as client:
            fetched = fetch_workouts(client, NOW)
        landed = land_fetched(con, "a", fetched, now=NOW, run_id="run")
        assert (landed.added, landed.quarantined) == ((1, 0) if record_id == "g" else (0, 1))


@pytest.mark.parametrize(
    "planned",
    [{"rest_seconds": "90.5"}, {"sets": [{"index": 0, "type": "normal", "reps": 8.5}]}],
    ids=["rest", "reps"],
)
def test_a_plan_that_the_warehouse_would_change_is_quarantined(planned: dict[str, Any]) -> None:
    exercise = {"index": 0, "title": "Row", "exercise_template_id": "X", "sets": [], **planned}
    routine = json.dumps({"id": "r", "title": "Pull", "exercises": [exercise]})
    with answering("routines", routines=routine) as client:
        fetched = fetch_routines(client)
    assert [reject.record_id for reject in fetched.rejected] == ["r"]


def workout(number: int) -> dict[str, Any]:
    moment = "2026-03-01T10:00:00Z"
    return {"id": str(number), "title": "A", "start_time": moment, "exercises": []}


def counting(count: int, *lists: list[dict[str, Any]]) -> httpx.MockTransport:
    """Return an account that reports this count and these lists, one list per read."""
    remaining = iter(lists)

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("count"):
            return httpx.Response(200, json={"workout_count": count})
        if request.url.path.endswith("events"):
            return NOTHING_NEW
        return httpx.Response(200, json={"page": 1, "page_count": 1, "workouts": next(remaining)})

    return httpx.MockTransport(handle)


def test_a_list_that_keeps_changing_is_not_taken_for_complete(
    con: duckdb.DuckDBPyConnection,
) -> None:
    account = counting(9, [workout(1)], [workout(2)], [workout(3)])
    with (
        HevyClient("k", transport=account) as hevy,
        pytest.raises(HevyUnavailableError, match="kept changing"),
    ):
        sync_workouts(con, hevy)
    assert read_cursor(con, "hevy_workouts", "a") is None


def test_a_stable_list_with_another_count_is_landed_and_deletes_nothing(
    con: duckdb.DuckDBPyConnection,
) -> None:
    with HevyClient("k", transport=counting(2, [workout(1), workout(2)])) as hevy:
        sync_workouts(con, hevy)
    with HevyClient("k", transport=counting(2, *[[workout(3)]] * 2)) as hevy:
        fetched = fetch_workouts(hevy, None)
    assert (fetched.counted, fetched.is_complete) == (2, False)
    land_fetched(con, "a", fetched, now=NOW, run_id="run")
    assert sorted(known_workouts(con)) == ["1", "2", "3"]


def test_a_change_of_the_future_does_not_hide_those_until_then(
    con: duckdb.DuckDBPyConnection,
) -> None:
    event = {"type": "updated", "workout": {**workout(1), "updated_at": "2099-01-01T00:00:00Z"}}
    with answering("events", events=json.dumps(event)) as hevy:
        fetched = fetch_workouts(hevy, NOW)
    assert fetched.cursor_at is not None
    assert NOW < fetched.cursor_at <= datetime.now(UTC)


def test_an_event_with_a_workout_is_understood_whatever_it_is_called() -> None:
    event = {"type": "edited", "workout": workout(1)}
    with answering("events", events=json.dumps(event)) as hevy:
        assert [record.record_id for record in fetch_workouts(hevy, NOW).records] == ["1"]


def test_an_event_of_an_unknown_kind_hides_no_workout(con: duckdb.DuckDBPyConnection) -> None:
    unknown, known = {"type": "shared", "id": "1"}, {"type": "updated", "workout": workout(1)}
    events = ",".join(map(json.dumps, (unknown, known)))
    with answering("events", events=events) as hevy:
        fetched = fetch_workouts(hevy, NOW)
    assert [record.record_id for record in fetched.records] == ["1"]
    land_fetched(con, "a", fetched, now=NOW, run_id="run")
    assert con.execute("select record_id from raw.quarantine").fetchall() == [(None,)]


@pytest.mark.parametrize(
    "written",
    [1772643731, "2026-03-04T17:02Z", "20260304T170211Z", "2026-W10-3T17:02:11Z", "4 Mar 2026"],
    ids=str,
)
def test_a_time_that_the_warehouse_would_not_read_is_quarantined(written: object) -> None:
    payload = json.dumps({**workout(1), "start_time": written})
    with answering("workouts", workouts=payload) as hevy:
        fetched = fetch_workouts(hevy, None)
    assert (len(fetched.records), len(fetched.rejected)) == (0, 1)


def test_a_failed_read_moves_no_cursor_and_deletes_nothing(
    hevy: HevyClient, con: duckdb.DuckDBPyConnection
) -> None:
    sync_workouts(con, hevy)
    cursor = read_cursor(con, "hevy_workouts", "a")
    before = known_workouts(con)
    broken = httpx.MockTransport(lambda request: httpx.Response(503))
    with (
        HevyClient("k", transport=broken, retry=RetryPolicy(attempts=1)) as down,
        pytest.raises(HevyUnavailableError),
    ):
        sync_workouts(con, down)
    assert read_cursor(con, "hevy_workouts", "a") == cursor
    assert known_workouts(con) == before


def test_of_several_events_of_one_workout_the_latest_counts(
    con: duckdb.DuckDBPyConnection,
) -> None:
    def version(title: str, minute: int) -> dict[str, Any]:
        moment = f"2026-03-01T10:{minute:02}:00.000Z"
        workout = {"id": "w", "title": title, "start_time": moment, "updated_at": moment}
        return {"type": "updated", "workout": {**workout, "exercises": []}}

    newest_first = [version("third", 30), version("second", 20), version("first", 10)]

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("count"):
            return httpx.Response(200, json={"workout_count": 1})
        return httpx.Response(200, json={"page": 1, "page_count": 1, "events": newest_first})

    with HevyClient("k", transport=httpx.MockTransport(handle)) as hevy:
        fetched = fetch_workouts(hevy, NOW)
    assert len(fetched.records) == 1
    assert '"title":"third"' in fetched.records[0].payload
    land_fetched(con, "a", fetched, now=NOW, run_id="run")
    assert len(known_workouts(con)) == 1
