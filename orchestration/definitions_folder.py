"""Collect the Dagster definitions of all modules of a package.

Dagster's own `load_from_defs_folder` first imports every installed integration, including
dagster-dbt and dbt: seconds and 80 MB in each process that loads the assets.
"""

from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition
from dagster.components.definitions import LazyDefinitions

_JOBS = dg.JobDefinition | UnresolvedAssetJobDefinition


def folder_definitions(package: ModuleType) -> dg.Definitions:
    """Return the merged definitions of each module below `package`.

    A module either has functions with `@dg.definitions`, or plain assets, checks, jobs, schedules
    and sensors; next to such a function plain ones are ignored.
    """
    names = [each.name for each in walk_packages(package.__path__, f"{package.__name__}.")]
    return dg.Definitions.merge(*(_of_module(import_module(name)) for name in sorted(names)))


def asset_keys(definitions: dg.Definitions) -> set[dg.AssetKey]:
    """Return the keys of the assets, without resolving their graph."""
    keys: set[dg.AssetKey] = set()
    for each in definitions.assets or ():
        if isinstance(each, dg.AssetsDefinition):
            keys |= each.keys
        elif isinstance(each, dg.AssetSpec):
            keys.add(each.key)
    return keys


def _of_module(module: ModuleType) -> dg.Definitions:
    found = {id(value): value for value in vars(module).values()}.values()
    functions = [value for value in found if isinstance(value, LazyDefinitions)]
    if functions:
        return dg.Definitions.merge(*(each() for each in functions))
    return dg.Definitions(
        # Includes asset checks.
        assets=[each for each in found if isinstance(each, dg.AssetsDefinition | dg.AssetSpec)],
        jobs=[each for each in found if isinstance(each, _JOBS)],
        schedules=[each for each in found if isinstance(each, dg.ScheduleDefinition)],
        sensors=[each for each in found if isinstance(each, dg.SensorDefinition)],
    )
