"""Third-party Hevy clients, each in its own virtual environment."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SPECIFICATION = ROOT.parent / "shared" / "hevy-api" / "openapi.json"


def environment(name: str) -> Path:
    """Return the folder of a client's commands; skip the test without it."""
    folder = ROOT / ".venv-conformance" / name
    if not (folder / ".installed").exists():
        pytest.skip(f"{name} is not installed; `make conformance` does it, or says what failed")
    return folder / "bin"


def run_client(name: str, script: str, *arguments: str) -> Any:
    """Run a script in the client's environment and parse its JSON output."""
    command = [environment(name) / "python", Path(__file__).with_name(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
