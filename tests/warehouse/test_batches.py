"""A large build processes its units in batches; the batch size has no effect on the result."""

from pathlib import Path

import pytest

from tests.warehouse import series
from tests.warehouse.payloads import at
from tests.warehouse.scratch import MODELS, ScratchWarehouse


@pytest.mark.long
def test_batches_of_one_give_the_same_marts(tmp_path: Path) -> None:
    """DuckDB rejected the same query twice at once, for a named window of a recursive query."""
    warehouse = ScratchWarehouse(tmp_path)
    # A batch is a query of each model: 14 workouts of a lifter take a fifth of the time of 70.
    series.land_some(warehouse, at("2026-03-01 06:00"), every=5)
    warehouse.build(*MODELS)
    copy = warehouse.copy(tmp_path / "rebuilt")
    copy.build(*MODELS, "--full-refresh", "--vars", "{batch.workouts: 1}")
    (built,) = copy.rows(
        """
        select count(*) as athletes, count(distinct built_at) as batches
        from state.fct_personal_record
        """
    )
    assert built["batches"] == built["athletes"] >= 3
    tables = warehouse.tables("marts")
    assert {table: copy.content(table) for table in tables} == {
        table: warehouse.content(table) for table in tables
    }
