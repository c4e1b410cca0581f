"""A large build takes its units in batches; how many at a time changes nothing."""

from pathlib import Path

from tests.warehouse.scratch import ScratchWarehouse

_MODELS = ("--exclude-resource-type", "test", "unit_test")


def test_batches_of_one_give_the_same_marts(
    trained_warehouse: ScratchWarehouse, tmp_path: Path
) -> None:
    """DuckDB refused the same query twice in one go, for a named window of a recursive query."""
    copy = trained_warehouse.copy(tmp_path / "rebuilt")
    few = "{batch.athlete: 1, batch.workout: 60}"
    copy.build(*_MODELS, "--full-refresh", "--vars", few)
    (athletes,) = copy.rows("select count(*) as count from state.fct_personal_record")
    assert athletes["count"] >= 3
    tables = trained_warehouse.tables("marts")
    assert {table: copy.content(table) for table in tables} == {
        table: trained_warehouse.content(table) for table in tables
    }
