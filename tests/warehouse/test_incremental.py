"""A build that touches what changed gives exactly the rows of one that builds everything."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from coach_agent.check_ins import CheckIn, record_check_in
from coach_agent.llm.ledger import record_calls
from tests.llm.requests import request
from tests.warehouse.payloads import exercise, lift, routine, template, workout
from tests.warehouse.random_changes import ATHLETES, RandomChanges
from tests.warehouse.scratch import ScratchWarehouse

_NIGHTS = 4
_CHANGES_A_NIGHT = 30
_MODELS = ("--exclude-resource-type", "test", "unit_test")


@pytest.mark.parametrize(
    "seed", [pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long), 5]
)
def test_nights_add_up_to_a_full_rebuild(tmp_path: Path, seed: int) -> None:
    warehouse = ScratchWarehouse(tmp_path)
    changes = RandomChanges(warehouse, seed=seed)
    for night in range(_NIGHTS):
        for _ in range(_CHANGES_A_NIGHT):
            changes.step()
        if night > 0:
            changes.insist()
        with warehouse.connection() as con:
            record_calls(con, ATHLETES[0], [request()], asked_at=changes.now, run_id=f"{night}")
            record_check_in(con, ATHLETES[0], CheckIn(checked_in_at=changes.now, energy=2))
        warehouse.build(*_MODELS)
    rebuilt = warehouse.copy(tmp_path / "rebuilt")
    rebuilt.build("--full-refresh")
    differences = {
        table: (one, other)
        for table in warehouse.tables("marts")
        if (one := warehouse.content(table)) != (other := rebuilt.content(table))
    }
    assert differences == {}
    empty = {table for table in warehouse.tables("marts") if not warehouse.content(table)}
    # Built anew each night from rows that these histories have by chance alone, or never.
    assert empty <= {"marts.fct_plan_comparison", "marts.fct_rejected_record"}


def test_what_another_writer_commits_late_is_built(tmp_path: Path) -> None:
    """On a lake, who began to land first may commit after who began later, and after a build."""
    warehouse = ScratchWarehouse(tmp_path)
    changes = RandomChanges(warehouse, seed=7)
    for _ in range(40):
        changes.step()
    warehouse.build(*_MODELS)
    lifted = exercise("late-lift", [lift(60, 5)])
    warehouse.land("hevy_exercise_templates", "ann", [template("late-lift")], now=changes.now)
    warehouse.land("hevy_routines", "ann", [routine("late", None, [lifted])], now=changes.now)
    began = workout("late", "2026-02-01 17:00", [lifted], "late")
    warehouse.land("hevy_workouts", "ann", [began], now=changes.now)
    with warehouse.connection() as con:
        for entity in ("hevy_exercise_templates", "hevy_routines", "hevy_workouts"):
            con.execute(f"""
                update raw.{entity} set loaded_at = (
                    select max(loaded_at) - interval 6 hours
                    from raw.{entity} where record_id not like 'late%'
                )
                where record_id like 'late%'
            """)
    warehouse.build(*_MODELS)
    rebuilt = warehouse.copy(tmp_path / "rebuilt")
    rebuilt.build("--full-refresh")
    assert warehouse.rows("select 1 from marts.fct_set where workout_id = 'late'")
    assert warehouse.rows("select 1 from marts.dim_routine_version where routine_id = 'late'")
    assert warehouse.rows("select 1 from marts.dim_exercise where exercise_key = 'late-lift'")
    for table in warehouse.tables("marts"):
        assert warehouse.content(table) == rebuilt.content(table), table


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


def test_an_exercise_that_nobody_uses_tells_nothing_anew(
    trained_warehouse: ScratchWarehouse, tmp_path: Path
) -> None:
    warehouse = trained_warehouse.copy(tmp_path / "copy")
    (used,) = warehouse.rows(
        "select athlete_id, exercise_template_id as id from marts.fct_set "
        "where exercise_template_id is not null order by all limit 1"
    )
    athlete = used["athlete_id"]
    counts = f"select count(*) as count from state.fct_set where athlete_id = '{athlete}'"
    (total,) = warehouse.rows(counts)
    for template_id, told_anew in (("never-used", 0), (used["id"], total["count"])):
        (last,) = warehouse.rows("select max(built_at) as time from state.fct_set")
        now = datetime(2026, 12, 1, tzinfo=UTC) + timedelta(hours=told_anew)
        warehouse.land(
            "hevy_exercise_templates", athlete, [template(template_id, "New Name")], now=now
        )
        warehouse.build("--select", "+fct_set", *_MODELS)
        (anew,) = warehouse.rows(f"{counts} and built_at > $time", **last)
        assert anew["count"] == told_anew


def test_what_failed_a_test_stays_in_sight_until_it_is_mended(tmp_path: Path) -> None:
    warehouse = ScratchWarehouse(tmp_path)
    changes = RandomChanges(warehouse, seed=5)
    only = ("--select", "+fct_set", "+fct_workout", "+dim_exercise")
    for _ in range(40):
        changes.step()
    warehouse.build(*_MODELS)
    with warehouse.connection() as con:
        con.execute("insert into marts.fct_set select * from marts.fct_set order by all limit 1")
    for _ in range(2):
        with pytest.raises(AssertionError, match="unique"):
            warehouse.build(*only)
        changes.step()
    with warehouse.connection() as con:
        con.execute("create or replace temp table once as select distinct * from marts.fct_set")
        con.execute("delete from marts.fct_set; insert into marts.fct_set select * from once")
    warehouse.build(*only)
    assert not warehouse.rows("select 1 from state.fct_set where not is_tested")


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
