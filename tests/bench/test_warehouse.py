"""What builds and releases are compared with does the same work."""

import shutil
from pathlib import Path

import duckdb
import pytest

from tests.bench.history import create_history
from tests.bench.step import copied, measure, released


def contents(database: Path) -> dict[str, tuple[int, int]]:
    """Return the number of rows and a digest of each table, of whatever order."""
    with duckdb.connect(database, read_only=True) as con:
        tables = con.execute(
            """
            select
                schema_name || '.' || table_name, string_agg(column_name, ', ' order by column_name)
            from duckdb_columns() inner join duckdb_tables() using (schema_name, table_name)
            where schema_name not in ('state', 'raw', 'coach')
            group by 1
            """
        ).fetchall()
        return {
            table: con.execute(
                f"select count(*), bit_xor(hash({columns})) from {table}"
            ).fetchall()[0]
            for table, columns in tables
        }


@pytest.mark.long
def test_plain_builds_and_copies_have_the_same_tables(tmp_path: Path) -> None:
    warehouse = tmp_path / "warehouse.duckdb"
    create_history(warehouse, 200)
    measure("build", warehouse)
    own = tmp_path / "plain" / warehouse.name
    own.parent.mkdir()
    shutil.copyfile(warehouse, own)
    with duckdb.connect(own) as con:
        con.execute("delete from marts.fct_set")
    measure("plain", own)
    built = contents(warehouse)
    assert built["marts.fct_set"][0] > 0
    assert contents(own) == built
    measure("release", warehouse)
    measure("copy", warehouse)
    assert contents(copied(warehouse)) == contents(released(warehouse))
