"""A home has one of each server, and none of them takes what lives for dead."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import dagster as dg
import pytest

from orchestration.lib import dev, serving
from orchestration.lib.file_lock import LockedError, lock_for_successors
from orchestration.lib.jobs import close_abandoned_runs, dagster_instance
from orchestration.lib.ports import free_port
from orchestration.lib.settings import Settings, SettingsError, load_settings

STARTED, FAILURE = dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.FAILURE


class BecameServerError(Exception):
    """This process would have become a server."""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    def become(path: str, arguments: list[str]) -> NoReturn:
        raise BecameServerError(path, arguments)

    monkeypatch.setattr(os, "execv", become)
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return load_settings()


def add_run(settings: Settings, **tags: str) -> None:
    with dagster_instance(settings) as instance:
        run_id = "00000000-0000-4000-8000-000000000001"
        instance.add_run(dg.DagsterRun("nightly", run_id=run_id, status=STARTED, tags=tags))


def state(settings: Settings) -> dg.DagsterRunStatus:
    with dagster_instance(settings) as instance:
        [run] = instance.get_runs()
    return run.status


def begin(part: serving.Part, settings: Settings) -> None:
    serving.serve(part, settings, host="::1", port=1, code_host="::1", code_port=2)


def test_a_second_code_server_ends_and_what_runs_in_the_first_goes_on(settings: Settings) -> None:
    lock = lock_for_successors(settings.home / "code.lock", "spotter serve code")
    add_run(settings)
    with pytest.raises(LockedError, match="spotter serve code"):
        begin("code", settings)
    with pytest.raises(BecameServerError, match="webserver"):
        begin("ui", settings)
    with pytest.raises(LockedError, match="spotter serve ui"):
        begin("ui", settings)
    assert state(settings) == STARTED
    os.close(lock)
    with pytest.raises(BecameServerError, match="api"):
        begin("code", settings)
    assert state(settings) == FAILURE, "of the first nothing is left"


@pytest.mark.parametrize(("option", "ports"), [("--port", (1, None)), ("--dashboard-port", (0, 1))])
def test_of_a_port_that_is_taken_it_is_said_how_to_choose_another(
    option: str, ports: tuple[int, int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "_end_when_asked", lambda: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ui_port, dashboard_port = (port if each == 1 else each for each in ports)
        with pytest.raises(SettingsError) as refused:
            dev.serve_ui(ui_port or 0, dashboard_port=dashboard_port, is_simulated=False)
    assert str(refused.value) == (
        f"Port {port} cannot be used: Address already in use. Choose another with {option}."
    )


@pytest.mark.parametrize("name", ["code.lock", "daemon.lock", "ui.lock"])
def test_dev_begins_beside_no_other_server(
    name: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "_end_when_asked", lambda: None)
    add_run(settings)
    lock = lock_for_successors(settings.home / name, "spotter serve")
    with pytest.raises(LockedError, match="spotter serve"):
        dev.serve_ui(free_port(3000), dashboard_port=None, is_simulated=False)
    os.close(lock)
    assert state(settings) == STARTED


def test_who_waits_for_the_servers_does_without_dagster() -> None:
    code = "import sys, orchestration.cli, orchestration.lib.dev; print('dagster' in sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_process_that_has_the_number_of_a_killed_one_is_another(settings: Settings) -> None:
    """In a container that is started anew, numbers come again at once."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        add_run(settings, **{"spotter/pid": f"{other.pid} 1"})
        with dagster_instance(settings) as instance:
            close_abandoned_runs(instance)
        other.kill()
    assert state(settings) == FAILURE


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not say")
def test_a_command_that_is_alive_keeps_its_run(settings: Settings) -> None:
    begun = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    add_run(settings, **{"spotter/pid": f"{os.getpid()} {begun}"})
    with dagster_instance(settings) as instance:
        close_abandoned_runs(instance)
    assert state(settings) == STARTED
