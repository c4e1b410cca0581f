"""The tables of a new lake: as those of a file are, but without keys, which a lake has none of.

What has to be unique is so by how it is written (`merge`), and dbt's tests look at the marts.
"""

import duckdb

from orchestration.lib.migrations import create_tables


def create_lake_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Make the schemas and tables of a new lake with their first rows, in one transaction."""
    with duckdb.connect() as model:
        model.execute("set TimeZone = 'UTC'")
        create_tables(model)
        for statement in _definitions(model):
            con.execute(statement)
        steps = model.execute("from meta.migrations").fetchall()
    places = ", ".join(["(?, ?, ?, ?)"] * len(steps))
    con.execute(
        f"insert into meta.migrations values {places}",  # noqa: S608 - no values
        [value for step in steps for value in step],
    )


def _definitions(model: duckdb.DuckDBPyConnection) -> list[str]:
    """The statements that make schemas and tables like those of `model`."""
    columns: list[tuple[str, str, str]] = model.execute("""
        select
            schema_name,
            table_name,
            string_agg(
                concat_ws(
                    ' ',
                    '"' || column_name || '"',
                    data_type,
                    if(is_nullable, null, 'not null'),
                    'default ' || column_default
                ),
                ', ' order by column_index
            )
        from duckdb_columns()
        where not internal
        group by schema_name, table_name
        order by schema_name, table_name
    """).fetchall()
    schemas = dict.fromkeys(schema for schema, _, _ in columns)
    return [f"create schema if not exists {schema}" for schema in schemas] + [
        f'create table {schema}."{table}" ({definition})' for schema, table, definition in columns
    ]
