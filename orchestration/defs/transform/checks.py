"""Checks of the built marts, run after a build and daily; none blocks a nightly run."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from coach_agent.store.unit_mixup import unit_mixups
from orchestration.assets.coach_assets import check_result
from orchestration.assets.pools import writer_pool
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.defs.transform.assets import manifest
from orchestration.runs.tags import TRIGGER_TAG
from orchestration.services.operations.source_freshness import limits_of, old_readings

_SETS = dg.AssetKey(["marts", "fct_set"])

# A nightly run that fails before the marts would leave these checks with an old result.
_DAILY_TICK: dg.AutomationCondition[Any] = dg.AutomationCondition.cron_tick_passed("47 9 * * *")
_DAILY = (
    _DAILY_TICK.since_last_handled()
    & ~dg.AutomationCondition.any_deps_missing()
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
)


@dg.multi_asset_check(
    name="look_at_the_data",
    specs=[
        dg.AssetCheckSpec(
            "units",
            asset=_SETS,
            description="No workout of the last week looks like a mix-up of kg and lb.",
            automation_condition=_DAILY,
        ),
        dg.AssetCheckSpec(
            "source_freshness",
            asset=_SETS,
            description="Every account was read within the hours that dbt's source raw.sync_log "
            "declares.",
            automation_condition=_DAILY,
        ),
    ],
    pool=writer_pool(),
)
def data_checks(
    athletes: AthletesResource, warehouse: WarehouseResource
) -> Iterator[dg.AssetCheckResult]:
    """Check that the ingested data are plausible and current."""
    now = datetime.now(UTC)
    with warehouse.connect(read_only=True) as con:
        yield check_result("units", unit_mixups(con, now), asset_key=_SETS)
        after = limits_of(manifest(), "sync_log").warn_after
        late = old_readings(con, athletes.profiles(), after, now)
        told = [f"{athlete}: {text}" for athlete, text in late.items()]
        yield check_result("source_freshness", told, asset_key=_SETS)


daily_checks = dg.AutomationConditionSensorDefinition(
    "daily_checks",
    target=dg.AssetSelection.checks(*data_checks.check_keys),
    minimum_interval_seconds=300,
    default_status=dg.DefaultSensorStatus.RUNNING,
    run_tags={TRIGGER_TAG: "check"},
    description="Runs the daily checks of freshness and plausibility, independent of nightly runs.",
)
