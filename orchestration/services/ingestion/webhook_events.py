"""Store deliveries of Hevy's webhook as asset events in Dagster's history.

A stored delivery survives a restart of the receiving process, and does not require a running UI or
daemon.
"""

import dagster as dg

WEBHOOK_EVENTS = dg.AssetKey(["hevy", "webhook_deliveries"])

_BATCH = 100  # deliveries per poll; the next poll continues
_REPEATS = 1000  # a missed repetition only costs a run without changes


def record_delivery(instance: dg.DagsterInstance, athlete_id: str, workout_id: str) -> None:
    """Store a delivery about an athlete's workout. The event's partition is the workout.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: it could not be stored.
    """
    instance.report_runless_asset_event(
        dg.AssetObservation(WEBHOOK_EVENTS, partition=workout_id, metadata={"athlete": athlete_id})
    )


def new_deliveries(
    instance: dg.DagsterInstance, cursor: str | None
) -> tuple[dict[str, str], str | None]:
    """Return each athlete's newest workout first delivered after the cursor, and the next cursor.

    Hevy repeats a delivery without an answer: repetitions are ignored.
    """
    found = instance.fetch_observations(WEBHOOK_EVENTS, limit=_BATCH, cursor=cursor, ascending=True)
    if not found.records:
        return {}, cursor
    deliveries = [_delivery(record) for record in found.records]
    before = dg.AssetRecordsFilter(
        WEBHOOK_EVENTS,
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
    """Return the athlete and the workout of an event."""
    observation = record.asset_observation
    if observation is None or observation.partition is None:
        raise ValueError(f"event {record.storage_id} is no delivery of Hevy's webhook")
    return str(observation.metadata["athlete"].value), observation.partition
