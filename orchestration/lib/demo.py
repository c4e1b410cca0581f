"""A home of its own for the simulator, so that nothing real is ever touched by trying things."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    running_simulator,
)
from orchestration.lib.settings import PROJECT_ROOT, Settings, SettingsError, load_settings

DEMO_SEED = 1
_MARKER = "made-by-spotter-for-the-simulator"


@contextmanager
def simulated_home(name: str, port: int = 0) -> Iterator[tuple[Settings, RunningSimulator]]:
    """A fresh home under `.spotter/<name>` beside a running simulator with the demo athlete.

    This process then works with that home only, and the athletes of the real one are not seen.

    Raises:
        SettingsError: something else lies where the home is to be.
    """
    home = _fresh_folder(PROJECT_ROOT / ".spotter" / name)
    athletes = home / "athletes"
    athletes.mkdir()
    shutil.copy(PROJECT_ROOT / "athletes" / "demo.toml", athletes)
    account = demo_account(seed=DEMO_SEED)
    with running_simulator(account, api_key=SIMULATOR_KEY, port=port) as simulator:
        os.environ["SPOTTER_HOME"] = str(home)
        os.environ["SPOTTER_ATHLETES_DIR"] = str(athletes)
        os.environ["HEVY_API_URL"] = simulator.url
        yield load_settings(), simulator


def _fresh_folder(folder: Path) -> Path:
    """An empty folder; one that was not made here is left alone."""
    marker = folder / _MARKER
    if folder.exists():
        if not marker.exists():
            raise SettingsError(f"{folder} exists and was not made by the demo; move it away.")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    marker.touch()
    return folder
