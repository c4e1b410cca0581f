"""Marts of an earlier time equal those that were built then."""

from datetime import timedelta
from pathlib import Path

import pytest

from orchestration.services.queries.sql_session import open_release
from orchestration.services.releases.as_of import AsOfError, release_as_of
from orchestration.services.releases.release_contents import DATABASE_FILE
from orchestration.storage.warehouse import WarehouseMissingError
from tests.warehouse.payloads import Json, at, exercise, lift, routine, workout
from tests.warehouse.scratch import MODELS, ScratchWarehouse

ATHLETE = "ann"
FIVES = [lift(100, 5)] * 3
BEFORE, THEN, LATER = at("2026-03-10 06:00"), at("2026-03-12 00:00"), at("2026-03-20 06:00")


def _trained(day: int, kg: float, reps: int = 5) -> Json:
    return workout(
        f"w{day}", f"2026-03-{day:02} 17:00", [exercise("bench", [lift(kg, reps)] * 3)], "push"
    )


def _land_before(warehouse: ScratchWarehouse) -> None:
    planned = routine("push", "2026-03-01 09:00", [exercise("bench", FIVES)])
    warehouse.land("hevy_routines", ATHLETE, [planned], now=at("2026-03-02 06:00"))
    workouts = [_trained(3, 100), _trained(5, 100), _trained(7, 102.5)]
    warehouse.land("hevy_workouts", ATHLETE, workouts, now=BEFORE)
    warehouse.correct(ATHLETE, "w3", "exclude", now=BEFORE)
    warehouse.record_reading(ATHLETE, now=BEFORE)


def _land_later(warehouse: ScratchWarehouse) -> None:
    """Another workout, an edit, a deletion, another routine and a correction."""
    planned = routine("push", "2026-03-15 09:00", [exercise("bench", [lift(110, 3)] * 2)])
    warehouse.land("hevy_routines", ATHLETE, [planned], now=LATER)
    workouts = [_trained(5, 120), _trained(7, 102.5), _trained(16, 105)]
    warehouse.land("hevy_workouts", ATHLETE, workouts, now=LATER, is_complete=True)
    warehouse.correct(ATHLETE, "w7", "exclude", now=LATER)
    warehouse.record_reading(ATHLETE, now=LATER)


def _marts(file: Path) -> dict[str, list[tuple[object, ...]]]:
    with open_release(file) as con:
        names = [name for (name,) in con.execute("select mart from manifest_marts").fetchall()]
        return {
            name: con.execute(f'select * from "{name}" order by all').fetchall() for name in names
        }


def test_marts_of_a_time_equal_those_that_were_built_then(tmp_path: Path) -> None:
    then = ScratchWarehouse(tmp_path)
    _land_before(then)
    now = then.copy(tmp_path / "now")
    _land_later(now)
    now.close()
    then.build(*MODELS)
    expected = _marts(then.release(THEN))

    home = tmp_path / "now"
    warehouse, moment = home / "warehouse.duckdb", THEN - timedelta(microseconds=1)
    names = {each.name for each in home.iterdir()}
    before = warehouse.read_bytes()
    steps: list[str] = []
    released = release_as_of(warehouse, home, moment, steps.append)
    found = _marts(home / "as-of" / "2026-03-11" / DATABASE_FILE)
    assert found.keys() == expected.keys()
    assert {name for name in found if found[name] != expected[name]} == set()
    assert released.manifest.row_counts["fct_set"] == 9
    assert steps
    assert warehouse.read_bytes() == before, "the warehouse is only read"
    assert {each.name for each in home.iterdir()} == {*names, "as-of"}, "the copy is deleted"


def test_a_time_before_the_first_data_is_refused(tmp_path: Path) -> None:
    warehouse = ScratchWarehouse(tmp_path)
    _land_before(warehouse)
    warehouse.close()
    with pytest.raises(AsOfError, match="The first data is of 2026-03-10"):
        release_as_of(tmp_path / "warehouse.duckdb", tmp_path, at("2026-03-09 00:00"), print)
    assert not (tmp_path / "as-of").exists()


def test_without_a_warehouse_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(WarehouseMissingError):
        release_as_of(tmp_path / "warehouse.duckdb", tmp_path, THEN, print)
