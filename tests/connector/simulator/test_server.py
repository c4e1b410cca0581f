import signal
import socket
import subprocess
import sys
import threading

import httpx
import pytest

import hevy_connector.simulator as simulator_package
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    SPEC,
    Account,
    AccountState,
    LoggedRequest,
    SimulatedClock,
    running_simulator,
)
from tests.connector.simulator.conftest import NOW, Api


def _account() -> Account:
    return Account(AccountState(seed=1, user={"id": "u"}), clock=SimulatedClock(NOW))


@pytest.mark.parametrize("key", [None, "", "wrong"], ids=["no key", "empty key", "wrong key"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/user/info"),
        ("PUT", "/v1/routines/unknown"),
        ("GET", "/v1/workouts?pageSize=99"),
        ("GET", "/v1/nothing"),
    ],
)
def test_the_key_is_checked_before_anything_else(
    api: Api, method: str, path: str, key: str | None
) -> None:
    response = api.call(method, path, key=key)
    assert (response.status_code, response.text) == (401, "InvalidApiKey")
    assert response.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/nothing"), ("DELETE", "/v1/workouts"), ("PATCH", "/v1/routines/x"), ("GET", "/")],
)
def test_there_are_no_other_routes(api: Api, method: str, path: str) -> None:
    response = api.call(method, path)
    assert (response.status_code, response.text) == (404, f"Cannot {method} {path}")


@pytest.mark.parametrize("path", ["/v1/workouts", "/v1/routines/{id}", "/v1/workouts/count"])
def test_a_slash_at_the_end_of_a_path_changes_nothing(api: Api, path: str) -> None:
    path = path.replace("{id}", api.account.routines()[0]["id"])
    assert api.get(f"{path}/") == api.get(path)
    assert api.call("GET", f"{path}//").status_code == 404


def test_a_head_is_answered_like_a_get(api: Api) -> None:
    assert api.call("HEAD", "/v1/workouts").status_code == 200
    assert api.call("HEAD", "/v1/workouts", key="wrong").status_code == 401
    assert api.call("HEAD", "/v1/nothing").status_code == 404


@pytest.mark.parametrize("key", [None, SIMULATOR_KEY], ids=["no key", "key"])
def test_a_browser_may_ask_whether_it_may_call(api: Api, key: str | None) -> None:
    response = api.call("OPTIONS", "/v1/workouts", key=key)
    assert (response.status_code, response.content) == (204, b"")
    assert response.headers["access-control-allow-origin"] == "*"
    assert "api-key" in response.headers["access-control-allow-headers"]
    assert "PUT" in response.headers["access-control-allow-methods"]


def test_every_answer_may_be_read_by_a_browser(api: Api) -> None:
    for response in (
        api.call("GET", "/v1/workouts"),
        api.call("GET", "/v1/workouts/unknown"),
        api.call("GET", "/v1/workouts", key="wrong"),
    ):
        assert response.headers["access-control-allow-origin"] == "*"


def test_json_is_declared_with_its_character_set(api: Api) -> None:
    for path in ("/v1/workouts", "/v1/workouts/unknown"):
        content_type = api.call("GET", path).headers["content-type"]
        assert content_type == "application/json; charset=utf-8"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/simulator/requests"),
        ("GET", "/simulator/faults"),
        ("PUT", "/simulator/faults"),
        ("POST", "/simulator/workouts"),
    ],
)
def test_the_admin_path_is_closed_to_other_machines(api: Api, method: str, path: str) -> None:
    response = api.call(method, path, client=("192.0.2.7", 1), json=["500"])
    assert (response.status_code, response.content) == (403, b"")
    assert api.service.faults.texts() == []


def test_requests_to_the_api_are_logged_and_others_are_not(api: Api) -> None:
    routine = api.get("/v1/routines", page=1)["routines"][0]
    api.call("PUT", f"/v1/routines/{routine['id']}", json={"routine": {}})
    api.call("POST", "/v1/workouts", content=b"no JSON")
    api.call("GET", "/v1/user/info", key="wrong")
    api.call("PUT", f"/simulator/routines/{routine['id']}", json=routine)
    expected = [
        LoggedRequest("GET", "/v1/routines", {"page": "1"}, None, 200),
        LoggedRequest("PUT", f"/v1/routines/{routine['id']}", {}, {"routine": {}}, 400),
        LoggedRequest("POST", "/v1/workouts", {}, "no JSON", 400),
        LoggedRequest("GET", "/v1/user/info", {}, None, 401),
    ]
    assert api.service.log.entries() == expected
    for _ in range(2):
        summary = api.call("GET", "/simulator/requests", key=None).json()
        assert summary["total"] == 4
        assert summary["by_method"] == {"GET": 2, "PUT": 1, "POST": 1}
        assert summary["requests"][0] == {
            "method": "GET",
            "path": "/v1/routines",
            "query": {"page": "1"},
            "body": None,
            "status": 200,
            "fault": None,
        }
    assert SIMULATOR_KEY not in str(expected)


def test_a_running_simulator_answers_as_express_behind_heroku(state: AccountState) -> None:
    with running_simulator(Account(state), api_key="k") as simulator:
        response = httpx.get(f"{simulator.url}/v1/user/info", headers={"api-key": "k"})
    names = ("server", "x-powered-by")
    assert [response.headers.get_list(name) for name in names] == [["Heroku"], ["Express"]]


def test_what_serves_can_be_changed_while_it_serves(state: AccountState) -> None:
    with (
        running_simulator(Account(state), api_key="k") as simulator,
        httpx.Client(base_url=simulator.url, headers={"api-key": "k"}) as http,
    ):
        assert http.get("/v1/workouts/unknown").status_code == 404
        simulator.service.account = _account()
        simulator.service.quirks = SPEC
        assert http.get("/v1/workouts/count").json() == {"workout_count": 0}
        assert http.get("/v1/routines/unknown").status_code == 400


def test_a_running_simulator_answers_and_logs_over_http(state: AccountState) -> None:
    account = Account(state, clock=SimulatedClock(NOW))
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        url = f"{simulator.url}/v1/workouts/count"
        response = httpx.get(url, headers={"api-key": SIMULATOR_KEY})
        assert response.json() == {"workout_count": len(account.workouts())}
        assert simulator.account is account
        assert [logged.path for logged in simulator.requests] == ["/v1/workouts/count"]


def _simulators() -> set[int | None]:
    """Return the running simulators of this process: other tests may share one."""
    return {each.ident for each in threading.enumerate() if each.name == "hevy-simulator"}


def test_nothing_runs_after_the_end_even_if_a_client_stays_connected() -> None:
    before = _simulators()
    with httpx.Client(headers={"api-key": "k"}) as client:
        with running_simulator(_account(), api_key="k") as simulator:
            url = f"{simulator.url}/v1/user/info"
            assert client.get(url).json() == {"data": {"id": "u"}}
        with pytest.raises(httpx.ConnectError):
            client.get(url)
    assert _simulators() == before


def test_a_running_simulator_ends_when_its_user_fails() -> None:
    before = _simulators()
    with pytest.raises(KeyError), running_simulator(_account(), api_key="k"):
        raise KeyError
    assert _simulators() == before


def test_a_taken_port_is_an_error_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError), running_simulator(_account(), api_key="k", port=port):  # noqa: PT011 - its text is the system's
            pass


def test_two_simulators_run_side_by_side() -> None:
    with (
        running_simulator(_account(), api_key="one") as first,
        running_simulator(_account(), api_key="two") as second,
    ):
        for simulator, key in ((first, "one"), (second, "two")):
            answer = httpx.get(f"{simulator.url}/v1/user/info", headers={"api-key": key})
            assert answer.status_code == 200


def test_serving_in_the_foreground_ends_cleanly_on_an_interrupt() -> None:
    program = (
        "from hevy_connector.simulator import Account, AccountState, Service, serve\n"
        "service = Service(Account(AccountState(seed=1, user={'id': 'u'})), 'k')\n"
        "serve(service, port=0, on_started=lambda url: print(url, flush=True))\n"
        "print('ended')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        url = run.stdout.readline().strip()
        answer = httpx.get(f"{url}/v1/user/info", headers={"api-key": "k"})
        assert answer.json() == {"data": {"id": "u"}}
        run.send_signal(signal.SIGINT)
        assert run.stdout.read() == "ended\n"
    assert run.returncode == 0


def test_the_package_offers_what_it_lists() -> None:
    assert all(hasattr(simulator_package, name) for name in simulator_package.__all__)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({}, 200),
    ],
    ids=["rebound name", "form of another page", "fetch of another page", "no page"],
)
def test_pages_of_other_sites_reach_neither_account_nor_administration(
    headers: dict[str, str], status: int
) -> None:
    with running_simulator(_account(), api_key=SIMULATOR_KEY) as simulator:
        for path in ("/v1/user/info", "/simulator/faults"):
            shown = {"api-key": SIMULATOR_KEY, **headers}
            answer = httpx.get(f"{simulator.url}{path}", headers=shown, trust_env=False)
            refused = answer.status_code in {403, 421}
            assert (answer.status_code if refused else 200) == status
