"""Generate years of training of many athletes in DuckDB, for warehouse measurements.

Deterministic: every choice is a hash, so a size is the same data every time.

An athlete follows four routines in turn, four days a week, six exercises each: one warm-up set and
three working sets, in one exercise of ten a set more or less. Loads grow with the number of
workouts; the routines follow in two or three versions.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

import duckdb

from coach_agent.profile.model import AthleteProfile
from hevy_connector.canonical_json import canonical_json, read_json
from hevy_connector.exercise_templates import built_in_templates
from hevy_connector.fetching.fetch import validate_workouts
from hevy_connector.raw.landing import land
from hevy_connector.raw.tables import Origin
from hevy_connector.raw.transactions import transaction
from hevy_connector.records import Entity
from orchestration.storage.warehouse import Warehouse, open_warehouse

WORKOUTS_AN_INSERT = 10_000
ATHLETES_AN_INSERT = 1_000
WORKOUTS_A_WEEK = 4
TIME_ZONES = (
    *("Europe/Berlin", "America/New_York", "Asia/Tokyo", "UTC"),
    *("Australia/Sydney", "Asia/Kolkata", "America/Los_Angeles", "Pacific/Auckland"),
)
TRAINED_TYPES = ("weight_reps", "bodyweight_weighted", "reps_only", "duration")


@dataclass(frozen=True)
class Years:
    """Length of the training: number of workouts of each athlete, until the Monday `ends_at`."""

    workouts: int = 1_000
    ends_at: date = date(2026, 3, 2)

    @property
    def first_day(self) -> date:
        """Return the Monday of all athletes' first workout."""
        return self.ends_at - timedelta(weeks=-(-self.workouts // WORKOUTS_A_WEEK))

    @property
    def first_sync(self) -> datetime:
        """Return the time of the first read (UTC), before the morning of the last day."""
        return datetime.combine(self.ends_at - timedelta(days=1), time(4))


ALMOST_FIVE = Years()


def create_history(warehouse: Warehouse, workouts: int, years: Years = ALMOST_FIVE) -> None:
    """Build a new warehouse with so many workouts, their athletes, routines and exercises."""
    athletes = -(-workouts // years.workouts)
    with open_warehouse(warehouse) as con:
        _create_programme(con, athletes, years)
        _insert_profiles(con)
        _insert_templates(con)
        each = min(workouts, years.workouts)
        for first in range(0, athletes, ATHLETES_AN_INSERT):
            some = {"each": each, "first": first, "end": first + ATHLETES_AN_INSERT}
            _insert(con, "hevy_routines", _sql("routine_versions"), some)
        for first in range(0, workouts, WORKOUTS_AN_INSERT):
            _ask(con, range(first, min(first + WORKOUTS_AN_INSERT, workouts)), years)
            _insert(con, "hevy_workouts", _sql("workouts"))


def add_night(warehouse: Warehouse, count: int = 10) -> None:
    """Land the next workout of `count` athletes with the connector.

    If there are fewer athletes, some have several workouts.
    """
    with open_warehouse(warehouse) as con:
        _ask_next(con, count, ALMOST_FIVE)
        rows = con.execute(_sql("workouts")).fetchall()
        by_athlete = defaultdict(list)
        for athlete_id, _, payload, _, _ in rows:
            by_athlete[athlete_id].append(read_json(payload.encode()))
        now = max(row[3] for row in rows) + timedelta(hours=8)
        with transaction(con):
            for athlete_id, payloads in by_athlete.items():
                land(
                    con,
                    "hevy_workouts",
                    athlete_id,
                    validate_workouts(payloads).records,
                    now=now,
                    run_id="night",
                    origin="api",
                )


def write_next_workouts(warehouse: Warehouse, count: int, years: Years, path: Path) -> None:
    """Write the next workouts, as in `add_night`, only to a Parquet file.

    Columns `athlete_id` and `payload` (JSON), grouped by athlete, latest first.
    """
    with open_warehouse(warehouse) as con:
        _ask_next(con, count, years)
        con.execute(
            f"""
            copy (
                select athlete_id, payload from ({_sql("workouts")})
                order by athlete_id, updated_at desc
            ) to '{path}'
            """
        )


def _ask_next(con: duckdb.DuckDBPyConnection, count: int, years: Years) -> None:
    """Create the table of the workouts that follow the existing ones."""
    athletes = _athlete_count(con)
    _create_programme(con, athletes, years)
    con.execute(
        """
        create temp table asked as
        with trained as (
            select
                athlete,
                count(record_id) as workout_count,
                sum(workout_count) over () as all_workouts
            from athletes
            left join raw.hevy_workouts using (athlete_id)
            group by athlete
        )

        select athlete, workout_count + turn as number
        from trained, range($turns) as turns(turn)
        order by turn, hash([athlete, all_workouts])
        limit $count
        """,
        {"count": count, "turns": -(-count // max(athletes, 1))},
    )


def _create_programme(con: duckdb.DuckDBPyConnection, athletes: int, years: Years) -> None:
    """Create the templates of generated workouts and routines as temporary tables."""
    import pyarrow as pa

    con.execute("set variable first_day = $1", [years.first_day])
    con.execute("set variable first_sync = $1", [years.first_sync])
    con.execute(_sql("macros"))
    con.execute(
        """
        create temp table athletes as
        select athlete, format('{:04d}-lifter', athlete) as athlete_id
        from range($athletes) as numbered(athlete)
        """,
        {"athletes": athletes},
    )
    catalogue = [  # every fourth: about a hundred
        {
            "template_id": template["id"],
            "title": template["title"],
            "exercise_type": template["type"],
            "payload": canonical_json(template),
        }
        for template in built_in_templates()[::4]
    ]
    con.register("catalogue", pa.Table.from_pylist(catalogue))
    con.execute(_sql("programme"), {"trained_types": TRAINED_TYPES})


def _insert_profiles(con: duckdb.DuckDBPyConnection) -> None:
    import pyarrow as pa

    athletes: list[tuple[int, str]] = con.execute("from athletes").fetchall()
    profiles = [
        AthleteProfile(id=athlete_id, timezone=TIME_ZONES[athlete % len(TIME_ZONES)])
        for athlete, athlete_id in athletes
    ]
    columns = {
        "athlete_id": pa.array([profile.id for profile in profiles], pa.string()),
        "payload": pa.array(
            [canonical_json(profile.public_payload()) for profile in profiles], pa.string()
        ),
    }
    con.register("profiles", pa.table(columns))
    _insert(
        con,
        "athlete_profiles",
        """
        select
            athlete_id,
            athlete_id as record_id,
            payload,
            cast(null as timestamp) as updated_at,
            first_day() + to_seconds(athlete) as loaded_at
        from profiles
        inner join athletes using (athlete_id)
        """,
        origin="profile",
    )


def _insert_templates(con: duckdb.DuckDBPyConnection) -> None:
    _insert(
        con,
        "hevy_exercise_templates",
        """
        select
            athlete_id,
            template_id as record_id,
            payload,
            cast(null as timestamp) as updated_at,
            first_day() + to_seconds(athlete) as loaded_at
        from athletes
        cross join catalogue
        """,
    )


def _insert(
    con: duckdb.DuckDBPyConnection,
    entity: Entity,
    records: str,
    parameters: Mapping[str, int] | None = None,
    *,
    origin: Origin = "api",
) -> None:
    """Append records, in the order of their landings, as the connector would have stored them."""
    con.execute(
        f"""
        insert into raw.{entity}
        select
            athlete_id,
            record_id,
            payload,
            sha256(payload),
            updated_at,
            loaded_at,
            'history',
            '{origin}',
            false
        from ({records})
        order by loaded_at, updated_at
        """,
        parameters,
    )


def _ask(con: duckdb.DuckDBPyConnection, numbers: range, years: Years) -> None:
    """Create the table of requested workouts, numbered over all athletes."""
    con.execute(
        """
        create or replace temp table asked as
        select n // $each as athlete, n % $each as number
        from range($first, $end) as numbered(n)
        """,
        {"each": years.workouts, "first": numbers.start, "end": numbers.stop},
    )


def _athlete_count(con: duckdb.DuckDBPyConnection) -> int:
    counted: list[tuple[int]] = con.execute(
        "select count(distinct athlete_id) from raw.athlete_profiles"
    ).fetchall()
    return counted[0][0]


def _sql(name: str) -> str:
    return Path(__file__).with_name("sql").joinpath(f"{name}.sql").read_text()
