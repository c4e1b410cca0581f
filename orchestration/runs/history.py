"""Read the latest runs from Dagster's history of a home."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg

from orchestration.config.settings import Settings
from orchestration.runs.backoff import consecutive_failures, runs_for
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.failures import failed_checks, failed_steps
from orchestration.runs.jobs import close_abandoned_runs
from orchestration.runs.nights import latest_night
from orchestration.runs.recorded_runs import read_past_runs
from orchestration.runs.status import RecentRuns, RunStatus
from orchestration.runs.tags import MODELS, RELEASE, WHOLE_NIGHTS, exclusions_of

_RELEASING_JOBS = (*sorted(WHOLE_NIGHTS), "marts", MODELS, RELEASE)
_MAINTENANCE = "maintenance"
_LATEST = 5
_NIGHT_IS_SHOWN = timedelta(days=2)
_A_MART = dg.AssetKey(["marts", "fct_workout"])

_ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]

_TELLING_EVENTS = {
    dg.DagsterEventType.STEP_FAILURE,
    dg.DagsterEventType.ASSET_CHECK_EVALUATION,
    dg.DagsterEventType.RUN_FAILURE,
}


def recent_runs(settings: Settings, athletes: Iterable[str] = ()) -> RecentRuns:
    """Return the latest runs of this home; killed runs are first recorded as failed.

    `unserved` covers these athletes.
    """
    if not settings.dagster_home.exists():
        return RecentRuns()
    with dagster_instance(settings, keeps_configuration=True) as instance:
        close_abandoned_runs(instance)
        return recent_runs_of(instance, athletes)


def recent_runs_of(instance: dg.DagsterInstance, athletes: Iterable[str]) -> RecentRuns:
    """Return the latest runs of a history, with the failed ones for these athletes."""
    releasing = [record for job in _RELEASING_JOBS for record in _latest_ended(instance, job)]
    latest = instance.get_run_records(limit=_LATEST)
    now = datetime.now(UTC)
    night = latest_night(instance, now - _NIGHT_IS_SHOWN)
    return RecentRuns(
        last=_status(instance, list(latest[:1])),
        last_releasing=_status(
            instance, sorted(releasing, key=lambda record: record.storage_id)[-1:]
        ),
        unserved=_failed_by_athlete(instance, athletes),
        last_maintenance=_status(instance, _latest_ended(instance, _MAINTENANCE)),
        latest=tuple(told for each in latest if (told := _status(instance, [each])) is not None),
        marts_built_at=_marts_built_at(instance),
        night=None if night is None else night.status(now),
    )


def _failed_by_athlete(
    instance: dg.DagsterInstance, athletes: Iterable[str]
) -> dict[str, RunStatus]:
    """Return each athlete's latest failed run since a success; unfinished runs are ignored."""
    ended = [run for run in read_past_runs(instance, datetime.now(UTC)) if not run.is_unfinished]
    failed = {one: consecutive_failures(runs_for(ended, one))[:1] for one in athletes}
    failed_ids = {
        one: runs[0].run_of.get(one, runs[0].run_id) for one, runs in failed.items() if runs
    }
    ids = set(failed_ids.values())
    records = instance.get_run_records(dg.RunsFilter(run_ids=list(ids))) if ids else []
    told = {each.dagster_run.run_id: _status(instance, [each]) for each in records}
    return {
        one: status
        for one, run_id in failed_ids.items()
        if (status := told.get(run_id)) is not None
    }


def outdated_runs(settings: Settings, before: datetime) -> list[str]:
    """Return the ids of runs that ended before a time and are no longer needed.

    Kept are the latest runs of assets, and the runs that the status shows.
    """
    with dagster_instance(settings, keeps_configuration=True) as instance:
        kept = {record.dagster_run.run_id for record in instance.get_run_records(limit=_LATEST)}
        for job in (*_RELEASING_JOBS, _MAINTENANCE):
            kept |= {each.dagster_run.run_id for each in _latest_ended(instance, job)}
        for asset in instance.get_asset_records():
            last = asset.asset_entry.last_materialization
            kept |= set() if last is None else {last.run_id}
        old = instance.get_run_records(
            filters=dg.RunsFilter(statuses=_ENDED, created_before=before)
        )
        return [each.dagster_run.run_id for each in old if each.dagster_run.run_id not in kept]


def delete_runs(settings: Settings, run_ids: Sequence[str]) -> None:
    """Delete runs and their events from Dagster's history."""
    with dagster_instance(settings, keeps_configuration=True) as instance:
        for run_id in run_ids:
            instance.delete_run(run_id)


def _latest_ended(instance: dg.DagsterInstance, job: str) -> list[dg.RunRecord]:
    """Return the latest ended run of a job as a list, or an empty list."""
    ended = dg.RunsFilter(job_name=job, statuses=_ENDED)
    return list(instance.get_run_records(filters=ended, limit=1))


def _status(instance: dg.DagsterInstance, records: list[dg.RunRecord]) -> RunStatus | None:
    if not records:
        return None
    run, started_at, ended_at = (
        records[0].dagster_run,
        records[0].start_time,
        records[0].end_time,
    )
    stored = instance.get_records_for_run(run.run_id, of_type=_TELLING_EVENTS).records
    events = [record.event_log_entry.get_dagster_event() for record in stored]
    ends = [event.message for event in events if event.is_run_failure]
    return RunStatus(
        run_id=run.run_id,
        job=run.job_name,
        status=run.status.value,
        trigger=_trigger(run.tags),
        started_at=_moment(started_at),
        ended_at=_moment(ended_at),
        failed_steps=failed_steps(events),
        failed_checks=failed_checks(events),
        failure=ends[-1] if ends else None,
        left=exclusions_of(run.tags),
    )


def _trigger(tags: Mapping[str, str]) -> str:
    """Return the trigger of a run: its tag, or the name of its schedule or sensor."""
    told = ("spotter/trigger", "dagster/schedule_name", "dagster/sensor_name")
    named = next((tags[tag] for tag in told if tag in tags), None)
    return named or ("command" if "spotter/pid" in tags else "by hand")


def _marts_built_at(instance: dg.DagsterInstance) -> datetime | None:
    event = instance.get_latest_materialization_event(_A_MART)
    return None if event is None else _moment(event.timestamp)


def _moment(timestamp: float | None) -> datetime | None:
    return None if timestamp is None else datetime.fromtimestamp(timestamp, UTC)
