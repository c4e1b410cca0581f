"""A separate home for the simulator, so that a demo never touches real data."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from coach_agent.llm.fake_gemini import FAKE_KEY, running_fake_gemini
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    running_simulator,
)
from orchestration.config.locations import PROJECT_FILES, user_folder
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.storage.local_postgres import LocalPostgres, running_postgres

DEMO_SEED = 1
_MODEL_KEY = "SPOTTER_DEMO_GEMINI_KEY"
_NO_MODEL = "\n[llm]\nproviders = []\n"
_MARKER = "made-by-spotter-for-the-simulator"


@contextmanager
def simulated_home(
    name: str, port: int = 0, *, has_model: bool = False, has_lake: bool = False
) -> Iterator[tuple[Settings, RunningSimulator]]:
    """Yield a fresh home under `.spotter/<name>` and a running simulator with the demo athlete.

    The environment of this process then points to that home only. No language model is called,
    whatever keys are set, except a fake one on loopback with `has_model`. The warehouse is a file,
    or with `has_lake` a lake whose catalog stops with the simulator.

    Raises:
        SettingsError: the home's path is occupied, or PostgreSQL is missing.
    """
    home = _fresh_folder(user_folder() / ".spotter" / name)
    athletes = home / "athletes"
    athletes.mkdir()
    shutil.copy(PROJECT_FILES / "athletes" / "demo.toml", athletes)
    account = demo_account(seed=DEMO_SEED)
    with (
        running_simulator(account, api_key=SIMULATOR_KEY, port=port) as simulator,
        running_fake_gemini() if has_model else nullcontext() as model,
        running_postgres() if has_lake else nullcontext() as postgres,
    ):
        with (athletes / "demo.toml").open("a", encoding="utf-8") as profile:
            profile.write(_NO_MODEL if model is None else _model(model.base_url))
        os.environ["SPOTTER_HOME"] = str(home)
        os.environ["SPOTTER_ATHLETES_DIR"] = str(athletes)
        os.environ["HEVY_API_URL"] = simulator.url
        os.environ[_MODEL_KEY] = FAKE_KEY
        os.environ["SPOTTER_DAGSTER_DATABASE"] = ""
        os.environ["SPOTTER_ATHLETES_DATABASE"] = ""
        os.environ["SPOTTER_RELEASE_POSTGRES"] = ""
        os.environ.update(_target(home, postgres))
        yield load_settings(), simulator


def _target(home: Path, postgres: LocalPostgres | None) -> dict[str, str]:
    """Return the environment variables of the warehouse, overriding those of a real one."""
    if postgres is None:
        return {"SPOTTER_TARGET": "embedded"}
    return {
        "SPOTTER_TARGET": "lake",
        "SPOTTER_LAKE_CATALOG": postgres.new_database("lake"),
        "SPOTTER_LAKE_DATA": str(home / "lake"),
        "PGPASSWORD": postgres.password,
    }


def _model(base_url: str) -> str:
    """Return the profile section of the fake model."""
    return f"""
[[llm.providers]]
kind = "google"
base_url = "{base_url}"
api_key_env = "{_MODEL_KEY}"
"""


def _fresh_folder(folder: Path) -> Path:
    """Create an empty folder; a folder that was not created here is an error."""
    marker = folder / _MARKER
    if folder.exists():
        if not marker.exists():
            raise SettingsError(f"{folder} exists and was not made by the demo; move it away.")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    marker.touch()
    return folder
