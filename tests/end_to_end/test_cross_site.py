"""A page of another origin, in a real browser, against every server that Spotter starts."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from orchestration.config.settings import Settings, load_settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.server.dagster_servers import ui_command
from orchestration.server.dashboard import dashboard_command
from orchestration.server.webhook import running_webhook
from orchestration.services.ingestion.webhook_events import new_deliveries
from tests.end_to_end.browser import needs_chromium, opened_page, running_chromium
from tests.end_to_end.served_dashboard import is_up
from tests.end_to_end.test_ui import wait_until
from tests.ports import free_port

pytestmark = [needs_chromium, pytest.mark.long]

REBOUND = "rebound.test"
TOKEN = "of-no-use-anywhere"  # noqa: S105 - loopback alone
MUTATION = 'mutation { setConcurrencyLimit(concurrencyKey: "attack", limit: 7) }'

# Attacks of a page, as functions of the URL. A form and an image need no script of ours.
FORM = """url => {
  const form = document.createElement("form");
  form.method = "POST"; form.action = url; form.target = "sink"; form.enctype = "text/plain";
  const input = document.createElement("input");
  input.name = '{"query": %s, "x": "'; input.value = '"}';
  form.append(input); document.body.append(form); form.submit();
  return new Promise(done => setTimeout(done, 0));
}"""
IMAGE = """url => new Promise(done => {
  const image = new Image(); image.onload = image.onerror = done; image.src = url;
})"""
FETCH = """async ([url, options]) => {
  try { const got = await fetch(url, options); return [got.status, await got.text()]; }
  catch (error) { return [0, String(error)]; }
}"""
SOCKET = """url => new Promise(done => {
  const socket = new WebSocket(url, ["graphql-ws"]);
  socket.onopen = () => done("open"); socket.onerror = () => done("refused");
})"""


@dataclass(frozen=True)
class Servers:
    """URLs of the servers, and their home."""

    settings: Settings
    ui: str
    dashboard: str
    webhook: str

    def changes(self) -> tuple[set[str], dict[str, str]]:
        """Return traces of an attack: limits in Dagster, and webhook events."""
        with dagster_instance(self.settings) as instance:
            keys = instance.event_log_storage.get_concurrency_keys()
            return set(keys), new_deliveries(instance, None)[0]


@contextmanager
def started(command: list[str], folder: Path, url: str) -> Iterator[str]:
    with (folder / "server.log").open("a") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_until(lambda: is_up(url), f"starting {command[2]}")
            yield url
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def attacker() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>attacker</title><iframe name=sink></iframe>")

        def log_message(self, *_: object) -> None:
            """Log nothing: tests check the effects."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    folder = tmp_path_factory.mktemp("attacked")
    with ExitStack() as ended, pytest.MonkeyPatch.context() as patch:
        (folder / "athletes").mkdir()
        (folder / "athletes" / "ann.toml").write_text('id = "ann"\n')
        for name, value in {
            "SPOTTER_HOME": str(folder / "home"),
            "SPOTTER_ATHLETES_DIR": str(folder / "athletes"),
            "DAGSTER_HOME": str(folder / "home" / "dagster"),
            "HEVY_WEBHOOK_TOKEN": TOKEN,
        }.items():
            patch.setenv(name, value)
        settings = load_settings()
        with dagster_instance(settings):
            pass
        workspace = folder / "workspace.yaml"
        workspace.write_text("load_from: []\n")
        ui, page = free_port(), free_port()
        commands = {
            f"http://127.0.0.1:{ui}": (ui_command(str(workspace), "127.0.0.1", ui, ()), ""),
            f"http://127.0.0.1:{page}": (
                dashboard_command(settings, "127.0.0.1", page),
                "/_stcore/health",
            ),
        }
        ui_url, dashboard_url = commands
        for url, (command, path) in commands.items():
            ended.enter_context(started(command, settings.home, url + path))
        hook = ended.enter_context(running_webhook(settings, port=0))
        yield Servers(settings, ui_url, dashboard_url, hook.url)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_chromium(REBOUND) as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open the attacker's page, of another origin on the same machine."""
    with attacker() as url, opened_page(browser) as page:
        page.goto(url)
        yield page


def graphql(content_type: str) -> dict[str, object]:
    body = json.dumps({"query": MUTATION})
    return {"method": "POST", "body": body, "headers": {"Content-Type": content_type}}


def delivery(**headers: str) -> dict[str, object]:
    body = json.dumps({"workoutId": "attack"})
    return {"method": "POST", "body": body, "headers": {"Authorization": TOKEN, **headers}}


def test_no_request_of_another_page_has_an_effect(servers: Servers, page: Page) -> None:
    query = httpx.QueryParams({"query": MUTATION})
    for target in (f"{servers.ui}/graphql?{query}", f"{servers.ui}/graphql", servers.dashboard):
        page.evaluate(IMAGE, target)
    with page.expect_response(lambda answer: answer.request.method == "POST") as answered:
        page.evaluate(
            FORM.replace("%s", json.dumps(MUTATION).replace("'", "\\'")),
            f"{servers.ui}/graphql?{query}",
        )
    assert answered.value.status == 403
    for content_type in ("text/plain", "application/json"):
        for mode in ("cors", "no-cors"):
            options = {**graphql(content_type), "mode": mode}
            status, _ = page.evaluate(FETCH, [f"{servers.ui}/graphql", options])
            assert status == 0, "the answer may not be read"
    assert page.evaluate(FETCH, [servers.webhook, delivery()])[0] == 0
    for path in ("_stcore/host-config", "_stcore/health"):
        assert page.evaluate(FETCH, [f"{servers.dashboard}/{path}", {}])[0] == 0
    for url in (f"{servers.ui}/graphql", f"{servers.dashboard}/_stcore/stream"):
        assert page.evaluate(SOCKET, url.replace("http", "ws")) == "refused"
    assert servers.changes() == (set(), {})


def test_a_rebound_name_reaches_nothing(servers: Servers, browser: Browser) -> None:
    """Scripts of a name that resolves to this machine have its servers as their own origin."""
    targets = {
        f"{servers.ui}/graphql": graphql("application/json"),
        f"{servers.dashboard}/_stcore/host-config": {},
        f"{servers.webhook}/hevy": delivery(),
    }
    with opened_page(browser) as page:
        for url, options in targets.items():
            rebound = url.replace("127.0.0.1", REBOUND)
            # The rejection itself is a page of this origin.
            opened = page.goto(rebound)
            assert opened is not None
            assert opened.status == 421
            status, text = page.evaluate(FETCH, [rebound, options])
            assert status == 421, text
    assert servers.changes() == (set(), {})


def test_the_pages_themselves_work(servers: Servers, browser: Browser) -> None:
    with opened_page(browser) as page:
        page.goto(servers.dashboard)
        expect(page.get_by_text("Import").first).to_be_visible()
        page.goto(f"{servers.ui}/runs")
        expect(page.get_by_text("Runs").first).to_be_visible()
        status, text = page.evaluate(FETCH, ["/graphql", graphql("application/json")])
        assert (status, json.loads(text)) == (200, {"data": {"setConcurrencyLimit": True}})
    assert httpx.post(
        f"{servers.webhook}/hevy", json={"workoutId": "w"}, headers={"Authorization": TOKEN}
    ).is_success
    assert servers.changes() == ({"attack"}, {"ann": "w"})
