"""Metadata of tables and views for the asset catalog."""

import dagster as dg
import duckdb

from orchestration.storage.table_metadata import table_metadata, tables_metadata


def test_rows_are_counted_in_tables_and_not_in_views() -> None:
    with duckdb.connect() as con:
        con.execute("create schema marts; attach ':memory:' as other; create schema other.marts")
        con.execute("create table marts.sets (reps integer not null)")
        con.execute("comment on column marts.sets.reps is 'repetitions'")
        con.execute("insert into marts.sets values (5), (8)")
        con.execute("create view marts.heavy as select reps / 0 as error from marts.sets")
        # A view of another database does not make it one.
        con.execute("create view other.marts.sets as select 1 as reps")
        found = tables_metadata(con, [("marts", "sets"), ("marts", "heavy"), ("marts", "gone")])
        assert found.keys() == {("marts", "sets"), ("marts", "heavy")}
        assert found["marts", "sets"] == table_metadata(con, "marts", "sets")
        assert found["marts", "sets"] == {
            "dagster/table_name": "marts.sets",
            "dagster/row_count": 2,
            "dagster/column_schema": dg.TableSchema(
                [
                    dg.TableColumn(
                        "reps",
                        "integer",
                        "repetitions",
                        constraints=dg.TableColumnConstraints(nullable=False),
                    )
                ]
            ),
        }
        assert "dagster/row_count" not in found["marts", "heavy"]
        assert table_metadata(con, "marts", "gone") == {}
