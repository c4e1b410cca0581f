"""How runs of the jobs ended, in plain values; `run_history` takes them from Dagster."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict

_UNSUCCESSFUL = {"FAILURE", "CANCELED"}


class HistoryDamagedError(Exception):
    """Dagster's history in files of the home is damaged; the text says what to do."""


class HistoryLostError(Exception):
    """The PostgreSQL in which Dagster keeps its history does not answer; it may do so later."""


@dataclass(frozen=True)
class CheckOutcome:
    """The result of one asset check that did not pass."""

    asset: str
    check: str
    is_error: bool
    description: str

    @property
    def text(self) -> str:
        """Where to look and why, in a line."""
        return f"{self.asset}, check {self.check}: {self.description}"


class RunStatus(BaseModel):
    """A run. `status` is Dagster's word for it, times are UTC; `trigger` is what began it.

    `failed_steps` gives the reason by step; `failure` is what Dagster says of the whole run; `left`
    says by athlete why it did not do all for them although it went on.
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
        """Whether it ended, but not as it should."""
        return self.status in _UNSUCCESSFUL

    @property
    def reasons(self) -> tuple[str, ...]:
        """Which steps and checks failed and why; where none tells, what is said of the run."""
        steps: dict[str, list[str]] = {}
        for step, reason in self.failed_steps.items():
            steps.setdefault(reason, []).append(step)
        told = [f"step {' and '.join(names)}: {reason}" for reason, names in steps.items()]
        told += [check.text for check in self.failed_checks if check.is_error]
        return tuple(told) or ((self.failure,) if self.failure else ())


class RecentRuns(BaseModel):
    """The latest run of any job, and the latest ended one that was to release the marts.

    `unserved` is by athlete the latest run that failed for them, where nothing has made it good.
    `last_maintenance` is the latest weekly clean-up that ended, `latest` are the last few runs of
    any job, newest first; `marts_built_at` is when dbt last told of the marts (UTC).
    """

    model_config = ConfigDict(frozen=True)

    last: RunStatus | None = None
    last_releasing: RunStatus | None = None
    unserved: dict[str, RunStatus] = {}
    last_maintenance: RunStatus | None = None
    latest: tuple[RunStatus, ...] = ()
    marts_built_at: datetime | None = None
