"""Runs that the status includes."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from orchestration.config.settings import Settings, load_settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.history import outdated_runs, recent_runs
from orchestration.runs.tags import ATHLETE_TAG, exclusion_tags
from orchestration.services.operations.alert import home_alerts
from orchestration.services.operations.status import read_status

FAILURE, STARTED = dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.STARTED
SUCCESS = dg.DagsterRunStatus.SUCCESS


@pytest.fixture(autouse=True)
def _own_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the environment after the test: opening a history sets a variable."""
    monkeypatch.setenv("DAGSTER_HOME", "")


def settings_of(folder: Path) -> Settings:
    return load_settings({"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "who"}, folder)


def add_runs(settings: Settings, *runs: tuple[Any, ...], first: int = 0) -> None:
    """Add finished runs of this process: their jobs, states and further tags."""
    with dagster_instance(settings) as instance:
        for number, (job, status, *tags) in enumerate(runs, start=first):
            instance.add_run(
                dg.DagsterRun(
                    job_name=job,
                    run_id=f"00000000-0000-4000-8000-{number:012}",
                    status=status,
                    tags={"spotter/pid": str(os.getpid()), **(tags[0] if tags else {})},
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
    add_runs(settings, ("nightly", FAILURE), ("marts", SUCCESS), ("sync", FAILURE))
    runs = recent_runs(settings)
    assert runs.last is not None
    assert runs.last.job == "sync"
    assert runs.last_releasing is not None
    assert (runs.last_releasing.job, runs.last_releasing.status) == ("marts", "SUCCESS")


def test_an_import_and_a_weekly_clean_up_that_failed_are_told(tmp_path: Path) -> None:
    """Only nights and marts were checked: the clean-up could fail for years."""
    settings = settings_of(tmp_path)
    add_runs(
        settings,
        ("nightly", SUCCESS),
        ("import_files", FAILURE),
        ("maintenance", FAILURE),
        *[("sync", SUCCESS)] * 5,
    )
    runs = recent_runs(settings)
    assert runs.last_releasing is not None
    assert runs.last_releasing.job == "import_files"
    assert [each.key for each in home_alerts(settings, runs)] == [
        "job import_files", "maintenance",
    ]  # fmt: skip
    told = read_status(settings, (), runs, datetime(2026, 3, 4, tzinfo=UTC)).problems
    assert [each.split()[4] for each in told if each.startswith("The run")] == [
        "import_files", "maintenance",
    ]  # fmt: skip
    in_years = datetime(2096, 1, 1, tzinfo=UTC)
    assert not {runs.last_releasing.run_id, "00000000-0000-4000-8000-000000000002"} & set(
        outdated_runs(settings, in_years)
    )


def test_one_athletes_failures_are_not_made_good_by_anothers_runs(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    ann, ben = {ATHLETE_TAG: "ann"}, {ATHLETE_TAG: "ben"}
    left = exclusion_tags("coach__publication", {"ben": "nothing was sent: 503"})

    def unserved() -> dict[str, str]:
        runs = recent_runs(settings, ["ann", "ben"])
        return {one: run.run_id[-1] for one, run in runs.unserved.items()}

    add_runs(
        settings, ("nightly", SUCCESS, {}), ("nightly", FAILURE, ben), ("nightly", SUCCESS, ann)
    )
    assert unserved() == {"ben": "1"}
    status = read_status(settings, (), recent_runs(settings, ["ben"]), datetime.now(UTC))
    assert any(told.startswith("The last run for ben") for told in status.problems)
    add_runs(settings, ("nightly", STARTED, {}), first=3)
    assert unserved() == {"ben": "1"}, "what is under way has made nothing good"
    add_runs(settings, ("nightly", SUCCESS, left), first=4)
    assert unserved() == {"ben": "4"}
    told = recent_runs(settings, ["ben"]).unserved["ben"]
    assert told.left == {"ben": "nothing was sent: 503"}
    add_runs(settings, ("nightly", SUCCESS, {}), first=5)
    assert unserved() == {}


def test_a_clean_up_that_went_well_since_is_no_cause(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    add_runs(settings, ("maintenance", FAILURE), ("maintenance", SUCCESS))
    assert home_alerts(settings, recent_runs(settings)) == ()
