"""A run that is killed at any moment and restarted ends like an undisturbed one."""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from hevy_connector.simulator import RunningSimulator
from orchestration.config.settings import load_settings
from orchestration.runs.dagster_history import dagster_instance
from tests.end_to_end.command import started_command
from tests.end_to_end.outcome import result
from tests.end_to_end.targets import Place, on_both_targets
from tests.end_to_end.watched_run import watched
from tests.end_to_end.world import (
    ROOT,
    After,
    Home,
    put_count,
    simulated_world,
)

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def undisturbed(
    after_first_night: After, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    with after_first_night(tmp_path_factory.mktemp("undisturbed")) as (home, simulator):
        return result(home, simulator)


@dataclass(frozen=True)
class Moment:
    """A moment `then_s` seconds after the first such request of a run."""

    method: str
    path: str
    then_s: float = 0.0


def kill_at(home: Home, simulator: RunningSimulator, moment: Moment) -> None:
    """Start a run, and kill it without warning at the moment."""
    earlier = len(simulator.requests)

    def has_come() -> bool:
        return any(
            entry.method == moment.method and entry.path.startswith(moment.path)
            for entry in simulator.requests[earlier:]
        )

    with started_command(["run"], env=home.env, cwd=ROOT) as process:
        while not has_come():
            process.join(0.005)
            assert process.exitcode is None, "the run ended before the moment came"
        process.join(moment.then_s)


MOMENTS = {
    "while reading": Moment("GET", "/v1/workouts"),
    "while dbt builds": Moment("GET", "/v1/body_measurements", 3.5),
    "at the PUT": Moment("PUT", "/v1/routines/"),
    # The run after a lost response looks whether its routine has arrived, and publishes nothing.
    "while the marts learn of it": Moment("GET", "/v1/routines/", 1.5),
}


@on_both_targets
def test_killed_runs_are_continued(
    tmp_path: Path, place: Place, undisturbed: dict[str, Any]
) -> None:
    with simulated_world(tmp_path, **place(tmp_path)) as (home, simulator):
        for moment in MOMENTS.values():
            kill_at(home, simulator, moment)
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
    "raw__health_days",
    "raw__hevy_users",
    "raw__hevy_body_measurements",
    "raw__hevy_exercise_templates",
    "raw__hevy_routine_folders",
    "raw__hevy_routines",
    "raw__hevy_workouts",
    "dbt_models",
    "coach__memories",
    "coach__next_workout",
    "look_at_the_data",
    "coach__publication",
    "coach__briefing",
    "release__marts",
)


def test_a_night_that_is_killed_in_one_asset_after_the_other_ends_as_any_other(
    trained: tuple[Home, RunningSimulator], after_another_run: dict[str, Any]
) -> None:
    home, simulator = trained
    rng = random.Random(9)  # noqa: S311
    for step in ASSETS:
        with (
            watched(home, step) as wait_for_step,
            started_command(["run"], env=home.env, cwd=ROOT) as process,
        ):
            wait_for_step()
            process.join(rng.uniform(0, 1))
    # The last one had decided already, so the next run reuses its plan.
    again = home.spotter("run")
    assert again.returncode == 0, again.stderr
    assert steps_of_latest_run(home) == ASSETS, "an asset is new: it is to be killed, too"
    assert result(home, simulator) == after_another_run
