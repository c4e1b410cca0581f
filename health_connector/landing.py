"""Land days of recovery and body data in `raw.health_days`, one record per source and day."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from health_connector.days import METRICS, HealthDay, ImpossibleValue, Metric
from hevy_connector.canonical_json import canonical_json
from hevy_connector.raw.landing import LandResult, Record, land
from hevy_connector.raw.quarantine import DELETED_REASON, Rejected
from hevy_connector.raw.tables import Entity, Origin, known_records

ENTITY: Entity = "health_days"


@dataclass(frozen=True)
class LandedDays:
    """Counts of a landing of days; `added` are new or corrected, `quarantined` values are new."""

    seen: int
    added: int
    removed: int
    impossible: int
    quarantined: int


def land_days(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    days: Sequence[HealthDay],
    *,
    covered: Collection[Metric],
    now: datetime,
    run_id: str,
    origin: Origin,
) -> LandedDays:
    """Land days of one athlete; the caller owns the transaction.

    A day replaces the known values of the `covered` metrics and keeps the others, so a file of
    weights does not remove the sleep of an earlier file. A day without any value left is deleted.
    An impossible value goes to quarantine until the source has a possible one, or none. Idempotent:
    the same days twice add nothing.
    """
    known = _known_payloads(con, athlete_id)
    open_values = _quarantined_ids(con, athlete_id)
    records = [_record(day, known.get(day.record_id, {}), covered) for day in days]
    rejected = [
        Rejected(one.reason, _value_text(day, one), _value_id(day, one.metric), one.line)
        for day in days
        for one in day.impossible
    ]
    still_impossible = {one.record_id for one in rejected}
    corrected = [
        Record(value_id, "{}", is_deleted=True)
        for day in days
        for metric in covered
        if (value_id := _value_id(day, metric)) in open_values - still_impossible
    ]
    landed: LandResult = land(
        con,
        ENTITY,
        athlete_id,
        [*records, *corrected],
        now=now,
        run_id=run_id,
        origin=origin,
        rejected=rejected,
    )
    return LandedDays(
        seen=len(days),
        added=landed.added,
        removed=landed.deleted,
        impossible=len(rejected),
        quarantined=landed.quarantined,
    )


def _record(day: HealthDay, known: Mapping[str, Any], covered: Collection[Metric]) -> Record:
    """Build the record of a day from its values and the known ones of other metrics."""
    values: dict[str, Any] = {
        metric: known[metric] for metric in METRICS if metric in known and metric not in covered
    }
    method = known.get("hrv_method") if "hrv_ms" in values else day.hrv_method
    values.update(day.values.items())
    if not values:
        return Record(day.record_id, "{}", is_deleted=True)
    if method is not None:
        values["hrv_method"] = method
    payload = {"source": day.source, "day": day.day.isoformat(), **values}
    return Record(day.record_id, canonical_json(payload))


def _value_text(day: HealthDay, value: ImpossibleValue) -> str:
    """Return an impossible value with its day: quarantine keeps equal texts only once."""
    named = {"source": day.source, "day": day.day.isoformat(), value.metric: value.text}
    return canonical_json(named)


def _value_id(day: HealthDay, metric: Metric) -> str:
    """Return the id of one value of a day, under which it is quarantined."""
    return f"{day.record_id}/{metric}"


def _known_payloads(con: duckdb.DuckDBPyConnection, athlete_id: str) -> dict[str, dict[str, Any]]:
    rows = con.execute(
        f"select record_id, payload from ({known_records(ENTITY)}) where not is_deleted",  # noqa: S608 - a constant
        {"athlete_id": athlete_id},
    ).fetchall()
    return {record_id: json.loads(payload) for record_id, payload in rows}


def _quarantined_ids(con: duckdb.DuckDBPyConnection, athlete_id: str) -> set[str]:
    """Return the ids of values with a row in quarantine; those deleted since are harmless."""
    rows = con.execute(
        """
        select distinct record_id from raw.quarantine
        where athlete_id = $1 and entity = $2 and record_id is not null and reason <> $3
        """,
        [athlete_id, ENTITY, DELETED_REASON],
    ).fetchall()
    return {record_id for (record_id,) in rows}
