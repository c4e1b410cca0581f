"""Which runs the status is told from."""

import os
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from orchestration.lib.jobs import dagster_instance
from orchestration.lib.run_history import recent_runs
from orchestration.lib.settings import Settings, load_settings
from orchestration.lib.status import read_status

FAILURE, STARTED = dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.STARTED


@pytest.fixture(autouse=True)
def _own_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening a history names it in the environment, which is put back afterwards."""
    monkeypatch.setenv("DAGSTER_HOME", "")


def settings_of(folder: Path) -> Settings:
    return load_settings({"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "who"}, folder)


def add_runs(settings: Settings, *runs: tuple[str, dg.DagsterRunStatus]) -> None:
    """Runs of this process, one after another."""
    with dagster_instance(settings) as instance:
        for number, (job, status) in enumerate(runs):
            instance.add_run(
                dg.DagsterRun(
                    job_name=job,
                    run_id=f"00000000-0000-4000-8000-{number:012}",
                    status=status,
                    tags={"spotter/pid": str(os.getpid())},
                )
            )


def test_a_run_that_goes_on_does_not_hide_why_the_release_is_old(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    add_runs(settings, ("nightly", FAILURE), ("nightly", STARTED))
    runs = recent_runs(settings)
    assert runs.last is not None
    assert (runs.last.status, runs.last.ended_at) == ("STARTED", None)
    status = read_status(settings, (), runs, datetime(2026, 3, 4, tzinfo=UTC))
    assert status.held_back_by is not None
    assert status.held_back_by == runs.last_releasing
    assert (status.held_back_by.job, status.held_back_by.status) == ("nightly", "FAILURE")


def test_the_latest_of_both_jobs_that_release_counts(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    success = dg.DagsterRunStatus.SUCCESS
    add_runs(settings, ("nightly", FAILURE), ("marts", success), ("sync", FAILURE))
    runs = recent_runs(settings)
    assert runs.last is not None
    assert runs.last.job == "sync"
    assert runs.last_releasing is not None
    assert (runs.last_releasing.job, runs.last_releasing.status) == ("marts", "SUCCESS")
