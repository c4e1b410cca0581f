from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import duckdb
import pytest

from hevy_connector.canonical_json import canonical_json
from hevy_connector.raw.differences import (
    Difference,
    FieldDifference,
    field_differences,
    read_differences,
)
from hevy_connector.raw.landing import land
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.records import Record

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        create_raw_tables(connection)
        yield connection


def land_routines(con: duckdb.DuckDBPyConnection, run_id: str, **titles: str) -> None:
    """Land a complete snapshot of routines, by id."""
    records = [
        Record(record_id, canonical_json({"id": record_id, "title": title}))
        for record_id, title in titles.items()
    ]
    land(
        con,
        "hevy_routines",
        "a",
        records,
        now=NOW,
        run_id=run_id,
        origin="api",
        is_complete=True,
    )


def test_differences_of_a_run(con: duckdb.DuckDBPyConnection) -> None:
    land_routines(con, "first", same="Push", changed="Pull", gone="Legs", back="Arms")
    land_routines(con, "second", same="Push", changed="Pull", gone="Legs")
    land_routines(con, "third", same="Push", changed="Row", back="Arms", new="Core")

    def routine(record_id: str, title: str, kind: Any, *fields: FieldDifference) -> Difference:
        return Difference("a", "hevy_routines", record_id, title, kind, fields)

    assert read_differences(con, "third") == [
        routine("back", "Arms", "returned"),
        routine("changed", "Row", "changed", FieldDifference("title", "Pull", "Row")),
        routine("gone", "Legs", "deleted"),
        routine("new", "Core", "new"),
    ]
    assert [one.kind for one in read_differences(con, "second")] == ["deleted"]
    assert read_differences(con, "no such run") == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({"a": 1}, {"a": 1}, [], id="equal"),
        pytest.param({"a": 1}, {"a": 2}, [("a", 1, 2)], id="value"),
        pytest.param({"a": 1}, {}, [("a", 1, None)], id="field gone"),
        pytest.param({}, {"a": None}, [("a", None, None)], id="null appeared"),
        pytest.param(
            {"sets": [{"reps": 8}, {"reps": 6}]},
            {"sets": [{"reps": 8}, {"reps": 5}, {"reps": 4}]},
            [("sets[1].reps", 6, 5), ("sets[2]", None, {"reps": 4})],
            id="items",
        ),
        pytest.param({"a": {"b": 1}}, {"a": [1]}, [("a", {"b": 1}, [1])], id="kind of value"),
    ],
)
def test_fields_are_named_by_their_path(
    before: Any, after: Any, expected: list[tuple[str, Any, Any]]
) -> None:
    found = field_differences(before, after)
    assert [(one.path, one.before, one.after) for one in found] == expected
