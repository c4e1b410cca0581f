"""A run of a part of a night: its state, retries and times, from Dagster's records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

import dagster as dg

from orchestration.runs.status import PartState, PartStatus
from orchestration.runs.tags import (
    ATHLETE_TAG,
    EXPECTED_TAG,
    NIGHT_TAG,
    athletes_of,
)

RETRY_TAGS: Mapping[str, str] = {
    "dagster/max_retries": "3",
    "dagster/retry_strategy": "ALL_STEPS",
}
"""Dagster retries a run whose process or catalog was lost; other failed steps are not retried."""

_PARTITION_TAG = "dagster/partition"
_RETRY_TAG = "dagster/retry_number"
_WILL_RETRY_TAG = "dagster/will_retry"

State = Literal["waiting", "running", "ok", "failed"]

_STATES: Mapping[dg.DagsterRunStatus, State] = {
    dg.DagsterRunStatus.QUEUED: "waiting",
    dg.DagsterRunStatus.NOT_STARTED: "waiting",
    dg.DagsterRunStatus.SUCCESS: "ok",
    dg.DagsterRunStatus.FAILURE: "failed",
    dg.DagsterRunStatus.CANCELED: "failed",
}


_PART_STATES: Mapping[State, PartState] = {
    "waiting": "waiting",
    "running": "running",
    "ok": "finished",
    "failed": "failed",
}


@dataclass(frozen=True)
class PartRun:
    """A run of a part of a night; `partition` None is a part that runs once for all.

    `expected` is the number of runs of the part. `tags` are Spotter's own.
    """

    run_id: str
    night: str
    job: str
    partition: str | None
    state: State
    expected: int
    created_at: datetime
    ended_at: datetime | None = None
    started_at: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def athletes(self) -> frozenset[str] | None:
        """Return the athletes of the run, None for all."""
        return athletes_of(self.tags.get(ATHLETE_TAG))

    @property
    def has_ended(self) -> bool:
        """Return true if it ended and will not be retried."""
        return self.state in {"ok", "failed"}

    @property
    def retries(self) -> int:
        """Return the number of lost runs of the same part and partition."""
        is_lost = self.state == "waiting" and self.ended_at is not None
        return int(self.tags.get(_RETRY_TAG, "0")) + is_lost

    def status(self) -> PartStatus:
        """Return its state in the night."""
        is_retried = self.retries and not self.has_ended
        return PartStatus(
            job=self.job,
            partition=self.partition,
            state="retried" if is_retried else _PART_STATES[self.state],
            retries=self.retries,
            run_id=self.run_id,
            started_at=self.started_at,
            ended_at=self.ended_at if self.has_ended else None,
        )


def part_run(record: dg.RunRecord) -> PartRun:
    """Return a run of a part; outside a night its `night` is empty."""
    run = record.dagster_run
    state: State = _STATES.get(run.status, "running")
    return PartRun(
        run_id=run.run_id,
        night=run.tags.get(NIGHT_TAG, ""),
        job=run.job_name,
        partition=run.tags.get(_PARTITION_TAG),
        state="waiting" if _may_be_retried(run) else state,
        expected=int(run.tags.get(EXPECTED_TAG, "1")),
        created_at=record.create_timestamp,
        ended_at=_moment(record.end_time),
        started_at=_moment(record.start_time),
        tags=run.tags,
    )


def _may_be_retried(run: dg.DagsterRun) -> bool:
    """Return true if a run failed and Dagster has not requested its retry or decided against it.

    Dagster stores the decision after the failure.
    """
    is_undecided = run.tags.keys() >= RETRY_TAGS.keys() and _WILL_RETRY_TAG not in run.tags
    is_failed = run.status is dg.DagsterRunStatus.FAILURE
    return (is_failed and is_undecided) or run.is_complete_and_waiting_to_retry


def _moment(timestamp: float | None) -> datetime | None:
    return None if timestamp is None else datetime.fromtimestamp(timestamp, UTC)
