"""A process that is really killed, while the service has its request in hand."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import duckdb
import pytest

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    Account,
    AccountState,
    ReceivedRequest,
    running_simulator,
)
from tests.coach.publishing_world import PUSH, USER, without_times

ROOT = Path(__file__).parents[3]


class Forking:
    """Starts processes of `publish_once`, one after the other."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        assert server.stdin
        assert server.stdout
        self._given, self._told = server.stdin, server.stdout

    def start(self, url: str, warehouse: Path, routine: object) -> int:
        """Start one and return its process id."""
        print(json.dumps([url, str(warehouse), routine]), file=self._given, flush=True)
        return int(self._told.readline())

    def end(self) -> tuple[str, int]:
        """Wait for its end; return what it printed and its exit code."""
        told = ""
        while not (line := self._told.readline()).startswith("ended "):
            assert line, "the process that forks has ended"
            told += line
        return told.strip(), int(line.split()[1])


@pytest.fixture(scope="module")
def forking() -> Iterator[Forking]:
    command = [sys.executable, "-m", "tests.coach.publish_once"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        yield Forking(server)


# The kills within one process cover the other requests in `make test`.
@pytest.mark.long
@pytest.mark.parametrize("arrives", [True, False], ids=["arrives", "is lost"])
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(2, marks=pytest.mark.long),
        3,
        pytest.param(4, marks=pytest.mark.long),
    ],
    ids=["second look", "write", "read-back"],
)
def test_whatever_request_it_dies_in_the_next_run_ends_it_once(
    tmp_path: Path, forking: Forking, number: int, arrives: bool
) -> None:
    account = Account(AccountState(seed=1, user=USER))
    routine = account.make_routine(PUSH)
    warehouse = tmp_path / "warehouse.duckdb"
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        process: Future[int] = Future()
        seen: list[str] = []

        def kill(request: ReceivedRequest) -> None:
            seen.append(request.method)
            if len(seen) == number:
                os.kill(process.result(), signal.SIGKILL)

        simulator.service.before_request = kill
        if not arrives:
            simulator.service.faults.set([f"reset nth={number}"])
        process.set_result(forking.start(simulator.url, warehouse, routine))
        assert forking.end() == ("", -signal.SIGKILL)
        assert seen == ["GET", "GET", "PUT", "GET"][:number]
        simulator.service.before_request = None
        simulator.service.faults.clear()
        forking.start(simulator.url, warehouse, routine)
        told = forking.end()
        writes = [each for each in simulator.requests if each.method == "PUT"]
        taken = [each for each in writes if each.fault is None]
        assert (told, len(taken)) == (("published", 0), 1)
        now = account.routine(routine["id"])
    loads = [[each["weight_kg"] for each in one["sets"]] for one in now["exercises"]]
    assert loads == [[40, 102.5, 102.5, 102.5], [62.5, 62.5], [22.91168092460379, 15]]
    assert without_times(now) == without_times({**routine, "exercises": now["exercises"]})
    with duckdb.connect(warehouse) as con:
        assert con.execute("select state from coach.publications").fetchall() == [("published",)]
