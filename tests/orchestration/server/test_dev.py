"""A home has one of each server, and no server takes a live process for a dead one."""

import json
import os
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NoReturn

import click
import dagster as dg
import pytest
from dagster._cli import create_dagster_cli as dagster_program
from dagster._daemon.cli import create_dagster_daemon_cli as daemon_program

from orchestration.config.ports import free_port
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.jobs import close_abandoned_runs
from orchestration.server import dagster_servers as serving
from orchestration.server import dev
from orchestration.server import supervisor as together
from orchestration.server.supervisor import Server
from orchestration.storage.file_lock import LockedError, inheritable_lock
from tests.all_commands import imported
from tests.waiting import wait_until

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
    serving.serve(
        part, settings, host="::1", port=1, code_host="::1", code_port=2, on_damage=pytest.fail
    )


def test_a_second_code_server_ends_and_what_runs_in_the_first_goes_on(settings: Settings) -> None:
    lock = inheritable_lock(settings.home / "code.lock", "spotter serve code")
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
    monkeypatch.setattr(dev, "interrupt_on_signal", lambda: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ui_port, dashboard_port = (port if each == 1 else each for each in ports)
        with pytest.raises(SettingsError) as refused:
            dev.serve_ui(ui_port or 0, dashboard_port=dashboard_port, is_simulated=False)
    assert str(refused.value) == (
        f"Port {port} cannot be used: Address already in use. Choose another with {option}."
    )


@pytest.mark.long
@pytest.mark.parametrize("name", ["code.lock", "daemon.lock", "ui.lock"])
def test_dev_begins_beside_no_other_server(
    name: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "interrupt_on_signal", lambda: None)
    add_run(settings)
    lock = inheritable_lock(settings.home / name, "spotter serve")
    with pytest.raises(LockedError, match="spotter serve"):
        dev.serve_ui(free_port(3000), dashboard_port=None, is_simulated=False)
    os.close(lock)
    assert state(settings) == STARTED


@pytest.mark.long
def test_dev_begins_all_servers_and_closes_what_the_last_ones_left(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command has options that its program accepts; the UI starts after the code answers."""
    # A quarter of the imports of all tests, which each worker would do.
    from dagster_webserver.cli import create_dagster_webserver_cli as ui_program

    monkeypatch.setattr(dev, "interrupt_on_signal", lambda: None)
    monkeypatch.setenv("SPOTTER_DAGSTER_URL", "")
    add_run(settings)
    ui_port, dashboard_port = free_port(3000), free_port(8501)
    with pytest.raises(BecameServerError) as became:
        dev.serve_ui(ui_port, dashboard_port=dashboard_port, is_simulated=False)
    _, [*_, told] = became.value.args
    code, daemon, ui, dashboard = (Server(*each) for each in json.loads(told))
    for server, program in ((code, dagster_program), (daemon, daemon_program), (ui, ui_program)):
        takes(program(), server.command[1:])
        assert len(server.locks) == 3
        assert not server.is_aside
    assert code.port is not None
    assert dashboard.is_aside
    assert f"--port={dashboard_port}" in dashboard.command
    assert os.environ["SPOTTER_DAGSTER_URL"] == f"http://127.0.0.1:{ui_port}"
    assert f"--port={ui_port}" in ui.command
    workspace = (settings.dagster_home / "workspace.dev.yaml").read_text()
    assert f"port: {code.port}" in workspace
    assert state(settings) == FAILURE
    for lock in code.locks:
        os.close(lock)


def takes(program: click.Command, arguments: list[str]) -> None:
    """Parse the arguments with the program's parser, without running it.

    Raises:
        click.UsageError: the program rejects them.
    """
    while isinstance(program, click.Group):
        [name, *arguments] = arguments
        program = program.commands[name]
    program.make_context(program.name, arguments)


def imported_by(module: str) -> set[str]:
    return loaded_after(f"import {module}")


def loaded_after(code: str) -> set[str]:
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_who_starts_the_servers_does_without_dagster() -> None:
    assert "dagster" not in imported().by_commands


def test_who_waits_for_the_servers_does_without_all_else_of_spotter() -> None:
    found = imported_by("orchestration.server.supervisor")
    ours = {name for name in found if name.startswith(("orchestration.", "coach", "hevy"))}
    assert ours == {"orchestration.server", "orchestration.server.supervisor"}
    assert not {"duckdb", "pydantic", "rich"} & found


def server(folder: Path, *lines: str, port: int | None = None, is_aside: bool = False) -> Server:
    """Return a server that runs these lines, and writes its pid to the file `pid` of its folder."""
    folder.mkdir()
    says = (
        "import os, time",
        "open('new', 'w').write(str(os.getpid()))",
        "os.rename('new', 'pid')",
    )
    program = "\n".join((*says, *lines))
    return Server([sys.executable, "-c", program], str(folder), [], port, is_aside)


def test_servers_end_with_the_first_that_ends_also_one_that_does_not_want_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "_GRACE_S", 0.2)
    aside, stubborn = tmp_path / "aside", tmp_path / "stubborn"
    servers = [
        server(aside, is_aside=True),
        server(
            stubborn,
            "import signal",
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
            "open('deaf', 'w')",
            "time.sleep(600)",
        ),
        server(
            tmp_path / "first",
            "while not os.path.exists('../stubborn/deaf'): time.sleep(0.01)",
            "while not os.path.exists('../aside/pid'): time.sleep(0.01)",
            "try:",
            "    while True: os.kill(int(open('../aside/pid').read()), 0)",
            "except ProcessLookupError: os._exit(3)",
        ),
    ]
    assert together.serve_together(servers) == 3, "and not with the one aside, which was gone"
    with pytest.raises(ProcessLookupError):
        os.kill(int((stubborn / "pid").read_text()), 0)


def test_a_server_begins_once_the_one_before_it_answers(tmp_path: Path) -> None:
    port = free_port(4000)
    listens = f"socket.create_server(('127.0.0.1', {port}))"
    connects = f"socket.create_connection(('127.0.0.1', {port}))"
    servers = [
        server(tmp_path / "a", "import socket", f"it = {listens}", "time.sleep(600)", port=port),
        server(tmp_path / "b", "import socket", connects, "os._exit(5)"),
    ]
    assert together.serve_together(servers) == 5


def test_when_one_ends_that_the_next_waits_for_all_end(tmp_path: Path) -> None:
    servers = [
        server(tmp_path / "a", "os._exit(7)", port=free_port(4000)),
        server(tmp_path / "b", "time.sleep(600)"),
    ]
    assert together.serve_together(servers) == 7


def test_servers_end_when_who_waits_for_them_is_asked_to(tmp_path: Path) -> None:
    lock = inheritable_lock(tmp_path / "ui.lock", "a test")
    told = server(tmp_path / "ui", "time.sleep(600)")._replace(locks=[lock])
    command = [sys.executable, "-m", "orchestration.server.supervisor", json.dumps([told])]
    # A shell starts background processes with SIGINT ignored.
    deaf = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    with subprocess.Popen(command, preexec_fn=deaf, pass_fds=[lock]) as waiting:
        os.close(lock)
        wait_until((tmp_path / "ui" / "pid").exists, "the server")
        with pytest.raises(LockedError):
            inheritable_lock(tmp_path / "ui.lock", "another")
        waiting.send_signal(signal.SIGINT)
        assert waiting.wait(60) == 0
    wait_until(lambda: _is_free(tmp_path / "ui.lock"), "the server to end")


def test_a_second_interrupt_leaves_no_server(tmp_path: Path) -> None:
    """It comes while the first one stops the servers, one after another."""
    lock = inheritable_lock(tmp_path / "ui.lock", "a test")
    slow = server(
        tmp_path / "slow",
        "import signal",
        "signal.signal(signal.SIGTERM, lambda *_: open('asked', 'w').close())",
        "open('deaf', 'w').close()",
        "while not os.path.exists('go'): time.sleep(0.01)",
    )
    servers = [server(tmp_path / "ui", "time.sleep(600)")._replace(locks=[lock]), slow]
    command = [sys.executable, "-m", "orchestration.server.supervisor", json.dumps(servers)]
    with subprocess.Popen(command, pass_fds=[lock]) as waiting:
        os.close(lock)
        wait_until((tmp_path / "slow" / "deaf").exists, "the server")
        waiting.send_signal(signal.SIGTERM)
        wait_until((tmp_path / "slow" / "asked").exists, "the first interrupt")
        waiting.send_signal(signal.SIGTERM)
        (tmp_path / "slow" / "go").touch()
        assert waiting.wait(60) == 0
    wait_until(lambda: _is_free(tmp_path / "ui.lock"), "the other server to end", 10)


def _is_free(path: Path) -> bool:
    try:
        os.close(inheritable_lock(path, "another"))
    except LockedError:
        return False
    return True


def test_a_process_that_has_the_number_of_a_killed_one_is_another(settings: Settings) -> None:
    """In a restarted container, pids recur at once."""
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
