"""The simulator's spec profile against its specification, tried with generated requests."""

import os
import subprocess
from pathlib import Path

import pytest

from hevy_connector.simulator import SIMULATOR_KEY, SPEC, demo_account, running_simulator
from tests.conformance.clients import SPECIFICATION, environment
from tests.connector.simulator.conftest import NOW
from tests.profiles import count, randomized

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
HOOKS = Path(__file__).with_name("schemathesis_hooks.py")

pytestmark = pytest.mark.long


@randomized
def test_the_spec_profile_answers_as_specified(tmp_path: Path) -> None:
    schemathesis = environment("schemathesis") / "schemathesis"
    if not SPECIFICATION.exists():
        pytest.skip(f"there is no specification at {SPECIFICATION}")
    with running_simulator(
        demo_account(seed=1, now=NOW), api_key=SIMULATOR_KEY, quirks=SPEC
    ) as simulator:
        options = ["run", SPECIFICATION, "--url", simulator.url]
        options += ["--header", f"api-key: {SIMULATOR_KEY}", "--no-color"]
        options += ["--max-examples", str(count(quick=3, thorough=12))]
        done = subprocess.run(
            [schemathesis, "--config-file", CONFIGURATION, *options],
            cwd=tmp_path,  # it leaves caches behind
            env=os.environ | {"SCHEMATHESIS_HOOKS": str(HOOKS)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        asked = {(request.method, request.status) for request in simulator.requests}
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    assert "Selected: 22/22" in done.stdout
    assert "Tested: 22" in done.stdout
    assert {("POST", 201), ("PUT", 200), ("GET", 200), ("GET", 404), ("POST", 400)} <= asked
