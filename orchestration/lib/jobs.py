"""Running a Dagster job in this process, recorded in Dagster's own history."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from shutil import copyfile
from typing import Any
from uuid import uuid4

import dagster as dg

from orchestration.lib.settings import PROJECT_ROOT, Settings
from orchestration.lib.status import RunStatus

_PID_TAG = "spotter/pid"
_POLL_S = 0.3


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


@dataclass(frozen=True)
class JobOutcome:
    """How a run ended.

    `failures` gives the reason by step, and `refused_steps` those that gave up because no athlete
    could be read; `metadata` tells for each asset what its materialization told, `seconds` how
    long each step took, in the order in which they ran.
    """

    run_id: str
    is_success: bool
    failures: Mapping[str, str]
    refused_steps: frozenset[str]
    metadata: Mapping[str, Mapping[str, Any]]
    failed_checks: tuple[CheckOutcome, ...]
    seconds: Mapping[str, float]

    @property
    def new_raw_rows(self) -> int:
        """How many rows the run added to the raw tables."""
        return sum(
            told.get("new_versions", 0) + told.get("deleted", 0) for told in self.metadata.values()
        )

    @property
    def sent_count(self) -> int:
        """How many routines the run changed in Hevy."""
        return int(self.metadata.get("coach/publication", {}).get("sent", 0))

    @property
    def has_news(self) -> bool:
        """Whether anything came in, was decided anew or was sent."""
        told = self.metadata.get("coach/next_workout", {})
        quarantined = sum(asset.get("quarantined", 0) for asset in self.metadata.values())
        return bool(self.new_raw_rows or self.sent_count or quarantined or told.get("new_plans", 0))

    @property
    def is_users_to_mend(self) -> bool:
        """Whether only reading was refused: keys, settings and the network are not ours to mend."""
        return bool(self.failures) and set(self.failures) <= self.refused_steps


def dagster_instance(settings: Settings) -> dg.DagsterInstance:
    """Dagster's history of this home, made with the project's configuration if it is missing."""
    settings.dagster_home.mkdir(parents=True, exist_ok=True)
    copyfile(PROJECT_ROOT / "dagster.yaml", settings.dagster_home / "dagster.yaml")
    os.environ["DAGSTER_HOME"] = str(settings.dagster_home)
    return dg.DagsterInstance.get()


def run_job(
    name: str,
    settings: Settings,
    on_step: Callable[[str], None],
    *,
    athlete_id: str | None = None,
    config: Mapping[str, Any] | None = None,
) -> JobOutcome:
    """Run a job to its end; `on_step` hears the name of each step as it starts.

    `athlete_id` restricts it to one athlete; `config` is Dagster's for single steps, by their
    name. A failing step does not raise: the outcome tells.
    """
    from orchestration.definitions import defs
    from orchestration.defs.resources import ATHLETE_TAG

    run_id = str(uuid4())
    with dagster_instance(settings) as instance:
        close_abandoned_runs(instance)
        job = defs().resolve_job_def(name)
        with _announced(instance, run_id, on_step):
            result = job.execute_in_process(
                instance=instance,
                run_id=run_id,
                tags={
                    _PID_TAG: str(os.getpid()),
                    **({ATHLETE_TAG: athlete_id} if athlete_id else {}),
                },
                raise_on_error=False,
                run_config={
                    "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
                    "ops": {step: {"config": values} for step, values in (config or {}).items()},
                },
            )
    return _outcome(result)


def close_abandoned_runs(instance: dg.DagsterInstance, *, servers_are_down: bool = False) -> None:
    """Record that runs whose process was killed ended: they would count as running for ever.

    A run of the command line names its process. The others belong to the servers, so with
    `servers_are_down` none of them is alive.
    """
    unfinished = dg.RunsFilter(
        statuses=[
            dg.DagsterRunStatus.STARTING,
            dg.DagsterRunStatus.STARTED,
            dg.DagsterRunStatus.CANCELING,
        ]
    )
    for run in instance.get_runs(filters=unfinished):
        pid = run.tags.get(_PID_TAG)
        if servers_are_down if pid is None else not _is_alive(int(pid)):
            instance.report_run_failed(run, "The process of this run ended before the run did.")
            # A step that was killed never gave back its place in the pool of writers, and the next
            # run would wait for it for ever.
            instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)


def last_run(settings: Settings) -> RunStatus | None:
    """The latest run of this home, or None where there was none."""
    if not settings.dagster_home.exists():
        return None
    with dagster_instance(settings) as instance:
        close_abandoned_runs(instance)
        records = instance.get_run_records(limit=1)
    if not records:
        return None
    run, ended_at = records[0].dagster_run, records[0].end_time
    return RunStatus(
        run_id=run.run_id,
        job=run.job_name,
        status=run.status.value,
        ended_at=None if ended_at is None else datetime.fromtimestamp(ended_at, UTC),
    )


def _outcome(result: dg.ExecuteInProcessResult) -> JobOutcome:
    metadata = {
        event.asset_key.to_user_string(): {
            name: value.value for name, value in event.materialization.metadata.items()
        }
        for event in result.get_asset_materialization_events()
        if event.asset_key is not None
    }
    checks = tuple(
        CheckOutcome(
            asset=check.asset_key.to_user_string(),
            check=check.check_name,
            is_error=check.severity == dg.AssetCheckSeverity.ERROR,
            description=check.description or "",
        )
        for check in result.get_asset_check_evaluations()
        if not check.passed
    )
    return JobOutcome(
        run_id=result.run_id,
        is_success=result.success,
        failures={
            event.step_key or "": _failure_text(event)
            for event in result.get_step_failure_events()
            if not _is_a_failed_check(event)
        },
        refused_steps=frozenset(
            event.step_key or ""
            for event in result.get_step_failure_events()
            if event.step_failure_data.user_failure_data is not None
            and (event.step_key or "").startswith("raw__")
        ),
        metadata=metadata,
        failed_checks=checks,
        seconds=_step_seconds(result),
    )


def _is_a_failed_check(event: dg.DagsterEvent) -> bool:
    """Whether a step failed by its own blocking check, whose result says more."""
    error = event.step_failure_data.error
    return error is not None and error.cls_name == "DagsterAssetCheckFailedError"


def _failure_text(event: dg.DagsterEvent) -> str:
    """What went wrong, in the words of the innermost error."""
    data = event.step_failure_data
    if data.user_failure_data is not None and data.user_failure_data.description:
        return data.user_failure_data.description
    error = data.error
    while error is not None and error.cause is not None:
        error = error.cause
    if error is None:
        return "no reason was recorded"
    return error.message.strip().removeprefix(f"{error.cls_name}: ")


def _step_seconds(result: dg.ExecuteInProcessResult) -> dict[str, float]:
    return {
        event.step_key: event.step_success_data.duration_ms / 1000
        for event in result.get_step_success_events()
        if event.step_key is not None
    }


@contextmanager
def _announced(
    instance: dg.DagsterInstance, run_id: str, on_step: Callable[[str], None]
) -> Iterator[None]:
    """Tell of steps while the job runs in this thread, from what its history says."""
    finished = threading.Event()

    def watch() -> None:
        told: set[str] = set()
        while not finished.wait(_POLL_S):
            records = instance.get_records_for_run(
                run_id, of_type=dg.DagsterEventType.STEP_START
            ).records
            for record in records:
                step = record.event_log_entry.step_key
                if step is not None and step not in told:
                    told.add(step)
                    on_step(step)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
