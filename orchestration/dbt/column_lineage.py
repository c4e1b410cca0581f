"""Column lineage of dbt's tables, parsed from the compiled SQL.

dagster-dbt computes it only for builds in a separate process, and parses each model once per
column: parsing all columns of a model at once takes a fifteenth of the time. It still takes a
second, so it is cached while the project and the columns of its tables are the same.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from orchestration.config.durable_files import replace_file

if TYPE_CHECKING:
    # The parser takes 0.25 s to import, and only a build needs it.
    from sqlglot import MappingSchema

_DIALECT = "duckdb"

Table = tuple[str, str]
"""Schema and name of a table or view."""

Column = tuple[Table, str]
"""A column of a table."""

Lineage = Mapping[Table, Mapping[str, frozenset[Column]]]
"""Direct source columns by table and column."""


def cached_lineage(
    manifest: Mapping[str, Any],
    project_digest: str,
    compiled: Path,
    con: duckdb.DuckDBPyConnection,
    cache: Path,
    *,
    is_complete: bool,
) -> Lineage:
    """Return `project_lineage` from the file `cache`, computed and stored if it is outdated.

    `project_digest` identifies the parsed project. The cache is valid for the same digest and the
    same columns of the project's tables, in any warehouse. It is stored only with `is_complete`:
    the build wrote `compiled` and all tables of this project.

    Raises:
        OSError: the cache cannot be written.
    """
    columns = _columns(con)
    key = _cache_key(manifest, project_digest, columns)
    known = _read(cache, key)
    if known is not None:
        return known
    found = project_lineage(manifest, compiled, con)
    if is_complete:
        content = json.dumps({"key": key, "lineage": _encode(found)})
        replace_file(cache, content.encode())
    return found


def project_lineage(
    manifest: Mapping[str, Any], compiled: Path, con: duckdb.DuckDBPyConnection
) -> Lineage:
    """Return the lineage of every model and snapshot with SQL in `compiled`.

    `compiled` is dbt's folder of that name, `con` the warehouse with the tables. A model with SQL
    that the parser does not support is omitted: lineage is informational.
    """
    from sqlglot import MappingSchema
    from sqlglot.errors import SqlglotError

    columns = _columns(con)
    schema = MappingSchema(_nest(columns), dialect=_DIALECT)
    found: dict[Table, Mapping[str, frozenset[Column]]] = {}
    for node in manifest["nodes"].values():
        table = (node["schema"], node["alias"])
        if node["resource_type"] == "snapshot":
            found[table] = _snapshot_lineage(table, _parents(manifest, node), columns)
        elif node["resource_type"] == "model":
            source = compiled / node["package_name"] / node["original_file_path"]
            if source.exists():
                try:
                    found[table] = source_columns(source.read_text(), schema)
                except SqlglotError:
                    continue
    return found


def source_columns(sql: str, schema: "MappingSchema") -> dict[str, frozenset[Column]]:
    """Return the source columns by column of a query.

    Raises:
        SqlglotError: the query is not supported.
    """
    from sqlglot import exp, parse_one
    from sqlglot.lineage import lineage
    from sqlglot.optimizer.qualify import qualify
    from sqlglot.optimizer.scope import build_scope

    query = qualify(parse_one(sql, dialect=_DIALECT), schema=schema, dialect=_DIALECT)
    # Trimming would copy the whole query in each step.
    roots = lineage(
        None,
        query,
        schema=schema,
        dialect=_DIALECT,
        scope=build_scope(query),
        copy=False,
        trim_selects=False,
    )
    return {
        name: frozenset(
            ((table.db, table.name), exp.to_column(node.name).name)
            for node in root.walk()
            if not node.downstream
            for table in [node.expression.find(exp.Table)]
            if table is not None and table.db
        )
        for name, root in roots.items()
    }


def root_columns(found: Lineage, column: Column) -> frozenset[Column]:
    """Return the root columns of a column: those of raw and coach tables, and of seeds."""
    first: set[Column] = set()
    seen: set[Column] = set()
    ahead = [column]
    while ahead:
        here = ahead.pop()
        if here in seen:
            continue
        seen.add(here)
        table, name = here
        if table in found:
            ahead += found[table].get(name, frozenset())
        else:
            first.add(here)
    return frozenset(first)


def origins_markdown(found: Lineage, table: Table) -> str:
    """Return a table of direct and root source columns, one row per column."""
    lines = ["| column | directly from | in the beginning |", "| --- | --- | --- |"]
    for name, direct in found[table].items():
        roots = root_columns(found, (table, name))
        lines.append(f"| {name} | {_format_columns(direct)} | {_format_columns(roots)} |")
    return "\n".join(lines)


def _format_columns(columns: frozenset[Column]) -> str:
    """Format columns by table: `fct_set (reps, weight_kg)`; empty if only rows are counted."""
    tables: dict[Table, list[str]] = {}
    for table, name in sorted(columns):
        tables.setdefault(table, []).append(name)
    return "; ".join(f"{'.'.join(table)} ({', '.join(names)})" for table, names in tables.items())


def _cache_key(
    manifest: Mapping[str, Any],
    project_digest: str,
    columns: Mapping[Table, Mapping[str, str]],
) -> str:
    """Return the digest of the project and of the columns of its tables."""
    tables = {(node["schema"], node["alias"]) for node in manifest["nodes"].values()}
    tables |= {(each["schema"], each["identifier"]) for each in manifest["sources"].values()}
    own = [(table, list(columns[table].items())) for table in sorted(tables & columns.keys())]
    return hashlib.sha256(f"{project_digest} {own}".encode()).hexdigest()


def _read(cache: Path, key: str) -> Lineage | None:
    """Return the stored lineage; None if the file is missing, outdated, damaged or unreadable."""
    try:
        kept = json.loads(cache.read_text(encoding="utf-8"))
        return _decode(kept["lineage"]) if kept["key"] == key else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _encode(found: Lineage) -> list[Any]:
    """Return a lineage as JSON: pairs, as its keys are no texts."""
    return [
        [table, {name: sorted(sources) for name, sources in columns.items()}]
        for table, columns in found.items()
    ]


def _decode(kept: Sequence[Any]) -> Lineage:
    return {
        (schema, table): {
            name: frozenset(((parent[0], parent[1]), column) for parent, column in sources)
            for name, sources in columns.items()
        }
        for (schema, table), columns in kept
    }


def _columns(con: duckdb.DuckDBPyConnection) -> dict[Table, dict[str, str]]:
    rows: list[tuple[str, str, str, str]] = con.execute("""
        select schema_name, table_name, column_name, data_type
        from duckdb_columns()
        where database_name = current_database()
        order by schema_name, table_name, column_index
    """).fetchall()
    columns: dict[Table, dict[str, str]] = {}
    for schema, table, name, data_type in rows:
        columns.setdefault((schema, table), {})[name] = data_type
    return columns


def _nest(columns: Mapping[Table, Mapping[str, str]]) -> dict[str, object]:
    schemas: dict[str, dict[str, Mapping[str, str]]] = {}
    for (schema, table), types in columns.items():
        schemas.setdefault(schema, {})[table] = types
    return dict(schemas)


def _parents(manifest: Mapping[str, Any], node: Mapping[str, Any]) -> Sequence[Table]:
    nodes = [manifest["nodes"].get(parent) for parent in node["depends_on"]["nodes"]]
    return [(each["schema"], each["alias"]) for each in nodes if each is not None]


def _snapshot_lineage(
    table: Table, parents: Sequence[Table], columns: Mapping[Table, Mapping[str, str]]
) -> dict[str, frozenset[Column]]:
    """Return the lineage of a snapshot: its parent's columns; its version times have no source."""
    return {
        name: frozenset((each, name) for each in parents if name in columns.get(each, {}))
        for name in columns.get(table, {})
    }
