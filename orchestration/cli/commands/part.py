"""`spotter part` and `spotter run --workers`: a nightly run on a lake by several processes."""

import json
import time
from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from coach_agent.profile.model import AthleteProfile
from hevy_connector.raw.transactions import conflict_count
from orchestration.cli.commands.options import AsJson
from orchestration.cli.run_job import exit_on_failed_checks, run_with_progress
from orchestration.cli.views import terminal
from orchestration.config.limits import LONGEST_RUN_S
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.runs.lock import COMMANDS_RUN
from orchestration.runs.partitions import Shard, ShardError
from orchestration.runs.stages import (
    EXIT_RETRY,
    STAGES,
    StageResult,
    populated_shards,
    run_stages,
    stage_runner,
)
from orchestration.runs.tags import DELETIONS_TAG, SHARD_TAG
from orchestration.runs.worker_processes import (
    WorkerProcesses,
    stop_at_end_of_input,
    stop_on_signal,
)
from orchestration.storage.file_lock import LockedError, file_lock
from orchestration.storage.warehouse import is_lost_catalog

_LOCK_FILE = "workers.lock"


def part(
    name: Annotated[
        Literal["sync", "models", "coach", "release", "brief"],
        typer.Argument(help="Stage; a nightly run executes all in order."),
    ],
    shard: Annotated[
        str | None,
        typer.Option(metavar="N/M", help="The N-th of M partitions of athletes."),
    ] = None,
    accept_deletions: Annotated[
        str | None, typer.Option(metavar="IDS", help="Like spotter run, separated by commas.")
    ] = None,
    ends_with_input: Annotated[
        bool,
        typer.Option(
            "--end-with-input",
            help="Stop at the end of stdin.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run one stage of a nightly run on a lake.

    Workers run it, here or on another machine. Partitions may run concurrently; `models` and
    `release` run once for all. Exit code 75 is a lost connection to the lake's catalog or Dagster's
    history: run the stage again.
    """
    if ends_with_input:
        stop_at_end_of_input()
    settings = load_settings()
    if shard is not None:
        try:
            Shard.parse(shard)
        except ShardError as error:
            raise typer.BadParameter(str(error), param_hint="--shard") from None
        if name not in {each.job for each in STAGES if each.in_shards}:
            raise typer.BadParameter(f"{name} runs once for all athletes.", param_hint="--shard")
        _require_workers(settings)
    outcome = run_with_progress(
        name,
        settings,
        is_quiet=as_json,
        tags={
            **({SHARD_TAG: shard} if shard else {}),
            **({DELETIONS_TAG: accept_deletions} if accept_deletions else {}),
        },
        code_of=lambda failed: (
            EXIT_RETRY
            if settings.lake is not None and any(map(is_lost_catalog, failed.failures.values()))
            else None
        ),
    )
    if as_json:
        report = {
            "run_id": outcome.run_id,
            "new_raw_rows": outcome.new_raw_rows,
            "sent_to_hevy": outcome.sent_count,
            "new_plans": outcome.metadata.get("coach/next_workout", {}).get("new_plans", 0),
            "warnings": [check.text for check in outcome.failed_checks],
            "conflicts": conflict_count(),
            "seconds": outcome.seconds,
        }
        print(json.dumps(report, indent=2))
    else:
        terminal.show_intake(outcome)
        terminal.show_warnings(outcome)
    exit_on_failed_checks(outcome.failed_checks)


def run_in_stages(
    settings: Settings,
    profiles: Sequence[AthleteProfile],
    workers: int,
    accepted: str,
    *,
    is_waiting: bool,
    as_json: bool,
) -> None:
    """Run a nightly run of these athletes with so many concurrent processes, and print the result.

    Raises:
        SettingsError: the warehouse is a file, which has one writer, or Dagster has partitions.
        StopRequestedError: this process was asked to stop, and the workers have ended.
    """
    _require_workers(settings)
    shards = populated_shards((profile.id for profile in profiles), workers)
    options = ["--accept-deletions", accepted] if accepted else []
    processes = WorkerProcesses()
    began = time.monotonic()
    wait_s = LONGEST_RUN_S if is_waiting else 0.0
    try:
        with (
            file_lock(settings.home / _LOCK_FILE, COMMANDS_RUN, wait_s=wait_s),
            terminal.step_progress("night", is_quiet=as_json) as on_part,
            stop_on_signal(processes),
        ):
            ends = run_stages(shards, stage_runner(processes.run, options), on_part)
    except LockedError as busy:
        if accepted:
            raise
        show_run_in_progress(busy.holder, as_json=as_json)
        return
    _show_results(ends, time.monotonic() - began, as_json=as_json)
    codes = {end.code for end in ends if not end.is_clean}
    if codes:
        raise typer.Exit(2 if codes == {2} else 1)


def _require_workers(settings: Settings) -> None:
    if settings.lake is None:
        raise SettingsError(
            "Workers and shards need a lake, and the warehouse is a file, which has one writer. "
            "Set SPOTTER_TARGET=lake, see docs/scaling.md; or leave the option out."
        )
    if settings.partitions > 1:
        raise SettingsError(
            f"SPOTTER_PARTITIONS is {settings.partitions}, so Dagster runs the partitions of a "
            "night. Leave the option out, or set SPOTTER_PARTITIONS=1."
        )


def _show_results(ends: Sequence[StageResult], seconds: float, *, as_json: bool) -> None:
    totals = {
        name: sum(end.told.get(name, 0) for end in ends)
        for name in ("new_raw_rows", "new_plans", "sent_to_hevy", "conflicts")
    }
    warnings = [f"{end}: {text}" for end in ends for text in end.told.get("warnings", ())]
    failed = {str(end): end.error for end in ends if not end.is_clean}
    begun_again = {str(end): end.begun - 1 for end in ends if end.begun > 1}
    if as_json:
        report = {
            **totals,
            "warnings": warnings,
            "failed": failed,
            "begun_again": begun_again,
            "seconds": seconds,
        }
        print(json.dumps(report, indent=2))
        return
    rows = [(name.replace("_", " "), str(count)) for name, count in totals.items()]
    terminal.show_rows(("the night", ""), rows)
    for name, count in begun_again.items():
        terminal.show_warning(f"{name} was retried {count} times")
    for text in warnings:
        terminal.show_warning(text)
    for name, text in failed.items():
        terminal.show_error(f"{name}: {text}")
    terminal.console.print(f"{seconds:.0f} s")


def show_run_in_progress(holder: str, *, as_json: bool) -> None:
    """Report that no run was started because one is in progress."""
    if as_json:
        print(json.dumps({"run_id": None, "under_way": holder}, indent=2))
        return
    terminal.console.print(
        f"A run is in progress: {holder}; nothing was started. It does the same, unless Dagster "
        "started it for some athletes only.",
        soft_wrap=True,
    )
