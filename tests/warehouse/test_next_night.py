"""What is changed in Hevy is told by the marts of the next night, through the simulator."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from hevy_connector.client import HevyClient
from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from hevy_connector.sync import (
    fetch_exercise_templates,
    fetch_routines,
    fetch_workouts,
    land_fetched,
)
from hevy_connector.sync_state import read_cursor
from orchestration.lib.dbt import build
from orchestration.lib.warehouse import open_warehouse

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)
CUSTOM = "5f0c8a1e-3b7d-4c52-9e86-d41a7b20c9f3"


class Nights:
    """A simulated account, and a warehouse that follows it night by night."""

    def __init__(self, folder: Path, hevy: HevyClient, url: str) -> None:
        self._folder, self._hevy, self.url = folder, hevy, url
        self._warehouse = folder / "warehouse.duckdb"
        self._now = NOW

    def night(self) -> None:
        """Read what is new and build the marts."""
        self._now += timedelta(days=1)
        with open_warehouse(self._warehouse) as con:
            cursor = read_cursor(con, "hevy_workouts", "demo")
            for fetched in (
                fetch_workouts(self._hevy, cursor),
                fetch_routines(self._hevy),
                fetch_exercise_templates(self._hevy),
            ):
                land_fetched(con, "demo", fetched, now=self._now, run_id="night")
        failed = [one for one in build(self._warehouse, self._folder / "dbt") if not one.is_ok]
        assert failed == []

    def pass_time(self, length: timedelta) -> None:
        """Let nights go by in which nothing is read."""
        self._now += length

    def in_the_app(self, method: str, path: str, **options: Any) -> None:
        """What the athlete does in the app."""
        assert httpx.request(method, f"{self.url}/simulator/{path}", **options).is_success

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with duckdb.connect(self._warehouse, read_only=True) as con:
            return con.execute(query, values).fetchall()

    @property
    def workouts(self) -> list[tuple[str, datetime]]:
        """Ids and starts, oldest first."""
        return self.rows("select workout_id, started_at from marts.fct_workout order by 2")


@contextmanager
def nights_in(folder: Path) -> Iterator[Nights]:
    account = demo_account(seed=1, now=NOW)
    with (
        running_simulator(account, api_key=SIMULATOR_KEY) as simulator,
        HevyClient(SIMULATOR_KEY, base_url=simulator.url) as hevy,
    ):
        yield Nights(folder, hevy, simulator.url)


@pytest.fixture(scope="module")
def first_night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first_night")
    with nights_in(folder) as nights:
        nights.night()
    return folder


@pytest.fixture
def nights(first_night: Path, tmp_path: Path) -> Iterator[Nights]:
    shutil.copytree(first_night, tmp_path, dirs_exist_ok=True)
    with nights_in(tmp_path) as nights:
        nights.pass_time(timedelta(days=1))
        yield nights


def test_an_edit_a_deletion_and_a_new_name_are_told_the_next_night(nights: Nights) -> None:
    before = nights.workouts
    (old, started_at), (latest, _) = before[0], before[-1]
    assert before[-1][1] - started_at > timedelta(days=90)
    others = "select * from marts.fct_set where workout_id not in ($1, $2) order by set_key"
    untouched = nights.rows(others, old, latest)
    key = "select exercise_key, e1rm_kg from marts.fct_exercise_session where workout_id = $1"
    payload = httpx.get(
        f"{nights.url}/v1/workouts/{old}", headers={"api-key": SIMULATOR_KEY}
    ).json()
    heavier = payload["exercises"][0]["sets"][-1] | {"weight_kg": 61.5, "reps": 3, "type": "normal"}
    payload["exercises"] = [payload["exercises"][0] | {"sets": [heavier]}]

    nights.in_the_app("PUT", f"workouts/{old}", json=payload)
    nights.in_the_app("DELETE", f"workouts/{latest}")
    nights.in_the_app("PUT", f"exercise_templates/{CUSTOM}", json={"title": "Nordic Curl"})
    nights.night()

    assert nights.workouts == before[:-1]
    assert nights.rows(key, old) == [
        (payload["exercises"][0]["exercise_template_id"], pytest.approx(61.5 * 33 / 30))
    ]
    marts = ("fct_set", "fct_plan_compliance", "fct_exercise_session")
    for mart in marts:
        assert not nights.rows(f"select 1 from marts.{mart} where workout_id = $1", latest)
    assert nights.rows(others, old, latest) == untouched
    assert nights.rows("select title from marts.dim_exercise where exercise_key = $1", CUSTOM) == [
        ("Nordic Curl",)
    ]
    versions = "select title, is_deleted from snapshots.snp_hevy__exercise_templates "
    versions += "where exercise_template_id = $1 order by valid_from"
    assert [title for title, _ in nights.rows(versions, CUSTOM)][1:] == ["Nordic Curl"]


def test_fatigue_falls_in_a_break(nights: Nights) -> None:
    """The account is read, and there is nothing new in the week after the last workout."""
    nights.pass_time(timedelta(days=10))
    nights.night()
    days = nights.rows(
        "select date_day, workout_count, atl from marts.fct_training_load_day "
        "order by date_day desc limit 2"
    )
    sunday = date(2026, 3, 15)
    assert [day for day, _, _ in days] == [sunday, sunday - timedelta(days=1)]
    assert [count for _, count, _ in days] == [0, 0]
    assert 0 < days[0][2] < days[1][2]
