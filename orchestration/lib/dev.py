"""The Dagster UI and daemon on this machine, with or without the simulator."""

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from types import FrameType

from orchestration.lib.demo import simulated_home
from orchestration.lib.jobs import close_abandoned_runs, dagster_instance
from orchestration.lib.settings import PROJECT_ROOT, load_settings
from orchestration.lib.terminal import console

_PATIENCE_S = 30.0


def serve_ui(port: int, *, is_simulated: bool) -> int:
    """Serve until interrupted; the simulator, the UI and the daemon end together.

    Returns the exit code of the servers, 0 after an interruption.
    """
    # Started in the background, a process ignores interrupts, and the servers would with it.
    for asked_to_end in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(asked_to_end, _interrupt)
    with simulated_home("dev") if is_simulated else nullcontext() as simulated:
        settings = simulated[0] if simulated else load_settings()
        with dagster_instance(settings) as instance:
            close_abandoned_runs(instance, servers_are_down=True)
        console.print(f"Dagster UI: http://127.0.0.1:{port}  (Ctrl-C ends it)")
        command = [sys.executable, "-m", "dagster", "dev"]
        command += ["-w", str(PROJECT_ROOT / "workspace.yaml"), "-h", "127.0.0.1", "-p", str(port)]
        servers: subprocess.Popen[bytes] | None = None
        try:
            # Dagster lets a `.env` of its folder overrule the environment, which would take the
            # simulated home to the real account: so it starts where there is none.
            servers = subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
                command, cwd=settings.dagster_home, env=os.environ, start_new_session=True
            )
            return servers.wait()
        except KeyboardInterrupt:
            if servers is not None:
                _stop(servers)
            return 0


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
