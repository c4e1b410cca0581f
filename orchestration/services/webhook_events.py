"""What Hevy's webhook delivered, as events of Dagster's own history.

A delivery outlives the process that received it, and neither the UI nor the daemon has to run when
it comes in.
"""

import dagster as dg

DELIVERIES = dg.AssetKey(["hevy", "webhook_deliveries"])

_BATCH = 100  # deliveries a look; the next look reads on
_REPEATS = 1000  # one that is overlooked costs a run that finds nothing


def record_delivery(instance: dg.DagsterInstance, athlete_id: str, workout_id: str) -> None:
    """Keep that Hevy told of a workout of the athlete. The partition of the event is the workout.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: it could not be stored.
    """
    instance.report_runless_asset_event(
        dg.AssetObservation(DELIVERIES, partition=workout_id, metadata={"athlete": athlete_id})
    )


def new_deliveries(
    instance: dg.DagsterInstance, cursor: str | None
) -> tuple[dict[str, str], str | None]:
    """By athlete the newest workout that was first told of after the cursor, and the next cursor.

    Hevy repeats a delivery whose answer it missed: what was told before is not new.
    """
    found = instance.fetch_observations(DELIVERIES, limit=_BATCH, cursor=cursor, ascending=True)
    if not found.records:
        return {}, cursor
    deliveries = [_delivery(record) for record in found.records]
    before = dg.AssetRecordsFilter(
        DELIVERIES,
        asset_partitions=sorted({workout_id for _, workout_id in deliveries}),
        before_storage_id=found.records[0].storage_id,
    )
    told = {
        _delivery(record) for record in instance.fetch_observations(before, limit=_REPEATS).records
    }
    newest: dict[str, str] = {}
    for athlete_id, workout_id in deliveries:
        if (athlete_id, workout_id) not in told:
            told.add((athlete_id, workout_id))
            newest[athlete_id] = workout_id
    return newest, found.cursor


def _delivery(record: dg.EventLogRecord) -> tuple[str, str]:
    """The athlete and the workout of an event."""
    observation = record.asset_observation
    if observation is None or observation.partition is None:
        raise ValueError(f"event {record.storage_id} is no delivery of Hevy's webhook")
    return str(observation.metadata["athlete"].value), observation.partition
