"""The latest runs, from Dagster's history of a home."""

from datetime import UTC, datetime

import dagster as dg

from orchestration.lib.jobs import close_abandoned_runs, dagster_instance
from orchestration.lib.run_failures import failed_checks, failed_steps
from orchestration.lib.run_status import RecentRuns, RunStatus
from orchestration.lib.settings import Settings

_RELEASING_JOBS = ("nightly", "marts")

_ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]

_TELLING_EVENTS = {
    dg.DagsterEventType.STEP_FAILURE,
    dg.DagsterEventType.ASSET_CHECK_EVALUATION,
    dg.DagsterEventType.RUN_FAILURE,
}


def recent_runs(settings: Settings) -> RecentRuns:
    """The latest runs of this home; those whose process was killed are recorded as failed first."""
    if not settings.dagster_home.exists():
        return RecentRuns()
    with dagster_instance(settings) as instance:
        close_abandoned_runs(instance)
        releasing = [
            record
            for job in _RELEASING_JOBS
            for record in _latest(instance, dg.RunsFilter(job_name=job, statuses=_ENDED))
        ]
        return RecentRuns(
            last=_status(instance, _latest(instance, dg.RunsFilter())),
            last_releasing=_status(
                instance, sorted(releasing, key=lambda record: record.storage_id)[-1:]
            ),
        )


def _latest(instance: dg.DagsterInstance, which: dg.RunsFilter) -> list[dg.RunRecord]:
    """The latest of the runs that are asked for, or none."""
    return list(instance.get_run_records(filters=which, limit=1))


def _status(instance: dg.DagsterInstance, records: list[dg.RunRecord]) -> RunStatus | None:
    if not records:
        return None
    run, ended_at = records[0].dagster_run, records[0].end_time
    stored = instance.get_records_for_run(run.run_id, of_type=_TELLING_EVENTS).records
    events = [record.event_log_entry.get_dagster_event() for record in stored]
    ends = [event.message for event in events if event.is_run_failure]
    return RunStatus(
        run_id=run.run_id,
        job=run.job_name,
        status=run.status.value,
        ended_at=None if ended_at is None else datetime.fromtimestamp(ended_at, UTC),
        failed_steps=failed_steps(events),
        failed_checks=failed_checks(events),
        failure=ends[-1] if ends else None,
    )
