"""The nightly job and its schedule."""

import dagster as dg

from orchestration.lib.settings import load_settings
from orchestration.lib.status import NIGHTLY_AT


@dg.definitions
def defs() -> dg.Definitions:
    """Everything from raw to publication, once a night in the configured time zone."""
    nightly = dg.define_asset_job(
        "nightly",
        selection=dg.AssetSelection.all(),
        description="Read Hevy, build history and marts, decide and publish the next workout.",
    )
    marts = dg.define_asset_job(
        "marts",
        selection=dg.AssetSelection.groups(
            "staging", "snapshots", "intermediate", "marts", "release"
        )
        | dg.AssetSelection.assets(["raw", "athlete_profiles"]),
        description="Build history and marts from what is in the raw tables; asks nobody.",
    )
    schedule = dg.ScheduleDefinition(
        name="nightly_schedule",
        job=nightly,
        cron_schedule=f"{NIGHTLY_AT.minute} {NIGHTLY_AT.hour} * * *",
        execution_timezone=load_settings().timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
    return dg.Definitions(jobs=[nightly, marts], schedules=[schedule])
