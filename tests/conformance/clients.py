"""Other people's Hevy clients, each in a virtual environment of its own."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SPECIFICATION = ROOT.parent / "shared" / "hevy-api" / "openapi.json"


def environment(name: str) -> Path:
    """The folder of a client's commands; without it the test is skipped."""
    folder = ROOT / ".venv-conformance" / name
    if not (folder / ".installed").exists():
        pytest.skip(f"{name} is not installed; `make conformance` does it, or says what failed")
    return folder / "bin"


def run_client(name: str, script: str, *arguments: str) -> Any:
    """What a script in the client's environment found out, as the JSON that it prints."""
    command = [environment(name) / "python", Path(__file__).with_name(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
