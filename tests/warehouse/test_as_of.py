"""A1: a plan was in force before it was known; `as_of` restores the knowledge of a time."""

from pathlib import Path

import yaml

from orchestration.dbt.runner import DBT_PROJECT_DIR
from tests.warehouse.payloads import at, exercise, lift, naive, routine, workout
from tests.warehouse.scratch import ScratchWarehouse

FIVES = [lift(100, 5)] * 3


def test_as_of_restores_the_knowledge_of_a_time(tmp_path: Path) -> None:
    """Later data of each athlete: the training, the plan, an edit of the training."""
    warehouse = ScratchWarehouse(tmp_path)
    trained = workout("w", "2026-03-05 17:00", [exercise("bench", FIVES)], "push")
    planned = routine("push", "2026-03-01 09:00", [exercise("bench", FIVES)])
    edited = trained | {"exercises": []}
    athletes = ("trained", "planned", "edited")
    for entity, payload, known, time in (
        ("hevy_workouts", trained, athletes, "2026-03-06 06:00"),
        ("hevy_routines", planned, athletes[1:], "2026-03-06 12:00"),
        ("hevy_workouts", edited, athletes[2:], "2026-03-06 18:00"),
        ("hevy_routines", planned, athletes[:1], "2026-03-10 06:00"),
        ("hevy_workouts", edited, athletes[:2], "2026-03-20 06:00"),
    ):
        warehouse.land_each(entity, {athlete: [payload] for athlete in known}, now=at(time))

    warehouse.build(
        *("--select", "+fct_plan_compliance", "--exclude-resource-type"),
        *("snapshot", "unit_test", "test", "--vars", "{as_of: '2026-03-07 00:00'}"),
    )
    rows = warehouse.rows("select * from marts.fct_plan_compliance order by all")
    assert [(row["athlete_id"], row["is_plan_known"], row["execution_status"]) for row in rows] == [
        *[("edited", True, "Skipped")] * 3,
        *[("planned", True, "Target Met")] * 3,
        *[("trained", False, None)] * 3,
    ]
    versions = warehouse.rows("select * from intermediate.int_routine_versions_dated")
    assert {(row["athlete_id"], row["valid_from"], row["known_from"]) for row in versions} == {
        (athlete, naive("2026-03-01 09:00"), naive("2026-03-06 12:00")) for athlete in athletes[1:]
    }


def test_every_variable_is_one_that_rebuilds() -> None:
    variables = yaml.safe_load((DBT_PROJECT_DIR / "dbt_project.yml").read_text())["vars"]
    listed = (DBT_PROJECT_DIR / "macros" / "constants.sql").read_text()
    assert [name for name in variables if f"'{name}'" not in listed] == [
        "batch.workouts",
    ]
