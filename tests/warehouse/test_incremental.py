"""An incremental build gives exactly the rows of a full build."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.warehouse.conftest import Nights
from tests.warehouse.nights import LAST
from tests.warehouse.payloads import Json
from tests.warehouse.random_changes import ATHLETES, RandomChanges
from tests.warehouse.scratch import MODELS, ScratchWarehouse
from tests.warehouse.stories import (
    CHANGES_A_NIGHT,
    LATE,
    TIDY,
    UNUSED,
    USED,
    change_a_night,
)

_NIGHTS = 4
_ATHLETES = (*ATHLETES, "dan", "eve", "fay")


def test_nights_add_up_to_a_full_rebuild(nights: Nights) -> None:
    warehouse = nights.after(LAST)
    _assert_same_marts(warehouse, nights.rebuilt)
    empty = {table for table in warehouse.tables("marts") if not warehouse.content(table)}
    # Rebuilt each night from rows that no story lands.
    assert empty <= {"marts.fct_quarantined_record"}


@pytest.mark.long
def test_random_nights_add_up_to_a_full_rebuild(tmp_path: Path) -> None:
    """Each build is of what changed, and two of each three are after a single change.

    The models are per athlete, so athletes share the builds. The data tests run on the rebuilt
    tables, too.
    """
    warehouse = ScratchWarehouse(tmp_path)
    changes = RandomChanges(warehouse, seed=1, athletes=_ATHLETES)
    for night in range(_NIGHTS):
        change_a_night(changes, night, count=2 * CHANGES_A_NIGHT)
        assert all(outcome.is_ok for outcome in warehouse.build_changed())
        for _ in range(2):
            changes.step()
            assert all(outcome.is_ok for outcome in warehouse.build_changed())
    rebuilt = warehouse.copy(tmp_path / "rebuilt")
    rebuilt.build("--full-refresh")
    _assert_same_marts(warehouse, rebuilt)


def _assert_same_marts(warehouse: ScratchWarehouse, rebuilt: ScratchWarehouse) -> None:
    differences = {
        table: (one, other)
        for table in warehouse.tables("marts")
        if (one := warehouse.content(table)) != (other := rebuilt.content(table))
    }
    assert differences == {}


def test_what_another_writer_commits_late_is_built(nights: Nights) -> None:
    """Although other writers had landed and been built by then."""
    before, after = nights.after(1), nights.after(2)
    for mart, key, late, entity in (
        ("fct_set", "workout_id", "w1", "hevy_workouts"),
        ("dim_routine_version", "routine_id", "plan 1", "hevy_routines"),
        ("dim_exercise", "exercise_key", "lift 1", "hevy_exercise_templates"),
    ):
        query = f"select 1 from marts.{mart} where athlete_id = $athlete and {key} = $late"
        assert not before.rows(query, athlete=LATE, late=late)
        assert after.rows(query, athlete=LATE, late=late)
        (landed,) = after.rows(
            f"select loaded_at from raw.{entity} where athlete_id = $athlete and record_id = $late",
            athlete=LATE,
            late=late,
        )
        (known,) = before.rows(f"select max(loaded_at) as time from raw.{entity}")
        assert landed["loaded_at"] < known["time"]


@pytest.mark.parametrize("night", [2, 3])
def test_a_night_builds_facts_of_those_alone_of_whom_something_changed(
    nights: Nights, night: int
) -> None:
    before, after = nights.after(night - 1), nights.after(night)
    changed = {
        athlete
        for one, other in zip(_digests(before), _digests(after), strict=True)
        for athlete in one.keys() | other.keys()
        if one.get(athlete) != other.get(athlete)
    }
    built = {
        table: {unit["athlete_id"] for unit in _rebuilt_units(before, after, table)}
        for table in after.tables("state")
        if table not in {"state.rules", "state.built_from"}
    }
    assert {table: athletes - changed for table, athletes in built.items()} == {
        table: set() for table in built
    }
    assert all(built.values())


def _digests(warehouse: ScratchWarehouse) -> Iterator[dict[str, int]]:
    """Yield a digest of each athlete's rows, table by table, for the tables that models read."""
    tables = warehouse.rows(
        """
        select schema_name || '.' || table_name as name from duckdb_columns()
        where schema_name in ('raw', 'coach') and column_name = 'athlete_id' order by 1
        """
    )
    for table in tables:
        rows = warehouse.rows(
            f"select athlete_id, bit_xor(hash(t)) as digest from {table['name']} as t group by all"
        )
        yield {row["athlete_id"]: row["digest"] for row in rows}


def _rebuilt_units(before: ScratchWarehouse, after: ScratchWarehouse, table: str) -> list[Json]:
    """Return the units that a night's build built or rebuilt."""
    query = f"select * exclude (is_tested) from {table}"
    known = before.rows(query)
    return [unit for unit in after.rows(query) if unit not in known]


def test_a_workout_that_is_left_out_leaves_the_others_as_they_are(nights: Nights) -> None:
    before, after = nights.after(2), nights.after(3)
    query = "select workout_id, built_at from state.fct_set where athlete_id = $athlete"
    built = [row for row in before.rows(query, athlete=TIDY) if row["workout_id"] != "w10"]
    assert len(built) == 19
    assert _sorted(after.rows(query, athlete=TIDY)) == _sorted(built)
    assert not after.rows(
        "select 1 from marts.fct_set where athlete_id = $athlete and workout_id = 'w10'",
        athlete=TIDY,
    )


def test_an_unused_exercise_rebuilds_nothing(nights: Nights) -> None:
    """Another name of a used exercise rebuilds all workouts with it."""
    before, after = nights.after(2), nights.after(3)
    for athlete, rebuilt_count in ((UNUSED, 0), (USED, 4)):
        units = [
            unit
            for unit in _rebuilt_units(before, after, "state.fct_set")
            if unit["athlete_id"] == athlete
        ]
        assert len(units) == rebuilt_count
    query = (
        "select title from marts.dim_exercise where athlete_id = $athlete and title = 'New Name'"
    )
    assert after.rows(query, athlete=UNUSED)


@pytest.mark.long
def test_what_failed_a_test_stays_in_sight_until_it_is_mended(
    nights: Nights, tmp_path: Path
) -> None:
    warehouse = nights.copy(2, tmp_path)
    only = ("--select", "fct_set")
    with warehouse.connection() as con:
        con.execute("insert into marts.fct_set select * from marts.fct_set order by all limit 1")
    for _ in range(2):
        with pytest.raises(AssertionError, match=r"unique: set_key: 2 rows"):
            warehouse.build(*only)
    with warehouse.connection() as con:
        con.execute("create or replace temp table once as select distinct * from marts.fct_set")
        con.execute("delete from marts.fct_set; insert into marts.fct_set select * from once")
    assert warehouse.rows("select 1 from state.fct_set where not is_tested limit 1")
    warehouse.build(*only)
    assert not warehouse.rows("select 1 from state.fct_set where not is_tested")


@pytest.mark.long
def test_another_constant_rebuilds_what_was_built_with_the_old_one(
    nights: Nights, tmp_path: Path
) -> None:
    warehouse = nights.copy(LAST, tmp_path)
    estimated = "select count(e1rm_kg) as sets, max(effective_reps) filter (e1rm_kg > 0) as most "
    estimated += "from marts.fct_set"
    (before,) = warehouse.rows(estimated)
    warehouse.build("--select", "+fct_set", *MODELS, "--vars", "{e1rm.hard_max_reps_eff: 5}")
    (after,) = warehouse.rows(estimated)
    assert (before["most"], after["most"]) == (12, 5)
    assert 0 < after["sets"] < before["sets"]


def _sorted(rows: list[Json]) -> list[tuple[object, ...]]:
    return sorted(tuple(row.values()) for row in rows)
