"""dbt: staging, snapshots and marts, with dbt's data tests as asset checks."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslatorSettings, DbtProject, dbt_assets

from orchestration.defs.resources import WarehouseResource
from orchestration.lib.column_lineage import project_lineage
from orchestration.lib.dbt import DBT_PROJECT_DIR, build, ensure_manifest
from orchestration.lib.dbt_checks import failure_texts
from orchestration.lib.dbt_events import asset_events, dbt_selection
from orchestration.lib.dbt_translator import LayerTranslator, layer_of
from orchestration.lib.settings import load_settings
from orchestration.lib.step_failures import build_failure, explained

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
        settings = load_settings()
        with explained("History and marts are not built"):
            warehouse.prepare()
            selection = dbt_selection(context, manifest())
            outcomes = build(Path(warehouse.path), settings.dbt_target, selection)
        with warehouse.connect(read_only=True) as con:
            lineage = project_lineage(manifest(), settings.dbt_target / "compiled", con)
            yield from asset_events(context, manifest(), outcomes, con, lineage)
        if broken := failure_texts(manifest(), outcomes):
            raise build_failure(broken)

    return dg.Definitions(assets=[dbt_models])
