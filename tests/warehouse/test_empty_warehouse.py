from pathlib import Path

import pytest

from tests.warehouse.scratch import ScratchWarehouse

MARTS = [
    "bridge_exercise_muscle",
    "coach_context",
    "dim_athlete",
    "dim_athlete_version",
    "dim_date",
    "dim_exercise",
    "dim_exercise_version",
    "dim_muscle_group",
    "dim_routine_folder",
    "dim_routine_version",
    "fct_body_measurement",
    "fct_check_in",
    "fct_check_in_pain",
    "fct_consistency_week",
    "fct_correction",
    "fct_endurance_session",
    "fct_exercise_session",
    "fct_exercise_trend",
    "fct_exercise_trend_change",
    "fct_llm_call",
    "fct_muscle_week",
    "fct_personal_constant",
    "fct_personal_constant_change",
    "fct_personal_record",
    "fct_plan_comparison",
    "fct_plan_compliance",
    "fct_prescription_outcome",
    "fct_quarantined_record",
    "fct_readiness_day",
    "fct_recovery_day",
    "fct_relative_strength",
    "fct_set",
    "fct_training_load_day",
    "fct_volume_response",
    "fct_workout",
]


@pytest.mark.parametrize("mart", sorted({*MARTS} - {"dim_muscle_group"}))
def test_a_fresh_warehouse_builds_to_empty_marts(
    empty_warehouse: ScratchWarehouse, mart: str
) -> None:
    assert empty_warehouse.rows(f"select * from marts.{mart}") == []


def test_all_marts_are_tables_with_described_columns(
    empty_warehouse: ScratchWarehouse,
) -> None:
    tables = empty_warehouse.rows(
        "select table_name, comment from duckdb_tables() where schema_name = 'marts'"
    )
    assert sorted(table["table_name"] for table in tables) == MARTS
    assert all(table["comment"].startswith("One row per") for table in tables)
    undescribed = empty_warehouse.rows(
        """
        select table_name, column_name from duckdb_columns()
        where schema_name = 'marts' and coalesce(comment, '') = ''
        """
    )
    assert undescribed == []


@pytest.mark.long
def test_a_fresh_warehouse_passes_all_data_tests(tmp_path: Path) -> None:
    ScratchWarehouse(tmp_path).build()
