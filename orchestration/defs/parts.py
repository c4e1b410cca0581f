"""The parts of a night on a lake, each a job: in this order they are what `nightly` is.

`sync`, `coach` and `brief` may run for one shard of the athletes each (tag `spotter/shard`), at the
same time in different processes; `models` and `release` run once for everybody.
"""

import dagster as dg

from orchestration.defs.coaching.assets import NEXT_WORKOUT, PUBLICATION, ROUTINE_VERSIONS
from orchestration.defs.coaching.briefing import BRIEFING
from orchestration.runs.tags import BRIEF, COACH, MODELS, RELEASE

_MODELS = dg.AssetSelection.groups("seeds", "staging", "snapshots", "intermediate", "marts")


@dg.definitions
def defs() -> dg.Definitions:
    """The jobs; `sync` is beside the nightly one."""
    routines = dg.AssetSelection.assets(["staging", ROUTINE_VERSIONS])
    return dg.Definitions(
        jobs=[
            dg.define_asset_job(
                MODELS,
                selection=_MODELS,
                description="Build history and marts from what is in the raw tables, without "
                "releasing them.",
            ),
            dg.define_asset_job(
                COACH,
                selection=dg.AssetSelection.assets(NEXT_WORKOUT, PUBLICATION),
                description="Decide and publish the next workout from the marts as they are.",
            ),
            dg.define_asset_job(
                RELEASE,
                selection=(routines.downstream() & _MODELS) | dg.AssetSelection.groups("release"),
                description="Build anew what tells of routines, as publications are history at "
                "once, and release the marts to readers.",
            ),
            dg.define_asset_job(
                BRIEF,
                selection=dg.AssetSelection.assets(BRIEFING),
                description="Write and send the briefings from the marts as they are.",
            ),
        ]
    )
