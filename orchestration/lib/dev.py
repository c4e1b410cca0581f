"""What serves until it is interrupted: the Dagster UI, daemon and dashboard, Hevy's webhook."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType

from orchestration.lib.dashboard import DASHBOARD_PORT, dashboard_command, dashboard_folder
from orchestration.lib.demo import simulated_home
from orchestration.lib.file_lock import lock_for_successors
from orchestration.lib.ports import free_port, require_free
from orchestration.lib.serving import LOCKS
from orchestration.lib.settings import PROJECT_ROOT, Settings, load_settings
from orchestration.lib.terminal import console

_PATIENCE_S = 30.0


def serve_ui(
    port: int, *, dashboard_port: int | None, is_simulated: bool, webhook_port: int | None = None
) -> int:
    """Serve until interrupted; simulator, webhook, UI, daemon and dashboard end together.

    Without `webhook_port` there is no webhook. Returns the exit code of the servers, 0 after an
    interruption.

    Raises:
        LockedError: other servers have this home.
        SettingsError: a port cannot be used.
    """
    _end_when_asked()
    require_free(port)
    if dashboard_port is None:
        dashboard_port = free_port(DASHBOARD_PORT)
    else:
        require_free(dashboard_port, option="--dashboard-port")
    with simulated_home("dev") if is_simulated else nullcontext() as simulated:
        settings = simulated[0] if simulated else load_settings()
        locks = [
            lock_for_successors(settings.home / name, "spotter dev") for name in LOCKS.values()
        ]
        _close_abandoned_runs()
        if webhook_port is None:
            return _serve(port, dashboard_port, settings, locks)
        # It brings all of Dagster along, and this process waits for days.
        from orchestration.lib.webhook import running_webhook

        with running_webhook(settings, port=webhook_port) as webhook:
            console.print(webhook.text, soft_wrap=True)
            return _serve(port, dashboard_port, settings, locks)


def serve_webhook(host: str, port: int) -> None:
    """Receive Hevy's webhook until interrupted.

    Raises:
        SettingsError: nobody has a token, or the address cannot be used.
    """
    from orchestration.lib.webhook import running_webhook

    _end_when_asked()
    with (
        suppress(KeyboardInterrupt),
        running_webhook(load_settings(), host=host, port=port) as hook,
    ):
        console.print(hook.text, soft_wrap=True)
        hook.thread.join()


def _serve(port: int, dashboard_port: int, settings: Settings, locks: list[int]) -> int:
    with _running_dashboard(dashboard_port, settings, f"http://127.0.0.1:{port}"):
        return _serve_dagster(port, settings, locks)


@contextmanager
def _running_dashboard(port: int, settings: Settings, dagster_url: str) -> Iterator[None]:
    """The dashboard in a process of its own, told where Dagster is."""
    command = dashboard_command(settings, "127.0.0.1", port)
    dashboard = subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
        command,
        cwd=dashboard_folder(settings),
        env={**os.environ, "SPOTTER_DAGSTER_URL": dagster_url},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        console.print(f"Dashboard: http://127.0.0.1:{port}", soft_wrap=True)
        yield
    finally:
        _stop(dashboard)


def _close_abandoned_runs() -> None:
    """Do it in a process of its own: this one waits for days, and Dagster takes 100 MB of it."""
    program = (
        "from orchestration.lib.jobs import close_abandoned_runs, dagster_instance\n"
        "from orchestration.lib.settings import load_settings\n"
        "with dagster_instance(load_settings()) as instance:\n"
        "    close_abandoned_runs(instance, servers_are_down=True)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - our own program


def _serve_dagster(port: int, settings: Settings, locks: list[int]) -> int:
    console.print(f"Dagster UI: http://127.0.0.1:{port}  (Ctrl-C ends it)")
    command = [sys.executable, "-m", "dagster", "dev"]
    command += ["-w", str(PROJECT_ROOT / "workspace.yaml"), "-h", "127.0.0.1", "-p", str(port)]
    servers: subprocess.Popen[bytes] | None = None
    try:
        # Dagster lets a `.env` of its folder overrule the environment, which would take the
        # simulated home to the real account: so it starts where there is none.
        servers = subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
            command,
            cwd=settings.dagster_home,
            env={**os.environ, "DAGSTER_HOME": str(settings.dagster_home)},
            start_new_session=True,
            pass_fds=locks,  # if this process is killed, they live on
        )
        return servers.wait()
    except KeyboardInterrupt:
        if servers is not None:
            _stop(servers)
        return 0


def _end_when_asked() -> None:
    """Take each request to end as an interrupt.

    Started in the background, a process ignores interrupts, and its servers would with it.
    """
    for asked_to_end in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(asked_to_end, _interrupt)


def _stop(servers: subprocess.Popen[bytes]) -> None:
    """End the servers and all that they started; who does not go in time is made to."""
    servers.terminate()
    try:
        servers.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(servers.pid, signal.SIGKILL)
        servers.wait()


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
