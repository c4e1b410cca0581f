"""Memories of the coach, learned in each run by rules and from notes that a model has read."""

from datetime import UTC, datetime
from functools import partial

import dagster as dg

from orchestration.assets.coach_assets import check_result, coach_asset, format_by_athlete
from orchestration.config.settings import load_settings
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.services.language_models.traces import tracing_of
from orchestration.services.memory.memories import learn_memories
from orchestration.services.memory.note_memories import read_new_notes
from orchestration.services.operations.step_failures import describe_failures
from orchestration.storage.table_metadata import table_metadata

MEMORIES = dg.AssetKey(["coach", "memories"])
_READ = ("dim_exercise", "fct_exercise_session", "fct_plan_compliance", "fct_workout")


@coach_asset(
    MEMORIES,
    deps=[dg.AssetKey(["marts", mart]) for mart in _READ],
    checks={
        "learned": "The memories of each athlete were learned; the log has the errors. The next "
        "run learns them again."
    },
    page="memory.md",
)
@describe_failures("No memory is learned")
def memories(
    context: dg.AssetExecutionContext, athletes: AthletesResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """Memories of each athlete, such as a preference or a habit; one row per memory and version.

    No plan depends on them.
    """
    profiles = athletes.profiles()
    settings = load_settings()
    read = read_new_notes(
        warehouse.connect,
        profiles,
        settings.keys,
        clock=lambda: datetime.now(UTC),
        run_id=context.run.run_id,
        tracing=partial(tracing_of, settings),
    )
    for athlete, reading in read.items():
        for problem in reading.problems:
            context.log.warning("The notes of %s: %s", athlete, problem)
    learned = learn_memories(
        warehouse.connect,
        profiles,
        athletes.turn,
        now=datetime.now(UTC),
        run_id=context.run.run_id,
    )
    with warehouse.connect(read_only=True) as con:
        table = table_metadata(con, "coach", "memories")
    failed = format_by_athlete(learned.failed)
    return dg.MaterializeResult(
        # Statements are personal: the metadata of a run has numbers only.
        metadata={**table, "changes": learned.changes},
        check_results=[check_result("learned", failed, some_are_fine=len(failed) < len(profiles))],
    )
