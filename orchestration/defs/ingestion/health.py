"""Recovery and body data of athletes with an account at Intervals.icu or Oura."""

from datetime import UTC, datetime

import dagster as dg

from orchestration.assets.coach_assets import check_result
from orchestration.assets.documentation import documentation_links
from orchestration.assets.pools import writer_pool
from orchestration.config.settings import load_settings
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.services.ingestion.ingest_health import ingest_health
from orchestration.services.operations.step_failures import describe_failures
from orchestration.storage.table_metadata import table_metadata


@dg.asset(
    key=["raw", "health_days"],
    group_name="raw",
    kinds={"python", "duckdb"},
    owners=["team:data"],
    code_version="1",
    metadata=documentation_links("health.md"),
    pool=writer_pool(),
    check_specs=[
        dg.AssetCheckSpec(
            "complete",
            asset=["raw", "health_days"],
            description="Every account at Intervals.icu and Oura was read to its end.",
        )
    ],
)
@describe_failures("Nothing new is in raw.health_days")
def health_days(
    context: dg.AssetExecutionContext, athletes: AthletesResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """Recovery and body data of a day from one source; one row per version of a day.

    Also reads the sessions of these accounts into raw.health_sessions.
    """
    loaded = ingest_health(
        load_settings(),
        athletes.profiles(),
        warehouse.connect,
        context.run.run_id,
        datetime.now(UTC),
        turn=athletes.turn,
    )
    with warehouse.connect(read_only=True) as con:
        metadata = table_metadata(con, "raw", "health_days")
    landed = loaded.landed.values()
    counts = {
        "read": sum(each.seen for each in landed),
        "new_versions": sum(each.added for each in landed),
        "deleted": sum(each.removed for each in landed),
        "quarantined": sum(each.quarantined for each in landed),
        "left_quarantine": sum(each.withdrawn for each in landed),
        "sessions_left_out": sum(loaded.left_out.values()),
    }
    problems = [f"{athlete}: {why}" for (athlete, _), why in loaded.failures.items()]
    return dg.MaterializeResult(
        metadata={**metadata, **(counts if loaded.landed else {})},
        check_results=[check_result("complete", problems)],
    )
