"""Servers that run until interrupted: the Dagster UI, daemon and dashboard, Hevy's webhook."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from orchestration.config.ports import free_port, require_free
from orchestration.config.settings import Settings, load_settings
from orchestration.runs.lock import LOCKS
from orchestration.server.dagster_servers import (
    CODE_PORT,
    code_command,
    daemon_command,
    ui_command,
    workspace_of,
)
from orchestration.server.dashboard import DASHBOARD_PORT, dashboard_command, dashboard_folder
from orchestration.server.supervisor import (
    Server,
    interrupt_on_signal,
    replace_with_supervisor,
    serve_together,
)
from orchestration.services.operations.demo import simulated_home
from orchestration.storage.file_lock import inheritable_lock
from orchestration.text.safe_output import SafeConsole

console = SafeConsole()


def serve_ui(
    port: int, *, dashboard_port: int | None, is_simulated: bool, webhook_port: int | None = None
) -> int:
    """Serve until interrupted; simulator, webhook, UI, daemon and dashboard stop together.

    A simulated home has its first night before the servers start, so that its pages show a plan.
    Without `webhook_port` there is no webhook. Returns the exit code of the servers, 0 after an
    interruption. Only simulator and webhook run in this process; without both it is replaced by a
    process that only waits, and does not return.

    Raises:
        LockedError: other servers have this home.
        SettingsError: a port cannot be used.
    """
    interrupt_on_signal()
    require_free(port)
    if dashboard_port is None:
        dashboard_port = free_port(DASHBOARD_PORT)
    else:
        require_free(dashboard_port, option="--dashboard-port")
    with simulated_home("dev") if is_simulated else nullcontext() as simulated:
        settings = simulated[0] if simulated else load_settings()
        locks = [inheritable_lock(settings.home / name, "spotter dev") for name in LOCKS.values()]
        if is_simulated:
            _run_first_night()
        _close_abandoned_runs()
        with _webhook(settings, webhook_port):
            servers = _servers(port, dashboard_port, settings, locks)
            if webhook_port is None and not is_simulated:
                replace_with_supervisor(servers)
            return serve_together(servers)


def _run_first_night() -> None:
    """Run a night of the simulated home, with its progress. If it fails, the pages say so."""
    console.print("First a night of the simulated athlete, about a minute.")
    command = [str(Path(sys.executable).with_name("spotter")), "run"]
    subprocess.run(command, check=False)  # noqa: S603 - our own program


@contextmanager
def _webhook(settings: Settings, port: int | None) -> Iterator[None]:
    if port is None:
        yield
        return
    # It imports all of Dagster into this long-running process.
    from orchestration.server.webhook import running_webhook

    with running_webhook(settings, port=port) as webhook:
        console.print(webhook.text, soft_wrap=True)
        yield


def serve_webhook(host: str, port: int) -> None:
    """Receive Hevy's webhook until interrupted.

    Raises:
        SettingsError: no athlete has a token, or the address cannot be used.
    """
    from orchestration.server.webhook import running_webhook

    interrupt_on_signal()
    with (
        suppress(KeyboardInterrupt),
        running_webhook(load_settings(), host=host, port=port) as hook,
    ):
        console.print(hook.text, soft_wrap=True)
        hook.thread.join()


def _servers(port: int, dashboard_port: int, settings: Settings, locks: list[int]) -> list[Server]:
    """Return Dagster's servers and the dashboard, configured with Dagster's address."""
    dagster_url = f"http://127.0.0.1:{port}"
    os.environ |= {
        "DAGSTER_HOME": str(settings.dagster_home),
        "SPOTTER_DAGSTER_URL": dagster_url,
        **(settings.postgres_variables if settings.dagster_database else {}),
    }
    console.print(f"Dashboard: http://127.0.0.1:{dashboard_port}", soft_wrap=True)
    console.print(f"Dagster UI: {dagster_url}  (Ctrl-C ends it)")
    # A `.env` in Dagster's working directory would override the environment and lead the simulated
    # home to the real account: so the servers start where there is none.
    folder = str(settings.dagster_home)
    code_port, workspace = free_port(CODE_PORT), settings.dagster_home / "workspace.dev.yaml"
    workspace.write_text(workspace_of("127.0.0.1", code_port))
    code = [*code_command("code-server start", "127.0.0.1", code_port), "--log-level", "warning"]
    return [
        Server(code, folder, locks, port=code_port),
        Server(daemon_command(str(workspace)), folder, locks),
        Server(
            ui_command(str(workspace), "127.0.0.1", port, settings.allowed_hosts), folder, locks
        ),
        Server(
            dashboard_command(settings, "127.0.0.1", dashboard_port),
            str(dashboard_folder(settings)),
            locks=[],
            is_aside=True,
        ),
    ]


def _close_abandoned_runs() -> None:
    """Use a separate process: importing Dagster would add 100 MB to this long-running one."""
    program = (
        "from orchestration.runs.dagster_history import dagster_instance, has_own_launcher\n"
        "from orchestration.runs.jobs import close_abandoned_runs\n"
        "from orchestration.config.settings import load_settings\n"
        "settings = load_settings()\n"
        "with dagster_instance(settings) as instance:\n"
        "    is_down = not has_own_launcher(settings)\n"
        "    close_abandoned_runs(instance, servers_are_down=is_down)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - our own program
