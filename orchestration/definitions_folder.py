"""Everything that the modules of a package define for Dagster.

Dagster's own `load_from_defs_folder` does the same, but first imports every integration that is
installed, dagster-dbt and dbt among them: seconds and 80 MB of each process that knows the assets.
"""

from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition
from dagster.components.definitions import LazyDefinitions

_JOBS = dg.JobDefinition | UnresolvedAssetJobDefinition


def folder_definitions(package: ModuleType) -> dg.Definitions:
    """Those of each module below `package`, merged.

    A module has a function with `@dg.definitions`, or assets, checks, jobs, schedules and sensors
    as they are; beside such a function bare ones are not seen.
    """
    names = [each.name for each in walk_packages(package.__path__, f"{package.__name__}.")]
    return dg.Definitions.merge(*(_of_module(import_module(name)) for name in sorted(names)))


def _of_module(module: ModuleType) -> dg.Definitions:
    found = {id(value): value for value in vars(module).values()}.values()
    functions = [value for value in found if isinstance(value, LazyDefinitions)]
    if functions:
        return dg.Definitions.merge(*(each() for each in functions))
    return dg.Definitions(
        # A check is one of them, too.
        assets=[each for each in found if isinstance(each, dg.AssetsDefinition | dg.AssetSpec)],
        jobs=[each for each in found if isinstance(each, _JOBS)],
        schedules=[each for each in found if isinstance(each, dg.ScheduleDefinition)],
        sensors=[each for each in found if isinstance(each, dg.SensorDefinition)],
    )
