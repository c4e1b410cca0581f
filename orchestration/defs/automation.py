"""The nightly job, its schedule, and its runs in between when Hevy tells of a workout."""

from zlib import crc32

import dagster as dg

from coach_agent.profile import ProfileError
from orchestration.defs.resources import ATHLETE_TAG
from orchestration.lib.changes import new_changes
from orchestration.lib.deliveries import DELIVERIES, new_deliveries
from orchestration.lib.settings import SettingsError, load_settings
from orchestration.lib.status import NIGHTLY_AT
from orchestration.lib.warehouse import WarehouseBusyError, WarehouseMissingError

# Ten minutes, a little more or less in each home, so that not all of them ask at the same time.
ASK_EVERY_S = 540 + crc32(str(load_settings().home).encode()) % 120


@dg.sensor(
    job_name="nightly",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def hevy_webhook(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """A run of the nightly job for each athlete of whom Hevy's webhook told a new workout.

    The workout names the run, so however often Hevy tells of it, it is asked for once.
    """
    newest, cursor = new_deliveries(context.instance, context.cursor)
    if not newest:
        return dg.SensorResult(skip_reason="Hevy told of no new workout.", cursor=cursor)
    return dg.SensorResult(
        run_requests=[
            dg.RunRequest(run_key=f"{athlete_id}/{workout_id}", tags={ATHLETE_TAG: athlete_id})
            for athlete_id, workout_id in newest.items()
        ],
        cursor=cursor,
    )


@dg.sensor(
    job_name="nightly",
    minimum_interval_seconds=ASK_EVERY_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def hevy_changes(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """A run of the nightly job for each athlete in whose account a workout is new or edited.

    One request an athlete when nothing is. The changes name the run, so they are asked for once,
    and what a night has landed already asks for none.
    """
    try:
        found = new_changes(load_settings())
    except (WarehouseMissingError, WarehouseBusyError, SettingsError, ProfileError) as error:
        return dg.SensorResult(skip_reason=str(error))
    for athlete_id, problem in found.problems.items():
        context.log.warning("%s could not be asked: %s", athlete_id, problem)
    if not found.keys:
        told = "; ".join(f"{one}: {why}" for one, why in found.problems.items())
        return dg.SensorResult(skip_reason=told or "Nothing changed in any account.")
    return dg.SensorResult(
        run_requests=[
            dg.RunRequest(run_key=key, tags={ATHLETE_TAG: athlete_id})
            for athlete_id, key in found.keys.items()
        ]
    )


@dg.definitions
def defs() -> dg.Definitions:
    """Everything from raw to publication, once a night in the configured time zone.

    And for one athlete as soon as Hevy tells of a new workout.
    """
    nightly = dg.define_asset_job(
        "nightly",
        selection=dg.AssetSelection.all(),
        description="Read Hevy, build history and marts, decide and publish the next workout.",
    )
    marts = dg.define_asset_job(
        "marts",
        selection=dg.AssetSelection.groups(
            "seeds", "staging", "snapshots", "intermediate", "marts", "release"
        )
        | dg.AssetSelection.assets(["raw", "athlete_profiles"]),
        description="Build history and marts from what is in the raw tables; asks nobody.",
    )
    sync = dg.define_asset_job(
        "sync",
        selection=dg.AssetSelection.groups("raw"),
        description="Bring the raw tables up to date with Hevy and nothing else.",
    )
    schedule = dg.ScheduleDefinition(
        name="nightly_schedule",
        job=nightly,
        cron_schedule=f"{NIGHTLY_AT.minute} {NIGHTLY_AT.hour} * * *",
        execution_timezone=load_settings().timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
    deliveries = dg.AssetSpec(
        DELIVERIES,
        group_name="raw",
        description="What Hevy's webhook told of; one observation per delivery, whose partition is "
        "the workout. It only says when to look: the workout itself is read from the account.",
        owners=["team:data"],
    )
    return dg.Definitions(
        assets=[deliveries],
        jobs=[nightly, marts, sync],
        schedules=[schedule],
        sensors=[hevy_webhook, hevy_changes],
    )
