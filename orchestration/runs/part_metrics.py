"""Measurements of the parts of a night, from Dagster's history."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import dagster as dg

from orchestration.runs.nights import STAGES, PartRun, part_run
from orchestration.runs.partitions import partition_keys
from orchestration.runs.status import PartState
from orchestration.runs.tags import ATHLETE_TAG, CONFLICTS_TAG, NIGHT_TAG, NIGHTLY, exclusions_of

_MEASURED = timedelta(days=8)
"""A part without a run for longer has no measurements."""

_LATEST_NIGHTLY = 200

_ROW_COUNTS = ("new_versions", "deleted", "new_plans")
"""Metadata of materializations with numbers of new rows."""

CountRows = Callable[[str], int]
"""Returns the number of new rows of a run."""


@dataclass(frozen=True)
class PartMetrics:
    """Measurements of a part for a partition; `partition` is "all" for a part that runs once.

    `state` and `retries` are those of its latest run; `left_out` counts athletes that it excluded.
    `seconds`, `rows` and `conflicts` are those of its latest ended run: wall clock, new rows of raw
    tables and plans, and commits that were retried. `lag_s` is the time since its last success.
    """

    part: str
    partition: str
    state: PartState
    retries: int
    seconds: float | None
    rows: int | None
    conflicts: int | None
    lag_s: float | None
    left_out: int


def read_part_metrics(
    instance: dg.DagsterInstance, partitions: int, now: datetime, count_rows: CountRows
) -> list[PartMetrics]:
    """Return the measurements of each part and partition with runs in the last eight days.

    With one partition the only part is the nightly run of all athletes.
    """
    keys = {None, *partition_keys(partitions)}
    jobs = (NIGHTLY,) if partitions == 1 else tuple(stage.job for stage in STAGES)
    found: dict[tuple[str, str | None], list[PartRun]] = {}
    for job in jobs:
        for run in _runs(instance, job, now):
            if run.partition in keys:
                found.setdefault((job, run.partition), []).append(run)
    return [_metrics(runs, now, count_rows) for runs in found.values()]


def count_new_rows(instance: dg.DagsterInstance, run_id: str) -> int:
    """Return the number of new rows that the assets of a run reported."""
    stored = instance.get_records_for_run(
        run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION
    ).records
    told = [record.asset_materialization for record in stored]
    return sum(
        int(str(each.metadata[name].value))
        for each in told
        if each is not None
        for name in _ROW_COUNTS
        if name in each.metadata
    )


def _runs(instance: dg.DagsterInstance, job: str, now: datetime) -> Iterable[PartRun]:
    """Return the runs of a part for all its athletes, newest first."""
    records = instance.get_run_records(
        dg.RunsFilter(job_name=job, created_after=now - _MEASURED),
        limit=_LATEST_NIGHTLY if job == NIGHTLY else None,
    )
    for record in records:
        tags = record.dagster_run.tags
        if ATHLETE_TAG not in tags if job == NIGHTLY else NIGHT_TAG in tags:
            yield part_run(record)


def _metrics(runs: list[PartRun], now: datetime, count_rows: CountRows) -> PartMetrics:
    """Return the measurements of a part and partition from its runs, newest first."""
    latest = runs[0]
    ended = next((run for run in runs if run.has_ended and run.ended_at), None)
    done = next((run for run in runs if run.state == "ok" and run.ended_at), None)
    status = latest.status()
    return PartMetrics(
        part=latest.job,
        partition=latest.partition or "all",
        state=status.state,
        retries=status.retries,
        seconds=None if ended is None else _seconds(ended),
        rows=None if ended is None else count_rows(ended.run_id),
        conflicts=None if ended is None else int(ended.tags.get(CONFLICTS_TAG, "0")),
        lag_s=None if done is None or not done.ended_at else (now - done.ended_at).total_seconds(),
        left_out=len(exclusions_of(latest.tags)),
    )


def _seconds(run: PartRun) -> float | None:
    """Return the wall clock of a run; None for one that never started."""
    if run.started_at is None or run.ended_at is None:
        return None
    return (run.ended_at - run.started_at).total_seconds()
