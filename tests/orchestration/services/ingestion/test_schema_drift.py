"""A change of Hevy's schema is reported once, by the first run with it."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pytest

from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.schemas import Workout
from orchestration.services.ingestion.schema_drift import (
    drift_of,
    fields_of,
    known_fields,
    schema_problems,
)

START = datetime(2026, 3, 4, 3, 17, tzinfo=UTC).replace(tzinfo=None)


def workout(**more: Any) -> dict[str, Any]:
    return {
        "id": "w",
        "title": "Push",
        "exercises": [{"index": 0, "sets": [{"index": 0, "rpe": None}]}],
        **more,
    }


def test_the_fields_of_an_answer_are_paths() -> None:
    assert fields_of(workout()) == {
        "id",
        "title",
        "exercises",
        "exercises[].index",
        "exercises[].sets",
        "exercises[].sets[].index",
        "exercises[].sets[].rpe",
    }


def test_a_model_knows_its_fields_under_each_of_their_names() -> None:
    known = known_fields(Workout)
    assert {"exercises[].superset_id", "exercises[].supersets_id"} <= known
    assert {"id", "exercises[].sets[].weight_kg"} <= known
    assert "exercises[].sets[].tempo" not in known


BEFORE = [workout() for _ in range(20)]


@pytest.mark.parametrize(
    ("before", "brought", "new", "vanished"),
    [
        pytest.param(BEFORE, [workout()], (), (), id="the same"),
        pytest.param([], [workout(mood=1)], (), (), id="nothing to compare with"),
        pytest.param(BEFORE, [workout(mood=1)], ("mood",), (), id="a new field"),
        pytest.param(BEFORE, [workout(routine_id=None)], (), (), id="known, though not seen"),
        pytest.param(
            BEFORE,
            [workout(exercises=[{"index": 0, "sets": [{"index": 0, "tempo": "3-1"}]}])],
            ("exercises[].sets[].tempo",),
            (),
            id="a new field of sets",
        ),
        pytest.param(
            BEFORE,
            [workout(exercises=[{"index": 0, "sets": [{"index": 0}]}]) for _ in range(5)],
            (),
            ("exercises[].sets[].rpe",),
            id="a vanished field of sets",
        ),
        pytest.param(
            BEFORE,
            [workout(exercises=[{"index": 0, "sets": [{"index": 0}]}]) for _ in range(4)],
            (),
            (),
            id="too few to say so",
        ),
        pytest.param(
            BEFORE,
            [workout(exercises=[]) for _ in range(9)],
            (),
            (),
            id="no set, so no field of it",
        ),
    ],
)
def test_drift(
    before: Sequence[Any], brought: Sequence[Any], new: tuple[str, ...], vanished: tuple[str, ...]
) -> None:
    drift = drift_of(before, brought, known_fields(Workout))
    assert (drift.new, drift.vanished) == (new, vanished)


def land(con: duckdb.DuckDBPyConnection, night: int, payloads: Sequence[Any]) -> list[str]:
    """Return the messages of the night with these payloads."""
    for index, payload in enumerate(payloads):
        con.execute(
            "insert into raw.hevy_workouts "
            "values ('ann', $1, $2, 'hash', null, $3, $4, 'api', false)",
            [f"{night}/{index}", json.dumps(payload), START + timedelta(night), f"run-{night}"],
        )
    return schema_problems(con, "hevy_workouts", f"run-{night}")


def test_a_new_field_is_told_by_one_night_and_what_could_not_be_read_by_its_own() -> None:
    with duckdb.connect() as con:
        create_raw_tables(con)
        assert land(con, 1, BEFORE) == []
        assert land(con, 2, []) == []
        [told] = land(con, 3, [workout(mood=1)])
        assert told.startswith("Hevy now sends mood: kept")
        assert land(con, 4, [workout(mood=2), workout()]) == []
        con.execute(
            "insert into raw.quarantine values ('ben', 'hevy_workouts', 'w', 'title: missing', "
            "'{}', 'hash', null, $1, 'run-5', 'api')",
            [START],
        )
        assert land(con, 5, []) == [
            "ben: 1 could not be read and lie in raw.quarantine, such as: title: missing"
        ]
        assert land(con, 6, []) == []
