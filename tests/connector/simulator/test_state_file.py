"""A simulation is resumed after the end of its process."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from hevy_connector.simulator import (
    Account,
    AccountState,
    SimulatedClock,
    StateFileError,
    load_state,
    save_state,
)
from tests.connector.simulator.bodies import new_workout
from tests.connector.simulator.conftest import NOW

SERVE_FROM_FILE = """
import sys
from pathlib import Path
from hevy_connector.simulator import Account, Service, demo_state, load_state, save_state, serve
from datetime import UTC, datetime
path = Path(sys.argv[1])
state = load_state(path) or demo_state(1, datetime(2026, 10, 7, 4, 0, tzinfo=UTC), weeks=1)
account = Account(state, on_write=lambda written: save_state(written, path))
serve(Service(account, "k"), port=0, on_started=lambda url: print(url, flush=True))
"""


def test_a_state_comes_back_as_it_was(state: AccountState, tmp_path: Path) -> None:
    account = Account(state, clock=SimulatedClock(NOW))
    newest, second = account.workouts()[:2]
    account.delete_workout(newest["id"])
    account.edit_workout(second["id"], second | {"title": "Corrected"})
    save_state(account.state(), tmp_path / "state.json")
    loaded = load_state(tmp_path / "state.json")
    assert loaded == account.state()
    again = Account(loaded, clock=SimulatedClock(NOW))
    assert again.events(NOW) == account.events(NOW)
    assert again.workouts() == account.workouts()
    assert list(again.workouts()[0]) == list(account.workouts()[0]), "keys keep their order"


def test_what_is_written_after_a_restart_is_later_and_has_ids_of_its_own(
    state: AccountState, tmp_path: Path
) -> None:
    path = tmp_path / "state.json"
    first = Account(state, clock=SimulatedClock(NOW))
    one = first.log_workout(new_workout())
    save_state(first.state(), path)
    loaded = load_state(path)
    assert loaded is not None
    second = Account(loaded, clock=SimulatedClock(NOW))
    two = second.log_workout(new_workout())
    assert one["id"] != two["id"]
    assert one["updated_at"] < two["updated_at"]


def test_every_change_calls_on_write_with_the_new_state(state: AccountState) -> None:
    states: list[AccountState] = []
    account = Account(state, clock=SimulatedClock(NOW), on_write=states.append)
    workout = account.log_workout(new_workout())
    account.edit_workout(workout["id"], workout)
    account.delete_workout(workout["id"])
    routine = account.make_routine(account.routines()[0])
    account.edit_routine(routine["id"], routine)
    account.delete_routine(routine["id"])
    account.delete_measurement(account.measurements()[0]["date"])
    account.delete_template(next(t["id"] for t in account.templates() if t["is_custom"]))
    account.delete_folder(account.folders()[0]["id"])
    assert len(states) == 9
    assert states[-1] == account.state()
    assert len({one.written_at for one in states}) == 9


def test_a_file_that_is_not_there_is_no_state(tmp_path: Path) -> None:
    assert load_state(tmp_path / "none.json") is None


def _spoiled(content: dict[str, Any], *place: str | int, value: object) -> dict[str, Any]:
    target: Any = content
    for step in place[:-1]:
        target = target[step]
    target[place[-1]] = value
    return content


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("format",), "shopping list", "format: Input should be 'simulated Hevy account'"),
        (("version",), 2, "version: Input should be 1"),
        (("workouts", 0, "start_time"), "yesterday", "workouts.0.start_time: String should match"),
        (("workouts", 0, "exercises", 0, "sets", 0, "reps"), "8", "workouts.0.exercises.0.sets.0"),
        (("measurements", 0, "weight_kg"), "heavy", "measurements.0.weight_kg"),
        (("surprise",), 1, "surprise: Extra inputs are not permitted"),
    ],
)
def test_a_file_that_is_no_state_is_refused_with_its_place(
    state: AccountState, tmp_path: Path, place: tuple[str | int, ...], value: object, told: str
) -> None:
    path = tmp_path / "state.json"
    save_state(state, path)
    path.write_text(json.dumps(_spoiled(json.loads(path.read_text()), *place, value=value)))
    with pytest.raises(StateFileError) as refused:
        load_state(path)
    assert str(path) in str(refused.value)
    assert told in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"a": NaN}'])
def test_a_file_that_is_no_json_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(content)
    with pytest.raises(StateFileError, match="is not JSON"):
        load_state(path)


def test_a_place_that_cannot_be_written_is_an_error(state: AccountState, tmp_path: Path) -> None:
    with pytest.raises(StateFileError, match="cannot be written: No such file or directory"):
        save_state(state, tmp_path / "missing" / "state.json")
    with pytest.raises(StateFileError, match="cannot be read: Is a directory"):
        load_state(tmp_path)


def test_a_killed_simulator_has_kept_all_that_it_answered(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    command = [sys.executable, "-c", SERVE_FROM_FILE, str(path)]
    answered: list[str] = []
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            with httpx.Client(base_url=url, headers={"api-key": "k"}) as http:
                listed = http.get("/v1/workouts").json()["workouts"]
                assert [one["id"] for one in listed[: len(answered)]] == answered[::-1]
                for _ in range(2):
                    created = http.post("/v1/workouts", json={"workout": new_workout()})
                    answered.append(created.json()["workout"][0]["id"])
                process.send_signal(signal.SIGKILL)
    loaded = load_state(path)
    assert loaded is not None
    assert [workout["id"] for workout in loaded.workouts[-4:]] == answered
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.json"]
