"""Tables of a lake: like those of a file, but without keys, which lakes do not support.

Uniqueness is ensured on write (`merge`), and dbt's tests check the marts.
"""

from dataclasses import replace
from functools import cache

import duckdb

from coach_agent.store.schema import create_coach_tables
from hevy_connector.raw.tables import create_raw_tables
from orchestration.storage.connection import connect_duckdb
from orchestration.storage.migrations import MIGRATIONS, create_tables, migrate


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


def migrate_lake(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Apply the pending steps of a lake; returns their names.

    Steps that only create tables create them without keys. The first one creates those of all:
    looking for what is missing takes half a second.
    """
    create = cache(_create_missing)
    creating = (create_raw_tables, create_coach_tables)
    steps = [replace(each, apply=create) if each.apply in creating else each for each in MIGRATIONS]
    return migrate(con, tuple(steps))


def _create_missing(con: duckdb.DuckDBPyConnection) -> None:
    """Create the missing tables of a lake, and the missing columns of the others."""
    [(database,)] = con.execute("select current_database()").fetchall()
    known = _columns(con, database)
    with connect_duckdb() as model:
        create_tables(model)
        wanted = _columns(model, "memory")
    for (schema, table), columns in wanted.items():
        con.execute(f"create schema if not exists {schema}")
        if (schema, table) not in known:
            con.execute(f'create table {schema}."{table}" ({", ".join(columns.values())})')
            continue
        for name, definition in columns.items():
            if name not in known[schema, table]:
                con.execute(f'alter table {schema}."{table}" add column {definition}')


def column_definitions(
    con: duckdb.DuckDBPyConnection, database: str = "memory"
) -> dict[tuple[str, str], str]:
    """Return the column definitions by schema and table of a database, without keys."""
    found = _columns(con, database)
    return {table: ", ".join(columns.values()) for table, columns in found.items()}


def _columns(
    con: duckdb.DuckDBPyConnection, database: str
) -> dict[tuple[str, str], dict[str, str]]:
    """Return the definition of each column by table and name, in order."""
    rows: list[tuple[str, str, str, str]] = con.execute(
        """
        select
            schema_name,
            table_name,
            column_name,
            concat_ws(
                ' ',
                '"' || column_name || '"',
                columns.data_type,
                if(is_nullable, null, 'not null'),
                'default ' || nullif(column_default, 'NULL')
            )
        from duckdb_columns() as columns
        inner join duckdb_tables() as tables using (database_name, schema_name, table_name)
        where database_name = $1 and not tables.internal and not tables.temporary
        order by schema_name, table_name, column_index
        """,
        [database],
    ).fetchall()
    found: dict[tuple[str, str], dict[str, str]] = {}
    for schema, table, column, definition in rows:
        found.setdefault((schema, table), {})[column] = definition
    return found
