"""Measurements of the parts of a night, from Dagster's history."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import dagster as dg

from orchestration.runs.nights import STAGES
from orchestration.runs.part_run import PartRun, part_run
from orchestration.runs.partitions import partition_keys
from orchestration.runs.status import PartState
from orchestration.runs.tags import (
    ATHLETE_TAG,
    CATCH_UP,
    CONFLICTS_TAG,
    NIGHT_TAG,
    NIGHTLY,
    SYNC,
    TRIGGER_TAG,
    exclusions_of,
)

_MEASURED = timedelta(days=8)
"""A part without a run for longer has no measurements."""

_NIGHTS = {"nightly", "weekly", CATCH_UP}
"""Triggers of runs of all athletes of a time zone, and of retries of some of them."""

_EVERYONE = frozenset({"*"})
"""Athletes of a run that names none."""

_ROW_COUNTS = ("new_versions", "deleted", "new_plans")
"""Metadata of materializations with numbers of new rows."""

CountRows = Callable[[str], int]
"""Returns the number of new rows of a run."""


@dataclass(frozen=True)
class PartMetrics:
    """Measurements of a part for a partition; `partition` is "all" for a part that runs once.

    `state` and `retries` are those of its latest run; `left_out` counts athletes that it excluded.
    `seconds`, `rows` and `conflicts` are those of its latest ended run: wall clock, new rows of raw
    tables and plans, and commits that were retried. Runs that catch up count only in a part that
    has no other runs. `lag_s` is the longest time since the last success of an athlete of the part,
    in any of its runs; without a success it counts from the athlete's first run.
    """

    part: str
    partition: str
    state: PartState
    retries: int
    seconds: float | None
    rows: int | None
    conflicts: int | None
    lag_s: float
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
    athletes = _athletes_by_night(found)
    return [_metrics(runs, athletes, now, count_rows) for runs in found.values()]


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


def _runs(instance: dg.DagsterInstance, job: str, now: datetime) -> list[PartRun]:
    """Return the runs of nights of a part, newest first."""
    records = instance.get_run_records(dg.RunsFilter(job_name=job, created_after=now - _MEASURED))
    return [part_run(record) for record in records if _is_night(job, record.dagster_run.tags)]


def _is_night(job: str, tags: Mapping[str, str]) -> bool:
    """Return true for a run of a night; a nightly run of some athletes needs its trigger."""
    if job != NIGHTLY:
        return NIGHT_TAG in tags
    return ATHLETE_TAG not in tags or tags.get(TRIGGER_TAG) in _NIGHTS


def _athletes_by_night(
    found: Mapping[tuple[str, str | None], Sequence[PartRun]],
) -> dict[str, frozenset[str]]:
    """Return the athletes of each partitioned night, from the runs of its first part."""
    athletes: dict[str, frozenset[str]] = {}
    for (job, _), runs in found.items():
        for run in runs if job == SYNC else ():
            athletes[run.night] = athletes.get(run.night, frozenset()) | (run.athletes or set())
    return athletes


def _metrics(
    runs: Sequence[PartRun],
    athletes: Mapping[str, frozenset[str]],
    now: datetime,
    count_rows: CountRows,
) -> PartMetrics:
    """Return the measurements of a part and partition from its runs, newest first."""
    measured = [run for run in runs if run.tags.get(TRIGGER_TAG) != CATCH_UP] or runs
    latest = measured[0]
    ended = next((run for run in measured if run.has_ended and run.ended_at), None)
    status = latest.status()
    return PartMetrics(
        part=latest.job,
        partition=latest.partition or "all",
        state=status.state,
        retries=status.retries,
        seconds=None if ended is None else _seconds(ended),
        rows=None if ended is None else count_rows(ended.run_id),
        conflicts=None if ended is None else int(ended.tags.get(CONFLICTS_TAG, "0")),
        lag_s=(now - _oldest_success(runs, athletes)).total_seconds(),
        left_out=len(exclusions_of(latest.tags)),
    )


def _oldest_success(runs: Sequence[PartRun], athletes: Mapping[str, frozenset[str]]) -> datetime:
    """Return the least recent of the athletes' last successes; `runs` are newest first."""
    since: dict[str, datetime] = {}
    for run in reversed(runs):
        own = run.athletes or athletes.get(run.night) or _EVERYONE
        for athlete in own:
            since.setdefault(athlete, run.created_at)
        if run.state == "ok" and run.ended_at:
            done = (since.keys() if own == _EVERYONE else own) - exclusions_of(run.tags).keys()
            since |= dict.fromkeys(done, run.ended_at)
    named = [moment for athlete, moment in since.items() if athlete not in _EVERYONE]
    return min(named or since.values())


def _seconds(run: PartRun) -> float | None:
    """Return the wall clock of a run; None for one that never started."""
    if run.started_at is None or run.ended_at is None:
        return None
    return (run.ended_at - run.started_at).total_seconds()
