"""The generated data equals the connector's, so that the measurements are valid."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from coach_agent.profile.model import AthleteProfile
from hevy_connector.canonical_json import canonical_json, read_json
from hevy_connector.records import Record
from hevy_connector.schemas.reading import ExerciseTemplate, Routine, Workout
from tests.bench.history import add_night, create_history

WORKOUTS = 1_040


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("history") / "warehouse.duckdb"
    create_history(path, WORKOUTS)
    return path


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(path, read_only=True) as con:
        return con.execute(query).fetchall()


@pytest.mark.parametrize(
    ("entity", "model"),
    [
        ("hevy_workouts", Workout),
        ("hevy_routines", Routine),
        ("hevy_exercise_templates", ExerciseTemplate),
    ],
)
def test_payloads_are_as_landing_stores_them(
    history: Path, entity: str, model: type[Workout | Routine | ExerciseTemplate]
) -> None:
    stored = rows(
        history,
        f"select record_id, payload, vendor_updated_at, payload_sha256 from raw.{entity}",
    )
    assert stored
    for record_id, payload, updated_at, sha256 in stored:
        read = model.model_validate_json(payload)
        assert payload == canonical_json(read_json(payload.encode()))
        assert sha256 == Record("any", payload).payload_sha256
        assert record_id == read.id
        if not isinstance(read, ExerciseTemplate):
            assert read.updated_at is not None
            assert updated_at == read.updated_at.replace(tzinfo=None)


def test_profiles_are_as_landing_stores_them(history: Path) -> None:
    stored = rows(history, "select payload from raw.athlete_profiles order by record_id")
    profiles = [
        AthleteProfile(id="0000-lifter", timezone="Europe/Berlin"),
        AthleteProfile(id="0001-lifter", timezone="America/New_York"),
    ]
    assert stored == [(canonical_json(profile.public_payload()),) for profile in profiles]


def test_training_mostly_follows_the_plan(history: Path) -> None:
    [(workouts, per_workout, changed, planned, with_rpe)] = rows(
        history,
        """
        with exercises as (
            select
                record_id,
                payload ->> '$.routine_id' as routine_id,
                unnest(cast(payload -> '$.exercises' as json[])) as exercise
            from raw.hevy_workouts
        ),

        counted as (
            select
                *,
                json_array_length(exercise -> '$.sets') as set_count,
                len(list_filter(
                    cast(exercise -> '$.sets[*].rpe' as json[]), lambda rpe: rpe <> 'null'
                )) as rpe_count
            from exercises
        )

        select
            count(distinct record_id),
            sum(set_count) / count(distinct record_id),
            avg(cast(set_count <> 4 as integer)),
            avg(cast(routine_id is not null as integer)),
            sum(rpe_count) / sum(set_count)
        from counted
        """,
    )
    assert workouts == WORKOUTS
    assert per_workout == pytest.approx(24, abs=0.1)
    assert changed == pytest.approx(0.1, abs=0.02)
    assert planned == pytest.approx(0.9, abs=0.01)
    assert with_rpe == pytest.approx(0.1, abs=0.01)


def test_a_night_lands_new_workouts_after_all_others(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    create_history(path, 40)
    for night in (1, 2):
        [(latest,)] = rows(path, "select max(loaded_at) from raw.hevy_workouts")
        add_night(path, 3)
        landed = rows(
            path,
            "select count(*), min(loaded_at), count(distinct payload ->> '$.start_time')"
            f" from raw.hevy_workouts where loaded_at > timestamp '{latest}'",
        )
        assert landed[0][0] == landed[0][2] == 3
        [(records,)] = rows(path, "select count(distinct record_id) from raw.hevy_workouts")
        assert records == 40 + 3 * night


def test_the_same_size_is_the_same_data(history: Path, tmp_path: Path) -> None:
    again = tmp_path / "warehouse.duckdb"
    create_history(again, WORKOUTS)
    query = "select * from raw.hevy_workouts order by athlete_id, record_id"
    assert rows(again, query) == rows(history, query)


def test_no_workouts_are_empty_tables(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    create_history(path, 0)
    assert rows(path, "select * from raw.hevy_workouts") == []
    assert rows(path, "select * from raw.athlete_profiles") == []
