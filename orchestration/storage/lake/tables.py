"""Tables of a new lake: like those of a file, but without keys, which lakes do not support.

Uniqueness is ensured on write (`merge`), and dbt's tests check the marts.
"""

import duckdb

from orchestration.storage.connection import connect_duckdb
from orchestration.storage.migrations import create_tables


def create_lake_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create the schemas and tables of a new lake with their initial rows, in one transaction."""
    with connect_duckdb() as model:
        create_tables(model)
        for (schema, table), columns in column_definitions(model).items():
            con.execute(f"create schema if not exists {schema}")
            con.execute(f'create table {schema}."{table}" ({columns})')
        steps = model.execute("from meta.migrations").fetchall()
    places = ", ".join(["(?, ?, ?, ?)"] * len(steps))
    con.execute(
        f"insert into meta.migrations values {places}",  # noqa: S608 - no values
        [value for step in steps for value in step],
    )


def column_definitions(
    con: duckdb.DuckDBPyConnection, database: str = "memory"
) -> dict[tuple[str, str], str]:
    """Return the column definitions by schema and table of a database, without keys."""
    found: list[tuple[str, str, str]] = con.execute(
        """
        select
            schema_name,
            table_name,
            string_agg(
                concat_ws(
                    ' ',
                    '"' || column_name || '"',
                    columns.data_type,
                    if(is_nullable, null, 'not null'),
                    'default ' || nullif(column_default, 'NULL')
                ),
                ', ' order by column_index
            )
        from duckdb_columns() as columns
        inner join duckdb_tables() as tables using (database_name, schema_name, table_name)
        where database_name = $1 and not tables.internal and not tables.temporary
        group by schema_name, table_name
        order by schema_name, table_name
        """,
        [database],
    ).fetchall()
    return {(schema, table): columns for schema, table, columns in found}
