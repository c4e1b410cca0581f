"""Build only the nodes downstream of sources that changed since the last complete build.

`state.built_from` has a digest of each source with which all nodes were built, and one of the
project. dbt empties it at the start of each run: after a failed, killed or foreign run it is empty,
and the next build is complete.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from orchestration.dbt.runner import NodeOutcome, build_locked, project_digest
from orchestration.storage.table_digests import table_digests
from orchestration.storage.warehouse import Warehouse, open_warehouse, rebuild_lock

_PROJECT = "project"
_BUILT = frozenset({"model", "snapshot", "test"})
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
        return _build_changed(warehouse, target_path, manifest, selection)


def _build_changed(
    warehouse: Warehouse, target_path: Path, manifest: Mapping[str, Any], selection: Sequence[str]
) -> list[NodeOutcome]:
    with open_warehouse(warehouse, read_only=True) as con:
        built, present = _built_from(con), _digests(con, manifest)
        is_known = built.get(_PROJECT) == present[_PROJECT] and not _lacks_tables(con, manifest)
    is_complete = not selection
    if is_complete and is_known:
        changed = {name for name, digest in present.items() if built.get(name) != digest}
        nodes = sorted(_downstream(manifest, changed))
        if not nodes:
            return []
        selection = select_exactly(manifest, nodes)
    outcomes = build_locked(warehouse, target_path, selection)
    if all(outcome.status in _PASSED for outcome in outcomes):
        before = present if is_complete else built
        with open_warehouse(warehouse) as con:
            # A source that changed during the build counts as changed next time.
            unchanged = before.items() & _digests(con, manifest).items()
            _note(con, dict(unchanged))
    return outcomes


def select_exactly(manifest: Mapping[str, Any], nodes: Sequence[str]) -> list[str]:
    """Return dbt's selection of these nodes, by unique id, and no others."""
    names = [".".join(manifest["nodes"][node]["fqn"]) for node in nodes]
    return ["--select", *names, "--indirect-selection", "empty"]


def _downstream(manifest: Mapping[str, Any], changed: set[str]) -> Iterator[str]:
    """Yield the nodes to build; a view follows its inputs by itself."""
    seen: set[str] = set()
    waiting = list(changed)
    while waiting:
        for child in manifest["child_map"].get(waiting.pop(), ()):
            if child in seen:
                continue
            seen.add(child)
            waiting.append(child)
            node = manifest["nodes"].get(child)
            if node and node["resource_type"] in _BUILT and _is_stored(node):
                yield child


def _is_stored(node: Mapping[str, Any]) -> bool:
    return node["config"]["materialized"] not in {"view", "ephemeral"}


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


def _built_from(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    exists = con.execute(
        "select 1 from information_schema.tables "
        "where table_catalog = current_database() "
        "and table_schema = 'state' and table_name = 'built_from'"
    ).fetchone()
    if exists is None:
        return {}
    return dict(con.execute("select source_name, digest from state.built_from").fetchall())


def _note(con: duckdb.DuckDBPyConnection, digests: Mapping[str, str]) -> None:
    con.begin()
    con.execute("delete from state.built_from")
    if digests:
        con.executemany("insert into state.built_from values (?, ?)", sorted(digests.items()))
    con.commit()


def _lacks_tables(con: duckdb.DuckDBPyConnection, manifest: Mapping[str, Any]) -> bool:
    present = set(
        con.execute(
            "select table_schema, table_name from information_schema.tables "
            "where table_catalog = current_database()"
        ).fetchall()
    )
    wanted = {
        (node["schema"], node["alias"])
        for node in manifest["nodes"].values()
        if node["resource_type"] in {"model", "seed", "snapshot"}
        and node["config"]["materialized"] != "ephemeral"
    }
    return not wanted <= present
