"""Results of runs as plain values; `runs.history` reads them from Dagster."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

_UNSUCCESSFUL = {"FAILURE", "CANCELED"}


class HistoryDamagedError(Exception):
    """Dagster's history in files of the home is damaged; the message has the fix."""


class HistoryLostError(Exception):
    """The PostgreSQL of Dagster's history does not answer; a retry may succeed."""


@dataclass(frozen=True)
class CheckOutcome:
    """The result of a failed asset check."""

    asset: str
    check: str
    is_error: bool
    description: str

    @property
    def text(self) -> str:
        """Return asset, check and reason in one line."""
        return f"{self.asset}, check {self.check}: {self.description}"


class RunStatus(BaseModel):
    """A run. `status` is Dagster's run status, times are UTC; `trigger` is its cause.

    `failed_steps` maps steps to reasons; `failure` is Dagster's message on the whole run; `left`
    maps athletes that the run excluded to reasons.
    """

    model_config = ConfigDict(frozen=True)

    run_id: str
    job: str
    status: str
    trigger: str = "by hand"
    started_at: datetime | None = None
    ended_at: datetime | None
    failed_steps: dict[str, str] = {}
    failed_checks: tuple[CheckOutcome, ...] = ()
    failure: str | None = None
    left: dict[str, str] = {}

    @property
    def is_unsuccessful(self) -> bool:
        """Return true if it failed or was canceled."""
        return self.status in _UNSUCCESSFUL

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return the reasons of failed steps and checks, or the message on the whole run."""
        steps: dict[str, list[str]] = {}
        for step, reason in self.failed_steps.items():
            steps.setdefault(reason, []).append(step)
        told = [f"step {' and '.join(names)}: {reason}" for reason, names in steps.items()]
        told += [check.text for check in self.failed_checks if check.is_error]
        return tuple(told) or ((self.failure,) if self.failure else ())


PartState = Literal["waiting", "running", "retried", "failed", "finished"]


class PartStatus(BaseModel):
    """A part of a night for a partition; None is a part that runs once for all. Times are UTC.

    `retries` counts its lost runs; "retried" is a part that was lost and has not ended.
    """

    model_config = ConfigDict(frozen=True)

    job: str
    partition: str | None
    state: PartState
    retries: int
    run_id: str
    started_at: datetime | None
    ended_at: datetime | None


class NightStatus(BaseModel):
    """A night of partitions; `left` maps the athletes that it left out to reasons."""

    model_config = ConfigDict(frozen=True)

    id: str
    state: Literal["waiting", "running", "failed", "finished"]
    began_at: datetime
    ended_at: datetime | None
    parts: tuple[PartStatus, ...]
    left: dict[str, str]


class RecentRuns(BaseModel):
    """The latest run of any job, and the latest ended run with a release.

    `unserved` maps athletes to their latest failed run that no success followed. `last_maintenance`
    is the latest ended maintenance run, `latest` are the last runs of any job, newest first;
    `marts_built_at` is the last materialization of the marts (UTC). `night` is the latest night of
    partitions of the last two days.
    """

    model_config = ConfigDict(frozen=True)

    last: RunStatus | None = None
    last_releasing: RunStatus | None = None
    unserved: dict[str, RunStatus] = {}
    last_maintenance: RunStatus | None = None
    latest: tuple[RunStatus, ...] = ()
    marts_built_at: datetime | None = None
    night: NightStatus | None = None
