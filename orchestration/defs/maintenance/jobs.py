"""The weekly maintenance job."""

from datetime import UTC, datetime

import dagster as dg

from orchestration.config.settings import load_settings
from orchestration.services.operations.compaction import compact


@dg.op(description="Remove expired data and shrink the warehouse's file.")
def compact_home(context: dg.OpExecutionContext) -> None:
    """Run `spotter compact`, waiting for a run in progress."""
    done = compact(load_settings(), datetime.now(UTC), context.log.info, is_waiting=True)
    before, after = done.warehouse_bytes
    context.add_output_metadata(
        {
            "raw_versions": sum(done.raw_versions.values()),
            "runs": done.runs,
            "left_over": len(done.left_over),
            "freed_mb": done.freed_bytes / 1e6,
            "warehouse_mb_before": before / 1e6,
            "warehouse_mb_after": after / 1e6,
            **({} if done.lake is None else {f"lake_{k}": v for k, v in done.lake}),
        }
    )


@dg.definitions
def defs() -> dg.Definitions:
    """The weekly job, on Sundays after the nightly run."""

    @dg.job(description="Remove expired data; see docs/operations.md.")
    def maintenance() -> None:
        compact_home()

    schedule = dg.ScheduleDefinition(
        name="maintenance_schedule",
        job=maintenance,
        cron_schedule="47 5 * * 0",
        execution_timezone=load_settings().timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Removes expired data, on Sundays after the nightly run.",
    )
    return dg.Definitions(jobs=[maintenance], schedules=[schedule])
