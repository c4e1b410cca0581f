"""Running a Dagster job in this process, recorded in Dagster's own history."""

import os
import time
from collections.abc import Callable, Mapping
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
from orchestration.runs.status import CheckOutcome
from orchestration.runs.tags import ATHLETE_TAG, TRIGGER_TAG

_PID_TAG = "spotter/pid"


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
    """Run a job of the definitions to its end; `on_step` hears the name of each step as it starts.

    A damaged history of Dagster is put aside first, and `on_damage` hears where.

    `athlete_id` restricts it to one athlete; `config` is Dagster's for single steps, by their
    name, `tags` what else is known of the run. A failing step does not raise: the outcome tells.
    """
    run_id = str(uuid4())
    if (aside := quarantine_damaged(settings, datetime.now(UTC))) is not None:
        on_damage(aside)
    with dagster_instance(settings) as instance:
        close_abandoned_runs(instance)
        job = definitions.resolve_job_def(name)
        # Dagster calls the handlers that dagster.yaml names beta, at each run.
        with step_starts(run_id, on_step), disable_dagster_warnings():
            result = job.execute_in_process(
                instance=instance,
                run_id=run_id,
                tags={
                    _PID_TAG: _this_process(settings),
                    TRIGGER_TAG: "command",
                    **({ATHLETE_TAG: athlete_id} if athlete_id else {}),
                    **(tags or {}),
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
    for record in instance.get_run_records(filters=unfinished):
        run, begun_at = record.dagster_run, record.start_time or record.create_timestamp.timestamp()
        pid = run.tags.get(_PID_TAG)
        if servers_are_down if pid is None else not _is_alive(pid, begun_at):
            instance.report_run_failed(run, "The process of this run ended before the run did.")
            # A step that was killed never gave back its place in the pool of writers, and the next
            # run would wait for it for ever.
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
    """Its number and when it began, and the machine where a history is that of several."""
    pid = os.getpid()
    return f"{pid} {_begun(pid)} {node() if settings.dagster_database else ''}".rstrip()


def _is_alive(process: str, run_began_at: float) -> bool:
    """Whether a process is there, by what `_this_process` said of it.

    Numbers come again: in a container that was started anew soon, and to others. That of another
    machine counts as alive for as long as a run may last.
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
    return not begun or begun == _begun(int(number))


def _begun(pid: int) -> str:
    """When a process began, in the system's ticks since it was started; "" if it does not say."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return ""
    # The second field is the program's name, with whatever is in it, in parentheses.
    return told.rpartition(")")[2].split()[19]
