"""Reading accounts without landing anything: news is what a run would land."""

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from health_connector.simulator import SIMULATED_KEY, SimulatedIntervals, running_service
from hevy_connector.raw.sync import (
    fetch_body_measurements,
    fetch_exercise_templates,
    fetch_routine_folders,
    fetch_user,
)
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    running_simulator,
)
from orchestration.config.athletes import configured_athletes, hevy_client
from orchestration.config.settings import Settings, load_settings
from orchestration.services.account_news import have_news
from orchestration.services.ingest import ROUTINES, WORKOUTS, full_load, ingest_all
from orchestration.services.ingest_health import ingest_health
from orchestration.storage.warehouse import open_warehouse
from tests.profiles import count, randomized

NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)
LOADS = (
    full_load("hevy_users", fetch_user),
    full_load("hevy_body_measurements", fetch_body_measurements),
    full_load("hevy_exercise_templates", fetch_exercise_templates),
    full_load("hevy_routine_folders", fetch_routine_folders),
    ROUTINES,
    WORKOUTS,
)


@pytest.fixture
def simulator() -> Iterator[RunningSimulator]:
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as running:
        yield running


@pytest.fixture
def days() -> Iterator[SimulatedIntervals]:
    with running_service(
        SimulatedIntervals(wellness={date(2026, 3, 9): {"restingHR": 51}})
    ) as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, simulator: RunningSimulator, days: SimulatedIntervals) -> Settings:
    (tmp_path / "athletes").mkdir()
    profile = 'id = "kim"\nhevy.account = "simulator"\n'
    (tmp_path / "athletes" / "kim.toml").write_text(profile, encoding="utf-8")
    values = {
        "SPOTTER_HOME": "home",
        "SPOTTER_ATHLETES_DIR": "athletes",
        "HEVY_API_URL": simulator.url,
        "HEVY_PER_SECOND": "0",
        "INTERVALS_API_URL": days.url,
        "INTERVALS_KEY_KIM": SIMULATED_KEY,
    }
    return load_settings(values, tmp_path)


def land(settings: Settings) -> int:
    """Land the accounts as a run does; returns the number of new rows."""

    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return open_warehouse(settings.warehouse)

    athletes = configured_athletes(settings)
    client = partial(hevy_client, settings)
    loads = [ingest_all(load, athletes, client, connect, "run") for load in LOADS]
    assert not any(load.failures for load in loads)
    days = ingest_health(settings, athletes, connect, "run", NOW).landed["kim", "intervals"]
    landed = [load.landed["kim"] for load in loads]
    rows = sum(each.added + each.deleted + each.quarantined for each in landed)
    return rows + days.added + days.removed + days.quarantined


def rows(settings: Settings) -> list[Any]:
    with open_warehouse(settings.warehouse, read_only=True) as con:
        tables = con.execute("""
            select table_name from duckdb_tables() where schema_name = 'raw' order by all
        """).fetchall()
        return [con.execute(f"from raw.{name} order by all").fetchall() for (name,) in tables]


def news(settings: Settings) -> bool:
    return have_news(settings, configured_athletes(settings), NOW)


def change(simulator: RunningSimulator, days: SimulatedIntervals, kind: str, n: int) -> None:
    account = simulator.account
    workouts, routines = account.workouts(), account.routines()
    if kind == "workout":
        account.log_workout(workouts[n % len(workouts)])
    elif kind == "edited workout":
        workout = workouts[n % len(workouts)]
        account.edit_workout(workout["id"], {**workout, "title": f"Title {n}"})
    elif kind == "deleted workout":
        account.delete_workout(workouts[n % len(workouts)]["id"])
    elif kind == "routine":
        account.make_routine(routines[0])
    elif kind == "edited routine":
        account.edit_routine(routines[0]["id"], {**routines[0], "title": f"Title {n}"})
    elif kind == "deleted routine":
        account.delete_routine(routines[n % len(routines)]["id"])
    elif kind == "deleted measurement":
        account.delete_measurement(account.measurements()[0]["date"])
    elif kind == "day":
        days.wellness[date(2026, 3, 10)] = {"hrv": 40 + n}
    else:
        assert kind == "nothing"


KINDS = (
    "workout",
    "edited workout",
    "deleted workout",
    "routine",
    "edited routine",
    "deleted routine",
    "deleted measurement",
    "day",
    "nothing",
)


@randomized
def test_news_is_what_a_run_would_land(
    settings: Settings, simulator: RunningSimulator, days: SimulatedIntervals
) -> None:
    """After random changes of all accounts; the comparison itself lands nothing."""
    generator = random.Random(35)  # noqa: S311 - the same changes each time
    land(settings)
    kinds = generator.choices(KINDS, k=count(quick=3, thorough=40))
    for n, kind in enumerate([*kinds, "nothing"]):
        change(simulator, days, kind, n)
        before = rows(settings)
        found = news(settings)
        assert rows(settings) == before
        assert found == (land(settings) > 0) == (kind != "nothing"), kind


def test_an_account_that_cannot_be_read_is_left_to_the_run(
    settings: Settings, days: SimulatedIntervals
) -> None:
    land(settings)
    assert not news(settings)
    closed = {**settings.keys, "HEVY_API_URL": "http://127.0.0.1:9"}
    assert news(load_settings(closed, settings.home.parent))
    days.api_key = "another"
    assert news(settings)
