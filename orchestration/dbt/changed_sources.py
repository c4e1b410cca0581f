"""Build only the nodes downstream of sources that changed since the last complete build.

`state.built_from` has the digests of the sources and of the project with which all nodes were
built. dbt empties it at the start of each run, also of one by hand. So after a run that failed or
was killed it is empty, and the next build is complete.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from hevy_connector.raw.transactions import transaction
from orchestration.dbt.runner import NodeOutcome, build_locked, project_digest
from orchestration.storage.table_digests import table_digests
from orchestration.storage.warehouse import Warehouse, open_warehouse, rebuild_lock

_PROJECT = "project"
_STORED = frozenset({"model", "seed", "snapshot"})
_PASSED = frozenset({"success", "pass", "no-op"})


def build_changed(
    warehouse: Warehouse,
    target_path: Path,
    manifest: Mapping[str, Any],
    selection: Sequence[str] = (),
) -> list[NodeOutcome]:
    """Build what may differ from the last complete build, or the nodes of a selection.

    Everything is built after another version of the project or of DuckDB, after a build with a
    failed or warning node, and if a table is missing. Without a change nothing is built and the
    result is empty.

    Raises:
        DbtError, WarehouseBusyError: as by `build`.
    """
    with rebuild_lock(warehouse):
        with open_warehouse(warehouse, read_only=True) as con:
            built = _built_from(con, manifest)
            present = built if selection else _digests(con, manifest)
        if not selection and built.get(_PROJECT) == present[_PROJECT]:
            changed = {name for name, digest in present.items() if built.get(name) != digest}
            nodes = sorted(_downstream(manifest, changed))
            if not nodes:
                return []
            selection = select_exactly(manifest, nodes)
        outcomes = build_locked(warehouse, target_path, selection)
        if all(outcome.status in _PASSED for outcome in outcomes):
            with open_warehouse(warehouse) as con:
                # A source that changed since is built next time, also if it changes back.
                _note(con, dict(present.items() & _digests(con, manifest).items()))
    return outcomes


def select_exactly(manifest: Mapping[str, Any], nodes: Sequence[str]) -> list[str]:
    """Return dbt's selection of these nodes, by unique id, and no others."""
    names = [".".join(manifest["nodes"][node]["fqn"]) for node in nodes]
    return ["--select", *names, "--indirect-selection", "empty"]


def _downstream(manifest: Mapping[str, Any], changed: Iterable[str]) -> Iterator[str]:
    """Yield the nodes to build; a view follows its inputs by itself."""
    seen: set[str] = set()
    waiting = list(changed)
    while waiting:
        children = set(manifest["child_map"].get(waiting.pop(), ())) - seen
        seen |= children
        waiting += children
        for child in children & manifest["nodes"].keys():
            node = manifest["nodes"][child]
            is_view = node["config"]["materialized"] in {"view", "ephemeral"}
            if node["resource_type"] in {*_STORED, "test"} and not is_view:
                yield child


def _digests(con: duckdb.DuckDBPyConnection, manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the digest of each source by unique id, and that of the project."""
    digests = {
        (schema, table): f"{row_count} {digest}"
        for schema, table, row_count, digest in table_digests(con)
    }
    found = {_PROJECT: f"{project_digest()} {duckdb.__version__}"}
    for name, source in manifest["sources"].items():
        digest = digests.get((source["schema"], source["identifier"]))
        if digest is not None:
            found[name] = digest
    return found


def _built_from(con: duckdb.DuckDBPyConnection, manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of the last complete build; none if a table of the project is missing."""
    present = set(
        con.execute(
            # The list of a lake's tables takes longer: it reads the statistics of each table.
            "select distinct schema_name, table_name from duckdb_columns() "
            "where database_name = current_database()"
        ).fetchall()
    )
    wanted = {
        (node["schema"], node["alias"])
        for node in manifest["nodes"].values()
        if node["resource_type"] in _STORED and node["config"]["materialized"] != "ephemeral"
    }
    if not wanted | {("state", "built_from")} <= present:
        return {}
    return dict(con.execute("select source_name, digest from state.built_from").fetchall())


def _note(con: duckdb.DuckDBPyConnection, digests: Mapping[str, str]) -> None:
    with transaction(con):
        con.execute("delete from state.built_from")
        con.execute(
            "insert into state.built_from select unnest($1::varchar[]), unnest($2::varchar[])",
            [list(digests), list(digests.values())],
        )
