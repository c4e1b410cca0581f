"""Results of runs as plain values; `runs.history` reads them from Dagster."""

from dataclasses import dataclass
from datetime import datetime

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


class RecentRuns(BaseModel):
    """The latest run of any job, and the latest ended run with a release.

    `unserved` maps athletes to their latest failed run that no success followed. `last_maintenance`
    is the latest ended maintenance run, `latest` are the last runs of any job, newest first;
    `marts_built_at` is the last materialization of the marts (UTC).
    """

    model_config = ConfigDict(frozen=True)

    last: RunStatus | None = None
    last_releasing: RunStatus | None = None
    unserved: dict[str, RunStatus] = {}
    last_maintenance: RunStatus | None = None
    latest: tuple[RunStatus, ...] = ()
    marts_built_at: datetime | None = None
