"""Reading accounts without landing anything: news is what a run would land."""

import random
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from coach_agent.journal.publication_inputs import last_reads
from coach_agent.publishing.publication_safety import staleness
from health_connector.simulator import SIMULATED_KEY, SimulatedIntervals, running_service
from hevy_connector.fetching.fetch import (
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
from orchestration.services.ingestion.account_news import have_news
from orchestration.services.ingestion.ingest import ROUTINES, WORKOUTS, full_load, ingest_all
from orchestration.services.ingestion.ingest_health import ingest_health
from orchestration.storage.table_digests import table_digests
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
    with running_simulator(demo_account(seed=1, weeks=2), api_key=SIMULATOR_KEY) as running:
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


def land(settings: Settings) -> None:
    """Land the accounts as a run does."""
    athletes = configured_athletes(settings)
    client = partial(hevy_client, settings)
    with open_warehouse(settings.warehouse) as con:
        loads = [
            ingest_all(load, athletes, client, lambda: nullcontext(con), "run") for load in LOADS
        ]
        health = ingest_health(settings, athletes, lambda: nullcontext(con), "run", NOW)
    assert not any(load.failures for load in loads)
    assert not health.failures


def rows(settings: Settings) -> list[Any]:
    """Return all rows of the raw tables but the times of reads, which each run changes."""
    with open_warehouse(settings.warehouse, read_only=True) as con:
        tables = con.execute("""
            select table_name from duckdb_tables()
            where schema_name = 'raw' and table_name not in ('sync_state', 'sync_log')
            order by all
        """).fetchall()
        return [con.execute(f"from raw.{name} order by all").fetchall() for (name,) in tables]


def news(settings: Settings) -> bool:
    return have_news(settings, configured_athletes(settings), NOW)


def change(simulator: RunningSimulator, days: SimulatedIntervals, kind: str, n: int) -> bool:
    """Change an account; return False if it had nothing to change."""
    account = simulator.account
    workouts = account.workouts()
    routines = [each for each in account.routines() if each["title"] is not None]
    unreadable = [each for each in account.routines() if each["title"] is None]
    if kind == "workout":
        account.log_workout({**workouts[n % len(workouts)], "routine_id": None})
    elif kind == "edited workout":
        workout = workouts[n % len(workouts)]
        edited = {**workout, "title": f"Title {n}", "routine_id": None}
        account.edit_workout(workout["id"], edited)
    elif kind == "deleted workout":
        if len(workouts) == 1:
            return False
        account.delete_workout(workouts[n % len(workouts)]["id"])
    elif kind == "routine":
        account.make_routine(routines[0])
    elif kind == "edited routine":
        account.edit_routine(routines[0]["id"], {**routines[0], "title": f"Title {n}"})
    elif kind == "deleted routine":
        if len(routines) == 1:
            return False
        account.delete_routine(routines[n % len(routines)]["id"])
    elif kind == "deleted measurement":
        measurements = account.measurements()
        if measurements:
            account.delete_measurement(measurements[0]["date"])
        return bool(measurements)
    elif kind == "day":
        days.wellness[date(2026, 3, 10)] = {"hrv": 40 + n}
    elif kind == "unreadable routine":
        account.make_routine(routines[0])["title"] = None
    elif kind == "unreadable routine deleted":
        if unreadable:
            account.delete_routine(unreadable[0]["id"])
        return bool(unreadable)
    elif kind == "impossible value":
        days.wellness[date(2026, 3, 8)] = {"restingHR": 510 + n, "hrv": 60}
    elif kind == "impossible value removed":
        return days.wellness.get(date(2026, 3, 8), {}).pop("restingHR", None) is not None
    else:
        assert kind == "nothing"
        return False
    return True


# The second and the fourth one change only the quarantine: such a run was skipped.
ONLY_QUARANTINED = (
    "unreadable routine",
    "unreadable routine deleted",
    "impossible value",
    "impossible value removed",
)
KINDS = (
    *ONLY_QUARANTINED,
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


@pytest.mark.long
@randomized
def test_news_is_what_a_run_would_land(
    settings: Settings, simulator: RunningSimulator, days: SimulatedIntervals
) -> None:
    """After changes of all accounts, at first to the quarantine; the comparison lands nothing."""
    generator = random.Random(35)  # noqa: S311 - the same changes each time
    land(settings)
    before = rows(settings)
    kinds = generator.choices(KINDS, k=count(quick=1, thorough=40))
    for n, kind in enumerate([*ONLY_QUARANTINED, *kinds, "nothing"]):
        is_changed = change(simulator, days, kind, n)
        found = news(settings)
        assert rows(settings) == before
        land(settings)
        landed = rows(settings)
        assert found == (landed != before) == is_changed, kind
        before = landed


def test_a_read_without_news_counts_and_one_of_stale_data_is_left_to_the_run(
    settings: Settings,
) -> None:
    """A run was skipped, and the approval that followed found the data too old."""
    path = settings.athletes_dir / "kim.toml"
    path.write_text(f"{path.read_text()}publish.max_sync_age_hours = 6\n", encoding="utf-8")
    [kim] = configured_athletes(settings)
    land(settings)
    set_last_read(settings, NOW - timedelta(hours=5))
    with open_warehouse(settings.warehouse, read_only=True) as con:
        digests = list(table_digests(con))
    assert not news(settings)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        read_at = last_reads(con, ["kim"])["kim"]
        assert staleness(kim, read_at, NOW + timedelta(hours=5)) is None
        assert list(table_digests(con)) == digests
    for known in (NOW + timedelta(minutes=1), NOW - timedelta(hours=7)):
        set_last_read(settings, known)
        assert news(settings) == (known < NOW)
        with open_warehouse(settings.warehouse, read_only=True) as con:
            assert last_reads(con, ["kim"]) == {"kim": known}


def set_last_read(settings: Settings, at: datetime) -> None:
    with open_warehouse(settings.warehouse) as con:
        con.execute("update raw.sync_state set last_complete_at = $1", [at.replace(tzinfo=None)])


def test_an_account_that_cannot_be_read_is_left_to_the_run(
    settings: Settings, days: SimulatedIntervals
) -> None:
    land(settings)
    assert not news(settings)
    closed = {**settings.keys, "HEVY_API_URL": "http://127.0.0.1:9"}
    assert news(load_settings(closed, settings.home.parent))
    days.api_key = "another"
    assert news(settings)
