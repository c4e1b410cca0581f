"""Translate between dbt and Dagster: node selection and asset events."""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any

import dagster as dg
import duckdb

from orchestration.dbt.changed_sources import select_exactly
from orchestration.dbt.checks import result_texts
from orchestration.dbt.column_lineage import Lineage, Table, origins_markdown
from orchestration.dbt.runner import NodeOutcome
from orchestration.dbt.translator import UNIQUE_ID, asset_key
from orchestration.storage.table_metadata import tables_metadata


def dbt_selection(context: dg.AssetExecutionContext, manifest: Mapping[str, Any]) -> Sequence[str]:
    """Return dbt's selection arguments for a step; empty for all nodes."""
    if not context.is_subset:
        return []
    wanted = [
        unique_id
        for unique_id, key in _asset_keys(context).items()
        if key in context.selected_asset_keys
    ] + [
        unique_id
        for unique_id, key in _check_keys(context).items()
        if key in context.selected_asset_check_keys
    ]
    return select_exactly(manifest, wanted)


def asset_events(
    context: dg.AssetExecutionContext,
    manifest: Mapping[str, Any],
    outcomes: Sequence[NodeOutcome],
    con: duckdb.DuckDBPyConnection,
    lineage: Lineage,
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """Yield a materialization for each selected asset and a check result for each selected test.

    Without an outcome the sources are unchanged: the asset is as it would be built, and the test
    passed the last time.
    """
    keys, checks = _asset_keys(context), _check_keys(context)
    relations = {
        unique_id: (manifest["nodes"][unique_id]["schema"], manifest["nodes"][unique_id]["alias"])
        for unique_id in keys
    }
    tables = tables_metadata(con, list(relations.values()))
    assets = {table: keys[unique_id] for unique_id, table in relations.items()} | {
        (source["schema"], source["identifier"]): asset_key(source)
        for source in manifest["sources"].values()
    }
    by_id = {outcome.unique_id: outcome for outcome in outcomes}
    # Dagster takes the outputs of a step in the order of their dependencies only.
    for unique_id in TopologicalSorter(manifest["parent_map"]).static_order():
        built, key = by_id.get(unique_id), keys.get(unique_id)
        if key in context.selected_asset_keys and (built is None or built.is_ok):
            table = relations[unique_id]
            metadata = {
                "seconds": 0.0 if built is None else built.seconds,
                "unchanged": built is None,
                **tables.get(table, {}),
                **lineage_metadata(lineage, table, assets),
            }
            yield dg.MaterializeResult(asset_key=key, metadata=metadata)
    for unique_id, check in checks.items():
        outcome = by_id.get(unique_id)
        if check not in context.selected_asset_check_keys:
            continue
        if outcome is None:
            yield _unchanged_check(check)
        elif outcome.status != "skipped":
            yield _check_result(check, outcome, manifest["nodes"][unique_id])


def lineage_metadata(
    lineage: Lineage, table: Table, assets: Mapping[Table, dg.AssetKey]
) -> dict[str, Any]:
    """Return column lineage for Dagster, and for a mart also as a readable table."""
    if table not in lineage:
        return {}
    deps = {
        column: [
            dg.TableColumnDep(assets[parent], name)
            for parent, name in sorted(parents)
            if parent in assets
        ]
        for column, parents in lineage[table].items()
    }
    told = {"columns_come_from": dg.MetadataValue.md(origins_markdown(lineage, table))}
    return {
        "dagster/column_lineage": dg.TableColumnLineage(deps),
        **(told if table[0] == "marts" else {}),
    }


def _unchanged_check(check: dg.AssetCheckKey) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=True,
        asset_key=check.asset_key,
        check_name=check.name,
        description="It passed the last time, and its data are unchanged.",
        metadata={"seconds": 0.0, "failed_rows": 0, "unchanged": True},
    )


def _check_result(
    check: dg.AssetCheckKey, outcome: NodeOutcome, test: Mapping[str, Any]
) -> dg.AssetCheckResult:
    is_warning = outcome.status == "warn"
    return dg.AssetCheckResult(
        passed=outcome.status == "pass",
        asset_key=check.asset_key,
        check_name=check.name,
        severity=dg.AssetCheckSeverity.WARN if is_warning else dg.AssetCheckSeverity.ERROR,
        description=" ".join(result_texts(outcome, test)),
        metadata={"seconds": outcome.seconds, "failed_rows": outcome.failures or 0},
    )


def _asset_keys(context: dg.AssetExecutionContext) -> dict[str, dg.AssetKey]:
    return {spec.metadata[UNIQUE_ID]: spec.key for spec in context.assets_def.specs}


def _check_keys(context: dg.AssetExecutionContext) -> dict[str, dg.AssetCheckKey]:
    specs = context.assets_def.node_check_specs_by_output_name.values()
    return {spec.metadata[UNIQUE_ID]: spec.key for spec in specs}
