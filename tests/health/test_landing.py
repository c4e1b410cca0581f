"""Days in the raw table: corrections, partial files and impossible values."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

import duckdb
import pytest

from health_connector.csv_file import read_health_csv
from health_connector.days import HealthDay, Metric, Number
from health_connector.health_file import HealthFile
from health_connector.landing import LandedRecords, kept_values, land_days, land_file
from health_connector.sessions import session_of
from hevy_connector.raw.tables import create_raw_tables, known_records
from tests.health.accounts import stored_days

NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)
RECOVERY = (
    "date,sleep_minutes,hrv_ms,hrv_method\n2026-03-01,420,60,rmssd\n2026-03-02,430,62,rmssd\n"
)


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        create_raw_tables(made)
        yield made


def lands(con: duckdb.DuckDBPyConnection, text: str, *, hours: int = 0) -> LandedRecords:
    file = read_health_csv(text.encode(), today=date(2026, 3, 10))
    return land_days(
        con,
        "me",
        file.days,
        covered=file.covered,
        now=NOW + timedelta(hours=hours),
        run_id="run",
        origin="csv",
    )


def stored(con: duckdb.DuckDBPyConnection) -> dict[str, dict[str, Any]]:
    """Return the current values of each day, without its name."""
    payloads = stored_days(con)
    for payload in payloads.values():
        del payload["source"], payload["day"]
    return payloads


def still_open(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the ids of values whose latest row in quarantine is no deletion."""
    rows = con.execute(
        """
        select record_id from raw.quarantine group by record_id
        having arg_max(reason, loaded_at) <> 'deleted at the source' order by record_id
        """
    ).fetchall()
    return [record_id for (record_id,) in rows]


def test_the_same_file_twice_changes_nothing(con: duckdb.DuckDBPyConnection) -> None:
    assert lands(con, RECOVERY) == LandedRecords(2, 2, 0, 0, 0)
    before = con.execute("from raw.health_days order by all").fetchall()
    assert lands(con, RECOVERY, hours=1) == LandedRecords(2, 0, 0, 0, 0)
    assert con.execute("from raw.health_days order by all").fetchall() == before


def test_a_corrected_row_supersedes_and_the_former_version_stays(
    con: duckdb.DuckDBPyConnection,
) -> None:
    lands(con, RECOVERY)
    assert lands(con, RECOVERY.replace("420,60", "300,60"), hours=1).added == 1
    assert stored(con)["csv/2026-03-01"]["sleep_minutes"] == 300
    assert con.execute("select count(*) from raw.health_days").fetchall() == [(3,)]


def test_a_file_of_other_metrics_keeps_the_known_ones(con: duckdb.DuckDBPyConnection) -> None:
    lands(con, RECOVERY)
    lands(con, "date,weight_kg\n2026-03-01,82.4\n", hours=1)
    assert stored(con)["csv/2026-03-01"] == {
        "sleep_minutes": 420,
        "hrv_ms": 60,
        "hrv_method": "rmssd",
        "weight_kg": 82.4,
    }


def test_a_blank_cell_removes_its_value_alone(con: duckdb.DuckDBPyConnection) -> None:
    lands(con, RECOVERY)
    lands(con, "date,hrv_ms,hrv_method\n2026-03-01,,\n", hours=1)
    assert stored(con)["csv/2026-03-01"] == {"sleep_minutes": 420}


def test_a_day_without_values_is_deleted_and_comes_back(con: duckdb.DuckDBPyConnection) -> None:
    lands(con, "date,weight_kg\n2026-03-01,82\n")
    assert lands(con, "date,weight_kg\n2026-03-01,\n", hours=1).removed == 1
    assert stored(con) == {}
    lands(con, "date,weight_kg\n2026-03-01,82\n", hours=2)
    assert stored(con) == {"csv/2026-03-01": {"weight_kg": 82}}


def test_an_impossible_value_is_open_until_it_is_corrected(con: duckdb.DuckDBPyConnection) -> None:
    wrong = "date,resting_hr,weight_kg\n2026-03-01,510,82\n2026-03-02,510,82\n"
    landed = lands(con, wrong)
    assert (landed.impossible, landed.quarantined) == (2, 2)
    assert still_open(con) == ["csv/2026-03-01/resting_hr", "csv/2026-03-02/resting_hr"]
    assert stored(con)["csv/2026-03-01"] == {"weight_kg": 82}
    assert lands(con, wrong, hours=1) == LandedRecords(2, 0, 0, 2, 0)

    lands(con, "date,resting_hr\n2026-03-01,51\n2026-03-02,510\n", hours=2)
    assert still_open(con) == ["csv/2026-03-02/resting_hr"]
    assert stored(con)["csv/2026-03-01"] == {"resting_hr": 51, "weight_kg": 82}


def test_athletes_share_nothing(con: duckdb.DuckDBPyConnection) -> None:
    lands(con, RECOVERY)
    rows = con.execute(f"from ({known_records('health_days')})", {"athlete_id": "you"}).fetchall()
    assert rows == []


def test_a_session_that_is_gone_is_among_those_seen(con: duckdb.DuckDBPyConnection) -> None:
    """The report of an import showed fewer known sessions than there were, even below zero."""
    runs = [
        session_of("strava", str(number), NOW - timedelta(days=number), "run", {})
        for number in (1, 2, 3, 4)
    ]
    counts = []
    for hours, kept in enumerate((runs, [runs[0], runs[3]])):
        file = HealthFile((), frozenset(), sessions=tuple(kept), is_complete=True)
        _, landed = land_file(con, "me", file, now=NOW + timedelta(hours=hours), run_id="run")
        counts.append((landed.seen, landed.added, landed.removed))
    assert counts == [(4, 4, 0), (4, 0, 2)]


def test_values_of_a_kind_that_an_export_lacks_are_kept_and_counted(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """A weight of a day without other values, and one outside of the export, stay, too."""

    def day(number: int, **values: int) -> HealthDay:
        known = cast("dict[Metric, Number]", values)
        return HealthDay("apple_health", date(2026, 3, number), known)

    def export(*days: HealthDay, covered: set[Metric], is_complete: bool = True) -> HealthFile:
        return HealthFile(days, frozenset(covered), is_complete=is_complete)

    first = export(
        day(1, sleep_minutes=420, weight_kg=82),
        day(2, weight_kg=81),
        day(3, sleep_minutes=400),
        day(4, weight_kg=80),
        covered={"sleep_minutes", "weight_kg"},
    )
    later = export(day(1, sleep_minutes=421), day(3, sleep_minutes=400), covered={"sleep_minutes"})
    run = session_of("apple_health", "1", datetime(2026, 3, 2, 9, tzinfo=UTC), "run", {})
    assert kept_values(con, "me", first) == {}
    land_file(con, "me", replace(first, sessions=(run,)), now=NOW, run_id="run")
    assert kept_values(con, "me", later) == {"weight_kg": 2, "sessions": 1}
    assert kept_values(con, "you", later) == {}
    assert kept_values(con, "me", replace(later, is_complete=False)) == {}
    land_file(con, "me", later, now=NOW + timedelta(hours=1), run_id="run")
    assert stored(con) == {
        "apple_health/2026-03-01": {"sleep_minutes": 421, "weight_kg": 82},
        "apple_health/2026-03-02": {"weight_kg": 81},
        "apple_health/2026-03-03": {"sleep_minutes": 400},
        "apple_health/2026-03-04": {"weight_kg": 80},
    }
    land_file(con, "me", first, now=NOW + timedelta(hours=2), run_id="run")
    assert kept_values(con, "me", first) == {"sessions": 1}
