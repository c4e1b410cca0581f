"""Dagster's entry point: all assets, jobs, schedules and resources of Spotter."""

import os

import dagster as dg

import orchestration.defs
from orchestration.config.durable_files import UMASK
from orchestration.config.settings import load_settings
from orchestration.dbt.translator import source_specs
from orchestration.definitions_folder import asset_keys, folder_definitions
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.defs.transform.assets import manifest
from orchestration.runs.partitions import partition_keys
from orchestration.services.operations.alert import LATE_AFTER, STALE_AFTER

# First key parts of the assets that each nightly run materializes.
EVERY_NIGHT = {"raw", "marts", "coach", "release"}
# Groups of assets that are partitioned by athlete, if there are several partitions.
PARTITIONED = {"raw", "coach"}
NIGHTLY = dg.FreshnessPolicy.time_window(warn_window=LATE_AFTER, fail_window=STALE_AFTER)


@dg.definitions
def defs() -> dg.Definitions:
    """Everything under `defs/`, with the resources of this machine.

    Steps run one after another in the run's process: they share one warehouse file, and a process
    per step would cost more than the step.
    """
    settings = load_settings()
    # Servers started without the `spotter` command create files, too.
    os.umask(UMASK)
    found = folder_definitions(orchestration.defs)
    sources = {spec.key: spec for spec in source_specs(manifest())}
    written = asset_keys(found)
    keys = partition_keys(settings.partitions)
    partitions = dg.StaticPartitionsDefinition(keys) if keys else None
    # Not those that are only observed, such as deliveries of a webhook.
    steps = [each for each in found.assets or () if isinstance(each, dg.AssetsDefinition)]
    made = {key for each in steps for key in each.keys}

    def complete(spec: dg.AssetSpec) -> dg.AssetSpec:
        """Add the columns of dbt's source of this table, partitions, and a freshness policy."""
        if partitions is not None and spec.group_name in PARTITIONED and spec.key in made:
            spec = spec.replace_attributes(partitions_def=partitions)
        source = sources.get(spec.key)
        return _add_freshness_policy(
            spec if source is None else spec.merge_attributes(metadata=source.metadata)
        )

    return dg.Definitions.merge(
        # With a selection Dagster would resolve the whole graph twice.
        found.permissive_map_resolved_asset_specs(func=complete, selection=None),
        dg.Definitions(
            # Tables of sources that are written as a part of other steps.
            assets=[spec for key, spec in sources.items() if key not in written],
            resources={
                "warehouse": WarehouseResource(path=str(settings.warehouse_path)),
                "athletes": AthletesResource(),
            },
            executor=dg.in_process_executor,
        ),
    )


def _add_freshness_policy(spec: dg.AssetSpec) -> dg.AssetSpec:
    """Add a freshness policy to assets that each nightly run materializes."""
    if spec.key.path[0] not in EVERY_NIGHT:
        return spec
    watched: dg.AssetSpec = dg.apply_freshness_policy(spec, NIGHTLY, overwrite_existing=False)
    return watched
