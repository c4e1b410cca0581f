"""Workers share a night on a lake, and are killed, and its catalog is: nothing of it is lost."""

import json
import os
import random
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hevy_connector.client import HevyClient
from hevy_connector.schemas import JsonObject
from hevy_connector.simulator import demo_account
from hevy_connector.simulator.account import Account
from tests.end_to_end.many_accounts import ManyAccounts, running_accounts
from tests.end_to_end.outcome import marts
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.test_migrate import told_commands
from tests.end_to_end.world import NOW, ROOT, SPOTTER, Home, without_times
from tests.lakes import Lakes

pytestmark = names_its_target

ATHLETES = 4
WEEKS = 4


def key(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def home_of_many(folder: Path, url: str, count: int, variables: dict[str, str]) -> Home:
    """A home with so many athletes, each with an account of its own."""
    keys = {f"KEY_{number}": key(number) for number in range(count)}
    home = Home(folder, url, {**variables, **keys, "HEVY_PER_SECOND": "0"})
    home.athletes.mkdir(parents=True)
    demo = (ROOT / "athletes" / "demo.toml").read_text(encoding="utf-8")
    for number in range(count):
        text = demo.replace('id = "demo" ', f'id = "lifter-{number}" ', 1).replace(
            'account = "simulator"', f'account = "hevy"\napi_key_env = "KEY_{number}"', 1
        )
        (home.athletes / f"lifter-{number}.toml").write_text(text, encoding="utf-8")
    return home


def result(home: Home, service: ManyAccounts) -> dict[str, Any]:
    """What a night leaves behind, in the marts, the plans and every account."""
    return {
        "marts": marts(home),
        "plans": home.query("select plan_id, plan from coach.plans order by all"),
        "publications": home.query(
            "select plan_id, state, diff from coach.publications order by all"
        ),
        "records": home.query(
            "select athlete_id, record_id, payload_sha256, is_deleted from raw.hevy_workouts "
            "order by all"
        ),
        "puts": {
            each: sum(entry.method == "PUT" for entry in one.log.entries())
            for each, one in service.services.items()
        },
        "routines": {each: _routines(each, service.url) for each in service.services},
    }


def _routines(of: str, url: str) -> dict[str, JsonObject]:
    with HevyClient(of, base_url=url) as hevy:
        return {each.id: without_times(each.payload) for each in hevy.routines()}


class Killer(threading.Thread):
    """Kills workers of a command at random moments, and in the middle the catalog's server."""

    def __init__(self, command: int, crash: Callable[[], bool], *, seed: int, kills: int) -> None:
        super().__init__()
        self._command, self._crash, self._kills = command, crash, kills
        self._random = random.Random(seed)  # noqa: S311 - a test's seed
        self._ended = threading.Event()
        self.killed = self.crashes = 0

    def run(self) -> None:
        while not self._ended.wait(self._random.uniform(3, 9)):
            if self.killed >= self._kills // 2 and not self.crashes:
                self.crashes += self._crash()
            workers = _children(self._command)
            if workers and self.killed < self._kills:
                # One that has just ended by itself was not killed.
                with suppress(ProcessLookupError):
                    os.kill(self._random.choice(workers), signal.SIGKILL)
                    self.killed += 1

    def end(self) -> None:
        self._ended.set()
        self.join()


def _children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for each in found for child in each.read_text().split()]


def accounts() -> dict[str, Account]:
    return {
        key(number): demo_account(seed=number, now=NOW, weeks=WEEKS) for number in range(ATHLETES)
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a night on the file leaves, which one process does."""
    folder = tmp_path_factory.mktemp("one-process")
    with running_accounts(accounts()) as service:
        home = home_of_many(folder, service.url, ATHLETES, {})
        ran = home.spotter("run")
        assert ran.returncode == 0, ran.stderr
        return result(home, service)


@pytest.mark.parametrize("command", ["run --workers 2", "part sync --shard 1/2"])
def test_a_file_is_for_one_process(tmp_path: Path, command: str) -> None:
    home = home_of_many(tmp_path, "http://127.0.0.1:9", 1, {})
    done = home.spotter(*command.split())
    assert done.returncode == 2
    assert "Set SPOTTER_TARGET=lake" in done.stderr
    assert not home.warehouse.exists()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("part sync --shard 5/4", "written 2/4"),
        ("part models --shard 1/4", "done once for all"),
        ("run --workers 2 --athlete lifter-0", "Workers share all athletes"),
    ],
)
def test_what_is_no_shard_is_refused(tmp_path: Path, command: str, told: str) -> None:
    done = home_of_many(tmp_path, "http://127.0.0.1:9", 1, {}).spotter(*command.split())
    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())


@pytest.mark.long
def test_workers_leave_what_one_process_does(
    lakes: Lakes, expected: dict[str, Any], tmp_path: Path
) -> None:
    with running_accounts(accounts()) as service:
        home = home_of_many(tmp_path, service.url, ATHLETES, lakes.new(tmp_path))
        whole, *parts = (command.split() for command in told_commands()[3:])
        told = home.spotter_json(*whole)
        assert told["failed"] == {}
        assert told["begun_again"] == {}
        assert told["new_plans"] == told["sent_to_hevy"] == ATHLETES
        assert result(home, service) == expected
        for part in parts:
            again = home.spotter_json(*part)
            assert (again["new_plans"], again["sent_to_hevy"]) == (0, 0)
        assert result(home, service) == expected


@pytest.mark.long
def test_killed_workers_and_a_catalog_that_crashes_lose_nothing(
    lakes: Lakes, expected: dict[str, Any], tmp_path: Path
) -> None:
    variables = lakes.new(tmp_path)
    with running_accounts(accounts()) as service:
        home = home_of_many(tmp_path, service.url, ATHLETES, variables)
        command = [SPOTTER, "run", "--workers", "4", "--json"]
        with subprocess.Popen(
            command, env=home.env, cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as night:
            killer = Killer(night.pid, lambda: lakes.crash(variables), seed=1, kills=5)
            killer.start()
            out, _ = night.communicate(timeout=1500)
            killer.end()
        told = json.loads(out)
        assert (killer.killed > 0, killer.crashes) == (True, 1)
        assert sum(told["begun_again"].values()) > 0
        if night.returncode:
            # Who was killed too often is left for the next night.
            assert told["failed"]
            home.spotter_json("run", "--workers", "4")
        assert result(home, service) == expected
