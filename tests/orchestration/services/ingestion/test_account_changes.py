"""Differences that a run found: new, edited or deleted."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pytest

from hevy_connector.canonical_json import canonical_json
from hevy_connector.raw.landing import land
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.records import Record
from orchestration.services.ingestion.account_changes import changes_metadata

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        create_raw_tables(made)
        yield made


def night(con: duckdb.DuckDBPyConnection, number: int, titles: dict[str, str]) -> None:
    """Land a complete read of the account in a separate run; missing records were deleted."""
    records = [
        Record(name, canonical_json({"title": title, "start_time": f"day of {name}"}), NOW)
        for name, title in titles.items()
    ]
    land(
        con,
        "hevy_workouts",
        "a",
        records,
        now=NOW + timedelta(days=number),
        run_id=f"run {number}",
        origin="api",
        is_complete=True,
    )


def changes(con: duckdb.DuckDBPyConnection, run_id: str) -> Sequence[dict[str, Any]]:
    told = changes_metadata(con, "hevy_workouts", run_id)["latest_changes"]
    return [dict(record.data) for record in told.records]


def test_a_night_tells_what_is_new_edited_and_deleted(con: duckdb.DuckDBPyConnection) -> None:
    night(con, 1, {"w1": "Push", "w2": "Pull", "w3": "Legs"})
    night(con, 2, {"w1": "Push", "w2": "Pull day", "w4": "Arms"})
    assert {row["change"] for row in changes(con, "run 1")} == {"new"}
    found = {row["what"]: (row["change"], row["of"]) for row in changes(con, "run 2")}
    assert found == {
        "Pull day": ("edited", "day of w2"),
        "Legs": ("deleted", "day of w3"),
        "Arms": ("new", "day of w4"),
    }


def test_a_night_without_a_change_tells_nothing(con: duckdb.DuckDBPyConnection) -> None:
    night(con, 1, {"w1": "Push"})
    night(con, 2, {"w1": "Push"})
    assert changes_metadata(con, "hevy_workouts", "run 2") == {}


def test_a_first_night_shows_twenty_and_counts_all(con: duckdb.DuckDBPyConnection) -> None:
    night(con, 1, {f"w{number}": "Push" for number in range(45)})
    assert changes_metadata(con, "hevy_workouts", "run 1")["changed_records"] == 45
    assert len(changes(con, "run 1")) == 20
