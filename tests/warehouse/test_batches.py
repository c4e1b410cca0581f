"""A large build takes its units in batches; how much at a time changes nothing."""

from pathlib import Path

import pytest

from tests.warehouse.scratch import ScratchWarehouse

_MODELS = ("--exclude-resource-type", "test", "unit_test")


@pytest.mark.long
def test_batches_of_one_give_the_same_marts(
    trained_warehouse: ScratchWarehouse, tmp_path: Path
) -> None:
    """DuckDB refused the same query twice in one go, for a named window of a recursive query."""
    copy = trained_warehouse.copy(tmp_path / "rebuilt")
    copy.build(*_MODELS, "--full-refresh", "--vars", "{batch.workouts: 1}")
    (built,) = copy.rows(
        """
        select count(*) as athletes, count(distinct built_at) as batches
        from state.fct_personal_record
        """
    )
    assert built["batches"] == built["athletes"] >= 3
    tables = trained_warehouse.tables("marts")
    assert {table: copy.content(table) for table in tables} == {
        table: trained_warehouse.content(table) for table in tables
    }
