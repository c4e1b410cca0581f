"""dbt assets: staging, snapshots and marts, with dbt's data tests as asset checks."""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg

from orchestration.assets.pools import writer_pool
from orchestration.config.settings import Settings, load_settings
from orchestration.dbt.changed_sources import build_changed
from orchestration.dbt.checks import failure_texts
from orchestration.dbt.column_lineage import cached_lineage
from orchestration.dbt.events import asset_events, dbt_selection
from orchestration.dbt.runner import MANIFEST_PATH, ensure_manifest, project_digest
from orchestration.dbt.translator import UNIQUE_ID, asset_specs, check_specs
from orchestration.defs.resources import WarehouseResource
from orchestration.services.operations.last_night import forget_last_night, note_inputs
from orchestration.services.operations.step_failures import build_failure, describe_failures


@cache
def manifest() -> Mapping[str, Any]:
    """Return the current manifest of the dbt project."""
    content: Mapping[str, Any] = json.loads(ensure_manifest().read_text())
    return content


def _lineage_cache(dbt_target: Path) -> Path:
    """Return the cache next to the manifest for all homes; a server may write only its home."""
    beside = MANIFEST_PATH.parent
    return (beside if os.access(beside, os.W_OK) else dbt_target) / "column_lineage.json"


def _note_inputs(warehouse: WarehouseResource, settings: Settings, run_id: str) -> None:
    """Record the inputs of the run, from the raw tables as this build reads them."""
    with warehouse.connect(read_only=True) as con:
        note_inputs(con, settings, run_id, datetime.now(UTC))


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
            forget_last_night(settings.home)
            if not selection:
                _note_inputs(warehouse, settings, context.run.run_id)
            outcomes = build_changed(warehouse.place, settings.dbt_target, manifest(), selection)
        context.log.info(
            "%d models, snapshots and tests were built or run; all others have unchanged sources.",
            len(outcomes),
        )
        built = {outcome.unique_id for outcome in outcomes if outcome.is_ok}
        wanted = {spec.metadata[UNIQUE_ID] for spec in context.assets_def.specs}
        with warehouse.connect(read_only=True) as con:
            lineage = cached_lineage(
                manifest(),
                project_digest(),
                settings.dbt_target / "compiled",
                con,
                _lineage_cache(settings.dbt_target),
                is_complete=wanted <= built,
            )
            yield from asset_events(context, manifest(), outcomes, con, lineage)
        if broken := failure_texts(manifest(), outcomes):
            raise build_failure(broken)

    return dg.Definitions(assets=[dbt_models])
