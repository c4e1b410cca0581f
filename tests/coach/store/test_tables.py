"""Tables and views are found by their names, also in a transaction."""

from unittest.mock import Mock

import duckdb
import pytest

from coach_agent.store.tables import has_table
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.raw.transactions import transaction


def test_a_missing_table_does_not_end_the_transaction() -> None:
    with duckdb.connect() as con:
        create_raw_tables(con)
        con.execute("create view raw.entities as select entity from raw.sync_state")
        with transaction(con):
            con.execute("create table raw.new as select 1 as number")
            assert has_table(con, "raw.new")
            assert has_table(con, "raw.entities")
            assert not has_table(con, "raw.gone")
            assert not has_table(con, "gone.new")
        assert con.execute("from raw.new").fetchall() == [(1,)]


def test_a_catalog_that_cannot_be_read_is_not_a_missing_table() -> None:
    con = Mock(spec=duckdb.DuckDBPyConnection)
    con.execute.side_effect = duckdb.CatalogException("server closed the connection unexpectedly")
    with pytest.raises(duckdb.CatalogException, match="server closed"):
        has_table(con, "marts.coach_context")
