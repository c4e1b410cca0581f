"""Definitions of the marts: SQL statements that recreate tables with keys and comments.

A file's catalog contains all of it. A lake stores no keys, so its definitions come from the dbt
project.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from orchestration.dbt.runner import ensure_manifest
from orchestration.storage.lake.catalog import CATALOG_NAME


@dataclass(frozen=True)
class MartDefinition:
    """A mart: the statement that creates its table in the schema `marts`, and its descriptions."""

    name: str
    statement: str
    description: str | None
    columns: Mapping[str, str]

    def comments(self, schema: str) -> list[str]:
        """Return the statements that add its descriptions to a copy in another schema."""
        table = f'{schema}."{self.name}"'
        on_table = [] if self.description is None else [(f"table {table}", self.description)]
        on_columns = [(f'column {table}."{name}"', text) for name, text in self.columns.items()]
        return [f"comment on {what} is {_literal(text)}" for what, text in on_table + on_columns]


def marts_of_file(con: duckdb.DuckDBPyConnection) -> list[MartDefinition]:
    """Return the marts of the warehouse file attached as `warehouse`, by name."""
    tables: list[tuple[str, str, str | None]] = con.execute("""
        select table_name, sql, comment from duckdb_tables()
        where database_name = 'warehouse' and schema_name = 'marts'
        order by table_name
    """).fetchall()
    columns: list[tuple[str, str, str]] = con.execute("""
        select table_name, column_name, comment from duckdb_columns()
        where database_name = 'warehouse' and schema_name = 'marts' and comment is not null
        order by table_name, column_index
    """).fetchall()
    return [
        MartDefinition(
            name,
            statement,
            description,
            {column: text for table, column, text in columns if table == name},
        )
        for name, statement, description in tables
    ]


def marts_of_lake(
    con: duckdb.DuckDBPyConnection, database: str = CATALOG_NAME
) -> list[MartDefinition]:
    """Return the marts of the lake attached as `database`, by name, as the project defines them."""
    tables: list[tuple[str]] = con.execute(
        """
        select table_name from duckdb_tables()
        where database_name = $1 and schema_name = 'marts'
        """,
        [database],
    ).fetchall()
    there = {name for (name,) in tables}
    nodes = json.loads(ensure_manifest().read_text(encoding="utf-8"))["nodes"].values()
    marts = [node for node in nodes if node["schema"] == "marts" and node["alias"] in there]
    return [_define_mart(node) for node in sorted(marts, key=lambda node: node["alias"])]


def _define_mart(node: Mapping[str, Any]) -> MartDefinition:
    columns = node["columns"].values()
    parts = [_column(column) for column in columns]
    parts += [
        f"primary key ({', '.join(constraint['columns'])})"
        for constraint in node["constraints"]
        if constraint["type"] == "primary_key"
    ]
    name = node["alias"]
    return MartDefinition(
        name,
        f'create table marts."{name}" ({", ".join(parts)})',
        node["description"],
        {column["name"]: column["description"] for column in columns},
    )


def _column(column: Mapping[str, Any]) -> str:
    """Return a column definition; a key of one column is its constraint."""
    words = {"not_null": "not null", "primary_key": "primary key", "unique": "unique"}
    told = [words[constraint["type"]] for constraint in column["constraints"]]
    return " ".join((f'"{column["name"]}"', column["data_type"], *told))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
