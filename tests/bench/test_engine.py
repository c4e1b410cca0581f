from pathlib import Path

import pytest

from tests.bench.engine import plan_costs


@pytest.mark.long
def test_without_real_logs_the_simulated_athlete_is_planned(tmp_path: Path) -> None:
    own, every = plan_costs(tmp_path / "absent")
    assert (own.log, every.log) == ("simulated athlete", "all")
    assert own.plans == every.plans > 100
    assert 0 < own.cpu_median_ms <= own.cpu_p99_ms
    assert 0 < own.median_ms <= own.p99_ms
