"""`spotter simulator` on the command line."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from hevy_connector.simulator import SIMULATOR_KEY
from orchestration.cli import app as cli
from tests.connector.simulator.bodies import new_workout

SPOTTER = Path(sys.executable).with_name("spotter")


@contextmanager
def served(*options: str | Path) -> Iterator[httpx.Client]:
    command = [SPOTTER, "simulator", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert url, line
        with httpx.Client(base_url=url[0], headers={"api-key": SIMULATOR_KEY}) as http:
            yield http
        process.send_signal(signal.SIGKILL)


def test_all_options_together_and_a_state_that_survives(tmp_path: Path) -> None:
    options: list[str | Path] = ["--profile", "spec", "--quirk", "folder_shape=wrapped"]
    options += ["--seed", "3", "--workouts", "12", "--latency", "5"]
    options += ["--fail", "429 nth=2 retry-after=1", "--fail", "500 path=/v1/user/info"]
    options += ["--state", tmp_path / "state.json", "--now", "2026-03-04T04:00:00"]
    with served(*options) as http:
        assert http.get("/v1/workouts/count").json() == {"workout_count": 12}
        limited = http.get("/v1/workouts/count")
        assert (limited.status_code, limited.headers["retry-after"]) == (429, "1")
        assert http.get("/v1/user/info").status_code == 500
        folder = http.post("/v1/routine_folders", json={"routine_folder": {"title": "x"}})
        assert "routine_folder" in folder.json()
        [workout] = http.post("/v1/workouts", json={"workout": new_workout()}).json()["workout"]
        assert workout["created_at"] == "2026-03-04T04:00:02.000Z"
    with served("--state", tmp_path / "state.json") as http:
        assert http.get("/v1/workouts/count").json() == {"workout_count": 13}
        assert http.get(f"/v1/workouts/{workout['id']}").json() == workout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--profile", "old"], "There is no profile 'old': choose live or spec."),
        (["--quirk", "colour=red"], "There is no quirk 'colour'"),
        (["--quirk", "folder_shape=red"], "cannot be 'red': write folder_shape=wrapped|bare."),
        (["--fail", "explode"], "'explode' is no fault rule: its kind is unknown. Its form:\nKIND"),
        (["--fail", "429 nth=0"], "'429 nth=0' is no fault rule: '0' is no whole number above 0"),
        (["--state", "/nowhere/state.json"], "/nowhere/state.json cannot be written"),
        (["--workouts", "-1"], "'--workouts'"),
        (["--latency", "soon"], "'--latency'"),
        (["--port", "70000"], "'--port'"),
        (["--now", "yesterday"], "'--now'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_bad_value_is_one_error_and_exit_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    told: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["spotter", "simulator", *options])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert told in printed.err
    assert printed.out == ""
    assert "Traceback" not in printed.err


def test_a_file_that_is_no_state_is_an_error_and_stays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "notes.json"
    path.write_text('{"my": "notes"}')
    monkeypatch.setattr(sys, "argv", ["spotter", "simulator", "--state", str(path)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert f"{path} is not the state of a simulated account" in capsys.readouterr().err
    assert path.read_text() == '{"my": "notes"}'


def test_a_taken_port_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(sys, "argv", ["spotter", "simulator", "--port", str(port)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    assert ended.value.code == 2
    assert f"Port {port} cannot be used: Address already in use" in capsys.readouterr().err
