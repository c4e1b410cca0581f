import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from orchestration.config.settings import load_settings
from orchestration.runs.jobs import JobOutcome, run_job


def outcome(**counts: int) -> JobOutcome:
    metadata: Mapping[str, Mapping[str, Any]] = {"raw/hevy_workouts": counts}
    return JobOutcome("run", True, {}, frozenset(), metadata, (), {})


@pytest.mark.parametrize("name", ["new_versions", "deleted", "quarantined", "left_quarantine"])
def test_a_change_of_a_raw_table_is_news(name: str) -> None:
    """A run whose only change was a record that left quarantine printed "No new data"."""
    assert outcome(read=3, **{name: 1}).has_news
    assert not outcome(read=3, **{name: 0}).has_news


def test_after_a_run_in_the_background_sigterm_still_ends_the_process(tmp_path: Path) -> None:
    """Bug: a shell starts `spotter run &` with SIGINT ignored, and Dagster left SIGTERM so, too."""

    @dg.op
    def step() -> None: ...

    @dg.job
    def nightly() -> None:
        step()

    settings = load_settings({"SPOTTER_HOME": str(tmp_path)}, tmp_path)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = run_job(dg.Definitions(jobs=[nightly]), "nightly", settings, lambda _: None)
        left = signal.getsignal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, former)
    assert done.is_success
    assert left is signal.SIG_DFL
