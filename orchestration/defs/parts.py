"""The stages of a nightly run on a lake, each a job: in this order they equal `nightly`.

`sync`, `coach` and `brief` may run per partition of the athletes (tag `spotter/shard`),
concurrently in different processes; `models` and `release` run once for all.
"""

import dagster as dg

from orchestration.defs.coaching.assets import NEXT_WORKOUT, PUBLICATION, ROUTINE_VERSIONS
from orchestration.defs.coaching.briefing import BRIEFING
from orchestration.defs.coaching.memory import MEMORIES
from orchestration.runs.tags import BRIEF, COACH, MODELS, RELEASE

_MODELS = dg.AssetSelection.groups("seeds", "staging", "snapshots", "marts")


@dg.definitions
def defs() -> dg.Definitions:
    """The stage jobs, except `sync`, which is defined next to the nightly job."""
    routines = dg.AssetSelection.assets(["staging", ROUTINE_VERSIONS])
    return dg.Definitions(
        jobs=[
            dg.define_asset_job(
                MODELS,
                selection=_MODELS,
                description="Build history and marts from the raw tables, without a release.",
            ),
            dg.define_asset_job(
                COACH,
                selection=dg.AssetSelection.assets(NEXT_WORKOUT, PUBLICATION),
                description="Decide and publish the next workout from the current marts.",
            ),
            dg.define_asset_job(
                RELEASE,
                selection=(routines.downstream() & _MODELS) | dg.AssetSelection.groups("release"),
                description="Rebuild the models that depend on routines, which publications "
                "changed, and release the marts.",
            ),
            dg.define_asset_job(
                BRIEF,
                selection=dg.AssetSelection.assets(BRIEFING, MEMORIES),
                description="Write and send the briefings, and learn memories, from the current "
                "marts.",
            ),
        ]
    )
