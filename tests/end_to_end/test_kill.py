"""A run that is killed at any moment and started again ends as if nothing had happened."""

import contextlib
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from hevy_connector.simulator import RunningSimulator
from orchestration.lib.dagster_history import dagster_instance
from orchestration.lib.settings import load_settings
from tests.end_to_end.outcome import result
from tests.end_to_end.targets import Place, on_both_targets
from tests.end_to_end.watched_run import run_until
from tests.end_to_end.world import (
    ROOT,
    SPOTTER,
    After,
    Home,
    put_count,
    simulated_world,
)

pytestmark = pytest.mark.long

Moment = Callable[[RunningSimulator], bool]


@pytest.fixture(scope="module")
def undisturbed(
    after_first_night: After, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    with after_first_night(tmp_path_factory.mktemp("undisturbed")) as (home, simulator):
        return result(home, simulator)


def asked_for(method: str, path: str) -> Moment:
    """The moment at which the service is first asked so."""

    def is_reached(simulator: RunningSimulator) -> bool:
        return any(
            entry.method == method and entry.path.startswith(path) for entry in simulator.requests
        )

    return is_reached


def kill_at(home: Home, simulator: RunningSimulator, moment: Moment, then_s: float) -> None:
    """Start a run, wait for the moment and `then_s` seconds more, and kill it without warning."""
    process = subprocess.Popen(
        [SPOTTER, "run"],
        env=home.env,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not moment(simulator):
        wait(process, 0.005)
        assert process.returncode is None, "the run ended before the moment came"
    wait(process, then_s)
    process.kill()
    process.wait()


def wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


@on_both_targets
@pytest.mark.parametrize(
    ("moment", "then_s"),
    [
        pytest.param(asked_for("GET", "/v1/workouts"), 0.0, id="while reading"),
        pytest.param(asked_for("GET", "/v1/body_measurements"), 3.5, id="while dbt builds"),
        pytest.param(asked_for("PUT", "/v1/routines/"), 0.0, id="at the PUT"),
        pytest.param(asked_for("PUT", "/v1/routines/"), 1.5, id="while the marts learn of it"),
    ],
)
def test_a_killed_run_is_continued(
    tmp_path: Path, place: Place, undisturbed: dict[str, Any], moment: Moment, then_s: float
) -> None:
    with simulated_world(tmp_path, **place(tmp_path)) as (home, simulator):
        kill_at(home, simulator, moment, then_s)
        again = home.spotter("run")
        assert again.returncode == 0, again.stderr
        assert put_count(simulator) == 1
        found = result(home, simulator)
    assert found["publications"] == undisturbed["publications"]
    assert [state for _, state, _ in found["publications"]] == ["published"]
    expected = undisturbed["marts"]
    assert {table: rows for table, rows in found["marts"].items() if rows != expected[table]} == {}
    assert found == undisturbed


def steps_of_latest_run(home: Home) -> tuple[str, ...]:
    with dagster_instance(load_settings(home.env)) as instance:
        (run,) = instance.get_run_records(limit=1)
        events = instance.get_records_for_run(
            run.dagster_run.run_id, of_type=dg.DagsterEventType.STEP_START
        )
    return tuple(each.event_log_entry.step_key or "" for each in events.records)


ASSETS = (
    "raw__athlete_profiles",
    "raw__hevy_users",
    "raw__hevy_body_measurements",
    "raw__hevy_exercise_templates",
    "raw__hevy_routine_folders",
    "raw__hevy_routines",
    "raw__hevy_workouts",
    "dbt_models",
    "coach__next_workout",
    "look_at_the_data",
    "coach__publication",
    "coach_briefing",
    "release__marts",
)


def test_a_night_that_is_killed_in_one_asset_after_the_other_ends_as_any_other(
    trained: tuple[Home, RunningSimulator], after_another_run: dict[str, Any]
) -> None:
    home, simulator = trained
    rng = random.Random(9)  # noqa: S311
    for step in ASSETS:
        with run_until(home, step) as process, contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0, 1))
    # The first makes up for the night, the second knows its plan.
    for _ in range(2):
        again = home.spotter("run")
        assert again.returncode == 0, again.stderr
    assert steps_of_latest_run(home) == ASSETS, "an asset is new: it is to be killed, too"
    assert result(home, simulator) == after_another_run
