"""A workout in the wrong unit is doubted; normal training is not."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from coach_agent.store.unit_mixup import unit_mixups
from hevy_connector.csv_imports.dialects import Unit
from hevy_connector.raw.tables import create_raw_tables
from orchestration.config.settings import load_settings
from orchestration.services.ingestion.import_csv import ImportOptions, import_csv
from orchestration.storage.warehouse import open_warehouse

LOGS = Path(__file__).parents[3] / ".." / "shared" / "data"
NOW = datetime(2026, 3, 4, tzinfo=UTC)
LIFTS = {"squat": 100.0, "bench": 80.0, "row": 70.0, "press": 50.0}


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        create_raw_tables(con)
        con.execute("create schema marts")
        con.execute("""
            create table marts.fct_set (
                athlete_id varchar, workout_id varchar, exercise_key varchar, started_at timestamp,
                weight_kg double, is_working boolean
            )
        """)
        yield con


def train(con: duckdb.DuckDBPyConnection, factors: Sequence[dict[str, float]]) -> None:
    """Land one workout a day of all lifts, each at its load times the day's factor."""
    for day, factor in enumerate(factors):
        started = datetime(2026, 2, 1, 17, tzinfo=UTC).replace(tzinfo=None) + timedelta(day)
        con.execute(
            "insert into raw.hevy_workouts "
            "values ('ann', $1, '{}', 'h', null, $2, 'r', 'api', false)",
            [f"w{day}", NOW.replace(tzinfo=None) - timedelta(hours=5)],
        )
        for lift, load in LIFTS.items():
            con.execute(
                "insert into marts.fct_set values ('ann', $1, $2, $3, $4, true)",
                [f"w{day}", lift, started, load * factor.get(lift, factor.get("all", 1.0))],
            )


STEADY: list[dict[str, float]] = [{}, {}, {}, {}]


@pytest.mark.parametrize(
    ("last", "how"),
    [
        pytest.param({"all": 2.2046}, "heavier", id="pounds taken for kilograms"),
        pytest.param({"all": 0.4536}, "lighter", id="kilograms taken for pounds"),
        pytest.param({"all": 2.15, "press": 1.0}, "heavier", id="but for one of four lifts"),
        pytest.param({"all": 2.2046, "press": 1.0, "row": 1.0}, None, id="half of the lifts"),
        pytest.param({"all": 0.5}, None, id="a deload at half of the load"),
        pytest.param({"all": 1.3}, None, id="a great day"),
        pytest.param({"all": 2.0}, None, id="twice the load"),
        pytest.param({}, None, id="the same"),
    ],
)
def test_the_last_workout_is_doubted_if_its_loads_are_the_other_unit(
    con: duckdb.DuckDBPyConnection, last: dict[str, float], how: str | None
) -> None:
    train(con, [*STEADY, last])
    told = unit_mixups(con, NOW)
    if how is None:
        assert told == []
        return
    [text] = told
    assert text.startswith("ann: in the workout of 2026-02-05 ")
    assert f"2.2 times {how} than usual" in text


def test_a_lift_with_little_history_tells_nothing(con: duckdb.DuckDBPyConnection) -> None:
    train(con, [{}, {}, {"all": 2.2046}])
    assert unit_mixups(con, NOW) == []


def test_after_a_week_it_is_history(con: duckdb.DuckDBPyConnection) -> None:
    train(con, [*STEADY, {"all": 2.2046}])
    assert unit_mixups(con, NOW + timedelta(days=7)) == []


def doubted_of_import(folder: Path, log: Path, units: Sequence[Unit | None]) -> list[str]:
    """Return the messages after an import, with the sets of the file."""
    settings = load_settings({"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "who"}, folder)
    for unit in units:
        import_csv(settings, log, "me", ImportOptions(weight_unit=unit), lambda step: None)
    with open_warehouse(settings.warehouse_path) as con:
        con.execute("create schema if not exists marts")
        rows = con.execute(
            "select record_id, any_value(payload) from raw.hevy_workouts group by record_id"
        ).fetchall()
        con.execute("""
            create table marts.fct_set (
                athlete_id varchar, workout_id varchar, exercise_key varchar, started_at timestamp,
                weight_kg double, is_working boolean
            )
        """)
        sets = [
            [record, exercise["title"], workout["start_time"][:19], each["weight_kg"]]
            for record, workout in ((record, json.loads(payload)) for record, payload in rows)
            for exercise in workout["exercises"]
            for each in exercise["sets"]
            if each["type"] != "warmup"
        ]
        con.execute(
            """
            insert into marts.fct_set
            select 'me', unnest($1::varchar[]), unnest($2::varchar[]),
                unnest($3::timestamp[]), unnest($4::double[]), true
            """,
            [list(column) for column in zip(*sets, strict=True)],
        )
        return unit_mixups(con, datetime.now(UTC))


@pytest.mark.skipif(not LOGS.exists(), reason="the real training logs are not here")
@pytest.mark.parametrize(
    ("log", "unit"),
    [
        ("hevy-ferreira-mit/hevy_workouts_raw.csv", None),
        ("hevy-mouadja02/workout_data.csv", None),
        ("strong-breinsp/strong.csv", "kg"),
        ("strong-dericmei-zh/strong.csv", "lb"),
        ("strong-ysmath/strong_workouts.csv", "kg"),
    ],
    ids=lambda value: Path(value).parent.name if isinstance(value, str) else None,
)
def test_nothing_in_the_real_logs_is_doubted(tmp_path: Path, log: str, unit: Unit | None) -> None:
    assert doubted_of_import(tmp_path, LOGS / log, [unit]) == []
