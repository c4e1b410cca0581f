"""Many athletes of one home with accounts, and a killer of workers."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hevy_connector.client.client import HevyClient
from hevy_connector.schemas import JsonObject
from hevy_connector.simulator import demo_account
from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.faults import Faults
from hevy_connector.simulator.api.quirks import LIVE
from hevy_connector.simulator.api.server import _listener, _Server, _url, create_app
from hevy_connector.simulator.api.service import Service
from tests.end_to_end.outcome import marts
from tests.end_to_end.world import NOW, ROOT, Home, without_times

_WEEKS = 4


@dataclass(frozen=True)
class ManyAccounts:
    """Accounts by key, the URL of their service, and its clients' addresses, one a connection."""

    url: str
    services: Mapping[str, Service]
    connections: set[tuple[str, int]]

    def put_count(self, key: str) -> int:
        """Return the number of routines written to the account of a key."""
        return sum(entry.method == "PUT" for entry in self.services[key].log.entries())


@contextmanager
def running_accounts(
    accounts: Mapping[str, Account], *, faults: Sequence[str] = ()
) -> Iterator[ManyAccounts]:
    """Serve accounts by their keys from a thread, each of them with the same faults."""
    services = {
        key: Service(account, key, LIVE, 0.0, Faults(faults)) for key, account in accounts.items()
    }
    apps = {key: create_app(service) for key, service in services.items()}

    connections: set[tuple[str, int]] = set()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        connections.add(scope["client"])
        key = dict(scope["headers"]).get(b"api-key", b"").decode()
        await apps.get(key, Response("", 401))(scope, receive, send)

    with _listener("127.0.0.1", 0) as listener:
        server = _Server(app)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        server.has_started.wait()
        try:
            yield ManyAccounts(_url(listener), services, connections)
        finally:
            server.should_exit = True
            thread.join()


def accounts(count: int) -> dict[str, Account]:
    """Build different but deterministic histories of some weeks, by the account's key."""
    return {
        key(number): demo_account(seed=number, now=NOW, weeks=_WEEKS) for number in range(count)
    }


def key(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def home_of_many(folder: Path, url: str, count: int, variables: dict[str, str]) -> Home:
    """Build a home with this many athletes, each with an account."""
    keys = {f"HEVY_KEY_{number}": key(number) for number in range(count)}
    home = Home(folder, url, {**variables, **keys, "HEVY_PER_SECOND": "0"})
    home.athletes.mkdir(parents=True)
    demo = (ROOT / "athletes" / "demo.toml").read_text(encoding="utf-8")
    for number in range(count):
        text = demo.replace('id = "demo" ', f'id = "lifter-{number}" ', 1).replace(
            'account = "simulator"', f'account = "hevy"\napi_key_env = "HEVY_KEY_{number}"', 1
        )
        (home.athletes / f"lifter-{number}.toml").write_text(text, encoding="utf-8")
    return home


def result(home: Home, service: ManyAccounts) -> dict[str, Any]:
    """Return the result of a night in the marts, the plans and every account."""
    return {"marts": marts(home), **done(home, service)}


def done(home: Home, service: ManyAccounts) -> dict[str, Any]:
    """Return the changes by a night in the plans and every account."""
    return {
        "plans": home.query("select plan_id, plan from coach.plans order by all"),
        "publications": home.query(
            "select plan_id, state, diff from coach.publications order by all"
        ),
        "records": home.query(
            "select athlete_id, record_id, payload_sha256, is_deleted from raw.hevy_workouts "
            "order by all"
        ),
        "puts": {each: service.put_count(each) for each in service.services},
        "routines": {each: _routines(each, service.url) for each in service.services},
    }


def _routines(of: str, url: str) -> dict[str, JsonObject]:
    with HevyClient(of, base_url=url) as hevy:
        return {each.id: without_times(each.payload) for each in hevy.routines()}


class Killer(threading.Thread):
    """Kills runs at random moments, and in the middle the catalog's server.

    `kills_of` returns a function for each run in progress that kills it, and returns False if it
    had just ended; `pause_s` is the mean time between two kills. `killed` counts those that were
    alive until then; `tell` is called for each.
    """

    def __init__(
        self,
        kills_of: Callable[[], Sequence[Callable[[], bool]]],
        crash: Callable[[], bool],
        *,
        seed: int,
        kills: int,
        pause_s: float = 6.0,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self._tell, self._pause_s = tell, pause_s
        self._kills_of, self._crash, self._kills = kills_of, crash, kills
        self._random = random.Random(seed)  # noqa: S311 - a test's seed
        self._ended = threading.Event()
        self.killed = self.crashes = 0

    def run(self) -> None:
        while not self._ended.wait(self._pause_s * self._random.uniform(0.5, 1.5)):
            if self.killed >= self._kills // 2 and not self.crashes and self._crash():
                self.crashes += 1
                self._tell("the catalog's server crashed")
            kills = self._kills_of()
            if kills and self.killed < self._kills and self._random.choice(kills)():
                self.killed += 1
                self._tell(f"{self.killed} of {self._kills} runs killed")

    def end(self) -> None:
        self._ended.set()
        self.join()


def kill(process: int) -> bool:
    """Kill a process; return False if it had just ended by itself."""
    try:
        # A stopped process cannot end by itself, and an ended one cannot stop.
        os.kill(process, signal.SIGSTOP)
        while (state := _state(process)) not in "TZX":
            time.sleep(0.001)
        os.kill(process, signal.SIGKILL)
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state == "T"


def _state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0]
