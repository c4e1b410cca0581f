"""A build that touches what changed gives exactly the rows of one that builds everything."""

from pathlib import Path

import pytest

from tests.warehouse.random_changes import RandomChanges
from tests.warehouse.scratch import ScratchWarehouse

_NIGHTS = 4
_CHANGES_A_NIGHT = 30
_MODELS = ("--exclude-resource-type", "test", "unit_test")


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_nights_add_up_to_a_full_rebuild(tmp_path: Path, seed: int) -> None:
    warehouse = ScratchWarehouse(tmp_path)
    changes = RandomChanges(warehouse, seed=seed)
    for night in range(_NIGHTS):
        for _ in range(_CHANGES_A_NIGHT):
            changes.step()
        if night > 0:
            changes.insist()
        warehouse.build(*_MODELS)
    rebuilt = warehouse.copy(tmp_path / "rebuilt")
    rebuilt.build("--full-refresh")
    differences = {
        table: (one, other)
        for table in warehouse.tables("marts")
        if (one := warehouse.content(table)) != (other := rebuilt.content(table))
    }
    assert differences == {}
    assert all(warehouse.content(table) for table in warehouse.tables("marts"))


def test_a_night_tells_anew_no_more_than_what_changed(tmp_path: Path) -> None:
    warehouse = ScratchWarehouse(tmp_path)
    changes = RandomChanges(warehouse, seed=3)
    for _ in range(60):
        changes.step()
    warehouse.build(*_MODELS)
    (corrected,) = warehouse.rows(
        "select athlete_id, workout_id from marts.fct_set order by all limit 1"
    )
    built = "select athlete_id, workout_id from state.fct_set where built_at > $time"
    (first,) = warehouse.rows("select max(built_at) as time from state.fct_set")
    warehouse.correct(**corrected, action="exclude_workout", now=changes.now)
    warehouse.build(*_MODELS)
    # A workout less may change which others are doubted, of the same athlete only.
    told_anew = warehouse.rows(built, time=first["time"])
    assert {row["athlete_id"] for row in told_anew} <= {corrected["athlete_id"]}
    assert len(told_anew) < 10
    assert not warehouse.rows(
        "select 1 from marts.fct_set where athlete_id = $athlete_id and workout_id = $workout_id",
        **corrected,
    )


def test_another_constant_rebuilds_what_was_built_with_the_old_one(tmp_path: Path) -> None:
    warehouse = ScratchWarehouse(tmp_path)
    changes = RandomChanges(warehouse, seed=4)
    for _ in range(40):
        changes.step()
    only = ("--select", "+fct_set", *_MODELS)
    warehouse.build(*only)
    estimated = "select count(e1rm_kg) as sets, max(effective_reps) filter (e1rm_kg > 0) as most "
    estimated += "from marts.fct_set"
    (before,) = warehouse.rows(estimated)
    warehouse.build(*only, "--vars", "{e1rm.hard_max_reps_eff: 5}")
    (after,) = warehouse.rows(estimated)
    assert (before["most"], after["most"]) == (12, 5)
    assert 0 < after["sets"] < before["sets"]
