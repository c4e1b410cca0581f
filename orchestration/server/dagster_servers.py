"""Dagster's three servers, each a process that a container or systemd keeps alive.

    code     knows the assets and runs the jobs: it alone needs keys, and the athletes
    daemon   schedules, sensors, the queue of runs
    ui       what people see

All three share the home; `daemon` and `ui` find `code` at an address.
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
from orchestration.storage.file_lock import lock_for_successors

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
    """Become the server; this process does not come back.

    A home has one of each. Two daemons would ask for each run twice, and what runs in a `code` is
    taken for dead when another begins. A second one ends at once, and whoever keeps it alive tries
    again until the first is gone.

    `host` and `port` are where `ui` listens, `code_host` and `code_port` where `code` does, and
    where the others look for it. `on_damage` gets the new path of a damaged history of Dagster.

    Raises:
        LockedError: another one has this home.
    """
    lock_for_successors(settings.home / LOCKS[part], f"spotter serve {part}")
    # Dagster takes seconds to import, so commands that do without it never do.
    from orchestration.runs.dagster_history import dagster_instance
    from orchestration.runs.history_health import quarantine_damaged
    from orchestration.runs.jobs import close_abandoned_runs

    if (aside := quarantine_damaged(settings, datetime.now(UTC))) is not None:
        on_damage(aside)
    with dagster_instance(settings) as instance:
        if part == "code":
            # Runs live in this server, and by its lock there is no other.
            close_abandoned_runs(instance, servers_are_down=True)
    # Dagster lets a `.env` of its folder overrule the environment: where it starts there is none.
    os.chdir(settings.dagster_home)
    workspace = f"workspace.{part}.yaml"
    Path(workspace).write_text(workspace_of(code_host, code_port))
    if part == "code":
        command = code_command("api grpc", code_host, code_port)
    elif part == "daemon":
        command = daemon_command(workspace)
    else:
        command = ui_command(workspace, host, port, settings.allowed_hosts)
    # Begun by a script in the background it would ignore both, and Dagster keeps to that.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.execv(command[0], command)  # noqa: S606 - a program of our own environment


def workspace_of(code_host: str, code_port: int) -> str:
    """What a workspace file says of where the code is."""
    return (
        "load_from:\n"
        "  - grpc_server:\n"
        f"      host: {code_host}\n"
        f"      port: {code_port}\n"
        f"      location_name: {LOCATION}\n"
    )


def code_command(kind: Literal["api grpc", "code-server start"], host: str, port: int) -> list[str]:
    """The server that knows the assets; a `code-server` can also load them anew when asked to."""
    known = f"--module-name orchestration.definitions --location-name {LOCATION}"
    return _command(f"dagster {kind} {known} --host {host} --port {port}")


def daemon_command(workspace: str) -> list[str]:
    """The server of schedules, sensors and queued runs."""
    return _command("dagster-daemon run --workspace", workspace)


def ui_command(workspace: str, host: str, port: int, allowed_hosts: Sequence[str]) -> list[str]:
    """The server of the UI, behind the request guard; `allowed_hosts` besides loopback."""
    module = [sys.executable, "-m", "orchestration.server.webserver"]
    where = [f"--workspace={workspace}", f"--host={host}", f"--port={port}"]
    return [*module, *where, *(f"--allow={name}" for name in allowed_hosts)]


def _command(words: str, *more: str) -> list[str]:
    program, *arguments = words.split()
    return [str(Path(sys.executable).with_name(program)), *arguments, *more]
