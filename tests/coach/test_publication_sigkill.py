"""A process that is really killed, while the service has its request in hand."""

import json
import os
import signal
import subprocess
import sys
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
from tests.coach.publishing import PUSH, USER, without_times

ROOT = Path(__file__).parents[2]


def started(url: str, warehouse: Path, routine: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.coach.publish_once"]
    return subprocess.Popen(
        [*command, url, str(warehouse), json.dumps(routine)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("arrives", [True, False], ids=["arrives", "is lost"])
@pytest.mark.parametrize("number", [2, 3, 4], ids=["second look", "write", "read-back"])
def test_whatever_request_it_dies_in_the_next_run_ends_it_once(
    tmp_path: Path, number: int, arrives: bool
) -> None:
    account = Account(AccountState(seed=1, user=USER))
    routine = account.make_routine(PUSH)
    warehouse = tmp_path / "warehouse.duckdb"
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        process = started(simulator.url, warehouse, routine)
        seen: list[str] = []

        def kill(request: ReceivedRequest) -> None:
            seen.append(request.method)
            if len(seen) == number:
                os.kill(process.pid, signal.SIGKILL)

        simulator.service.before_request = kill
        if not arrives:
            simulator.service.faults.set([f"reset nth={number}"])
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        assert seen == ["GET", "GET", "PUT", "GET"][:number]
        simulator.service.before_request = None
        simulator.service.faults.clear()
        again = started(simulator.url, warehouse, routine)
        told, _ = again.communicate(timeout=60)
        writes = [each for each in simulator.requests if each.method == "PUT"]
        taken = [each for each in writes if each.fault is None]
        assert (told.strip(), len(taken)) == ("published", 1)
        now = account.routine(routine["id"])
    loads = [[each["weight_kg"] for each in one["sets"]] for one in now["exercises"]]
    assert loads == [[40, 102.5, 102.5, 102.5], [62.5, 62.5], [22.91168092460379, 15]]
    assert without_times(now) == without_times({**routine, "exercises": now["exercises"]})
    with duckdb.connect(warehouse) as con:
        assert con.execute("select state from coach.publications").fetchall() == [("published",)]
