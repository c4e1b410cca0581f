"""Nights with a failing service or warehouse: one message, and recovery."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.responses import Response

from hevy_connector.simulator import RunningSimulator
from hevy_connector.simulator.api import server
from hevy_connector.simulator.api.delivery import deliver
from tests.end_to_end.outcome import result
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import Home, put_count

HOLDER = """
import sys, time, duckdb
con = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.readline()
"""


def one_message(done: subprocess.CompletedProcess[str]) -> str:
    """Return the short message of a failed command, without a traceback."""
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 6, done.stderr
    return " ".join(done.stderr.split())


@pytest.mark.long
def test_nights_without_the_service_are_made_up_for_by_the_next_one(
    trained: tuple[Home, RunningSimulator], after_next_night: dict[str, Any]
) -> None:
    """It refuses the key, is down and sends half a page, each for a night that changes nothing."""
    home, simulator = trained
    before = result(home, simulator)
    for rule, words in {
        "401": ["refused the API key"],
        "503": ["Hevy", "503"],
        "truncate path=/v1/workouts*": ["Hevy"],
    }.items():
        simulator.faults.set([rule])
        message = one_message(home.spotter("run"))
        assert all(word in message for word in words), message
        simulator.faults.clear()
        assert put_count(simulator) == 0, rule
        assert result(home, simulator) == before, rule
    again = home.spotter("run")
    assert again.returncode == 0, again.stderr
    assert result(home, simulator) == after_next_night


@pytest.mark.long
@pytest.mark.parametrize(
    "rules",
    [["429 every=2 retry-after=1"], ["truncate path=/v1/workouts* nth=1", "reset every=5"]],
    ids=["storm of 429", "now and then"],
)
def test_what_passes_by_itself_is_waited_for(
    trained: tuple[Home, RunningSimulator], after_next_night: dict[str, Any], rules: list[str]
) -> None:
    home, simulator = trained
    simulator.faults.set(rules)
    done = home.spotter("run")
    simulator.faults.clear()
    assert done.returncode == 0, done.stderr
    assert result(home, simulator) == after_next_night


@contextmanager
def held_by_a_stranger(home: Home) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold the warehouse until a line is written to it."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home.warehouse)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.communicate("\n")


@pytest.mark.long
@names_its_target
def test_a_warehouse_that_a_stranger_holds_is_waited_for_and_then_given_up(
    trained: tuple[Home, RunningSimulator], after_next_night: dict[str, Any]
) -> None:
    home, simulator = trained
    with held_by_a_stranger(home):
        began = time.monotonic()
        message = one_message(home.spotter("run"))
        assert time.monotonic() - began > 55
        assert "held by another process" in message
    again = home.spotter("run")
    assert again.returncode == 0, again.stderr
    assert result(home, simulator) == after_next_night


@pytest.mark.long
def test_other_fields_than_before_are_told_once_and_change_no_plan(
    trained: tuple[Home, RunningSimulator],
    after_next_night: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home, simulator = trained

    async def other_fields(response: Response, *rest: Any) -> None:
        if response.headers.get("content-type", "").startswith("application/json"):
            response.body = json.dumps(_drifted(json.loads(response.body))).encode()
            response.headers["content-length"] = str(len(response.body))
        await deliver(response, *rest)

    monkeypatch.setattr(server, "deliver", other_fields)
    night = home.spotter_json("run")
    [told] = [warning for warning in night["warnings"] if "mood" in warning]
    assert "workouts" in told
    assert result(home, simulator)["plans"] == after_next_night["plans"]
    everything_again = home.spotter_json("sync", "--full")["warnings"]
    assert any("custom_metric" in warning for warning in everything_again)
    assert not any("mood" in warning for warning in everything_again)


def _drifted(payload: Any) -> Any:
    """Return a response with an extra field per workout and a missing one per set."""
    match payload:
        case {**fields}:
            changed = {name: _drifted(value) for name, value in fields.items()}
            changed.pop("custom_metric", None)
            return changed | ({"mood": "good"} if "start_time" in fields else {})
        case [*items]:
            return [_drifted(item) for item in items]
        case _:
            return payload
