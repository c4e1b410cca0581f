"""dbt: staging, snapshots and marts, with dbt's data tests as asset checks."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslatorSettings, DbtProject, dbt_assets

from orchestration.defs.resources import WarehouseResource
from orchestration.lib.dbt import DBT_PROJECT_DIR, build, ensure_manifest
from orchestration.lib.dbt_events import asset_events, dbt_selection, failures
from orchestration.lib.dbt_translator import LayerTranslator, layer_of
from orchestration.lib.settings import load_settings

TRANSLATOR = LayerTranslator(DagsterDbtTranslatorSettings(enable_code_references=True))


@cache
def dbt_project() -> DbtProject:
    """The dbt project."""
    return DbtProject(project_dir=DBT_PROJECT_DIR, profiles_dir=DBT_PROJECT_DIR)


@cache
def manifest() -> Mapping[str, Any]:
    """The manifest of the dbt project as it is now."""
    content: Mapping[str, Any] = json.loads(ensure_manifest().read_text())
    return content


def mart_keys() -> list[dg.AssetKey]:
    """The asset keys of all marts."""
    return [
        TRANSLATOR.get_asset_spec(manifest(), unique_id, dbt_project()).key
        for unique_id, properties in manifest()["nodes"].items()
        if properties["resource_type"] == "model" and layer_of(properties) == "marts"
    ]


@dg.definitions
def defs() -> dg.Definitions:
    """The dbt assets; parsing waits until definitions are loaded."""

    @dbt_assets(
        manifest=manifest(),
        project=dbt_project(),
        name="dbt_models",
        pool="duckdb_writer",
        dagster_dbt_translator=TRANSLATOR,
    )
    def dbt_models(
        context: dg.AssetExecutionContext, warehouse: WarehouseResource
    ) -> Iterator[Any]:
        path = Path(warehouse.path)
        warehouse.prepare()
        outcomes = build(path, load_settings().dbt_target, dbt_selection(context, manifest()))
        with warehouse.connect(read_only=True) as con:
            yield from asset_events(context, manifest(), outcomes, con)
        if broken := failures(outcomes):
            raise dg.Failure("dbt: " + "; ".join(broken), allow_retries=False)

    return dg.Definitions(assets=[dbt_models])
