"""What became of runs that went from raw to publication, in plain values."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

_FIRST_WAIT = timedelta(minutes=10)
_LONGEST_WAIT = timedelta(hours=6)


@dataclass(frozen=True)
class PastRun:
    """A run: `athletes` None is everybody, `asked_for` what a sensor said that it is for.

    `left` are those of whom something could not be read, decided or sent although it went on.
    Times are aware; `ended_at` is None while it has not ended.
    """

    run_id: str
    state: Literal["waiting", "running", "ok", "failed"]
    athletes: frozenset[str] | None
    asked_for: str | None
    is_full: bool
    created_at: datetime
    ended_at: datetime | None
    left: frozenset[str] = frozenset()

    @property
    def is_unfinished(self) -> bool:
        """Whether it has not ended."""
        return self.state in {"waiting", "running"}


def covering(runs: Iterable[PastRun], athletes: Iterable[str]) -> list[PastRun]:
    """The runs that were for all of these athletes, in the same order."""
    wanted = frozenset(athletes)
    return [run for run in runs if run.athletes is None or wanted <= run.athletes]


def as_went_for(runs: Iterable[PastRun], athlete: str) -> list[PastRun]:
    """The runs that were for this athlete, in the same order; those that left them out failed."""
    return [
        replace(run, state="failed") if run.state == "ok" and athlete in run.left else run
        for run in covering(runs, [athlete])
    ]


def trailing_failures(runs: list[PastRun]) -> list[PastRun]:
    """What failed since the last run that went well, newest first; none while one is under way."""
    if any(run.is_unfinished for run in runs):
        return []
    last_good = next((n for n, run in enumerate(runs) if run.state == "ok"), len(runs))
    return runs[:last_good]


def made_lately(runs: Iterable[PastRun], now: datetime) -> list[PastRun]:
    """The runs of the last day, in the same order."""
    return [run for run in runs if now - run.created_at < timedelta(days=1)]


def retry_at(runs: list[PastRun]) -> datetime:
    """When what these ended runs, newest first, did not bring about may be asked for again.

    Ten minutes after the first, then twice as long each time, at most six hours.
    """
    newest = runs[0]
    wait = min(_FIRST_WAIT * (1 << min(len(runs) - 1, 10)), _LONGEST_WAIT)
    return (newest.ended_at or newest.created_at) + wait
