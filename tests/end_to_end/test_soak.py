"""Simulated days: faults of a night are repaired by the next one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.world import ROOT
from tests.soak.clock import NoClockError, require_compiler


@pytest.mark.long
@pytest.mark.alone
def test_disturbed_days_end_as_undisturbed_ones(tmp_path: Path) -> None:
    """Faults of the service, killed runs and killed servers leave nothing behind."""
    try:
        require_compiler()
    except NoClockError as reason:
        pytest.skip(str(reason))
    soak = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.soak",
            "--days=3",
            "--seed=44",
            "--json",
            "--folder",
            tmp_path,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert soak.stdout, soak.stderr[-3000:]
    figures = json.loads(soak.stdout)
    assert figures["differences"] == {}
    assert soak.returncode == 0
    disturbed, undisturbed = figures["disturbed"], figures["undisturbed"]
    assert disturbed["days"] == undisturbed["days"] == 3
    assert disturbed["troubles"], "nothing went wrong, so nothing was proved"
    assert set(undisturbed["runs"]) == {"SUCCESS"}
    assert undisturbed["longest_healing_min"] == 0
    for server in ("code", "daemon"):
        before, after = undisturbed[server]["processes"]
        assert after <= before, "processes are left behind"
