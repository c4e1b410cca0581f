"""A home of an earlier version continues as if created by this version."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hevy_connector.simulator import SIMULATOR_KEY, running_simulator
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import Home
from tests.former_versions import (
    FORMER_VERSIONS,
    PROFILE,
    former_account,
    make_former_warehouse,
)

# Marts of the training, without the prescriptions that only the old home has.
TRAINING = (
    "fct_workout",
    "fct_set",
    "fct_personal_record",
    "fct_muscle_week",
    "fct_training_load_day",
    "fct_exercise_trend",
)
# Of the routine on the day of a workout, which only the old home saw.
TARGETS = """
    target_key, planned_weight_kg, planned_reps_low, planned_reps_high, planned_duration_s,
    planned_distance_m, planned_custom_metric, execution_status
"""


@contextmanager
def home_beside(commit: str, folder: Path) -> Iterator[Home]:
    """Build a home without a warehouse, with the account that a commit left."""
    account = former_account(commit)
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        home = Home(folder, simulator.url)
        home.athletes.mkdir(parents=True)
        (home.athletes / "kim.toml").write_text(PROFILE)
        yield home


@names_its_target
@pytest.mark.long
@pytest.mark.parametrize("commit", [FORMER_VERSIONS[0], FORMER_VERSIONS[-1]])
def test_a_run_goes_on_from_what_an_earlier_version_left(commit: str, tmp_path: Path) -> None:
    with home_beside(commit, tmp_path / "old") as home:
        make_former_warehouse(commit, home.warehouse)
        [(decision,)] = home.query("select decision_id from coach.decisions")
        early = home.spotter("explain", decision)
        assert early.returncode == 0 or "Rebuild them: spotter run" in early.stderr
        report = home.spotter_json("run")
        assert report["plans"]["kim"]["plan"]["slots"]
        assert (decision,) in home.query("select decision_id from coach.decisions")
        shown = home.spotter("explain", decision)
        assert shown.returncode == 0, shown.stderr
        numbers = home.query("select routine_id, publication_number from coach.publications")
        assert len(set(numbers)) == len(numbers)
        old = {mart: rows(home, mart) for mart in TRAINING}
    with home_beside(commit, tmp_path / "new") as home:
        home.spotter_json("run")
        for mart, told in old.items():
            assert told, mart
            assert rows(home, mart) == told, mart


def rows(home: Home, mart: str) -> list[str]:
    columns = f"* exclude ({TARGETS})" if mart == "fct_set" else "*"
    return sorted(map(str, home.query(f"select {columns} from {mart}", home.release)))
