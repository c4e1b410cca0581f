"""dbt assets: staging, snapshots and marts, with dbt's data tests as asset checks."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import dagster as dg

from orchestration.assets.pools import writer_pool
from orchestration.config.settings import load_settings
from orchestration.dbt.checks import failure_texts
from orchestration.dbt.column_lineage import project_lineage
from orchestration.dbt.events import asset_events, dbt_selection
from orchestration.dbt.runner import build, ensure_manifest
from orchestration.dbt.translator import asset_specs, check_specs
from orchestration.defs.resources import WarehouseResource
from orchestration.services.step_failures import build_failure, describe_failures


@cache
def manifest() -> Mapping[str, Any]:
    """Return the current manifest of the dbt project."""
    content: Mapping[str, Any] = json.loads(ensure_manifest().read_text())
    return content


@dg.definitions
def defs() -> dg.Definitions:
    """The dbt assets; the project is parsed only when definitions are loaded."""

    @dg.multi_asset(
        name="dbt_models",
        specs=asset_specs(manifest()),
        check_specs=check_specs(manifest()),
        can_subset=True,
        pool=writer_pool(),
    )
    def dbt_models(
        context: dg.AssetExecutionContext, warehouse: WarehouseResource
    ) -> Iterator[Any]:
        settings = load_settings()
        with describe_failures("History and marts are not built"):
            warehouse.prepare()
            selection = dbt_selection(context, manifest())
            outcomes = build(warehouse.place, settings.dbt_target, selection)
        with warehouse.connect(read_only=True) as con:
            lineage = project_lineage(manifest(), settings.dbt_target / "compiled", con)
            yield from asset_events(context, manifest(), outcomes, con, lineage)
        if broken := failure_texts(manifest(), outcomes):
            raise build_failure(broken)

    return dg.Definitions(assets=[dbt_models])
