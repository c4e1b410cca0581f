"""Each fault as a client sees it, over a real connection."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    Account,
    AccountState,
    ReceivedRequest,
    RunningSimulator,
    SimulatedClock,
    running_simulator,
)
from tests.connector.simulator.bodies import new_workout
from tests.connector.simulator.conftest import NOW


@pytest.fixture
def simulator(state: AccountState) -> Iterator[RunningSimulator]:
    account = Account(state, clock=SimulatedClock(NOW))
    with running_simulator(account, api_key=SIMULATOR_KEY) as running:
        yield running


@pytest.fixture
def http(simulator: RunningSimulator) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=simulator.url, headers={"api-key": SIMULATOR_KEY}, timeout=5
    ) as client:
        yield client


def _post(http: httpx.Client) -> httpx.Response:
    return http.post("/v1/workouts", json={"workout": new_workout()})


@pytest.mark.parametrize(
    ("rule", "status", "text", "retry_after"),
    [
        ("429", 429, "Too Many Requests", None),
        ("429 retry-after=2", 429, "Too Many Requests", "2"),
        ("500", 500, "", None),
        ("503 retry-after=0", 503, "", "0"),
        ("401", 401, "InvalidApiKey", None),
    ],
)
def test_a_status_is_answered_instead(
    simulator: RunningSimulator,
    http: httpx.Client,
    rule: str,
    status: int,
    text: str,
    retry_after: str | None,
) -> None:
    simulator.faults.set([rule])
    count = simulator.account.workout_count()
    response = _post(http)
    assert (response.status_code, response.text) == (status, text)
    assert response.headers.get("retry-after") == retry_after
    assert simulator.account.workout_count() == count
    assert simulator.requests[-1][4:] == (status, rule)


@pytest.mark.parametrize(
    ("rule", "error", "is_carried_out"),
    [
        ("reset", httpx.ReadError, False),
        ("reset after", httpx.ReadError, True),
        ("timeout", httpx.ReadTimeout, False),
        ("timeout after", httpx.ReadTimeout, True),
        ("timeout=0.05", httpx.RemoteProtocolError, False),
        ("truncate", httpx.RemoteProtocolError, True),
    ],
)
def test_a_lost_answer_does_or_does_not_mean_a_lost_write(
    simulator: RunningSimulator,
    http: httpx.Client,
    rule: str,
    error: type[Exception],
    is_carried_out: bool,
) -> None:
    simulator.faults.set([f"{rule} times=1"])
    count = simulator.account.workout_count()
    http.timeout = httpx.Timeout(0.3 if error is httpx.ReadTimeout else 5)
    with pytest.raises(error):
        _post(http)
    assert simulator.account.workout_count() == count + is_carried_out
    assert http.get("/v1/user/info").status_code == 200, "the next request goes through"


def test_a_status_after_the_effect_hides_it(
    simulator: RunningSimulator, http: httpx.Client
) -> None:
    simulator.faults.set(["500 after method=POST"])
    count = simulator.account.workout_count()
    assert _post(http).status_code == 500
    assert simulator.account.workout_count() == count + 1


def test_a_truncated_answer_without_a_body_is_broken_as_well(
    simulator: RunningSimulator, http: httpx.Client
) -> None:
    simulator.faults.set(["truncate"])
    with pytest.raises(httpx.RemoteProtocolError):
        http.post("/v1/body_measurements", json={"date": "2026-10-07", "weight_kg": 80})
    assert simulator.account.measurement("2026-10-07")["weight_kg"] == 80


def test_a_slow_answer_drips_in_and_is_whole(
    simulator: RunningSimulator, http: httpx.Client
) -> None:
    quick = http.get("/v1/workouts").json()
    simulator.faults.set(["slow=0.2"])
    with http.stream("GET", "/v1/workouts") as response:
        started = time.monotonic()
        parts = list(response.iter_raw())
    assert time.monotonic() - started > 0.15
    assert len(parts) > 5
    assert httpx.Response(200, content=b"".join(parts)).json() == quick


@pytest.mark.parametrize("rule", ["timeout", "slow=60"])
def test_a_delayed_response_blocks_neither_other_requests_nor_the_shutdown(
    state: AccountState, rule: str
) -> None:
    with ThreadPoolExecutor(1) as pool:
        with running_simulator(Account(state), api_key="k", faults=[f"{rule} times=1"]) as running:
            url = f"{running.url}/v1/user/info"
            arrived = threading.Event()
            running.before_request(lambda _: arrived.set())
            held = pool.submit(httpx.get, url, headers={"api-key": "k"}, timeout=30)
            assert arrived.wait(5)
            assert httpx.get(url, headers={"api-key": "k"}, timeout=2).status_code == 200
            ended = time.monotonic()
        assert time.monotonic() - ended < 5
        with pytest.raises(httpx.TransportError):
            held.result()


def test_a_duplicate_delivery_takes_effect_twice_and_the_second_answer_is_seen(
    simulator: RunningSimulator, http: httpx.Client
) -> None:
    simulator.faults.set(["duplicate method=POST"])
    count = simulator.account.workout_count()
    [seen] = _post(http).json()["workout"]
    assert simulator.account.workout_count() == count + 2
    assert seen["created_at"] == "2026-10-07T04:00:02.000Z"
    measured = http.post("/v1/body_measurements", json={"date": "2026-10-07", "weight_kg": 80})
    assert measured.status_code == 409
    assert [entry.status for entry in simulator.requests] == [201, 201, 201, 409]


@pytest.mark.parametrize(
    ("action", "shift", "event"),
    [("add", 1, "updated"), ("delete", -1, "deleted"), ("edit", 0, "updated")],
)
def test_drift_changes_the_newest_workout_between_two_pages(
    simulator: RunningSimulator, http: httpx.Client, action: str, shift: int, event: str
) -> None:
    simulator.faults.set([f"drift={action} path=/v1/workouts nth=2"])
    before = [workout["id"] for workout in simulator.account.workouts()]
    seen: list[str] = []
    for page in (1, 2):
        workouts = http.get("/v1/workouts", params={"page": page}).json()["workouts"]
        seen.extend(workout["id"] for workout in workouts)
    assert seen == before[:10] + before[10 - shift : 20 - shift]
    since = {"since": NOW.isoformat()}
    [happened] = http.get("/v1/workouts/events", params=since).json()["events"]
    assert happened["type"] == event


def test_drift_finds_nothing_to_change_in_an_empty_account() -> None:
    account = Account(AccountState(seed=1, user={}))
    faults = ["drift=edit nth=1", "drift=delete nth=2", "drift=add nth=3"]
    with running_simulator(account, api_key="k", faults=faults) as running:
        counts = [
            httpx.get(f"{running.url}/v1/workouts/count", headers={"api-key": "k"}).json()
            for _ in range(3)
        ]
    assert [count["workout_count"] for count in counts] == [0, 0, 1]


def test_a_callback_sees_each_request_first_and_may_act_on_the_account(
    simulator: RunningSimulator, http: httpx.Client
) -> None:
    seen: list[ReceivedRequest] = []

    def delete_the_newest(request: ReceivedRequest) -> None:
        seen.append(request)
        simulator.account.delete_workout(simulator.account.workouts()[0]["id"])

    count = simulator.account.workout_count()
    simulator.before_request(delete_the_newest)
    assert http.get("/v1/workouts/count?x=1").json() == {"workout_count": count - 1}
    simulator.before_request(None)
    assert http.get("/v1/workouts/count").json() == {"workout_count": count - 1}
    assert seen == [ReceivedRequest("GET", "/v1/workouts/count", {"x": "1"}, None)]


def test_latency_is_waited_for_in_parallel(state: AccountState) -> None:
    with (
        running_simulator(Account(state), api_key="k", latency_s=0.2) as running,
        httpx.Client(headers={"api-key": "k"}) as client,
        ThreadPoolExecutor(8) as pool,
    ):
        url = f"{running.url}/v1/workouts/count"
        started = time.monotonic()
        answers = list(pool.map(lambda _: client.get(url), range(8)))
        waited_s = time.monotonic() - started
    assert {answer.status_code for answer in answers} == {200}
    assert 0.2 <= waited_s < 1.4, "one after the other they would take 1.6 s"


def test_faults_can_be_shown_and_changed_on_the_admin_path(
    simulator: RunningSimulator, http: httpx.Client
) -> None:
    path = "/simulator/faults"
    assert http.get(path).json() == []
    rules = ["429 every=2", "reset nth=9"]
    assert http.put(path, json=rules).json() == rules
    assert [http.get("/v1/user/info").status_code for _ in range(2)] == [200, 429]
    assert http.get(path).json() == rules
    refused = http.put(path, json=["explode"])
    assert refused.status_code == 400
    assert "'explode' is no fault rule" in refused.json()["error"]
    for nonsense in ({"rules": []}, [1], "429"):
        refused = http.put(path, json=nonsense)
        assert (refused.status_code, refused.json()) == (
            400,
            {"error": "a list of rules is needed"},
        )
    assert http.put(path, json=[]).json() == []
    assert http.get("/v1/user/info").status_code == 200


def test_faults_spare_the_admin_path(simulator: RunningSimulator, http: httpx.Client) -> None:
    simulator.faults.set(["500"])
    log: Any = http.get("/simulator/requests")
    assert (log.status_code, log.json()["total"]) == (200, 0)
