"""The programmes that athletes follow: append-only versions, the latest one is in force.

A version is valid from `recorded_at` until the next one; one without a programme ends it.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime

import duckdb

from coach_agent.domain.block import BlockCalendar, FollowedProgramme
from coach_agent.domain.values import Value, naive_utc
from hevy_connector.schemas import UtcTime


class ProgrammeVersion(Value):
    """A version of the programme that an athlete follows; null values: none.

    `valid_to` is null for the present version.
    """

    version: int
    programme_id: str | None
    title: str | None
    start: date | None
    valid_from: UtcTime
    valid_to: UtcTime | None = None


def record_followed_programme(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    programme: FollowedProgramme | None,
    *,
    at: datetime,
    run_id: str,
) -> None:
    """Append a version; None: from now on the athlete follows no programme."""
    values: list[object] = [None] * 4
    if programme is not None:
        calendar = programme.calendar.model_dump_json()
        values = [programme.programme_id, programme.name, programme.start, calendar]
    con.execute(
        """
        insert into coach.followed_programmes by name
        select
            $1 as athlete_id,
            (
                select coalesce(max(version), 0) + 1 from coach.followed_programmes
                where athlete_id = $1
            ) as version,
            $2 as programme_id, $3 as name, $4::date as start_date, $5::json as calendar,
            $6::timestamp as recorded_at, $7 as run_id
        """,
        [athlete_id, *values, naive_utc(at), run_id],
    )


def read_followed_programmes(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str], now: datetime
) -> dict[str, FollowedProgramme]:
    """Return the programme in force at the aware time `now`, by athlete; others are absent."""
    rows = con.execute(
        """
        select athlete_id, programme_id, name, start_date, calendar
        from coach.followed_programmes
        where athlete_id in (select unnest($1)) and recorded_at <= $2
        qualify version = max(version) over (partition by athlete_id)
        """,
        [list(athlete_ids), naive_utc(now)],
    ).fetchall()
    return {
        athlete_id: FollowedProgramme(
            programme_id=programme_id,
            name=name,
            start=start,
            calendar=BlockCalendar.model_validate_json(calendar),
        )
        for athlete_id, programme_id, name, start, calendar in rows
        if programme_id is not None
    }


def read_programme_versions(
    con: duckdb.DuckDBPyConnection, athlete_id: str
) -> list[ProgrammeVersion]:
    """Return all versions of an athlete, oldest first."""
    rows = con.execute(
        """
        select
            version, programme_id, calendar ->> 'title' as title, start_date, recorded_at,
            lead(recorded_at) over (order by version) as valid_to
        from coach.followed_programmes
        where athlete_id = $1
        order by version
        """,
        [athlete_id],
    ).fetchall()
    return [
        ProgrammeVersion(
            version=version,
            programme_id=programme_id,
            title=title,
            start=start,
            valid_from=valid_from.replace(tzinfo=UTC),
            valid_to=None if valid_to is None else valid_to.replace(tzinfo=UTC),
        )
        for version, programme_id, title, start, valid_from, valid_to in rows
    ]
