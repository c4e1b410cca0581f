"""Definitions of the marts: SQL statements that recreate tables with keys and comments.

The warehouse stores no keys, because an index slows down each night. They come from the dbt
project, and so do all definitions of a lake, which stores no comments either.
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
    """A mart: the statement that creates its table in the schema `marts`, and its descriptions.

    `key` are the columns of the key that a release declares, which is not part of the statement.
    """

    name: str
    statement: str
    key: tuple[str, ...]
    description: str | None
    columns: Mapping[str, str]

    @property
    def keyed_statement(self) -> str:
        """Return the statement with the key."""
        if not self.key:
            return self.statement
        columns = ", ".join(f'"{name}"' for name in self.key)
        return f"{self.statement.rstrip(';').removesuffix(')')}, primary key ({columns}))"

    def comments(self, schema: str) -> list[str]:
        """Return the statements that add its descriptions to a copy in another schema."""
        table = f'{schema}."{self.name}"'
        on_table = [] if self.description is None else [(f"table {table}", self.description)]
        on_columns = [(f'column {table}."{name}"', text) for name, text in self.columns.items()]
        return [f"comment on {what} is {_literal(text)}" for what, text in on_table + on_columns]


def marts_of_file(con: duckdb.DuckDBPyConnection) -> list[MartDefinition]:
    """Return the marts of the warehouse file attached as `warehouse`, by name.

    A table of a former version may still have its key as a constraint, or lack the key's column. A
    column with nulls is no key.
    """
    tables: list[tuple[str, str, str | None, bool]] = con.execute("""
        select table_name, sql, comment, has_primary_key from duckdb_tables()
        where database_name = 'warehouse' and schema_name = 'marts'
        order by table_name
    """).fetchall()
    columns: list[tuple[str, str, str | None, bool]] = con.execute("""
        select table_name, column_name, comment, is_nullable from duckdb_columns()
        where database_name = 'warehouse' and schema_name = 'marts'
        order by table_name, column_index
    """).fetchall()
    keys = {node["alias"]: _key(node) for node in _mart_nodes()}
    found = []
    for name, statement, description, has_key in tables:
        own = [column for column in columns if column[0] == name]
        filled = {column for _, column, _, is_nullable in own if not is_nullable}
        key = keys.get(name, ())
        found.append(
            MartDefinition(
                name,
                statement,
                key if not has_key and filled.issuperset(key) else (),
                description,
                {column: text for _, column, text, _ in own if text is not None},
            )
        )
    return found


def marts_of_lake(
    con: duckdb.DuckDBPyConnection, database: str = CATALOG_NAME
) -> list[MartDefinition]:
    """Return the marts of the lake attached as `database`, by name, as the project defines them."""
    tables: list[tuple[str]] = con.execute(
        """
        select distinct table_name from duckdb_columns()
        where database_name = $1 and schema_name = 'marts'
        """,
        [database],
    ).fetchall()
    there = {name for (name,) in tables}
    marts = [node for node in _mart_nodes() if node["alias"] in there]
    return [_define_mart(node) for node in sorted(marts, key=lambda node: node["alias"])]


def _mart_nodes() -> list[Mapping[str, Any]]:
    nodes = json.loads(ensure_manifest().read_text(encoding="utf-8"))["nodes"].values()
    return [node for node in nodes if node["schema"] == "marts"]


def _define_mart(node: Mapping[str, Any]) -> MartDefinition:
    columns = node["columns"].values()
    name = node["alias"]
    return MartDefinition(
        name,
        f'create table marts."{name}" ({", ".join(map(_column, columns))})',
        _key(node),
        node["description"],
        {column["name"]: column["description"] for column in columns},
    )


def _key(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns of the declared key; none without one, as for nodes of tests."""
    return next(
        (
            tuple(constraint["columns"])
            for constraint in node.get("constraints", ())
            if constraint["type"] == "primary_key"
        ),
        (),
    )


def _column(column: Mapping[str, Any]) -> str:
    words = {"not_null": "not null"}
    told = [words[constraint["type"]] for constraint in column["constraints"]]
    return " ".join((f'"{column["name"]}"', column["data_type"], *told))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
