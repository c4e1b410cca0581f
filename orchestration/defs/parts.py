"""The stages of a nightly run on a lake, each a job: in this order they equal `nightly`.

`sync`, `coach` and `brief` may run per partition of the athletes, concurrently in different
processes; `models` and `release` run once for all. If the athletes are in several partitions, a
nightly run is a run per part and partition: the schedule requests the first part, and the sensor
`parts` the following ones.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from orchestration.assets.retries import part_hooks
from orchestration.config.settings import load_settings
from orchestration.defs.coaching.assets import NEXT_WORKOUT, PUBLICATION, ROUTINE_VERSIONS
from orchestration.defs.coaching.briefing import BRIEFING
from orchestration.defs.coaching.memory import MEMORIES
from orchestration.runs.nights import GIVEN_UP_AFTER, NextRun, read_nights
from orchestration.runs.tags import BRIEF, COACH, MODELS, RELEASE

_MODELS = dg.AssetSelection.groups("seeds", "staging", "snapshots", "marts")

# Dagster's loop of sensors looks every five seconds.
_LOOK_EVERY_S = 5


def requests_of_parts(instance: dg.DagsterInstance, now: datetime) -> list[NextRun]:
    """Return the runs that are due in the nights in progress.

    A night's first runs may be as old as five parts that take the longest time.
    """
    nights = read_nights(instance, now - 6 * GIVEN_UP_AFTER)
    return [each for night in nights for each in night.next_runs(now)]


def parts_sensor(jobs: Sequence[UnresolvedAssetJobDefinition]) -> dg.SensorDefinition:
    """Return the sensor that requests the next part of a night when a part has ended."""

    def look(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        due = requests_of_parts(context.instance, datetime.now(UTC))
        if not due:
            return dg.SensorResult(skip_reason="No part of a night is due.")
        return dg.SensorResult(
            run_requests=[
                dg.RunRequest(
                    run_key=each.key,
                    job_name=each.job,
                    partition_key=each.partition,
                    tags=each.tags,
                )
                for each in due
            ]
        )

    return dg.SensorDefinition(
        name="parts",
        jobs=jobs,
        minimum_interval_seconds=_LOOK_EVERY_S,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Requests the next part of a night for the partitions that have not failed.",
        evaluation_fn=look,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """The stage jobs, except `sync`, which is defined next to the nightly job."""
    routines = dg.AssetSelection.assets(["staging", ROUTINE_VERSIONS])
    hooks = part_hooks()
    jobs = [
        dg.define_asset_job(
            MODELS,
            selection=_MODELS,
            description="Build history and marts from the raw tables, without a release.",
            hooks=hooks,
        ),
        dg.define_asset_job(
            COACH,
            selection=dg.AssetSelection.assets(NEXT_WORKOUT, PUBLICATION),
            description="Decide and publish the next workout from the current marts.",
            hooks=hooks,
        ),
        dg.define_asset_job(
            RELEASE,
            selection=(routines.downstream() & _MODELS) | dg.AssetSelection.groups("release"),
            description="Rebuild the models that depend on routines, which publications "
            "changed, and release the marts.",
            hooks=hooks,
        ),
        dg.define_asset_job(
            BRIEF,
            selection=dg.AssetSelection.assets(BRIEFING, MEMORIES),
            description="Write and send the briefings, and learn memories, from the current marts.",
            hooks=hooks,
        ),
    ]
    is_partitioned = load_settings().partitions > 1
    return dg.Definitions(jobs=jobs, sensors=[parts_sensor(jobs)] if is_partitioned else [])
