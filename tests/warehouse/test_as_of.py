"""A1: a plan was in force before it was known; what was known when can be told later."""

from pathlib import Path

import yaml

from orchestration.lib.dbt import DBT_PROJECT_DIR
from tests.warehouse.payloads import at, exercise, lift, naive, routine, workout
from tests.warehouse.scratch import ScratchWarehouse

FIVES = [lift(100, 5)] * 3


def test_what_was_known_then_is_told_then(tmp_path: Path) -> None:
    warehouse = ScratchWarehouse(tmp_path)
    trained = workout("w", "2026-03-05 17:00", [exercise("bench", FIVES)], "push")
    planned = routine("push", "2026-03-01 09:00", [exercise("bench", FIVES)])
    warehouse.land("hevy_workouts", "ann", [trained], now=at("2026-03-06 06:00"))
    warehouse.land("hevy_routines", "ann", [planned], now=at("2026-03-10 06:00"))
    warehouse.land(
        "hevy_workouts",
        "ann",
        [trained | {"exercises": []}],
        now=at("2026-03-20 06:00"),
    )

    def statuses(as_of: str) -> set[tuple[bool, str | None]]:
        only = ("--select", "+fct_plan_compliance", "--exclude-resource-type", "snapshot")
        warehouse.build(*only, "unit_test", "test", "--vars", f"{{as_of: '{as_of}'}}")
        rows = warehouse.rows(
            "select is_plan_known, execution_status from marts.fct_plan_compliance"
        )
        assert len(rows) == 3
        return {(row["is_plan_known"], row["execution_status"]) for row in rows}

    assert statuses("2026-03-07 00:00") == {(False, None)}
    assert statuses("2026-03-11 00:00") == {(True, "Target Met")}
    (version,) = warehouse.rows("select * from intermediate.int_routine_versions_dated")
    assert (version["valid_from"], version["known_from"]) == (
        naive("2026-03-01 09:00"),
        naive("2026-03-10 06:00"),
    )
    assert statuses("2026-03-21 00:00") == {(True, "Skipped")}


def test_every_variable_is_one_that_rebuilds() -> None:
    variables = yaml.safe_load((DBT_PROJECT_DIR / "dbt_project.yml").read_text())["vars"]
    listed = (DBT_PROJECT_DIR / "macros" / "constants.sql").read_text()
    assert [name for name in variables if f"'{name}'" not in listed] == [
        "batch.workouts",
    ]
