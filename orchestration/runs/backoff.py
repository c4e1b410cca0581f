"""Past runs from raw to publication as plain values, and the backoff of retries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

_FIRST_WAIT = timedelta(minutes=10)
_LONGEST_WAIT = timedelta(hours=6)


@dataclass(frozen=True)
class PastRun:
    """A run: `athletes` None is all, `asked_for` is the subject of a sensor's request.

    `left` are athletes with a failed read, decision or publication in a run that continued;
    `run_of` has the run with the failure of an athlete, where it is another one than `run_id`.
    Times are aware; `ended_at` is None for an unfinished run.
    """

    run_id: str
    state: Literal["waiting", "running", "ok", "failed"]
    athletes: frozenset[str] | None
    asked_for: str | None
    is_full: bool
    created_at: datetime
    ended_at: datetime | None
    left: frozenset[str] = frozenset()
    run_of: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_unfinished(self) -> bool:
        """Return true for a queued or running run."""
        return self.state in {"waiting", "running"}


def runs_covering(runs: Iterable[PastRun], athletes: Iterable[str]) -> list[PastRun]:
    """Return the runs for all of these athletes, in the same order."""
    wanted = frozenset(athletes)
    return [run for run in runs if run.athletes is None or wanted <= run.athletes]


def runs_for(runs: Iterable[PastRun], athlete: str) -> list[PastRun]:
    """Return the runs for this athlete, in order; those that excluded the athlete as failed."""
    return [
        replace(run, state="failed") if run.state == "ok" and athlete in run.left else run
        for run in runs_covering(runs, [athlete])
    ]


def consecutive_failures(runs: list[PastRun]) -> list[PastRun]:
    """Return the runs that failed since the last success, newest first; none during a run."""
    if any(run.is_unfinished for run in runs):
        return []
    last_good = next((n for n, run in enumerate(runs) if run.state == "ok"), len(runs))
    return runs[:last_good]


def recent_runs_of_day(runs: Iterable[PastRun], now: datetime) -> list[PastRun]:
    """Return the runs of the last 24 hours, in the same order."""
    return [run for run in runs if now - run.created_at < timedelta(days=1)]


def retry_at(runs: list[PastRun]) -> datetime:
    """Return the earliest time for the next retry after these failed runs, newest first.

    Ten minutes after the first failure, then doubled each time, at most six hours.
    """
    newest = runs[0]
    wait = min(_FIRST_WAIT * (1 << min(len(runs) - 1, 10)), _LONGEST_WAIT)
    return (newest.ended_at or newest.created_at) + wait
