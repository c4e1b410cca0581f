"""Translate dbt nodes to Dagster assets: groups, owners, descriptions of checks.

Assets, checks and metadata equal those of dagster-dbt without its text of the SQL, which a test
verifies. docs/contributing.md has what importing dagster-dbt costs.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg

from orchestration.assets.documentation import documentation_links
from orchestration.dbt.checks import meaning_of

UNIQUE_ID = "dagster_dbt/unique_id"
"""Metadata key with dbt's unique id of the node."""

_ASSET_TYPES = ("model", "seed", "snapshot")

Node = Mapping[str, Any]
Manifest = Mapping[str, Any]


def layer_of(properties: Node) -> str:
    """Return the layer of a dbt node: its folder below `models`, or `snapshots` or `seeds`."""
    if properties["resource_type"] in ("snapshot", "seed"):
        return f"{properties['resource_type']}s"
    return str(properties["fqn"][1])


def group_of(node: Node) -> str:
    """Return the Dagster group of a dbt node.

    Intermediate models read marts and the other way round, so both are one group: groups form no
    cycle. What the coach wrote before a build is a group of its own, because the coach's next plan
    depends on the marts.
    """
    if node["resource_type"] == "source":
        return {"coach": "journal"}.get(node["source_name"], str(node["source_name"]))
    layer = layer_of(node)
    return "marts" if layer == "intermediate" else layer


def owner_of(manifest: Manifest, properties: Node) -> str:
    """Return the owner of the node's dbt group, in Dagster's format."""
    groups = {group["name"]: group for group in manifest["groups"].values()}
    return f"team:{groups[properties['group']]['owner']['name']}"


def asset_key(node: Node) -> dg.AssetKey:
    """Return the asset key of a model, seed or snapshot, or of a source."""
    named = node["config"].get("meta", {}).get("dagster", {}).get("asset_key")
    if named:
        return dg.AssetKey(named)
    first = node["source_name"] if node["resource_type"] == "source" else node["config"]["schema"]
    return dg.AssetKey([first, node["name"]])


def asset_specs(manifest: Manifest) -> list[dg.AssetSpec]:
    """Return one asset for each model, seed and snapshot."""
    return [_asset_spec(manifest, node) for node in _nodes(manifest, *_ASSET_TYPES)]


def source_specs(manifest: Manifest) -> list[dg.AssetSpec]:
    """Return one asset for each table that dbt reads as a source."""
    return [
        dg.AssetSpec(
            key=asset_key(node),
            description=node["description"],
            metadata=_table_metadata(node),
            group_name=group_of(node),
            owners=[f"team:{node['source_meta']['owner']}"],
            kinds={"duckdb"},
        )
        for node in manifest["sources"].values()
    ]


def check_specs(manifest: Manifest) -> list[dg.AssetCheckSpec]:
    """Return one check per data test of a table, blocking unless its severity is a warning.

    A test of several tables without a configured one exists only in dbt.
    """
    tests = [(test, _tested_node(manifest, test)) for test in _nodes(manifest, "test")]
    return [_check_spec(manifest, test, table) for test, table in tests if table is not None]


def mart_keys(manifest: Manifest) -> list[dg.AssetKey]:
    """Return the asset keys of all marts."""
    return [asset_key(node) for node in _nodes(manifest, "model") if layer_of(node) == "marts"]


def _nodes(manifest: Manifest, *types: str) -> Iterator[Node]:
    return (node for node in manifest["nodes"].values() if node["resource_type"] in types)


def _asset_spec(manifest: Manifest, node: Node) -> dg.AssetSpec:
    parents = [_parent(manifest, parent) for parent in node.get("depends_on", {}).get("nodes", ())]
    return dg.AssetSpec(
        key=asset_key(node),
        deps=[
            dg.AssetDep(
                asset_key(parent),
                metadata=_table_metadata(parent) if parent["resource_type"] == "source" else None,
            )
            for parent in parents
        ],
        description=node["description"],
        metadata={
            **_table_metadata(node),
            **documentation_links(
                "warehouse.md", beside=f"dbt_project/{node['original_file_path']}"
            ),
            UNIQUE_ID: node["unique_id"],
        },
        skippable=True,
        group_name=group_of(node),
        code_version=_code_version(node),
        owners=[owner_of(manifest, node)],
        tags=dict.fromkeys(node["tags"], ""),
        kinds={"dbt", "duckdb"},
    )


def _check_spec(manifest: Manifest, test: Node, table: Node) -> dg.AssetCheckSpec:
    asset = asset_key(table)
    parents = {asset_key(_parent(manifest, each)) for each in test["depends_on"]["nodes"]}
    return dg.AssetCheckSpec(
        name=test["name"],
        asset=asset,
        description=meaning_of(test),
        additional_deps=sorted(parents - {asset}),
        metadata={UNIQUE_ID: test["unique_id"]},
        blocking=test["config"]["severity"].lower() == "error",
    )


def _tested_node(manifest: Manifest, test: Node) -> Node | None:
    """Return the node that a test checks; a test of several nodes may configure it."""
    parents = test["depends_on"]["nodes"]
    named = test["config"].get("meta", {}).get("dagster", {}).get("ref", {}).get("name")
    if named:
        return next(node for node in _nodes(manifest, *_ASSET_TYPES) if node["name"] == named)
    tested = parents[0] if len(parents) == 1 else test.get("attached_node")
    return _parent(manifest, tested) if tested else None


def _parent(manifest: Manifest, unique_id: str) -> Node:
    nodes: Mapping[str, Node] = manifest["nodes"]
    return nodes[unique_id] if unique_id in nodes else manifest["sources"][unique_id]


def _table_metadata(node: Node) -> dict[str, Any]:
    """Return the static metadata of a table."""
    name = node["identifier"] if node["resource_type"] == "source" else node["alias"]
    columns = [
        dg.TableColumn(column, each.get("data_type") or "?", each.get("description"))
        for column, each in node["columns"].items()
    ]
    return {
        "dagster/table_name": f"{node['database']}.{node['schema']}.{name}",
        "dagster/storage_kind": "duckdb",
        **({"dagster/column_schema": dg.TableSchema(columns)} if columns else {}),
    }


def _code_version(node: Node) -> str:
    """Return the hash of the SQL, or of a seed's file."""
    sql = node.get("raw_code")
    if not sql:
        return str(node["checksum"]["checksum"])
    return hashlib.sha1(sql.encode(), usedforsecurity=False).hexdigest()
