"""Dagster's three servers, each a process supervised by a container runtime or systemd.

    code     loads the assets and runs the jobs: only this one needs keys and athletes
    daemon   schedules, sensors, the run queue
    ui       the web UI

All three share the home; `daemon` and `ui` connect to `code` at an address.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from orchestration.config.settings import Settings
from orchestration.runs.lock import LOCKS
from orchestration.storage.file_lock import inheritable_lock

Part = Literal["code", "daemon", "ui"]

CODE_PORT = 4000

LOCATION = "spotter"


def serve(
    part: Part,
    settings: Settings,
    *,
    host: str,
    port: int,
    code_host: str,
    code_port: int,
    on_damage: Callable[[Path], None],
) -> None:
    """Replace this process by the server; does not return.

    A home has one of each. Two daemons would request each run twice, and a second `code` would mark
    the runs of the first as dead. A second one exits at once, and its supervisor restarts it until
    the first is gone.

    `host` and `port` are the address of `ui`, `code_host` and `code_port` that of `code`.
    `on_damage` receives the new path of a damaged history of Dagster.

    Raises:
        LockedError: another server has this home.
    """
    inheritable_lock(settings.home / LOCKS[part], f"spotter serve {part}")
    # Dagster takes seconds to import, so other commands do not import it.
    from orchestration.runs.dagster_history import dagster_instance, has_own_launcher
    from orchestration.runs.history_health import quarantine_damaged
    from orchestration.runs.jobs import close_abandoned_runs

    if (aside := quarantine_damaged(settings, datetime.now(UTC))) is not None:
        on_damage(aside)
    # The code server and the daemon start runs, so their variables decide.
    with dagster_instance(settings, keeps_configuration=part == "ui") as instance:
        if part == "code":
            # Runs live in this server, and the lock excludes a second one; a launcher of the
            # operator has its own processes.
            close_abandoned_runs(instance, servers_are_down=not has_own_launcher(settings))
    # A `.env` in Dagster's working directory would override the environment: here there is none.
    os.chdir(settings.dagster_home)
    workspace = f"workspace.{part}.yaml"
    Path(workspace).write_text(workspace_of(code_host, code_port))
    if part == "code":
        command = code_command("api grpc", code_host, code_port)
    elif part == "daemon":
        command = daemon_command(workspace)
    else:
        command = ui_command(workspace, host, port, settings.allowed_hosts)
    # A background process of a script inherits ignored signals, and Dagster keeps them ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.execv(command[0], command)  # noqa: S606 - a program of our own environment


def workspace_of(code_host: str, code_port: int) -> str:
    """Return a workspace file with the address of the code server."""
    return (
        "load_from:\n"
        "  - grpc_server:\n"
        f"      host: {code_host}\n"
        f"      port: {code_port}\n"
        f"      location_name: {LOCATION}\n"
    )


def code_command(kind: Literal["api grpc", "code-server start"], host: str, port: int) -> list[str]:
    """Return the command of the code server; a `code-server` can also reload the assets."""
    known = f"--module-name orchestration.definitions --location-name {LOCATION}"
    return _command(f"dagster {kind} {known} --host {host} --port {port}")


def daemon_command(workspace: str) -> list[str]:
    """Return the command of the server for schedules, sensors and queued runs."""
    return _command("dagster-daemon run --workspace", workspace)


def ui_command(workspace: str, host: str, port: int, allowed_hosts: Sequence[str]) -> list[str]:
    """Return the command of the UI behind the request guard; `allowed_hosts` besides loopback."""
    module = [sys.executable, "-m", "orchestration.server.webserver"]
    where = [f"--workspace={workspace}", f"--host={host}", f"--port={port}"]
    return [*module, *where, *(f"--allow={name}" for name in allowed_hosts)]


def _command(words: str, *more: str) -> list[str]:
    program, *arguments = words.split()
    return [str(Path(sys.executable).with_name(program)), *arguments, *more]
