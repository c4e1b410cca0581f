"""The capacity estimate agrees with docs/scaling.md."""

import math
import subprocess
import sys

import pytest

from orchestration.config.locations import CODE_ROOT
from tests.bench.capacity import Assumed, Measured, capacity


def test_the_page_shows_what_its_command_prints() -> None:
    page = (CODE_ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    [command] = [line for line in page.splitlines() if line.endswith("tests.bench.capacity")]
    told = subprocess.run(
        [sys.executable, *command.split()[1:]],
        cwd=CODE_ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert told.startswith("| athletes")
    assert told in page


@pytest.mark.parametrize("athletes", [1, 10_000, 56_338, 3_000_000])
@pytest.mark.parametrize("window_h", [0.5, 6.0])
def test_a_night_fits_its_window_with_no_more_than_it_needs(athletes: int, window_h: float) -> None:
    half_h = window_h / 2
    found = capacity(athletes, assumed=Assumed(window_h=window_h))
    alone_h, shared_h = found.build_h + found.release_h, found.sync_h + found.plan_h
    assert alone_h <= half_h * (1 + 1e-9)
    assert shared_h <= half_h * (1 + 1e-9)
    if found.lakes > 1:
        assert alone_h * found.lakes / (found.lakes - 1) > half_h
    if found.workers_a_lake > 1:
        assert shared_h * found.workers_a_lake / (found.workers_a_lake - 1) > half_h


def test_a_worker_waits_for_accounts_or_works() -> None:
    cost = Measured()
    waiting = capacity(1_000, assumed=Assumed(round_trip_s=1.0, accounts_at_a_time=1))
    assert math.isclose(waiting.sync_h, 1_000 * cost.requests / waiting.workers_a_lake / 3600)
    assert waiting.first_bottleneck == "sync"
    working = capacity(1_000, assumed=Assumed(round_trip_s=0.0))
    assert math.isclose(working.sync_h, 1_000 * cost.land_s / 3600)
    assert working.first_bottleneck == "plan"
