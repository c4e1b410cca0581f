"""Run a Dagster job in this process, recorded in Dagster's history."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from platform import node
from typing import Any
from uuid import uuid4

import dagster as dg
from dagster._utils.warnings import disable_dagster_warnings

from orchestration.config.limits import LONGEST_RUN_S
from orchestration.config.settings import Settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.failures import failed_checks, failed_steps
from orchestration.runs.history_health import quarantine_damaged
from orchestration.runs.log import step_starts
from orchestration.runs.partitions import partition_key, partition_keys
from orchestration.runs.status import CheckOutcome
from orchestration.runs.tags import ATHLETE_TAG, TRIGGER_TAG

_PID_TAG = "spotter/pid"


@dataclass(frozen=True)
class JobOutcome:
    """Result of a run.

    `failures` maps failed steps to reasons; `refused_steps` are those that gave up because no
    athlete could be read. `metadata` is that of each asset's materialization, `seconds` the
    duration of each step in execution order.
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
        """Return the number of rows added to the raw tables."""
        return sum(
            told.get("new_versions", 0) + told.get("deleted", 0) for told in self.metadata.values()
        )

    @property
    def sent_count(self) -> int:
        """Return the number of routines changed in Hevy."""
        return int(self.metadata.get("coach/publication", {}).get("sent", 0))

    @property
    def has_news(self) -> bool:
        """Return true if the run read, decided or sent anything new."""
        told = self.metadata.get("coach/next_workout", {})
        quarantined = sum(
            asset.get("quarantined", 0) + asset.get("left_quarantine", 0)
            for asset in self.metadata.values()
        )
        return bool(self.new_raw_rows or self.sent_count or quarantined or told.get("new_plans", 0))

    @property
    def is_user_error(self) -> bool:
        """Return true if only reading failed: keys, settings or network, for the user to fix."""
        return bool(self.failures) and set(self.failures) <= self.refused_steps


def run_job(
    definitions: dg.Definitions,
    name: str,
    settings: Settings,
    on_step: Callable[[str], None],
    *,
    athlete_id: str | None = None,
    config: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    on_damage: Callable[[Path], None] = lambda aside: None,
) -> JobOutcome:
    """Run a job of the definitions; `on_step` receives the name of each step at its start.

    A damaged Dagster history is first moved away; `on_damage` receives its new path.

    `athlete_id` restricts the run to one athlete; `config` is Dagster's configuration by step name,
    `tags` are added to the run. A failing step does not raise: see the outcome.
    """
    run_id = str(uuid4())
    if (aside := quarantine_damaged(settings, datetime.now(UTC))) is not None:
        on_damage(aside)
    with dagster_instance(settings) as instance:
        close_abandoned_runs(instance)
        job = definitions.resolve_job_def(name)
        # Dagster flags the handlers in dagster.yaml as beta in each run.
        with step_starts(run_id, on_step), disable_dagster_warnings(), _kept_sigterm():
            result = job.execute_in_process(
                instance=instance,
                run_id=run_id,
                tags={
                    _PID_TAG: _this_process(settings),
                    TRIGGER_TAG: "command",
                    **({ATHLETE_TAG: athlete_id} if athlete_id else {}),
                    **_partition_tags(job, settings, athlete_id),
                    **(tags or {}),
                },
                partition_key=(
                    partition_key(athlete_id, settings.partitions)
                    if athlete_id and job.partitions_def
                    else None
                ),
                raise_on_error=False,
                run_config={
                    "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
                    "ops": {step: {"config": values} for step, values in (config or {}).items()},
                },
            )
    return _outcome(result)


@contextmanager
def _kept_sigterm() -> Iterator[None]:
    """Restore the handler of SIGTERM: Dagster leaves that of SIGINT, which `spotter run &` ignores.

    Processes that are started afterwards would ignore SIGTERM, too.
    """
    former = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        # Only the main thread can set a handler, for Dagster as well.
        if former is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, former)


def _partition_tags(
    job: dg.JobDefinition, settings: Settings, athlete_id: str | None
) -> dict[str, str]:
    """Return the tags of a run of all partitions in this process; empty without partitions."""
    if job.partitions_def is None or athlete_id:
        return {}
    first, *_, last = partition_keys(settings.partitions)
    return {
        "dagster/asset_partition_range_start": first,
        "dagster/asset_partition_range_end": last,
    }


def close_abandoned_runs(instance: dg.DagsterInstance, *, servers_are_down: bool = False) -> None:
    """Record runs of killed processes as failed: they would count as running forever.

    A run of the command line has the tag of its process. Other runs belong to the servers, so with
    `servers_are_down` none of them is alive.
    """
    unfinished = dg.RunsFilter(
        statuses=[
            dg.DagsterRunStatus.STARTING,
            dg.DagsterRunStatus.STARTED,
            dg.DagsterRunStatus.CANCELING,
        ]
    )
    for record in instance.get_run_records(filters=unfinished):
        run, begun_at = record.dagster_run, record.start_time or record.create_timestamp.timestamp()
        pid = run.tags.get(_PID_TAG)
        if servers_are_down if pid is None else not _is_alive(pid, begun_at):
            instance.report_run_failed(run, "The process of this run ended before the run did.")
            # A killed step never released its slot in the writer pool, and the next run would wait
            # for it forever.
            instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)


def _outcome(result: dg.ExecuteInProcessResult) -> JobOutcome:
    metadata = {
        event.asset_key.to_user_string(): {
            name: value.value for name, value in event.materialization.metadata.items()
        }
        for event in result.get_asset_materialization_events()
        if event.asset_key is not None
    }
    return JobOutcome(
        run_id=result.run_id,
        is_success=result.success,
        failures=failed_steps(result.all_events),
        refused_steps=frozenset(
            event.step_key or ""
            for event in result.get_step_failure_events()
            if event.step_failure_data.user_failure_data is not None
            and (event.step_key or "").startswith("raw__")
        ),
        metadata=metadata,
        failed_checks=failed_checks(result.all_events),
        seconds=_step_seconds(result),
    )


def _step_seconds(result: dg.ExecuteInProcessResult) -> dict[str, float]:
    return {
        event.step_key: event.step_success_data.duration_ms / 1000
        for event in result.get_step_success_events()
        if event.step_key is not None
    }


def _this_process(settings: Settings) -> str:
    """Return pid and start time, and the machine for a shared history."""
    pid = os.getpid()
    return f"{pid} {_start_ticks(pid)} {node() if settings.dagster_database else ''}".rstrip()


def _is_alive(process: str, run_began_at: float) -> bool:
    """Return true if the process in `_this_process` format is running.

    Pids are reused, also soon after a container restart. A process of another machine counts as
    alive for the maximum duration of a run.
    """
    number, _, more = process.partition(" ")
    begun, _, machine = more.partition(" ")
    if machine not in {"", node()}:
        return time.time() < run_began_at + LONGEST_RUN_S
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return not begun or begun == _start_ticks(int(number))


def _start_ticks(pid: int) -> str:
    """Return a process's start time in clock ticks since boot; "" if unavailable."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return ""
    # The second field is the program's name in parentheses, which may contain blanks.
    return told.rpartition(")")[2].split()[19]
