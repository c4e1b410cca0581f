"""Land days in `raw.health_days`, one record per source and day, and `raw.health_sessions`."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

import duckdb

from health_connector.days import METRICS, HealthDay, ImpossibleValue, Metric
from health_connector.health_file import HealthFile
from health_connector.sessions import SESSION_LIMITS, Session
from hevy_connector.canonical_json import canonical_json
from hevy_connector.raw.landing import land
from hevy_connector.raw.quarantine import DELETED_REASON
from hevy_connector.raw.tables import Origin, known_records
from hevy_connector.records import Record, Rejected

HealthEntity = Literal["health_days", "health_sessions"]

_NAME_IN_SOURCE: Mapping[HealthEntity, str] = {
    "health_days": "day",
    "health_sessions": "session_id",
}
_TIME_IN_SOURCE: Mapping[HealthEntity, str] = {
    "health_days": "day",
    "health_sessions": "started_at",
}


@dataclass(frozen=True)
class LandedRecords:
    """Counts of a landing of days or sessions.

    `seen` are the read ones and those that are gone, `added` are new or corrected, `quarantined`
    values are new. `withdrawn` values left quarantine, since the source has a possible one or none.
    """

    seen: int
    added: int
    removed: int
    impossible: int
    quarantined: int
    withdrawn: int = 0

    def __add__(self, other: "LandedRecords") -> "LandedRecords":
        """Add the counts of another landing."""
        return LandedRecords(
            self.seen + other.seen,
            self.added + other.added,
            self.removed + other.removed,
            self.impossible + other.impossible,
            self.quarantined + other.quarantined,
            self.withdrawn + other.withdrawn,
        )


def land_days(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    days: Sequence[HealthDay],
    *,
    covered: Collection[Metric],
    now: datetime,
    run_id: str,
    origin: Origin,
) -> LandedRecords:
    """Land days of one athlete; the caller owns the transaction.

    A day replaces the known values of its own metrics and of the `covered` ones, and keeps the
    others, so a file of weights does not remove the sleep of an earlier file. A day without any
    value left is deleted. An impossible value goes to quarantine until the source has a possible
    one, or none. Idempotent: the same days twice add nothing.
    """
    known = _known_payloads(con, athlete_id)
    return _land(
        con,
        "health_days",
        athlete_id,
        [_record(day, known.get(day.record_id, {}), covered) for day in days],
        {day.record_id: day.impossible for day in days},
        [_value_id(day.record_id, metric) for day in days for metric in _replaced(day, covered)],
        now=now,
        run_id=run_id,
        origin=origin,
    )


def land_sessions(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    sessions: Sequence[Session],
    *,
    gone: Collection[str] = (),
    now: datetime,
    run_id: str,
    origin: Origin,
) -> LandedRecords:
    """Land sessions of one athlete; the caller owns the transaction.

    A session replaces the known one; records with an id in `gone` are deleted. An impossible value
    goes to quarantine until the source has a possible one, or none. Idempotent.
    """
    records = [Record(one.record_id, canonical_json(one.payload)) for one in sessions]
    return _land(
        con,
        "health_sessions",
        athlete_id,
        [*records, *(Record(each, "{}", is_deleted=True) for each in gone)],
        {**dict.fromkeys(gone, ()), **{one.record_id: one.impossible for one in sessions}},
        [
            _value_id(record_id, metric)
            for record_id in (*(one.record_id for one in sessions), *gone)
            for metric in SESSION_LIMITS
        ],
        now=now,
        run_id=run_id,
        origin=origin,
    )


def land_file(
    con: duckdb.DuckDBPyConnection, athlete_id: str, file: HealthFile, *, now: datetime, run_id: str
) -> tuple[LandedRecords, LandedRecords]:
    """Land the days and the sessions of a file; the caller owns the transaction.

    Of a complete file, known sessions between its first and its last one that it does not have are
    deleted, and so are the covered values of such days.
    """
    days = list(file.days)
    gone: list[str] = []
    if file.is_complete:
        found = {day.record_id: day.day.isoformat() for day in days}
        days += [
            HealthDay(source, date.fromisoformat(day), {})
            for source, _, day in (
                each.partition("/") for each in _gone(con, "health_days", athlete_id, found)
            )
        ]
        started = {one.record_id: one.payload["started_at"] for one in file.sessions}
        gone = _gone(con, "health_sessions", athlete_id, started)
    landed = land_days(
        con, athlete_id, days, covered=file.covered, now=now, run_id=run_id, origin="csv"
    )
    return landed, land_sessions(
        con, athlete_id, file.sessions, gone=gone, now=now, run_id=run_id, origin="csv"
    )


def kept_values(
    con: duckdb.DuckDBPyConnection, athlete_id: str, file: HealthFile
) -> dict[str, int]:
    """Count the known values that a complete file lacks and that its landing keeps, by kind.

    A kind without any value in the file, such as `hrv_ms` or `sessions`, is ambiguous: it may be
    gone at the source, or it was not exported. So its values between the first and the last day
    of the file stay.
    """
    if not (file.is_complete and file.days):
        return {}
    source = file.days[0].source
    between = [f"{day:%Y-%m-%d}" for day in (file.days[0].day, file.days[-1].day)]
    counts = {metric: 0 for metric in METRICS if metric not in file.covered}
    for record_id, payload in _known_payloads(con, athlete_id).items():
        if record_id.startswith(f"{source}/") and between[0] <= payload["day"] <= between[1]:
            for metric in counts:
                counts[metric] += metric in payload
    kept: dict[str, int] = {metric: count for metric, count in counts.items() if count}
    if not file.sessions:
        [(sessions,)] = con.execute(
            f"select count(*) from ({known_records('health_sessions')}) "  # noqa: S608 - a constant
            "where not is_deleted and starts_with(record_id, $source) "
            "and left(payload ->> 'started_at', 10) between $first and $last",
            {
                "athlete_id": athlete_id,
                "source": f"{source}/",
                "first": between[0],
                "last": between[1],
            },
        ).fetchall()
        if sessions:
            kept["sessions"] = sessions
    return kept


def _gone(
    con: duckdb.DuckDBPyConnection,
    entity: HealthEntity,
    athlete_id: str,
    found: Mapping[str, str],
) -> list[str]:
    """Return the known records of a source between the first and the last one found, but these.

    `found` has the day, or the start, of each record by its id.
    """
    if not found:
        return []
    rows = con.execute(
        f"select record_id from ({known_records(entity)}) "  # noqa: S608 - constants
        f"where not is_deleted and (payload ->> '{_TIME_IN_SOURCE[entity]}') "
        "between $first and $last and starts_with(record_id, $source)",
        {
            "athlete_id": athlete_id,
            "first": min(found.values()),
            "last": max(found.values()),
            "source": next(iter(found)).partition("/")[0] + "/",
        },
    ).fetchall()
    return [record_id for (record_id,) in rows if record_id not in found]


def _land(
    con: duckdb.DuckDBPyConnection,
    entity: HealthEntity,
    athlete_id: str,
    records: Sequence[Record],
    impossible: Mapping[str, Sequence[ImpossibleValue]],
    read_values: Sequence[str],
    *,
    now: datetime,
    run_id: str,
    origin: Origin,
) -> LandedRecords:
    """Land records, and the impossible values of each; `read_values` are all that were read."""
    rejected = [
        Rejected(
            one.reason,
            _value_text(entity, record_id, one),
            _value_id(record_id, one.metric),
            one.line,
        )
        for record_id, values in impossible.items()
        for one in values
    ]
    still_impossible = {one.record_id for one in rejected}
    open_values = _quarantined_ids(con, entity, athlete_id) - still_impossible
    corrected = [
        Record(value_id, "{}", is_deleted=True)
        for value_id in read_values
        if value_id in open_values
    ]
    landed = land(
        con,
        entity,
        athlete_id,
        [*records, *corrected],
        now=now,
        run_id=run_id,
        origin=origin,
        rejected=rejected,
    )
    return LandedRecords(
        seen=len(impossible),
        added=landed.added,
        removed=landed.deleted,
        impossible=len(rejected),
        quarantined=landed.quarantined,
        withdrawn=landed.withdrawn,
    )


def _replaced(day: HealthDay, covered: Collection[Metric]) -> set[str]:
    """Return the metrics whose known values a day replaces."""
    return {*covered, *day.values, *(one.metric for one in day.impossible)}


def _record(day: HealthDay, known: Mapping[str, Any], covered: Collection[Metric]) -> Record:
    """Build the record of a day from its values and the known ones of other metrics."""
    replaced = _replaced(day, covered)
    values: dict[str, Any] = {
        metric: known[metric] for metric in METRICS if metric in known and metric not in replaced
    }
    method = known.get("hrv_method") if "hrv_ms" in values else day.hrv_method
    values.update(day.values.items())
    if not values:
        return Record(day.record_id, "{}", is_deleted=True)
    if method is not None:
        values["hrv_method"] = method
    payload = {"source": day.source, "day": day.day.isoformat(), **values}
    return Record(day.record_id, canonical_json(payload))


def _value_text(entity: HealthEntity, record_id: str, value: ImpossibleValue) -> str:
    """Return an impossible value with its record: quarantine keeps equal texts only once."""
    source, _, name = record_id.partition("/")
    return canonical_json(
        {"source": source, _NAME_IN_SOURCE[entity]: name, value.metric: value.text}
    )


def _value_id(record_id: str, metric: str) -> str:
    """Return the id of one value of a record, under which it is quarantined."""
    return f"{record_id}/{metric}"


def _known_payloads(con: duckdb.DuckDBPyConnection, athlete_id: str) -> dict[str, dict[str, Any]]:
    rows = con.execute(
        f"select record_id, payload from ({known_records('health_days')}) where not is_deleted",  # noqa: S608 - a constant
        {"athlete_id": athlete_id},
    ).fetchall()
    return {record_id: json.loads(payload) for record_id, payload in rows}


def _quarantined_ids(
    con: duckdb.DuckDBPyConnection, entity: HealthEntity, athlete_id: str
) -> set[str]:
    """Return the ids of values with a row in quarantine; those deleted since are harmless."""
    rows = con.execute(
        """
        select distinct record_id from raw.quarantine
        where athlete_id = $1 and entity = $2 and record_id is not null and reason <> $3
        """,
        [athlete_id, entity, DELETED_REASON],
    ).fetchall()
    return {record_id for (record_id,) in rows}
