"""Read past runs from Dagster's history."""

from datetime import UTC, datetime, timedelta
from typing import Literal

import dagster as dg

from orchestration.runs.backoff import PastRun
from orchestration.runs.failures import failed_checks
from orchestration.runs.nights import nights_of, part_runs
from orchestration.runs.tags import (
    ASKED_TAG,
    ATHLETE_TAG,
    FULL_TAG,
    NIGHTLY,
    WHOLE_NIGHTS,
    athletes_of,
    exclusions_of,
)

# Long enough to find the full read of a week and recent failures.
REMEMBERED = timedelta(days=15)

_PLANNED = dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED
_RESULTS = {
    _PLANNED,
    dg.DagsterEventType.ASSET_MATERIALIZATION,
    dg.DagsterEventType.ASSET_CHECK_EVALUATION,
    dg.DagsterEventType.STEP_FAILURE,
}

_STATES: dict[dg.DagsterRunStatus, Literal["ok", "failed"]] = {
    dg.DagsterRunStatus.SUCCESS: "ok",
    dg.DagsterRunStatus.FAILURE: "failed",
    dg.DagsterRunStatus.CANCELED: "failed",
}


def read_past_runs(instance: dg.DagsterInstance, now: datetime) -> list[PastRun]:
    """Return the runs from raw to publication of the last two weeks, newest first.

    A night of partitions counts as one run. Without failed imports: the file still exists and
    requests the next run.
    """
    records = instance.get_run_records(dg.RunsFilter(created_after=now - REMEMBERED))
    nights = [night.as_past_run(now) for night in nights_of(part_runs(records))]
    whole = [
        run
        for record in records
        if record.dagster_run.job_name in WHOLE_NIGHTS
        and ((run := _past_run(record)).state != "failed" or record.dagster_run.job_name == NIGHTLY)
    ]
    if not nights:
        return whole
    return sorted([*whole, *nights], key=lambda run: run.created_at, reverse=True)


def runs_asked_for(instance: dg.DagsterInstance, subject: str) -> list[PastRun]:
    """Return the runs that a sensor requested with this subject, newest first."""
    records = instance.get_run_records(dg.RunsFilter(tags={ASKED_TAG: subject}))
    return [_past_run(each) for each in records]


def is_complete(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Return true if a run materialized all its assets, every check passed and no athlete was left.

    Call it after the last step; the end of the run may not be recorded yet.
    """
    run = instance.get_run_by_id(run_id)
    if run is None or exclusions_of(run.tags):
        return False
    stored = instance.get_records_for_run(run_id, of_type=_RESULTS).records
    events = [record.event_log_entry.get_dagster_event() for record in stored]
    if any(event.is_step_failure for event in events) or failed_checks(events):
        return False
    planned = {event.asset_key for event in events if event.event_type == _PLANNED}
    return bool(planned) and planned == {
        event.asset_key for event in events if event.is_step_materialization
    }


def _past_run(record: dg.RunRecord) -> PastRun:
    run = record.dagster_run
    has_begun = run.status not in {dg.DagsterRunStatus.QUEUED, dg.DagsterRunStatus.NOT_STARTED}
    return PastRun(
        run_id=run.run_id,
        state=_STATES.get(run.status, "running" if has_begun else "waiting"),
        athletes=athletes_of(run.tags.get(ATHLETE_TAG)),
        asked_for=run.tags.get(ASKED_TAG),
        is_full=FULL_TAG in run.tags,
        created_at=record.create_timestamp,
        ended_at=None if record.end_time is None else datetime.fromtimestamp(record.end_time, UTC),
        left=frozenset(exclusions_of(run.tags)),
    )
