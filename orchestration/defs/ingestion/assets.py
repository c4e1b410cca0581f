"""Raw tables: every version of Hevy's records and of the athletes' files."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import dagster as dg
from pydantic import Field

from hevy_connector.canonical_json import canonical_json
from hevy_connector.fetching.fetch import (
    fetch_body_measurements,
    fetch_exercise_templates,
    fetch_routine_folders,
    fetch_user,
)
from hevy_connector.raw.landing import land_all
from hevy_connector.raw.transactions import run_in_transaction
from hevy_connector.records import Batch, Record
from orchestration.assets.coach_assets import check_result, record_exclusions
from orchestration.assets.documentation import documentation_links
from orchestration.assets.pools import writer_pool
from orchestration.config.athletes import exclusion_message
from orchestration.config.settings import load_settings
from orchestration.defs.ingestion.files import IMPORTED_FILES
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.services.ingestion.account_changes import changes_metadata
from orchestration.services.ingestion.ingest import (
    ROUTINES,
    WORKOUTS,
    EntityLoad,
    Load,
    full_load,
    ingest_all,
)
from orchestration.services.ingestion.schema_drift import schema_problems
from orchestration.services.operations.step_failures import describe_failures
from orchestration.storage.table_metadata import table_metadata

USERS = dg.AssetKey(["raw", "hevy_users"])


class ReadConfig(dg.Config):
    """Options of reading the accounts."""

    full: bool = Field(
        default=False,
        description="Read all workouts instead of changes only. Other entities are always read in "
        "full.",
    )


def _api_asset(
    load: Load, description: str, *, deps: tuple[dg.AssetKey, ...] = (USERS,)
) -> dg.AssetsDefinition:
    entity = load.entity
    key = dg.AssetKey(["raw", entity])

    @dg.asset(
        key=key,
        group_name="raw",
        description=description,
        deps=deps,
        kinds={"python", "duckdb"},
        owners=["team:data"],
        code_version="1",
        metadata=documentation_links("warehouse.md"),
        pool=writer_pool(),
        check_specs=[
            dg.AssetCheckSpec(
                "complete",
                asset=key,
                blocking=True,
                description="Every athlete's account was read to its end, and counts agree.",
            ),
            dg.AssetCheckSpec(
                "schema",
                asset=key,
                description="Hevy's responses have the same fields as before, and all records "
                "could be read. A new or vanished field is reported once.",
            ),
        ],
    )
    @describe_failures(f"Nothing new is in raw.{entity}")
    def raw_table(
        context: dg.AssetExecutionContext,
        config: ReadConfig,
        athletes: AthletesResource,
        warehouse: WarehouseResource,
    ) -> dg.MaterializeResult:
        with athletes.clients() as make_client:
            loaded = ingest_all(
                load,
                athletes.profiles(),
                make_client,
                warehouse.connect,
                context.run.run_id,
                is_full=config.full,
                concurrency=load_settings().accounts_at_once,
                turn=athletes.turn,
            )
        for athlete_id, fault in loaded.faults.items():
            context.log.error("Nothing was read of %s", athlete_id, exc_info=fault)
        if loaded.is_unusable:
            raise dg.Failure("\n".join(loaded.failures.values()), allow_retries=False)
        record_exclusions(
            context,
            {one: f"{entity} was not read: {why}" for one, why in loaded.failures.items()},
        )
        with warehouse.connect(read_only=True) as con:
            metadata = {
                **table_metadata(con, "raw", entity),
                **_load_metadata(loaded),
                **changes_metadata(con, entity, context.run.run_id),
            }
            changed = schema_problems(con, entity, context.run.run_id)
        return dg.MaterializeResult(
            metadata=metadata,
            check_results=[_completeness_check(loaded), check_result("schema", changed)],
        )

    return raw_table


def _completeness_check(loaded: EntityLoad) -> dg.AssetCheckResult:
    """Return a warning if some accounts were read, an error that stops the run if none was."""
    problems = [f"{athlete}: {reason}" for athlete, reason in loaded.failures.items()]
    problems += [
        f"{athlete}: Hevy counts {landed.missing:+d} workouts compared with the known ones"
        for athlete, landed in loaded.landed.items()
        if landed.missing
    ]
    return dg.AssetCheckResult(
        check_name="complete",
        passed=not problems,
        severity=dg.AssetCheckSeverity.WARN if loaded.landed else dg.AssetCheckSeverity.ERROR,
        description="\n".join(problems) or "All accounts were read to their end.",
    )


def _load_metadata(loaded: EntityLoad) -> Mapping[str, Any]:
    records = [
        dg.TableRecord(
            {
                "athlete": athlete,
                "read": landed.seen,
                "new versions": landed.added,
                "deleted": landed.deleted,
                "quarantined": landed.quarantined,
                "left quarantine": landed.withdrawn,
            }
        )
        for athlete, landed in loaded.landed.items()
    ]
    totals = {
        "read": sum(landed.seen for landed in loaded.landed.values()),
        "new_versions": sum(landed.added for landed in loaded.landed.values()),
        "deleted": sum(landed.deleted for landed in loaded.landed.values()),
        "quarantined": sum(landed.quarantined for landed in loaded.landed.values()),
        "left_quarantine": sum(landed.withdrawn for landed in loaded.landed.values()),
    }
    return totals | ({"athletes": dg.MetadataValue.table(records)} if records else {})


@dg.asset(
    key=["raw", "athlete_profiles"],
    group_name="raw",
    kinds={"python", "duckdb"},
    owners=["team:data"],
    code_version="1",
    metadata=documentation_links("profile.md"),
    pool=writer_pool(),
    check_specs=[
        dg.AssetCheckSpec(
            "profile",
            asset=["raw", "athlete_profiles"],
            description="Every profile is valid; an athlete with an invalid one is excluded.",
        )
    ],
)
@describe_failures("The profiles are not read")
def athlete_profiles(
    context: dg.AssetExecutionContext, athletes: AthletesResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """The profile of each athlete without secrets; one row per version of a profile."""
    readings = {
        profile.id: Batch([Record(profile.id, canonical_json(profile.public_payload()))])
        for profile in athletes.profiles()
    }
    with warehouse.connect() as con:
        now, run_id = datetime.now(UTC), context.run.run_id
        with athletes.turn():
            landed = run_in_transaction(
                con,
                lambda: land_all(
                    con, "athlete_profiles", readings, now=now, run_id=run_id, origin="profile"
                ),
            )
        metadata = table_metadata(con, "raw", "athlete_profiles")
    return dg.MaterializeResult(
        metadata={**metadata, "new_versions": sum(each.added for each in landed.values())},
        check_results=[_profile_check(athletes.unusable())],
    )


def _profile_check(unusable: Mapping[str, str]) -> dg.AssetCheckResult:
    problems = [exclusion_message(athlete, why) for athlete, why in unusable.items()]
    return dg.AssetCheckResult(
        check_name="profile",
        passed=not problems,
        description="\n".join(problems) or "All profiles can be used.",
    )


hevy_users = _api_asset(
    full_load("hevy_users", fetch_user),
    "The Hevy account of each athlete; one row per version. Read first to verify the key.",
    deps=(),
)
hevy_workouts = _api_asset(
    WORKOUTS,
    "Workouts from Hevy or an export file; one row per version.",
    deps=(USERS, IMPORTED_FILES),
)
hevy_routines = _api_asset(
    ROUTINES,
    "Routines from Hevy, or inferred from files for an athlete without an account; one row per "
    "version.",
    deps=(USERS, IMPORTED_FILES),
)
hevy_exercise_templates = _api_asset(
    full_load("hevy_exercise_templates", fetch_exercise_templates),
    "The catalogue of exercises, built-in and custom; one row per version of an exercise.",
)
hevy_routine_folders = _api_asset(
    full_load("hevy_routine_folders", fetch_routine_folders),
    "The folders that routines lie in; one row per version of a folder.",
)
hevy_body_measurements = _api_asset(
    full_load("hevy_body_measurements", fetch_body_measurements),
    "Body weight and girths; one row per version of a day.",
)
