"""The least that a full build and a release could cost: their SQL and tables in plain DuckDB.

No tests, state, comments, contracts or batches: each model is one statement.
"""

import json
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import duckdb

from orchestration.dbt.runner import ensure_manifest

# As the profile of the project, but for a limit of memory that whole tables need: without any, a
# million workouts take all memory of a machine.
_SETTINGS = {"memory_limit": "4GB", "preserve_insertion_order": False}


def build_plain(warehouse: Path, compiled: Path) -> None:
    """Replace the models of a built warehouse by their `compiled` SQL, of its first build.

    Seeds and snapshots stay as they are.
    """
    with duckdb.connect(warehouse, config=_SETTINGS) as con:
        for (fact,) in con.execute(
            """
            select table_name from duckdb_columns()
            where schema_name = 'state' and column_name = 'built_at'
            """
        ).fetchall():
            # The SQL of a fact selects the units that are due.
            con.execute(f"update state.{fact} set built_at = null")
        for model in _models():
            sql = (compiled / model["package_name"] / model["original_file_path"]).read_text()
            kind = "view" if model["config"]["materialized"] == "view" else "table"
            con.execute(
                f'create or replace {kind} "{model["schema"]}"."{model["alias"]}" as ({sql})'
            )


def copy_plain(database: Path, copy: Path) -> None:
    """Copy the tables of a database to a new file."""
    with duckdb.connect(copy) as con:
        con.execute(f"attach '{database}' as released (read_only)")
        for schema, table in con.execute(
            "select schema_name, table_name from duckdb_tables() where database_name = 'released'"
        ).fetchall():
            con.execute(f'create schema if not exists "{schema}"')
            con.execute(f'create table "{schema}"."{table}" as from released."{schema}"."{table}"')


def _models() -> Iterator[dict[str, Any]]:
    """Yield the models of the project, each after those that it reads."""
    nodes: dict[str, Any] = json.loads(ensure_manifest().read_bytes())["nodes"]
    models = {name: node for name, node in nodes.items() if node["resource_type"] == "model"}
    read = {name: model["depends_on"]["nodes"] for name, model in models.items()}
    yield from (models[name] for name in TopologicalSorter(read).static_order() if name in models)
