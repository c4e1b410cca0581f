"""Nights of partitioned athletes: a run per part and partition, through Dagster's queue.

A night is the runs with its tag. Its parts are the stages; a sensor requests the next one when all
runs of a part have ended. A failed partition is excluded from the following parts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby

import dagster as dg

from orchestration.config.limits import LONGEST_RUN_S
from orchestration.runs.backoff import PastRun
from orchestration.runs.part_run import RETRY_TAGS, PartRun, State, part_run
from orchestration.runs.partitions import partition_key
from orchestration.runs.status import NightStatus
from orchestration.runs.tags import (
    ATHLETE_TAG,
    BRIEF,
    CATCH_UP,
    COACH,
    EXPECTED_TAG,
    FULL_TAG,
    MODELS,
    NIGHT_TAG,
    RELEASE,
    SYNC,
    TRIGGER_TAG,
    exclusion_tags,
    exclusions_of,
)


@dataclass(frozen=True)
class Stage:
    """A part of a night, which is a job; with `in_partitions` it runs once per partition."""

    job: str
    in_partitions: bool


STAGES = (
    Stage(SYNC, in_partitions=True),
    Stage(MODELS, in_partitions=False),
    Stage(COACH, in_partitions=True),
    Stage(RELEASE, in_partitions=False),
    Stage(BRIEF, in_partitions=True),
)

GIVEN_UP_AFTER = timedelta(seconds=LONGEST_RUN_S)
"""A night without a sensor, such as during downtime, is not resumed after this time."""

_RETRIED_WITHIN = timedelta(days=1)
"""Period between two nights of an athlete."""

_JOBS = [stage.job for stage in STAGES]


@dataclass(frozen=True)
class NextRun:
    """A run to request."""

    key: str
    job: str
    partition: str | None
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Night:
    """A night: the latest attempt of each part and partition, in order of their creation."""

    runs: tuple[PartRun, ...]

    @property
    def id(self) -> str:
        """Return the value of the tag of its runs."""
        return self.runs[0].night

    @property
    def trigger(self) -> str | None:
        """Return the trigger of its runs."""
        return self.runs[0].tags.get(TRIGGER_TAG)

    @property
    def athletes(self) -> frozenset[str]:
        """Return the athletes that the runs of its first part name."""
        first = [run.athletes or frozenset() for run in self.runs if run.job == SYNC]
        return frozenset().union(*first)

    @property
    def part(self) -> Stage:
        """Return the latest part that has runs."""
        return STAGES[max(_JOBS.index(run.job) for run in self.runs)]

    @property
    def failed(self) -> dict[str, PartRun]:
        """Return the failed runs by partition."""
        return {run.partition: run for run in self.runs if run.state == "failed" and run.partition}

    @property
    def has_failed(self) -> bool:
        """Return true if a part for all athletes failed, or every partition did."""
        return any(run.state == "failed" and run.partition is None for run in self.runs) or (
            not self._partitions()
        )

    @property
    def missing(self) -> dict[str, str]:
        """Return the athletes of failed partitions, with the reason."""
        return {
            athlete: f"the partition {partition} failed in {run.job}"
            for partition, run in self.failed.items()
            for athlete in run.athletes or ()
        }

    def status(self, now: datetime) -> NightStatus:
        """Return the state of each part and partition, and the athletes that it left out."""
        past = self.as_past_run(now)
        excluded = {
            athlete: why for run in self.runs for athlete, why in exclusions_of(run.tags).items()
        }
        return NightStatus(
            id=self.id,
            state="finished" if past.state == "ok" else past.state,
            began_at=past.created_at,
            ended_at=past.ended_at,
            parts=tuple(
                run.status() for run in sorted(self.runs, key=lambda run: _JOBS.index(run.job))
            ),
            left=dict(sorted((excluded | self.missing).items())),
        )

    def is_under_way(self, now: datetime) -> bool:
        """Return true if a run of it has not ended, or another one is due."""
        if any(not run.has_ended for run in self.runs):
            return True
        return not self._is_given_up(now) and (not self._is_part_complete() or bool(self._next()))

    def next_runs(self, now: datetime) -> tuple[NextRun, ...]:
        """Return the runs to request now; empty while runs are in progress, and at the end."""
        if not all(run.has_ended for run in self.runs) or not self._is_part_complete():
            return ()
        return () if self._is_given_up(now) else self._next()

    def _next(self) -> tuple[NextRun, ...]:
        part = self.part
        partitions = self._partitions()
        models_failed = any(run.job == MODELS and run.state == "failed" for run in self.runs)
        if part == STAGES[-1] or not partitions or models_failed:
            return ()
        following = STAGES[STAGES.index(part) + 1]
        if not following.in_partitions:
            tags = {**self._shared_tags(), **exclusion_tags(part.job, self.missing)}
            return (next_run(self.id, following.job, None, 1, tags),)
        return tuple(
            next_run(
                self.id,
                following.job,
                partition,
                len(partitions),
                {**self._shared_tags(), ATHLETE_TAG: ",".join(sorted(athletes or ()))},
            )
            for partition, athletes in partitions.items()
        )

    def _failed_runs(self) -> dict[str, str]:
        """Return the first run that failed for an athlete or excluded the athlete, by athlete."""
        found: dict[str, str] = {}
        for run in self.runs:
            lost = run.athletes or () if run.partition in self.failed and run.state != "ok" else ()
            for athlete in (*lost, *exclusions_of(run.tags)):
                found.setdefault(athlete, run.run_id)
        return found

    def _partitions(self) -> dict[str, frozenset[str] | None]:
        """Return the athletes of the partitions without a failed run."""
        return {
            run.partition: run.athletes
            for run in self.runs
            if run.job == _JOBS[0] and run.partition and run.partition not in self.failed
        }

    def _shared_tags(self) -> dict[str, str]:
        own = {ATHLETE_TAG, NIGHT_TAG, EXPECTED_TAG}
        first = self.runs[0].tags
        return {
            name: value
            for name, value in first.items()
            if name.startswith("spotter/") and name not in own
        }

    def _is_part_complete(self) -> bool:
        """Return true if every run of the latest part was created."""
        runs = [run for run in self.runs if run.job == self.part.job]
        return len(runs) >= max(run.expected for run in runs)

    def _is_given_up(self, now: datetime) -> bool:
        latest = max(run.ended_at or run.created_at for run in self.runs)
        return now - latest > GIVEN_UP_AFTER

    def as_past_run(self, now: datetime) -> PastRun:
        """Return the night as one run; the athletes of failed partitions were excluded.

        Its id is that of the first failed run, if any, otherwise that of its first run.
        """
        is_over = not self.is_under_way(now)
        is_incomplete = self.has_failed or not self._is_part_complete() or bool(self._next())
        state: State
        if is_over:
            state = "failed" if is_incomplete else "ok"
        else:
            state = "running" if any(run.state != "waiting" for run in self.runs) else "waiting"
        failed = [run for run in self.runs if run.state == "failed"]
        own = [run.athletes for run in self.runs if run.job == _JOBS[0]]
        return PastRun(
            run_id=next(iter(failed), self.runs[0]).run_id,
            state=state,
            athletes=(
                None
                if None in own
                else frozenset(athlete for some in own for athlete in some or ())
            ),
            asked_for=None,
            is_full=any(FULL_TAG in run.tags for run in self.runs),
            created_at=min(run.created_at for run in self.runs),
            ended_at=(
                max((run.ended_at or run.created_at) for run in self.runs) if is_over else None
            ),
            left=frozenset(self._failed_runs()),
            run_of=self._failed_runs(),
        )


def first_runs(
    key: str, athletes: Iterable[str], count: int, tags: Mapping[str, str]
) -> tuple[NextRun, ...]:
    """Return the runs of the first part of a night of these athletes; `key` identifies it."""
    by_partition = {
        partition: list(some)
        for partition, some in groupby(
            sorted(athletes, key=lambda each: (str(partition_key(each, count)), each)),
            key=lambda each: str(partition_key(each, count)),
        )
    }
    night = sha256(key.encode()).hexdigest()[:16]
    return tuple(
        next_run(
            night,
            _JOBS[0],
            partition,
            len(by_partition),
            {**tags, ATHLETE_TAG: ",".join(some)},
        )
        for partition, some in by_partition.items()
    )


def next_run(
    night: str, job: str, partition: str | None, expected: int, tags: Mapping[str, str]
) -> NextRun:
    """Return a run of a part; its key is the same in each tick."""
    return NextRun(
        key=f"{night}/{job}/{partition or 'all'}",
        job=job,
        partition=partition,
        tags={**tags, **RETRY_TAGS, NIGHT_TAG: night, EXPECTED_TAG: str(expected)},
    )


def nights_of(runs: Iterable[PartRun]) -> list[Night]:
    """Group the runs to nights; of several attempts of a run the newest counts."""
    latest: dict[str, dict[tuple[str, str | None], PartRun]] = {}
    for run in sorted(runs, key=lambda run: run.created_at):
        latest.setdefault(run.night, {})[run.job, run.partition] = run
    return [Night(tuple(tries.values())) for tries in latest.values()]


def part_runs(records: Sequence[dg.RunRecord]) -> list[PartRun]:
    """Return the runs of the records that are part of a night."""
    return [
        part_run(record)
        for record in records
        if NIGHT_TAG in record.dagster_run.tags and record.dagster_run.job_name in _JOBS
    ]


def read_nights(instance: dg.DagsterInstance, since: datetime) -> list[Night]:
    """Return the nights with a run created since then."""
    return nights_of(part_runs(instance.get_run_records(dg.RunsFilter(created_after=since))))


def latest_night(instance: dg.DagsterInstance, since: datetime) -> Night | None:
    """Return the latest night that began since then; retries of a night are left out."""
    found = read_nights(instance, since - _RETRIED_WITHIN)
    began = [night for night in found if night.runs[0].job == SYNC]
    nights = [night for night in began if not any(_is_retry(night, other) for other in began)]
    latest = max(nights, key=lambda night: night.runs[0].created_at, default=None)
    return None if latest is None or latest.runs[0].created_at < since else latest


def _is_retry(night: Night, other: Night) -> bool:
    """Return true if a night catches up on athletes of an earlier, scheduled one of the same day.

    After a time off the machine catches up on a night that never began: this is no retry.
    """
    after = night.runs[0].created_at - other.runs[0].created_at
    return (
        night.trigger == CATCH_UP
        and other.trigger != CATCH_UP
        and timedelta() <= after < _RETRIED_WITHIN
        and night.athletes <= other.athletes
    )
