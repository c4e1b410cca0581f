"""Other origins and rebound names reach no server that Spotter starts."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import dagster as dg
import pytest
from dagster._core.workspace.context import WorkspaceProcessContext
from starlette.testclient import TestClient
from starlette.types import ASGIApp
from starlette.websockets import WebSocketDisconnect

from dashboard.serve import guarded_page
from hevy_connector.request_guard import Incoming, RequestGuard, refusal
from orchestration.server.dashboard import DASHBOARD_PAGE
from orchestration.server.webhook import create_app

OWN = Incoming(
    method="POST",
    path="/graphql",
    query="",
    hosts=("127.0.0.1:3000",),
    origins=("http://127.0.0.1:3000",),
    content_type="application/json",
    fetch_site="same-origin",
    fetch_mode="cors",
    fetch_dest="empty",
    server_address="127.0.0.1",
    is_websocket=False,
)
PROXIED = replace(OWN, hosts=("coach.example.org",), origins=("https://coach.example.org",))
LINK = replace(
    OWN,
    method="GET",
    path="/runs",
    origins=(),
    content_type="",
    fetch_site="cross-site",
    fetch_mode="navigate",
    fetch_dest="document",
)
ALLOWED = ("coach.example.org", "gym.example.org:8443")


@pytest.mark.parametrize(
    "incoming",
    [
        pytest.param(OWN, id="its own page"),
        pytest.param(replace(OWN, origins=(), fetch_site=""), id="no browser"),
        pytest.param(replace(OWN, hosts=("LocalHost.:3000",), origins=()), id="localhost"),
        pytest.param(replace(OWN, hosts=("[::1]:3000",), origins=()), id="IPv6"),
        pytest.param(replace(OWN, content_type="application/json"), id="JSON"),
        pytest.param(PROXIED, id="a proxy that passes the name"),
        pytest.param(
            replace(OWN, origins=("https://gym.example.org:8443",)), id="a proxy that does not"
        ),
        pytest.param(
            replace(
                OWN,
                hosts=("192.0.2.7:8501",),
                origins=("http://192.0.2.7:8501",),
                server_address="192.0.2.7",
            ),
            id="the address of the connection",
        ),
        pytest.param(LINK, id="a link"),
        pytest.param(replace(LINK, path="/graphql"), id="the page of GraphiQL"),
    ],
)
def test_what_comes_from_its_own_pages_is_accepted(incoming: Incoming) -> None:
    assert refusal(incoming, ALLOWED, only_json=True) is None


@pytest.mark.parametrize(
    ("incoming", "status"),
    [
        pytest.param(replace(OWN, hosts=("evil.example:3000",)), 421, id="rebound name"),
        pytest.param(
            replace(OWN, hosts=("evil.example:3000",), origins=("http://evil.example:3000",)),
            421,
            id="rebound name, same origin",
        ),
        pytest.param(replace(OWN, hosts=("192.0.2.7:3000",)), 421, id="an address elsewhere"),
        pytest.param(replace(OWN, hosts=("0.0.0.0:3000",)), 421, id="every address"),
        pytest.param(replace(OWN, hosts=()), 421, id="no host"),
        pytest.param(replace(OWN, hosts=("127.0.0.1", "evil.example")), 421, id="two hosts"),
        pytest.param(replace(OWN, hosts=("127.0.0.1@evil.example",)), 421, id="a user"),
        pytest.param(replace(OWN, hosts=("evil.example/127.0.0.1",)), 421, id="a path"),
        pytest.param(replace(OWN, hosts=("127.0.0.1:x",)), 421, id="no port"),
        pytest.param(replace(OWN, hosts=("127.0.0.1.evil.example",)), 421, id="prefix"),
        pytest.param(replace(OWN, hosts=("a.localhost",)), 421, id="below localhost"),
        pytest.param(replace(OWN, hosts=("evil-coach.example.org",)), 421, id="suffix"),
        pytest.param(replace(OWN, origins=("http://127.0.0.1:9",)), 403, id="another port"),
        pytest.param(replace(OWN, origins=("http://localhost:3000",)), 403, id="another name"),
        pytest.param(replace(OWN, origins=("https://evil.example",)), 403, id="another site"),
        pytest.param(replace(OWN, origins=("null",)), 403, id="a sandbox"),
        pytest.param(replace(OWN, origins=("file://",)), 403, id="a file"),
        pytest.param(
            replace(OWN, origins=("https://gym.example.org",)), 403, id="another port of a proxy"
        ),
        pytest.param(replace(OWN, origins=(), fetch_site="same-site"), 403, id="no origin"),
        pytest.param(replace(LINK, fetch_mode="no-cors", fetch_dest="image"), 403, id="image"),
        pytest.param(replace(LINK, fetch_dest="iframe"), 403, id="frame"),
        pytest.param(replace(LINK, method="POST"), 403, id="form"),
        pytest.param(
            replace(LINK, path="/graphql", query="query=mutation{x}"), 405, id="mutation by GET"
        ),
        pytest.param(replace(OWN, content_type="text/plain"), 415, id="text"),
        pytest.param(replace(OWN, content_type=""), 415, id="no type"),
        pytest.param(replace(OWN, content_type="application/graphql"), 415, id="bare GraphQL"),
        pytest.param(
            replace(OWN, is_websocket=True, origins=("http://evil.example",)), 403, id="WebSocket"
        ),
    ],
)
def test_what_comes_from_elsewhere_is_refused(incoming: Incoming, status: int) -> None:
    refused = refusal(incoming, ALLOWED, only_json=True)
    assert refused is not None
    assert refused.status == status


MUTATION = 'mutation { setConcurrencyLimit(concurrencyKey: "attack", limit: 7) }'
QUERY = "{ version }"


@pytest.fixture(scope="module")
def dagster(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[dg.DagsterInstance, TestClient]]:
    """Start the real UI over an empty history and no code."""
    from orchestration.server.webserver import guarded_ui

    with ExitStack() as ended:
        instance = ended.enter_context(
            dg.DagsterInstance.local_temp(str(tmp_path_factory.mktemp("dagster")))
        )
        context = ended.enter_context(WorkspaceProcessContext(instance, None, version="1"))
        yield instance, client(guarded_ui(context, ()))


def client(app: ASGIApp) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1:3000")


def test_the_ui_still_takes_what_its_own_pages_send(
    dagster: tuple[dg.DagsterInstance, TestClient],
) -> None:
    _, ui = dagster
    own = {"Origin": "http://127.0.0.1:3000", "Sec-Fetch-Site": "same-origin"}
    answer = ui.post("/graphql", json={"query": QUERY}, headers=own)
    assert answer.json()["data"]["version"] == "1"
    assert ui.get("/server_info").is_success
    page = ui.get("/", headers={"Accept": "text/html"})
    assert "text/html" in page.headers["content-type"]
    assert page.headers["x-frame-options"] == "SAMEORIGIN"
    with ui.websocket_connect("ws://127.0.0.1:3000/graphql", headers=own) as socket:
        socket.send_json({"type": "connection_init"})
        assert socket.receive_json() == {"type": "connection_ack"}


ATTACKS: dict[str, Callable[[TestClient], int]] = {
    "image": lambda ui: ui.get("/graphql", params={"query": MUTATION}).status_code,
    "form": lambda ui: ui.post("/graphql", data={"query": MUTATION}).status_code,
    "query of a form": lambda ui: ui.post("/graphql", params={"query": MUTATION}).status_code,
    "bare GraphQL": lambda ui: (
        ui.post(
            "/graphql", content=MUTATION, headers={"Content-Type": "application/graphql"}
        ).status_code
    ),
    "JSON as text": lambda ui: (
        ui.post(
            "/graphql",
            content=json.dumps({"query": MUTATION}),
            headers={"Content-Type": "text/plain; application/json"},
        ).status_code
    ),
    "another origin": lambda ui: (
        ui.post(
            "/graphql", json={"query": MUTATION}, headers={"Origin": "http://127.0.0.1:9"}
        ).status_code
    ),
    "preflight": lambda ui: (
        ui.options(
            "/graphql",
            headers={"Origin": "http://127.0.0.1:9", "Access-Control-Request-Method": "POST"},
        ).status_code
    ),
    "rebound name": lambda ui: (
        ui.post(
            "/graphql",
            json={"query": MUTATION},
            headers={"Host": "evil.example:3000", "Origin": "http://evil.example:3000"},
        ).status_code
    ),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_no_attack_changes_what_dagster_keeps(
    dagster: tuple[dg.DagsterInstance, TestClient], attack: Callable[[TestClient], int]
) -> None:
    instance, ui = dagster
    assert attack(ui) in {403, 405, 415, 421}
    assert instance.event_log_storage.get_concurrency_keys() == set()


def test_a_websocket_of_another_origin_is_refused(
    dagster: tuple[dg.DagsterInstance, TestClient],
) -> None:
    _, ui = dagster
    for headers in ({"Origin": "http://127.0.0.1:9"}, {"Host": "evil.example"}):
        with pytest.raises(WebSocketDisconnect), ui.websocket_connect("/graphql", headers=headers):
            pass


def test_dashboard_and_webhook_are_guarded_alike() -> None:
    taken: list[str] = []
    webhook = create_app({"ann": "token"}, lambda *names: taken.extend(names))
    apps = [guarded_page(str(DASHBOARD_PAGE), ()), RequestGuard(webhook)]
    for app in apps:
        for headers in ({"Host": "evil.example"}, {"Origin": "http://127.0.0.1:9"}):
            shown = {"Authorization": "token", **headers}
            answer = client(app).post("/hevy", json={"workoutId": "a"}, headers=shown)
            assert answer.status_code in {403, 421}
    assert taken == []
    own = client(apps[1]).post("/hevy", json={"workoutId": "a"}, headers={"Authorization": "token"})
    assert own.is_success
    assert taken == ["ann", "a"]


def test_the_operators_names_reach_every_server() -> None:
    webhook = create_app({"ann": "token"}, lambda *_: None)
    named = TestClient(
        RequestGuard(webhook, ["hooks.example.org"]), base_url="http://hooks.example.org"
    )
    answer = named.post("/", json={"workoutId": "a"}, headers={"Authorization": "token"})
    assert answer.is_success
